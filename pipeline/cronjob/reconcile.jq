# CronJob: Jobs by a schedule, each named by the time that it is for.
#
# A run is due if its time has come and is later than the last one that is
# known: by the status, and by the Jobs that are there. Its Job is created with
# `once`, so only while the CronJob is as it was read; it is not deleted before
# its time is in the status. So no run is begun twice, and none is forgotten.
include "operator";
include "jobs";
include "timing";
include "report";

# {begin, stop}: the time of the run to begin, or null; Jobs that go first.
def start($due): active_jobs as $active
  | .primary.spec.concurrencyPolicy as $policy
  | if $due == null or ($policy == "Forbid" and $active != []) then
      {begin: null, stop: []}
    elif $policy == "Replace" and any($active[]; is_going | not) then
      {begin: null, stop: $active}
    else {begin: $due, stop: []} end;

def desired: start(.plan.due) as $start
  | (outdated + $start.stop | map(.metadata.name)) as $gone
  | [.owned.Job[] | select(.metadata.name | IN($gone[]) | not) | keep(.)]
    + if $start.begin == null then [] else [once(new_job($start.begin))] end;

def requeue: .plan.next | if . == null then null else rfc3339 end;
