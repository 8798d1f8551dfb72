# Jobs: pods until enough of them have succeeded, or too many failed.
# How: kubernetes/pkg/controller/job. Pods end as watches.yaml's program says.
include "operator";
include "workload";

def component: "job-controller";
def index_key: "batch.kubernetes.io/job-completion-index";

def succeeded: .status.phase == "Succeeded";
def failed: .status.phase == "Failed";
def going: .metadata.deletionTimestamp != null and (finished | not);

def indexed: .spec.completionMode == "Indexed";
def index_of: .metadata.annotations[index_key] // "-1" | tonumber;

def condition_before($type):
  [.primary.status.conditions[]? | select(.type == $type)][0];
def condition_is($type): condition_before($type).status == "True";
def over: condition_is("Complete") or condition_is("Failed");

def late_at:
  .primary.spec.activeDeadlineSeconds as $seconds
  | if $seconds == null or .primary.spec.suspend or over
      or .primary.status.startTime == null then null
    else (.primary.status.startTime | fromdate) + $seconds end;

# ---- what became of it ----

# What became of the pods, those that are gone included: a status never goes
# back. Of an index one success counts.
def counted($pods):
  ([$pods[] | select(succeeded)]
    | if .[0] != null and (.[0].metadata.annotations[index_key] != null)
      then unique_by(index_of) else . end | length) as $succeeded
  | {succeeded: ([$succeeded, (.primary.status.succeeded // 0)] | max),
     failed: ([([$pods[] | select(failed)] | length),
       (.primary.status.failed // 0)] | max)};

# Where the kubelet starts containers again, no new pod is made: they count.
def restarted_too_often($alive):
  .primary.spec as $spec
  | $spec.template.spec.restartPolicy == "OnFailure"
    and ([$alive[].status.containerStatuses[]?.restartCount] | add // 0)
      >= ([$spec.backoffLimit, 1] | max);

def success:
  {type: "Complete", early: "SuccessCriteriaMet", reason: "CompletionsReached",
   message: "Reached expected number of succeeded pods"};
def failure($reason; $message):
  {type: "Failed", early: "FailureTarget", $reason, $message};

# How it ends, or null.
def outcome($done; $alive):
  late_at as $late
  | .primary.spec as $spec
  | condition_before("FailureTarget") as $target
  | if $target.status == "True" then failure($target.reason; $target.message)
    elif $done.failed > $spec.backoffLimit or restarted_too_often($alive) then
      failure("BackoffLimitExceeded";
        "Job has reached the specified backoff limit")
    elif $late != null and $late <= .now then
      failure("DeadlineExceeded";
        "Job was active longer than specified deadline")
    elif $spec.completions == null then
      if $done.succeeded > 0 and $alive == [] then success else null end
    elif $done.succeeded >= $spec.completions then success
    else null end;

def wanted($job; $done):
  if $job.spec.suspend then 0
  elif $job.spec.completions == null then
    if $done.succeeded > 0 then 0 else $job.spec.parallelism end
  else
    [$job.spec.parallelism, $job.spec.completions - $done.succeeded] | min
  end;

# {done, outcome, active, more}: active pods to keep; how many more there are
# to be.
def plan:
  .primary as $job
  | counted(.owned.Pod) as $done
  | ([.owned.Pod[] | select(alive)]
      | sort_by((pod_runs | not), .metadata.creationTimestamp, .metadata.name))
    as $alive
  | outcome($done; $alive) as $outcome
  | (if over or $outcome != null then 0 else wanted($job; $done) end) as $n
  # That it fails is recorded first: without its pods that might not be seen.
  # Without completions, those that run when one has succeeded go on.
  | (if $outcome.type == "Failed" and (condition_is("FailureTarget") | not)
      or ($job.spec.completions == null and $done.succeeded > 0
        and $outcome == null and ($job.spec.suspend | not))
     then $alive else $alive[0:$n] end) as $active
  | {$done, $outcome, $active,
     more: ([$n - ($active | length), 0] | max)};

# ---- desired ----

def job_pod($job; $name; $index):
  pod($job.spec.template; $name)
  | if $index == null then .
    else
      .metadata.annotations[index_key] = "\($index)"
      | .metadata.labels[index_key] = "\($index)"
      | .spec.hostname = "\($job.metadata.name)-\($index)"
      | .spec.containers |= map(.env = [(.env // [])[],
          {name: "JOB_COMPLETION_INDEX", valueFrom: {fieldRef: {
            apiVersion: "v1",
            fieldPath: "metadata.labels['\(index_key)']"}}}])
    end;

# The next $n names, or those for the first $n indexes that are free.
def new_pods($job; $pods; $n):
  ($pods | map(.metadata.name)) as $names
  | $job.metadata.name as $name
  | if $job | indexed then
      ([$pods[] | select(failed | not) | index_of]) as $taken
      | [range($job.spec.completions) | select(IN($taken[]) | not)][0:$n]
      | map(. as $index
          | job_pod($job;
              first(range($names | length + 1)
                | pod_name($job; "\($name)-\($index)"; .)
                | select(IN($names[]) | not)); $index))
    else
      [range(($names | length) + $n) | pod_name($job; $name; .)
        | select(IN($names[]) | not)][0:$n]
      | map(job_pod($job; .; null))
    end;

def desired:
  .owned.Pod as $pods
  | ([$pods[] | select(alive | not)] + .plan.active | map(keep(.)))
    + new_pods(.primary; $pods; .plan.more);

# ---- events ----

def is_suspended: .primary.spec.suspend and (over | not);

# No pod may be left when it is said that a Job has ended.
def ends:
  .plan.outcome != null and (over | not)
  and all(.owned.Pod[]; finished);

def events:
  pod_events(component)
  + if over then []
    elif ends then
      .plan.outcome
      | [if .type == "Complete" then
          normal(component; "Completed"; "Job completed")
        else warning(component; .reason; .message) end]
    elif is_suspended and (condition_is("Suspended") | not) then
      [normal(component; "Suspended"; "Job suspended")]
    elif (is_suspended | not) and condition_is("Suspended") then
      [normal(component; "Resumed"; "Job resumed")]
    else [] end;

# ---- status ----

def with_condition($type; $status; $reason; $message; $now):
  [.[] | select(.type == $type)][0] as $old
  | {type: $type, status: $status, reason: $reason, message: $message,
     lastProbeTime: $now, lastTransitionTime: $now} as $new
  | if $old == null then
      if $status == "True" then . + [$new] else . end
    elif $old.status == $status and $old.reason == $reason then .
    else map(if .type == $type then $new else . end) end;

def job_conditions($now):
  .plan.outcome as $outcome
  | ends as $ends
  | is_suspended as $suspended
  | .primary.status.conditions // []
  | if $outcome != null then
      $outcome as {$type, $early, $reason, $message}
      | with_condition($early; "True"; $reason; $message; $now)
      | if $ends then
          with_condition($type; "True"; $reason; $message; $now)
        else . end
    elif $suspended then
      with_condition("Suspended"; "True"; "JobSuspended"; "Job suspended"; $now)
    else
      with_condition("Suspended"; "False"; "JobResumed"; "Job resumed"; $now)
    end;

# "0-2,5": the indexes that succeeded.
def as_ranges:
  reduce .[] as $i ([];
    if length > 0 and .[-1][1] == $i - 1 then .[-1][1] = $i
    else . + [[$i, $i]] end)
  | map(if .[0] == .[1] then "\(.[0])"
        elif .[0] + 1 == .[1] then "\(.[0]),\(.[1])"
        else "\(.[0])-\(.[1])" end)
  | join(",");

def start_time($now):
  if is_suspended then {}
  elif condition_is("Suspended") then {startTime: $now}
  else {startTime: (.primary.status.startTime // $now)} end;

# What has ended does not change any more.
def running_status:
  (.now | rfc3339) as $now
  | job_conditions($now) as $conditions
  | (if .plan.outcome != null then [] else [.owned.Pod[] | select(alive)] end)
    as $active
  | ({active: ($active | length)} + .plan.done | without_zeros(keys))
    + {ready: ([$active[] | select(pod_runs)] | length),
       terminating: ([.owned.Pod[] | select(going)] | length),
       uncountedTerminatedPods: {}}
    + start_time($now)
    + (if .primary | indexed then
        [.owned.Pod[] | select(succeeded) | index_of] | unique | as_ranges
        | if . == "" then {} else {completedIndexes: .} end
       else {} end)
    + (if $conditions == [] then {} else {conditions: $conditions} end)
    + (if ends and .plan.outcome.type == "Complete"
       then {completionTime: $now} else {} end);

def status: if over then .primary.status else running_status end;

def requeue:
  late_at as $late
  | if $late == null then null else [$late - .now, 1] | max end;
