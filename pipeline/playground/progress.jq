# The conditions of a Deployment, each from what it was before.
# How: kubernetes/pkg/controller/deployment/progress.go and sync.go.
include "operator";
include "rolling";

def condition_before($type):
  [.primary.status.conditions[]? | select(.type == $type)][0];

# The same status and reason: nothing is new, not even the message.
def replaces($old; $now):
  ($now | rfc3339) as $now
  | if $old != null and $old.status == .status and $old.reason == .reason
    then $old
    else
      .lastUpdateTime = $now
      | .lastTransitionTime = (if $old.status == .status
          then $old.lastTransitionTime else $now end)
    end;

def available_condition($counts):
  (.primary.spec.replicas - (.primary | bounds.unavailable)) as $least
  | if $counts.availableReplicas >= $least then
      {type: "Available", status: "True", reason: "MinimumReplicasAvailable",
       message: "Deployment has minimum availability."}
    else
      {type: "Available", status: "False",
       reason: "MinimumReplicasUnavailable",
       message: "Deployment does not have minimum availability."}
    end;

def progressing($status; $reason; $message):
  {type: "Progressing", status: $status, reason: $reason, message: $message};

def has_deadline:
  .primary.spec.progressDeadlineSeconds as $seconds
  | $seconds != null and $seconds != 2147483647;

def is_complete($counts):
  .primary.spec.replicas as $replicas
  | $counts.updatedReplicas == $replicas and $counts.replicas == $replicas
  and $counts.availableReplicas == $replicas;

# More pods of the new template, or fewer of old ones, than the status says.
def has_moved($counts):
  (.primary.status // {}) as $was
  | $counts.updatedReplicas > ($was.updatedReplicas // 0)
  or $counts.replicas - $counts.updatedReplicas
    < ($was.replicas // 0) - ($was.updatedReplicas // 0)
  or $counts.readyReplicas > ($was.readyReplicas // 0)
  or $counts.availableReplicas > ($was.availableReplicas // 0);

def late_at($old):
  if has_deadline and $old.lastUpdateTime != null
    and ($old.reason | IN("ProgressDeadlineExceeded", "NewReplicaSetAvailable",
      "DeploymentPaused") | not)
  then ($old.lastUpdateTime | fromdate)
    + .primary.spec.progressDeadlineSeconds
  else null end;

# $set: "ReplicaSet NAME" or "Deployment NAME".
def rollout_condition($counts; $set; $old):
  late_at($old) as $late
  | if $counts.replicas == $counts.updatedReplicas
      and $old.reason == "NewReplicaSetAvailable" then $old
    elif is_complete($counts) then
      progressing("True"; "NewReplicaSetAvailable";
        "\($set) has successfully progressed.")
    elif has_moved($counts) then
      progressing("True"; "ReplicaSetUpdated"; "\($set) is progressing.")
    elif $late != null and $late <= .now then
      progressing("False"; "ProgressDeadlineExceeded";
        "\($set) has timed out progressing.")
    else $old end;

# $create: the name of the ReplicaSet that is to be made, or null. One that was
# made just now counts, too: the status that said so may not be here yet.
def progressing_condition($counts; $new; $create; $old):
  .primary.spec.paused as $paused
  | .primary.metadata.creationTimestamp as $since
  | (if $new != null and $new.status.observedGeneration == null
      and $new.metadata.creationTimestamp >= $since
     then $new.metadata.name else $create end) as $create
  | (if $new != null then "ReplicaSet \"\($new.metadata.name)\""
     elif $create != null then "ReplicaSet \"\($create)\""
     else "Deployment \"\(.primary.metadata.name)\"" end) as $set
  | if has_deadline | not then null
    elif $paused and $old.reason != "ProgressDeadlineExceeded" then
      progressing("Unknown"; "DeploymentPaused"; "Deployment is paused")
    elif $paused then $old
    elif $create != null then
      progressing("True"; "NewReplicaSetCreated";
        "Created new replica set \"\($create)\"")
    elif $old.reason == "DeploymentPaused" then
      progressing("Unknown"; "DeploymentResumed"; "Deployment is resumed")
    elif $old == null and $new != null and (is_complete($counts) | not) then
      progressing("True"; "FoundNewReplicaSet";
        "Found new replica set \"\($new.metadata.name)\"")
    else rollout_condition($counts; $set; $old) end;

# Each sign of progress sets the clock again.
def dated_progress($old; $now; $moved):
  if $moved and .reason == "ReplicaSetUpdated" then
    .lastUpdateTime = ($now | rfc3339)
    | .lastTransitionTime = (if $old.status == "True"
        then $old.lastTransitionTime else $now | rfc3339 end)
  else replaces($old; $now) end;

def failure_of($all):
  [$all[].status.conditions[]? | select(.type == "ReplicaFailure")][0]
  | if . == null then empty
    else {type, status, reason, message, lastTransitionTime,
      lastUpdateTime: .lastTransitionTime} end;

def deployment_conditions($counts; $new; $all; $create):
  .now as $now
  | condition_before("Available") as $available
  | condition_before("Progressing") as $progressing
  | has_moved($counts) as $moved
  | [(available_condition($counts) | replaces($available; $now)),
     (progressing_condition($counts; $new; $create; $progressing)
       | select(. != null) | dated_progress($progressing; $now; $moved)),
     failure_of($all)];

# A rollout that does not move is late one day.
def when_late:
  late_at(condition_before("Progressing")) as $late
  | if $late == null then null else [$late - .now + 1, 1] | max end;
