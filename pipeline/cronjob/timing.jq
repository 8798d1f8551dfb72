# When a CronJob runs.
include "operator";
include "jobs";

# The last run that was begun, in Unix seconds, or null.
def last_run: [told_time, (.owned.Job[] | job_time)] | max;

# {next, since, due, missed}: the next time; since when runs count; the run that
# should begin now, or null; the one that is too late, or null. Instead of all
# this {reason, message}: what is wrong.
def plan:
  .primary.spec as $spec
  | .now as $now
  | (last_run // (.primary.metadata.creationTimestamp | fromdate)) as $since
  | try (
      cron_next($spec.schedule; $now; $spec.timeZone) as $next
      | cron_last($spec.schedule; $now; $spec.timeZone; $since) as $last
      | (if $spec.suspend == true then null else $last end) as $run
      | ($run != null and $spec.startingDeadlineSeconds != null
          and ($now | floor) > $run + $spec.startingDeadlineSeconds) as $late
      | {
          next: $next,
          since: $since,
          due: (if $late then null else $run end),
          missed: (if $late then $run else null end)
        })
    catch {reason: "InvalidSchedule", message: .};

# More runs than this are "many".
def many: 100;

def missed_many($since; $due): .primary.spec as $spec
  | [limit(many + 1; $since
      | recurse(cron_next($spec.schedule; .; $spec.timeZone);
          . != null and . < $due))]
  | length > many;
