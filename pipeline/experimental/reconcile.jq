# Experimental: so many pods, named by the lowest free index.
include "operator";

def name: .primary.metadata.name;
def labels: {app: name, version: "v0.1"};

# ---- the spec, in either spelling ----

def setting($camel; $snake): .primary.spec as $spec
  | $spec[$camel] as $a | $spec[$snake] as $b
  | if $b == null then $a
    else need($a == null or $a == $b;
        "\($camel) is \($a) and \($snake) is \($b): only one may be given")
      | $b end;

# It says something about pods to others; nothing here depends on it.
def is_public: setting("isPublic"; "is_public");
def wanted: setting("numberOfReplicas"; "number_of_replicas")
  | if . == null then 1 else . end;

# The spec in one spelling, with its defaults.
def normal_spec: {isPublic: is_public, numberOfReplicas: wanted}
  | with_entries(select(.value != null));

# ---- pods ----

# The index in a pod's name, or null: it is none of these pods.
def index($name):
  .metadata.name
  | if startswith($name + "-") then .[$name | length + 1:] else "" end
  | if test("\\A(0|[1-9][0-9]*)\\z") then tonumber else null end;

# It is there to stay: one that ends or has ended is replaced.
def alive:
  .metadata.deletionTimestamp == null
  and .status.phase != "Failed" and .status.phase != "Succeeded";

def alive_pods: name as $name | .primary.metadata.uid as $uid
  | [.owned.Pod[] | select(index($name) != null and alive
      and any(.metadata.ownerReferences[]?; .uid == $uid and .controller))];

# Those that stay when there are too many come first: ready ones, old ones, and
# of the same second those with a low index.
def by_worth($name):
  sort_by((ready | not), .metadata.creationTimestamp, index($name));

# The $n lowest indices that no pod has, our own or foreign.
def free_indices($n): name as $name
  | [(.owned.Pod[], .related.Pod[]) | index($name) | values] as $taken
  | [range($n + ($taken | length))] - $taken
  | .[:$n];

def pod($name; $labels; $image): {
  apiVersion: "v1",
  kind: "Pod",
  metadata: {name: $name, labels: $labels},
  spec: {
    containers: [{
      name: "busybox",
      image: $image,
      command: ["sleep", "3600"]
    }]
  }
};

# ---- the program ----

def need_good_name:
  need(name | length <= 63; "the name is longer than 63 characters");

def desired: need_good_name | name as $name | labels as $labels
  | .operator.image as $image
  | is_public as $_ | wanted as $wanted
  | (alive_pods | by_worth($name) | map(.metadata.name)) as $alive
  | ([$wanted - ($alive | length), 0] | max) as $missing
  | [$alive[:$wanted][],
      (select($missing > 0) | free_indices($missing)[] | $name + "-" + tostring)
      | pod(.; $labels; $image)];

# ---- the status ----

# The names of the claims of a pod.
def claims: .metadata.name as $pod | .spec.volumes[]?
  | if .ephemeral then "\($pod)-\(.name)"
    else .persistentVolumeClaim.claimName // empty end;

def volumes($pods): .primary.metadata.namespace as $namespace
  | [$pods[] | claims] as $claims
  | [.related.PersistentVolumeClaim[]
      | select(.metadata.namespace == $namespace
        and .status.phase == "Bound"
        and (.metadata.name | IN($claims[])))
      | .spec.volumeName | values]
  | unique;

# All is done but for pods that end, which may take their time.
def is_available($alive; $pods):
  ([.owned.Pod[].metadata.name] - [$alive[].metadata.name]) as $ending
  | ([.outstanding[].metadata.name] - $ending) == []
    and all($pods[]; ready);

def ready_condition($alive; $pods):
  if .error != null then condition("Ready"; false; "Failed"; .error)
  elif is_available($alive; $pods)
  then condition("Ready"; true; "Available"; "")
  else condition("Ready"; false; "Progressing"; "") end;

# What the Events told of: as it was while the present spec means nothing.
def reported: .primary.status.reported as $before
  | try normal_spec catch $before;

def status: alive_pods as $alive
  | reported as $reported
  | [$alive[] | select(.status.phase | . == "Pending" or . == "Running")]
    as $pods
  | {
      numberOfReplicas: ($pods | length),
      podNames: ($pods | map(.metadata.name) | sort),
      persistentVolumesUsed: volumes($pods),
      reported: $reported,
      observedGeneration: .primary.metadata.generation,
      conditions: [ready_condition($alive; $pods)]
    } + handled
  | with_entries(select(.value != null));

# ---- the report: until the status has the same ----

def shown: if . == null then "not given" else tojson end;

# "isPublic is true, numberOfReplicas is 3"
def told: to_entries | map("\(.key) is \(.value | shown)") | join(", ");

# "numberOfReplicas from 3 to 5"
def difference($before): . as $now
  | ($before + $now | keys)
  | map(select($before[.] != $now[.])
      | "\(.) from \($before[.] | shown) to \($now[.] | shown)")
  | join(", ");

def report($reason; $message): {type: "Normal", $reason, $message};

def events: .primary.status.reported as $before
  | (try normal_spec catch null) as $now
  | if $now == null or $now == $before then []
    elif $before == null then [report("Created"; $now | told)]
    else [report("Changed"; $now | difference($before))] end;
