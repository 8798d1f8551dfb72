# Jobs: pods until enough of them have succeeded, or too many failed.
# How: kubernetes/pkg/controller/job. Pods end as watches.yaml's program says.
include "operator";
include "workload";

def succeeded: .status.phase == "Succeeded";
def failed: .status.phase == "Failed";

def indexed: .spec.completionMode == "Indexed";
def index_key: "batch.kubernetes.io/job-completion-index";
def index_of: .metadata.annotations[index_key] // "-1" | tonumber;

def condition_is($type):
  any(.primary.status.conditions[]?; .type == $type and .status == "True");
def over: condition_is("Complete") or condition_is("Failed");

def late:
  .primary.spec.activeDeadlineSeconds as $seconds
  | $seconds != null and .primary.status.startTime != null
  and (.primary.status.startTime | fromdate) + $seconds <= .now;

# What became of the pods, those that are gone included: a status never goes
# back.
def counted($pods):
  {succeeded: ([([$pods[] | select(succeeded)] | length),
     (.primary.status.succeeded // 0)] | max),
   failed: ([([$pods[] | select(failed)] | length),
     (.primary.status.failed // 0)] | max)};

def wanted($job; $done):
  ($job.spec.completions // null) as $completions
  | if $job.spec.suspend then 0
    elif $completions == null then
      if $done.succeeded > 0 then 0 else $job.spec.parallelism end
    else
      [$job.spec.parallelism, $completions - $done.succeeded] | min
    end;

def pod_name($job; $k; $index):
  "\($job.metadata.uid)/\($k)" | sha256 | .[0:5]
  | if $index == null then "\($job.metadata.name)-\(.)"
    else "\($job.metadata.name)-\($index)-\(.)" end;

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
            fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}}])
    end;

# The next $n names, or those for the first $n indexes that are free.
def new_pods($job; $pods; $n):
  ($pods | map(.metadata.name)) as $names
  | ($pods | length) as $k
  | if $job | indexed then
      ([$pods[] | select(failed | not) | index_of]) as $taken
      | [range($job.spec.completions) | select(IN($taken[]) | not)][0:$n]
      | to_entries
      | map(job_pod($job; pod_name($job; $k + .key; .value); .value))
    else
      [range($k + $n) | pod_name($job; .; null)
        | select(IN($names[]) | not)][0:$n]
      | map(job_pod($job; .; null))
    end;

def outcome($done):
  if ($done.failed > .primary.spec.backoffLimit) then "BackoffLimitExceeded"
  elif late then "DeadlineExceeded"
  elif .primary.spec.completions == null then
    if $done.succeeded > 0 and all(.owned.Pod[]; finished)
    then "CompletionsReached" else null end
  elif $done.succeeded >= .primary.spec.completions then "CompletionsReached"
  else null end;

def index_or_null: if .metadata.annotations[index_key] then index_of else null end;

def desired:
  .primary as $job
  | (.owned.Pod | sort_by(.metadata.creationTimestamp, .metadata.name)) as $pods
  | counted($pods) as $done
  | (if over or outcome($done) then 0 else wanted($job; $done) end) as $n
  | [$pods[] | select(alive)][0:$n] as $active
  | ([$pods[] | select(finished)] + $active
      | map(. as $p | job_pod($job; $p.metadata.name; $p | index_or_null)))
    + if ($active | length) < $n then
        new_pods($job; $pods; $n - ($active | length))
      else [] end;

def job_condition($type; $reason; $message):
  (.now | rfc3339) as $now
  | ([.primary.status.conditions[]? | select(.type == $type)][0]) as $old
  | {type: $type, status: "True", reason: $reason, message: $message,
     lastProbeTime: ($old.lastProbeTime // $now),
     lastTransitionTime: ($old.lastTransitionTime // $now)};

def end_conditions($outcome):
  if $outcome == "CompletionsReached" then
    "Reached expected number of succeeded pods" as $m
    | [job_condition("SuccessCriteriaMet"; $outcome; $m),
       job_condition("Complete"; $outcome; $m)]
  elif $outcome == "BackoffLimitExceeded" then
    "Job has reached the specified backoff limit" as $m
    | [job_condition("FailureTarget"; $outcome; $m),
       job_condition("Failed"; $outcome; $m)]
  else
    "Job was active longer than specified deadline" as $m
    | [job_condition("FailureTarget"; $outcome; $m),
       job_condition("Failed"; $outcome; $m)]
  end;

def suspended_condition:
  job_condition("Suspended"; "JobSuspended"; "Job suspended");

# "0-2,5": the indexes that succeeded.
def as_ranges:
  reduce .[] as $i ([];
    if length > 0 and .[-1][1] == $i - 1 then .[-1][1] = $i
    else . + [[$i, $i]] end)
  | map(if .[0] == .[1] then "\(.[0])"
        elif .[0] + 1 == .[1] then "\(.[0]),\(.[1])"
        else "\(.[0])-\(.[1])" end)
  | join(",");

# What has ended does not change any more.
def running_status:
  .owned.Pod as $pods
  | counted($pods) as $done
  | outcome($done) as $outcome
  | (if $outcome then [] else [$pods[] | select(alive)] end) as $active
  | (.now | rfc3339) as $now
  | ({active: ($active | length)} + $done
      | without_zeros(keys))
    + {ready: ([$active[] | select(pod_runs)] | length), terminating: 0,
       uncountedTerminatedPods: {}}
    + (if .primary.spec.suspend then {}
       else {startTime: (.primary.status.startTime // $now)} end)
    + (if .primary | indexed then
        [$pods[] | select(succeeded) | index_of] | unique | as_ranges
        | if . == "" then {} else {completedIndexes: .} end
       else {} end)
    + (if $outcome then {conditions: end_conditions($outcome)}
       elif .primary.spec.suspend then {conditions: [suspended_condition]}
       else {} end)
    + (if $outcome == "CompletionsReached" then {completionTime: $now}
       else {} end);

def status: if over then .primary.status else running_status end;

def requeue:
  .primary as $job
  | if $job.spec.activeDeadlineSeconds == null or over
      or $job.status.startTime == null then null
    else
      ([($job.status.startTime | fromdate) + $job.spec.activeDeadlineSeconds
        - .now, 1] | max)
    end;
