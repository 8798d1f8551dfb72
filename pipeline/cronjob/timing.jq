# When a CronJob runs.
include "operator";
include "jobs";

# The last run that was begun, in Unix seconds, or null.
def last_run: [told_time, (.owned.Job[] | job_time)] | max;

def is_late($run): .primary.spec.startingDeadlineSeconds as $limit
  | $limit != null and (.now | floor) > $run + $limit;

# {next, since, due, missed}: the next time; since when runs count; the run that
# should begin now, or null; the one that is too late, or null. Instead of all
# this {reason, message}: what is wrong.
def timing: .primary.spec as $spec
  | .now as $now
  | (last_run // (.primary.metadata.creationTimestamp | fromdate)) as $since
  | try (
      cron_next($spec.schedule; $now; $spec.timeZone) as $next
      | cron_last($spec.schedule; $now; $spec.timeZone; $since) as $last
      | (if $spec.suspend == true then null else $last end) as $run
      | is_late($run) as $late
      | {
          next: $next,
          since: $since,
          due: (if $late then null else $run end),
          missed: (if $late then $run else null end)
        })
    catch {reason: "InvalidSchedule", message: .};

# The run that the status announces, in Unix seconds, or null: if its Job is
# there, or it is too late for it.
def announced: (.primary.status.startingTime
    | if . == null then null else fromdate end) as $run
  | if is_late($run) or named(.owned.Job; job_name($run)) != null then null
    else $run end;

# {announce, begin, stop}: the run to announce in the status, the one to begin,
# or null; Jobs that go first.
def start($due): active_jobs as $active
  | .primary.spec as $spec
  | announced as $announced
  | {announce: $announced, begin: null, stop: []}
    + if $spec.suspend == true then {}
      elif $spec.concurrencyPolicy | IN("Forbid", "Replace") | not then
        {announce: null, begin: $due}
      elif $announced != null then {begin: $announced}
      elif $due == null then {}
      elif $spec.concurrencyPolicy == "Replace"
          and any($active[]; is_going | not) then {stop: $active}
      elif $spec.concurrencyPolicy == "Forbid" and $active != [] then {}
      else {announce: $due} end;

def plan: timing as $timing | $timing + start($timing.due);

# More runs than this are "many".
def many: 100;

def missed_many($since; $due): .primary.spec as $spec
  | [limit(many + 1; $since
      | recurse(cron_next($spec.schedule; .; $spec.timeZone);
          . != null and . < $due))]
  | length > many;
