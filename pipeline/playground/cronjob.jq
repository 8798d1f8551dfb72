# CronJobs: a Job for each time of a schedule.
# How: kubernetes/pkg/controller/cronjob. The status says which time was the
# last one, so watches.yaml has guardStatus.
include "operator";
include "workload";

def component: "cronjob-controller";
def scheduled_key: "batch.kubernetes.io/cronjob-scheduled-timestamp";
def is_manual:
  .metadata.annotations["cronjob.kubernetes.io/instantiate"] == "manual";

# "Complete", "Failed" or null.
def ended_as:
  [.status.conditions[]?
    | select(.status == "True" and IN(.type; "Complete", "Failed")).type][0];
def is_active: .metadata.deletionTimestamp == null and ended_as == null;

# ---- times ----

# The time that a Job is for, as its name tells; null: it was made by others.
def job_time($owner):
  if .metadata.annotations[scheduled_key] == null or is_manual then null
  else
    .metadata.name | ltrimstr("\($owner)-")
    | try (tonumber * 60) catch null
  end;

# The last time for which there was a Job, by the status or by the Jobs, of
# which the status may not tell yet; or null.
def last_time:
  .primary.metadata.name as $owner
  | [(.primary.status.lastScheduleTime
       | if . == null then null else fromdate end),
     (.owned.Job[] | job_time($owner))]
  | max;

# How many minutes a zone is ahead of UTC: the one time of day at which a
# schedule has this very minute.
def offset($time; $zone):
  ($time / 60 | floor) as $minutes
  | first(range(0; 1440; 15) as $ahead
      | (($minutes + $ahead) % 1440) as $day
      | select(cron_last("\($day % 60) \($day / 60 | floor) * * *"; $time;
          $zone; $time - 60) != null)
      | if $ahead >= 840 then $ahead - 1440 else $ahead end);

def two_digits: "0\(.)" | .[length - 2:];
def local_time($time; $zone):
  if $zone == null or $zone == "" or $zone == "UTC" then $time | rfc3339
  else
    offset($time; $zone) as $ahead
    | (if $ahead < 0 then - $ahead else $ahead end) as $abs
    | ($time + $ahead * 60 | rfc3339 | rtrimstr("Z"))
      + (if $ahead == 0 then "Z"
         else
          (if $ahead < 0 then "-" else "+" end)
          + ($abs / 60 | floor | two_digits) + ":" + ($abs % 60 | two_digits)
         end)
  end;

# {due, next}: the last time that has come since the last one that is known, and
# the next one; or {error}.
def times:
  .primary.spec as $spec
  | .now as $now
  | (last_time // (.primary.metadata.creationTimestamp | fromdate)) as $since
  | ([$since, (if $spec.startingDeadlineSeconds == null then $since
      else $now - $spec.startingDeadlineSeconds end)] | max) as $since
  | try {
      due: (if $spec.suspend then null
        else cron_last($spec.schedule; $now; $spec.timeZone; $since) end),
      next: (if $spec.suspend then null
        else cron_next($spec.schedule; $now; $spec.timeZone) end)}
    catch {due: null, next: null, error: .};

def job_name($time): "\(.primary.metadata.name)-\($time / 60 | floor)";

# What comes of it: {begin, replaced, blocked, next, error}.
def plan:
  .primary.spec as $spec
  | times as $times
  | [.owned.Job[] | select(is_active and (is_manual | not))] as $active
  | (if $times.due == null then null else job_name($times.due) end) as $name
  | {next: $times.next, error: $times.error, begin: null, replaced: [],
     blocked: false, due: $times.due}
  | if $times.due == null or any($active[]; .metadata.name == $name) then .
    elif $spec.concurrencyPolicy == "Forbid" and $active != [] then
      .blocked = true
    elif $spec.concurrencyPolicy == "Replace" and $active != [] then
      # The next one begins when these are gone.
      .replaced = [$active[].metadata.name]
    else .begin = $times.due
    end;

# ---- desired ----

def new_job($time):
  .primary.spec.jobTemplate as $template
  | {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: ({
        name: job_name($time),
        labels: $template.metadata.labels,
        annotations: (($template.metadata.annotations // {})
          + {(scheduled_key): local_time($time; .primary.spec.timeZone)})
      } | compact),
      spec: $template.spec
    };

def beyond($limit):
  sort_by(.status.startTime // "9999", .metadata.name)
  | .[:[length - $limit, 0] | max]
  | map(.metadata.name);

def outdated:
  .primary.spec as $spec
  | ([.owned.Job[] | select(ended_as == "Complete")]
      | beyond($spec.successfulJobsHistoryLimit // 3))
    + ([.owned.Job[] | select(ended_as == "Failed")]
      | beyond($spec.failedJobsHistoryLimit // 1));

def desired:
  (outdated + .plan.replaced) as $gone
  | [.owned.Job[] | select(.metadata.name | IN($gone[]) | not) | keep(.)]
    + if .plan.begin == null then [] else [once(new_job(.plan.begin))] end;

# ---- events ----

def events:
  (.owned.Job | map({key: .metadata.name, value: .}) | from_entries) as $there
  | [.outstanding[] | select(.kind == "Job").metadata.name] as $names
  | [.primary.status.active[]?] as $active
  | .primary.spec.concurrencyPolicy as $policy
  | .primary.metadata.namespace as $namespace
  | [($names[] | . as $job | select($there[.] == null)
       | normal(component; "SuccessfulCreate"; "Created job \(.)")
       | about("Job.batch"; $namespace; $job; "FailedCreate";
           "Error creating job: ")),
     ($names[] | . as $job | select($there[.] != null
         and $there[.].metadata.deletionTimestamp == null)
       | normal(component; "SuccessfulDelete"; "Deleted job \(.)")
       | about("Job.batch"; $namespace; $job; "FailedDelete";
           "Deleted job: ")),
     ($active[] | $there[.name] as $job
       | if $job == null then
           # One that was replaced may still be in the status.
           select($policy != "Replace")
           | normal(component; "MissingJob";
               "Active job went missing: \(.name)")
         elif $job | ended_as then
           normal(component; "SawCompletedJob"; "Saw completed job: \(.name), "
             + "condition: \($job | ended_as)")
         else empty end),
     (.owned.Job[] | select(is_manual and is_active)
       | warning(component; "UnexpectedJob"; "Saw a job that the controller "
           + "did not create or forgot: \(.metadata.name)")),
     (if .plan.blocked then
        normal(component; "JobAlreadyActive"; "Not starting job because prior "
          + "execution is running and concurrency policy is Forbid")
      else empty end),
     (if .plan.error == null then empty
      else warning(component; "UnparseableSchedule"; "unparseable schedule: "
        + "\(.primary.spec.schedule | tojson) : \(.plan.error)") end)];

# ---- status ----

def reference:
  {kind, namespace: .metadata.namespace, name: .metadata.name,
   uid: .metadata.uid, apiVersion, resourceVersion: .metadata.resourceVersion};

def active_references:
  [.primary.status.active[]?] as $told
  | [.owned.Job[] | select(is_active and (is_manual | not))
      | .metadata.uid as $uid
      | [$told[] | select(.uid == $uid)][0] // reference];

def status:
  {active: active_references,
   lastScheduleTime: ([.plan.begin, last_time] | max
     | if . == null then null else rfc3339 end),
   lastSuccessfulTime: ([.primary.status.lastSuccessfulTime,
     (.owned.Job[] | select(ended_as == "Complete").status.completionTime)]
     | max)}
  | compact;

def requeue: .plan.next | if . == null then null else rfc3339 end;
