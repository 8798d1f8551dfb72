# What users see of a CronJob.
include "timing";

def reference: {apiVersion, kind, namespace: .metadata.namespace,
  name: .metadata.name, uid: .metadata.uid};

def ready($timing):
  if .error != null then condition("Ready"; false; "Failed"; .error)
  elif $timing.reason != null then
    condition("Ready"; false; $timing.reason; $timing.message)
  elif .primary.spec.suspend == true then
    condition("Ready"; true; "Suspended"; "")
  elif $timing.missed != null then
    condition("Ready"; true; "MissedDeadline";
      "the run of \($timing.missed | rfc3339) could not begin in time")
  else condition("Ready"; true; "Scheduled"; "") end;

def status: timing as $timing
  | last_run as $last
  | {
      active: (active_jobs | map(reference)),
      lastScheduleTime: (if $last == null then null else $last | rfc3339 end),
      observedGeneration: .primary.metadata.generation,
      conditions: [ready($timing)]
    } + handled
  | with_entries(select(.value != null));

def event($type; $reason; $message): {$type, $reason, $message};

def events: timing as $timing
  | (told_time // 0) as $told
  | [
      if $timing.reason != null then
        event("Warning"; $timing.reason; $timing.message)
      elif $timing.missed != null then
        event("Warning"; "MissSchedule";
          "the run of \($timing.missed | rfc3339) could not begin in time")
      elif $timing.due != null and missed_many($timing.since; $timing.due) then
        event("Warning"; "TooManyMissedTimes";
          "more than \(many) runs were missed: only the last one is begun")
      else empty end,
      (.owned.Job[] | select(job_time != null and job_time > $told)
        | event("Normal"; "SuccessfulCreate"; "Job \(.metadata.name) runs"))
    ];
