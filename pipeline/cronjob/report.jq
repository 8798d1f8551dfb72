# What users see of a CronJob.
include "operator";
include "jobs";
include "timing";

def reference: {apiVersion, kind, namespace: .metadata.namespace,
  name: .metadata.name, uid: .metadata.uid};

def readiness:
  if .error != null then condition("Ready"; false; "Failed"; .error)
  elif .plan.reason != null then
    condition("Ready"; false; .plan.reason; .plan.message)
  elif .primary.spec.suspend == true then
    condition("Ready"; true; "Suspended"; "")
  elif .plan.missed != null then
    condition("Ready"; true; "MissedDeadline";
      "the run of \(.plan.missed | rfc3339) could not begin in time")
  else condition("Ready"; true; "Scheduled"; "") end;

def time: if . == null then null else rfc3339 end;

def status: {
      active: (active_jobs | map(reference)),
      lastScheduleTime: (last_run | time),
      startingTime: (.plan.announce | time),
      observedGeneration: .primary.metadata.generation,
      conditions: [readiness]
    } + handled
  | with_entries(select(.value != null));

def event($type; $reason; $message): {$type, $reason, $message};

def events: told_time as $told
  | [
      if .plan.reason != null then
        event("Warning"; .plan.reason; .plan.message)
      elif .plan.missed != null then
        event("Warning"; "MissSchedule";
          "the run of \(.plan.missed | rfc3339) could not begin in time")
      elif missed_many(.plan.since; .plan.due) then
        event("Warning"; "TooManyMissedTimes";
          "more than \(many) runs were missed: only the last one is begun")
      else empty end,
      (.owned.Job[] | select(job_time > $told)
        | event("Normal"; "SuccessfulCreate"; "Job \(.metadata.name) runs"))
    ];
