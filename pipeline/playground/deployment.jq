# Deployments: a ReplicaSet for each template there was, scaled up and down.
# How: kubernetes/pkg/controller/deployment.
include "operator";
include "workload";
include "revision";
include "rolling";
include "progress";

def hash_key: "pod-template-hash";
def component: "deployment-controller";

def bare_template: .spec.template | del(.metadata.labels["pod-template-hash"]);

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

# ---- desired ----

# What a ReplicaSet has from its Deployment: kubernetes.io/change-cause, for
# `kubectl rollout history`, and others. An old one keeps what it has.
def inherited:
  (.metadata.annotations // {}) | with_entries(select(.key
    | IN("kubectl.kubernetes.io/last-applied-configuration", revision_key,
        history_key, desired_key, max_key, "deprecated.deployment.rollback.to")
      or startswith("kpipe.dev/")
    | not));

def sizes_of($d): {
  (desired_key): "\($d.spec.replicas)",
  (max_key): "\($d.spec.replicas + ($d | bounds.surge))"
};

# One that is there: what it is called and selects is its own affair, for it may
# have been made by others.
def resized($d; $size): {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: .metadata.name,
    labels: .metadata.labels,
    annotations: (inherited + sizes_of($d) + ({
      (revision_key): .metadata.annotations[revision_key],
      (history_key): .metadata.annotations[history_key]} | compact))},
  spec: (.spec | .replicas = $size)
};

def with_seconds($d):
  ($d.spec.minReadySeconds // 0) as $seconds
  | if $seconds == 0 then del(.spec.minReadySeconds)
    else .spec.minReadySeconds = $seconds end;

# The present one, as revision $number. It remembers which ones it was before.
def renewed($d; $size; $number):
  revision as $was
  | (.metadata.annotations[history_key] // "") as $history
  | resized($d; $size)
  | .metadata.annotations += ($d | inherited) + {(revision_key): $number}
  | if $was == "0" or $was == $number then .
    else
      .metadata.annotations[history_key] =
        ($history | if . == "" then $was else "\(.),\($was)" end)
    end
  | with_seconds($d);

def first_set($d; $hash; $size; $number): {
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  metadata: {
    name: "\($d.metadata.name)-\($hash)",
    labels: (($d.spec.template.metadata.labels // {}) + {(hash_key): $hash}),
    annotations: (($d | inherited) + sizes_of($d)
      + {(revision_key): $number})},
  spec: {
    replicas: $size,
    selector: ($d.spec.selector | .matchLabels[hash_key] = $hash),
    template: ($d.spec.template | .metadata.labels[hash_key] = $hash)}
} | with_seconds($d);

# The uid is in it: an orphan of an earlier Deployment is not in the way.
def new_hash:
  .primary | {uid: .metadata.uid, template: .spec.template} | digest(10);

# Old ReplicaSets without pods, beyond the limit of the history, go.
def remembered($limit):
  (map(select(.size == 0 and (.status.replicas // 0) == 0))
    | sort_by(revision | revision_order)) as $empty
  | ([($empty | length) - $limit, 0] | max) as $surplus
  | ($empty[0:$surplus] | map(.metadata.name)) as $forgotten
  | map(select(.metadata.name | IN($forgotten[]) | not));

# The number of the present template.
def present_revision:
  (.old | map(revision) | max_by(revision_order) // "0") as $last
  | (.new // {} | revision) as $mine
  | if ($mine | revision_order) > ($last | revision_order) then $mine
    else $last | after_revision end;

# {sets, create}: the ReplicaSets with their sizes, and if a new one is to be.
def plan:
  .primary as $d
  | (told_apart(.owned.ReplicaSet) | sized($d)) as $sets
  | {sets: $sets,
     hash: new_hash,
     create: ($sets.new == null and ($d.spec.paused | not)
       and ($sets | is_scaling($d) | not)
       and ($d.spec.strategy.type != "Recreate" or $sets.want > 0
         or $d.spec.replicas == 0))};

def desired:
  .primary as $d
  | .plan as $plan
  | $plan.sets as $sets
  | ($sets | present_revision) as $revision
  | [$sets.old | remembered($d.spec.revisionHistoryLimit)[]
      | resized($d; .size)]
    + if $sets.new then [$sets.new | renewed($d; $sets.want; $revision)]
      elif $plan.create then
        [first_set($d; $plan.hash; $sets.want; $revision)]
      else [] end;

# ---- events ----

def events:
  (.owned.ReplicaSet | map({key: .metadata.name, value: .spec.replicas})
    | from_entries) as $sizes
  | [.outstanding[] | select(.kind == "ReplicaSet").metadata.name] as $open
  | .primary.metadata.namespace as $namespace
  | [desired[]
      | .metadata.name as $name
      | select($name | IN($open[]))
      | ($sizes[$name] // 0) as $from
      | .spec.replicas as $to
      | select($from != $to)
      | normal(component; "ScalingReplicaSet";
          "Scaled \(if $to > $from then "up" else "down" end) replica set "
          + "\($name) from \($from) to \($to)")
      | about("ReplicaSet.apps"; $namespace; $name; "ReplicaSetCreateError";
          "Failed to create new replica set \($name | tojson): ")
      | if $sizes[$name] then del(.failure) else . end];

# ---- status ----

def counts($all; $new): {
  replicas: ($all | sum(.status.replicas)),
  updatedReplicas: ($new.status.replicas // 0),
  readyReplicas: ($all | sum(.status.readyReplicas)),
  availableReplicas: ($all | sum(.status.availableReplicas)),
  unavailableReplicas: ([($all | sum(.spec.replicas))
    - ($all | sum(.status.availableReplicas)), 0] | max)
};

def status:
  told_apart(.owned.ReplicaSet) as $sets
  | ([$sets.new, $sets.old[]] | map(select(. != null))) as $all
  | counts($all; $sets.new) as $counts
  | ($counts | without_zeros(keys)) + {
      observedGeneration: .primary.metadata.generation,
      terminatingReplicas: ($all | sum(.status.terminatingReplicas)),
      conditions: deployment_conditions($counts; $sets.new; $all;
        if .plan.create then "\(.primary.metadata.name)-\(.plan.hash)"
        else null end)
    };

def requeue: when_late;
