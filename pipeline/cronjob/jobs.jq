# The Jobs of a CronJob.
include "operator";

def scheduled_at: "batch.tutorial.kubebuilder.io/scheduled-at";

# The time that a Job is for, in Unix seconds; null: not made by us.
def job_time: .metadata.annotations[scheduled_at] | try fromdate catch null;

def has_ended($how):
  any(.status.conditions[]?; .type == $how and .status == "True");
def is_active: (has_ended("Complete") or has_ended("Failed")) | not;
def is_going: .metadata.deletionTimestamp != null;

def active_jobs: [.owned.Job[] | select(is_active)] | sort_by(job_time);

def job_name($time): "\(.primary.metadata.name)-\($time)";

def new_job($time): .primary as $primary
  | $primary.spec.jobTemplate as $template
  | {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: ({
        name: job_name($time),
        labels: $template.metadata.labels,
        annotations: (($template.metadata.annotations // {})
          + {(scheduled_at): ($time | rfc3339)})
      } | compact),
      spec: $template.spec
    };

# The last run that the status knows of, in Unix seconds, or null.
def told_time: .primary.status.lastScheduleTime
  | if . == null then null else fromdate end;

# The oldest ones of a list, without the newest $limit.
def oldest($limit): sort_by(job_time) | .[:[length - $limit, 0] | max];

# Jobs beyond the history's limits, of those that the status knows of. (In jq
# null is less than every number.)
def outdated: told_time as $told
  | .primary.spec as $spec
  | [.owned.Job[] | select(job_time != null and job_time <= $told
      and (is_going | not))]
  | (map(select(has_ended("Complete")))
      | oldest($spec.successfulJobsHistoryLimit // 3))
    + (map(select(has_ended("Failed")))
      | oldest($spec.failedJobsHistoryLimit // 1));
