# ReplicaSets and ReplicationControllers: so many pods of one template.
# How: kubernetes/pkg/controller/replicaset.
include "operator";
include "workload";

def is_old_kind: .primary.kind == "ReplicationController";
def selector:
  if is_old_kind then {matchLabels: .primary.spec.selector}
  else .primary.spec.selector end;
def component:
  if is_old_kind then "replication-controller" else "replicaset-controller" end;

# Pods whose labels are ours, and that live.
def alive_pods:
  selector as $selector
  | [.owned.Pod[] | select(alive and selected_by($selector))];

def deletion_cost:
  .metadata.annotations["controller.kubernetes.io/pod-deletion-cost"] // "0"
  | try tonumber catch 0;

# The first are kept: ready ones, dear ones, old ones.
def by_worth:
  sort_by((pod_runs | not), -deletion_cost,
    ready_condition.lastTransitionTime // "9999",
    .metadata.creationTimestamp, .metadata.name);

# What has ended, goes or has other labels stays as it is and does not count.
def desired:
  .primary as $set
  | alive_pods as $alive
  | ($alive | by_worth | .[0:$set.spec.replicas]) as $kept
  | (.owned.Pod | map(.metadata.name)) as $names
  | ([.owned.Pod[] | select(.metadata.name | IN($alive[].metadata.name) | not)]
      + $kept | map(keep(.)))
    + ([range($set.spec.replicas + ($names | length))
        | pod_name($set; $set.metadata.name; .)
        | select(IN($names[]) | not)][0:$set.spec.replicas - ($kept | length)]
      | map(pod($set.spec.template; .)));

def events: component as $component | pod_events($component);

def going:
  [.owned.Pod[] | select(.metadata.deletionTimestamp != null)] | length;

def failure_condition:
  ([.primary.status.conditions[]? | select(.type == "ReplicaFailure")][0])
    as $old
  | if .error == null then {}
    else {conditions: [{
      type: "ReplicaFailure", status: "True", reason: "FailedCreate",
      message: .error,
      lastTransitionTime: ($old.lastTransitionTime // (.now | rfc3339))}]} end;

def status:
  (.primary.spec.minReadySeconds // 0) as $seconds
  | .now as $now
  | (.primary.spec.template.metadata.labels // {}) as $labels
  | alive_pods as $pods
  | {replicas: ($pods | length)}
    + ({
      fullyLabeledReplicas: ([$pods[] | select(.metadata.labels
        | contains($labels))] | length),
      readyReplicas: ([$pods[] | select(pod_runs)] | length),
      availableReplicas: ([$pods[] | select(available($seconds; $now))]
        | length)
    } | without_zeros(keys))
    + {observedGeneration: .primary.metadata.generation}
    + (if is_old_kind then {} else {terminatingReplicas: going} end)
    + failure_condition;

def requeue:
  .now as $now
  | (.primary.spec.minReadySeconds // 0) as $seconds
  | alive_pods
  | until_available($seconds; $now);
