# ReplicaSets: so many pods of one template.
# How: kubernetes/pkg/controller/replicaset.
include "operator";
include "workload";

# Names are not random: the same ReplicaSet has the same pods again.
def pod_name($set; $k):
  "\($set.metadata.name)-\("\($set.metadata.uid)/\($k)" | sha256 | .[0:5])";

# Which of the first names are pods: those that are there and alive (ready
# ones first, when some must go), then new ones. What has ended stays.
def desired:
  .primary as $set
  | (.owned.Pod | map({key: .metadata.name, value: .}) | from_entries) as $pods
  | [range($set.spec.replicas + ($pods | length)) | pod_name($set; .)] as $names
  | ($names | map(select($pods[.] and ($pods[.] | alive)))) as $alive
  | ($alive | sort_by($pods[.] | pod_runs | not)) as $kept
  | ($names | map(select($pods[.] == null))) as $free
  | [($kept + $free)[0:$set.spec.replicas][],
     ($names[] | select($pods[.] and ($pods[.] | finished)))]
  | map(pod($set.spec.template; .));

def alive_pods: [.owned.Pod[] | select(alive)];

def status:
  (.primary.spec.minReadySeconds // 0) as $seconds
  | .now as $now
  | .primary.spec.template.metadata.labels as $labels
  | alive_pods as $pods
  | {replicas: ($pods | length)}
    + ({
      fullyLabeledReplicas: ([$pods[] | select(.metadata.labels
        | contains($labels))] | length),
      readyReplicas: ([$pods[] | select(pod_runs)] | length),
      availableReplicas: ([$pods[] | select(available($seconds; $now))]
        | length)
    } | without_zeros(keys))
    + {observedGeneration: .primary.metadata.generation,
       terminatingReplicas: 0};

def requeue:
  .now as $now
  | (.primary.spec.minReadySeconds // 0) as $seconds
  | alive_pods
  | until_available($seconds; $now);
