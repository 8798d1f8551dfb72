# CronJob: Jobs by a schedule, each named by the time that it is for.
#
# A run is due if its time has come and is later than the last one that is
# known: by the status, and by the Jobs that are there. Its Job is created with
# `once`, so only while the CronJob is as it was read; it is not deleted before
# its time is in the status. So no run is begun twice, and none is forgotten.
#
# With Forbid and Replace the status announces a run first. That one is begun,
# and no other, until its Job is seen.
include "operator";
include "jobs";
include "timing";
include "report";

def desired: (outdated + .plan.stop | map(.metadata.name)) as $gone
  | [.owned.Job[] | select(.metadata.name | IN($gone[]) | not) | keep(.)]
    + if .plan.begin == null then [] else [once(new_job(.plan.begin))] end;

def requeue: .plan.next | if . == null then null else rfc3339 end;
