# Deployments: a ReplicaSet for each template there was, scaled up and down.
# How: kubernetes/pkg/controller/deployment.
include "operator";
include "workload";

def revision_key: "deployment.kubernetes.io/revision";
def hash_key: "pod-template-hash";

def revision:
  .metadata.annotations[revision_key] // "0" | tonumber;
def bare_template: .spec.template | del(.metadata.labels["pod-template-hash"]);

# {surge, unavailable}: at least one of them, or nothing would ever move.
def bounds:
  .spec.replicas as $replicas
  | if .spec.strategy.type == "Recreate" then {surge: 0, unavailable: 0}
    else
      .spec.strategy.rollingUpdate
      | {surge: (.maxSurge | share($replicas; ceil)),
         unavailable: (.maxUnavailable | share($replicas; floor))}
      | if .surge == 0 and .unavailable == 0 then .unavailable = 1 else . end
    end;

# {new, old}: the ReplicaSet of the present template, or null, and the others,
# oldest first. Its input is that of desired; $sets is .owned.ReplicaSet.
def told_apart($sets):
  (.primary.spec.template | canonical) as $template
  | ($sets | map(select(.metadata.deletionTimestamp == null))
      | sort_by(.metadata.creationTimestamp, .metadata.name)) as $all
  | ([$all[] | select((bare_template | canonical) == $template)][0]) as $new
  | {new: $new,
     old: [$all[] | select($new == null
       or .metadata.name != $new.metadata.name)]};

# ---- sizes ----

# Takes up to $n from the sizes of .old, the first first; $what is how much of
# each may go.
def take($n; what):
  reduce range(.old | length) as $i ({sets: ., left: $n};
    (.sets.old[$i] | [what, .size] | min) as $may
    | ([$may, .left] | min) as $taken
    | .sets.old[$i].size -= $taken | .left -= $taken)
  | .sets;

def unhealthy: [.size - (.status.availableReplicas // 0), 0] | max;

# Each with .size: how large it is to be. Up first; down in another step.
def rolled($replicas; $bounds):
  (if .new then .new.size else 0 end) as $n
  | ($n + (.old | sum(.size))) as $total
  | ([$replicas, $n + ([$replicas + $bounds.surge - $total, 0] | max)] | min)
    as $want
  | if .new == null or $want != $n then .want = $want
    else
      ($replicas - $bounds.unavailable) as $least
      | ($n - (.new.status.availableReplicas // 0)) as $coming
      | ([$total - $least - $coming, 0] | max) as $spare
      | .want = $want
      | (.old | sum(.size)) as $before
      | take($spare; unhealthy)
      | ($before - (.old | sum(.size))) as $gone
      | ([.new, .old[]] | sum(.status.availableReplicas)) as $available
      | ([$available - $least, $spare - $gone, 0]
          | [([.[0], .[1]] | min), .[2]] | max) as $more
      | take($more; .size)
    end;

def recreated($replicas):
  .old |= map(.size = 0)
  | .want = if any(.old[]; (.status.replicas // 0) > 0)
      then .new.size // 0 else $replicas end;

# A paused Deployment has no new ReplicaSet; its only one may be scaled.
def paused($replicas):
  ([.new, .old[]] | map(select(. != null and .size > 0))) as $active
  | .want = (.new.size // 0)
  | if ($active | length) == 1 then
      if .new and .new.size > 0 then .want = $replicas
      else .old |= map(if .size > 0 then .size = $replicas else . end) end
    else . end;

def sized($deployment):
  $deployment.spec.replicas as $replicas
  | (.new, .old[]) |= (if . then .size = .spec.replicas else . end)
  | if $deployment.spec.paused then paused($replicas)
    elif $deployment.spec.strategy.type == "Recreate" then recreated($replicas)
    else rolled($replicas; $deployment | bounds) end;

# ---- desired ----

# What a ReplicaSet has from its Deployment: kubernetes.io/change-cause, for
# `kubectl rollout history`, and others. An old one keeps what it has.
def inherited:
  (.metadata.annotations // {}) | with_entries(select(.key
    | IN("kubectl.kubernetes.io/last-applied-configuration", revision_key,
        "deployment.kubernetes.io/revision-history",
        "deployment.kubernetes.io/desired-replicas",
        "deployment.kubernetes.io/max-replicas",
        "deprecated.deployment.rollback.to") or startswith("kpipe.dev/")
    | not));

def replica_set($deployment; $from; $hash; $template; $size; $revision): {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: "\($deployment.metadata.name)-\($hash)",
    labels: ($template.metadata.labels + {(hash_key): $hash}),
    annotations: (($from | inherited) + {
      (revision_key): "\($revision)",
      "deployment.kubernetes.io/desired-replicas":
        "\($deployment.spec.replicas)",
      "deployment.kubernetes.io/max-replicas":
        "\($deployment.spec.replicas + ($deployment | bounds.surge))"})},
  spec: ({
    replicas: $size,
    minReadySeconds: ($deployment.spec.minReadySeconds // 0
      | if . == 0 then null else . end),
    selector: ($deployment.spec.selector | .matchLabels[hash_key] = $hash),
    template: ($template | .metadata.labels[hash_key] = $hash)
  } | compact)
};

# The uid is in it: an orphan of an earlier Deployment is not in the way.
def new_hash:
  .primary | {uid: .metadata.uid, template: .spec.template} | digest(10);
def new_name: "\(.primary.metadata.name)-\(new_hash)";

# Old ReplicaSets without pods, beyond the limit of the history, go.
def remembered($limit):
  (map(select(.size == 0 and (.status.replicas // 0) == 0))
    | sort_by(revision)) as $empty
  | ([($empty | length) - $limit, 0] | max) as $surplus
  | ($empty[0:$surplus] | map(.metadata.name)) as $forgotten
  | map(select(.metadata.name | IN($forgotten[]) | not));

def desired:
  .primary as $d
  | (told_apart(.owned.ReplicaSet) | sized($d)) as $sets
  | ($sets.old | map(revision) | max // 0) as $last
  | ($sets.new // {} | revision) as $mine
  | [ ($sets.old | remembered($d.spec.revisionHistoryLimit))[]
      | replica_set($d; .; .metadata.labels[hash_key]; bare_template;
          .size; revision) ]
    + if $sets.new then
        [replica_set($d; $d; $sets.new.metadata.labels[hash_key];
          $d.spec.template; $sets.want;
          if $mine > $last then $mine else $last + 1 end)]
      elif $d.spec.paused
        or ($d.spec.strategy.type == "Recreate" and $sets.want == 0
          and $d.spec.replicas > 0) then []
      else
        [replica_set($d; $d; new_hash; $d.spec.template;
          $sets.want; $last + 1)]
      end;

# ---- status ----

def times($old; $now; $moved):
  ($now | rfc3339) as $now
  | .lastTransitionTime = (if $old.status == .status
      then $old.lastTransitionTime else $now end)
  | .lastUpdateTime = (if $old.status == .status and $old.reason == .reason
      and ($moved | not) then $old.lastUpdateTime else $now end);

def counts($all; $new): {
  replicas: ($all | sum(.status.replicas)),
  updatedReplicas: ($new.status.replicas // 0),
  readyReplicas: ($all | sum(.status.readyReplicas)),
  availableReplicas: ($all | sum(.status.availableReplicas)),
  unavailableReplicas: ([($all | sum(.spec.replicas))
    - ($all | sum(.status.availableReplicas)), 0] | max)
};

def complete($counts; $replicas):
  $counts.updatedReplicas == $replicas and $counts.replicas == $replicas
  and $counts.availableReplicas == $replicas;

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

def is_late($old):
  $old.lastUpdateTime != null
  and ($old.lastUpdateTime | fromdate)
    + .primary.spec.progressDeadlineSeconds <= .now;

def progressing_condition($counts; $new; $old; $moved):
  "ReplicaSet \"\($new.metadata.name)\"" as $set
  | if .primary.spec.paused then
      progressing("Unknown"; "DeploymentPaused"; "Deployment is paused")
    elif $new == null then
      progressing("True"; "NewReplicaSetCreated";
        "Created new replica set \"\(new_name)\"")
    elif complete($counts; .primary.spec.replicas) then
      progressing("True"; "NewReplicaSetAvailable";
        "\($set) has successfully progressed.")
    elif ($old.reason == "ProgressDeadlineExceeded" and ($moved | not))
      or ($old.reason == "ReplicaSetUpdated" and ($moved | not)
        and is_late($old)) then
      progressing("False"; "ProgressDeadlineExceeded";
        "\($set) has timed out progressing.")
    else
      progressing("True"; "ReplicaSetUpdated"; "\($set) is progressing.")
    end;

def old_condition($type):
  [.primary.status.conditions[]? | select(.type == $type)][0];

def status:
  told_apart(.owned.ReplicaSet) as $sets
  | ([$sets.new, $sets.old[]] | map(select(. != null))) as $all
  | counts($all; $sets.new) as $counts
  | .now as $now
  | old_condition("Available") as $was_available
  | old_condition("Progressing") as $was_progressing
  | (.primary.status // {}) as $was
  | ($counts | to_entries | any(.[]; .value != ($was[.key] // 0))) as $moved
  | ($counts | without_zeros(keys)) + {
      observedGeneration: .primary.metadata.generation,
      terminatingReplicas: 0,
      conditions: [
        (available_condition($counts) | times($was_available; $now; false)),
        (progressing_condition($counts; $sets.new; $was_progressing; $moved)
          | times($was_progressing; $now;
              $moved and .reason == "ReplicaSetUpdated"))]
    };

# A rollout that does not move is late one day.
def requeue:
  old_condition("Progressing") as $old
  | if $old.reason == "ReplicaSetUpdated" then
      ([($old.lastUpdateTime | fromdate)
        + .primary.spec.progressDeadlineSeconds - .now, 1] | max)
    else null end;
