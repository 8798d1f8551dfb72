# StatefulSets: pods with a number and claims of their own, one after another.
# How: kubernetes/pkg/controller/statefulset.
include "operator";
include "workload";

def revision_label: "controller-revision-hash";

# ---- revisions: the templates that pods may have ----

def template_of: .data.spec.template | del(.["$patch"]);

# The revision of the present template: an old one if it was there before.
def update_revision:
  .primary as $set
  | ($set.spec.template | canonical) as $template
  | ([.owned.ControllerRevision[]
      | select((template_of | canonical) == $template)][0].metadata.name)
    // "\($set.metadata.name)-\($set.spec.template | digest(10))";

def current_revision($update): .primary.status.currentRevision // $update;

def controller_revision($set; $name; $template; $number): {
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: {
    name: $name,
    labels: (($set.spec.selector.matchLabels // {}) + {
      "controller.kubernetes.io/hash": ($name | split("-") | last)})},
  data: {spec: {template: ($template + {"$patch": "replace"})}},
  revision: $number
};

# What is in use, the newest, and as much history as is asked for.
def revisions($update; $used):
  .primary as $set
  | (.owned.ControllerRevision | sort_by(.revision)) as $all
  | ([$all[] | select(.metadata.name != $update)]) as $others
  | ($others | map(.revision) | max // 0) as $last
  | ([$all[] | select(.metadata.name == $update)][0].revision // 0) as $mine
  | ($others | map(select(.metadata.name | IN($used[]) | not))) as $unused
  | ([($unused | length) - $set.spec.revisionHistoryLimit, 0] | max) as $surplus
  | ($unused[0:$surplus] | map(.metadata.name)) as $forgotten
  | [$others[] | select(.metadata.name | IN($forgotten[]) | not)
      | controller_revision($set; .metadata.name; template_of; .revision)]
    + [controller_revision($set; $update; $set.spec.template;
        if $mine > $last then $mine else $last + 1 end)];

# ---- pods ----

def first: .primary.spec.ordinals.start // 0;
def ordinal: .metadata.name | split("-") | last | tonumber;
def of_revision: .metadata.labels[revision_label];

def stateful_pod($set; $template; $revision; $i):
  "\($set.metadata.name)-\($i)" as $name
  | ($set.spec.volumeClaimTemplates // [] | map({
      name: .metadata.name,
      persistentVolumeClaim: {claimName: "\(.metadata.name)-\($name)"}}))
    as $claims
  | pod($template; $name)
  | .metadata.labels += {
      "apps.kubernetes.io/pod-index": "\($i)",
      (revision_label): $revision,
      "statefulset.kubernetes.io/pod-name": $name}
  | .spec.hostname = $name
  | .spec += ({subdomain: $set.spec.serviceName} | compact
      | with_entries(select(.value != "")))
  | .spec.volumes = $claims + [(.spec.volumes // [])[]
      | select(.name | IN($claims[].name) | not)]
  | if .spec.volumes == [] then del(.spec.volumes) else . end;

def own_claims: .owned.PersistentVolumeClaim | map(.metadata.name);
# Claims of others are used as they are.
def claims_of_others:
  .primary.metadata.namespace as $namespace
  | [.related.PersistentVolumeClaim[].metadata
      | select(.namespace == $namespace) | .name] - own_claims;

def claims($set; $i):
  $set.spec.volumeClaimTemplates // []
  | map({
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: ({
        name: "\(.metadata.name)-\($set.metadata.name)-\($i)",
        labels: ((.metadata.labels // {})
          + ($set.spec.selector.matchLabels // {})),
        annotations: .metadata.annotations} | compact),
      spec: .spec});

# Which ordinals have a pod in the next step: $pods by ordinal (text).
# Ordered: up one by one, when all below are ready; down one by one.
def next_ordinals($pods; $first; $stop; $ordered):
  ($pods | keys | map(tonumber) | sort) as $there
  | ($there | map(select(. < $first or . >= $stop))) as $surplus
  | [range($first; $stop)] as $wanted
  | if $ordered | not then $wanted
    elif ($surplus | length) > 0 then
      ($there - [$surplus | last])
    else
      reduce $wanted[] as $i ({keep: [], go: true};
        if $pods["\($i)"] then
          .keep += [$i] | .go = (.go and ($pods["\($i)"] | pod_runs))
        elif .go then .keep += [$i] | .go = false
        else . end)
      | .keep
    end;

# The one pod that gives way to the new revision now: from the top, when those
# above are ready.
def outdated($pods; $update; $from; $first; $stop):
  reduce range($stop - 1; ([$from, $first] | max) - 1; -1) as $i ({go: true};
    $pods["\($i)"] as $pod
    | if .go | not then .
      elif $pod == null then .go = false
      elif ($pod | of_revision) != $update then .found = $i | .go = false
      elif $pod | pod_runs | not then .go = false
      else . end)
  | .found;

def retained($pods; $set; $kept):
  ($set.spec.persistentVolumeClaimRetentionPolicy.whenScaled == "Delete")
    as $delete
  | if $delete then $kept
    else
      [.owned.PersistentVolumeClaim[] | ordinal] + $kept | unique
    end;

def partition: .spec.updateStrategy.rollingUpdate.partition // 0;

def desired:
  .primary as $set
  | update_revision as $update
  | current_revision($update) as $current
  | claims_of_others as $others
  | first as $first
  | ($first + $set.spec.replicas) as $stop
  | ([.owned.Pod[] | {key: "\(ordinal)", value: .}] | from_entries) as $there
  | ($there | with_entries(select(.value | finished | not))) as $pods
  | next_ordinals($pods; $first; $stop;
      $set.spec.podManagementPolicy != "Parallel") as $next
  | (if $set.spec.updateStrategy.type == "OnDelete" then null
     else outdated($pods; $update; $set | partition; $first; $stop) end)
    as $out
  | ($next - [$out]) as $kept
  | ([.owned.ControllerRevision[] | {key: .metadata.name, value: template_of}]
      | from_entries) as $templates
  | ([$current, $update, ($pods[] | of_revision)] | unique) as $used
  | revisions($update; $used)
    + [retained($pods; $set; $kept)[] | claims($set; .)[]
        | select(.metadata.name | IN($others[]) | not)]
    + [$kept[] | . as $i
        | (if $i - $first < ($set | partition) then $current
           else $update end) as $revision
        | if $pods["\($i)"] then keep($pods["\($i)"])
          else
            stateful_pod($set;
              if $revision == $update then $set.spec.template
              else $templates[$revision] // $set.spec.template end;
              $revision; $i)
          end];

# ---- events ----

def component: "statefulset-controller";

# Claims that are made come with their pod. An Event about an object waits for
# its write: none is about a claim of others.
def events:
  .primary.metadata as {$name, $namespace}
  | .primary.spec.volumeClaimTemplates as $templates
  | own_claims as $there
  | def told($verb; $kind; $object; $what; $well):
      "\($verb) \($what) in StatefulSet \($name)" as $text
      | normal(component; "Successful\($verb)"; "\($text) \($well)")
      | about($kind; $namespace; $object; "Failed\($verb)";
          "\($text) failed error: ");
    pods_to
  | [(.create[] | . as $pod
       | (($templates // [])[] | "\(.metadata.name)-\($pod)" as $claim
          | select($claim | IN($there[]) | not)
          | told("Create"; "PersistentVolumeClaim"; $claim;
              "Claim \($claim) Pod \($pod)"; "success")),
         told("Create"; "Pod"; $pod; "Pod \($pod)"; "successful")),
     (.delete[] | told("Delete"; "Pod"; .; "Pod \(.)"; "successful"))];

# ---- status ----

def status:
  .primary as $set
  | .now as $now
  | ($set.spec.minReadySeconds // 0) as $seconds
  | update_revision as $update
  | current_revision($update) as $was
  | [.owned.Pod[] | select(alive)] as $pods
  | ([$pods[] | select(pod_runs)] | length) as $ready
  | ([$pods[] | select(of_revision == $update)] | length) as $updated
  | (if $updated == $set.spec.replicas and $ready == $updated
      and ($pods | length) == $updated
      then $update else $was end) as $current
  | {replicas: ($pods | length),
     availableReplicas: ([$pods[] | select(available($seconds; $now))]
       | length)}
    + ({
      readyReplicas: $ready,
      currentReplicas: ([$pods[] | select(of_revision == $current)] | length),
      updatedReplicas: $updated
    } | without_zeros(keys))
    + {observedGeneration: $set.metadata.generation,
       currentRevision: $current,
       updateRevision: $update,
       collisionCount: 0};

def requeue:
  .now as $now
  | (.primary.spec.minReadySeconds // 0) as $seconds
  | [.owned.Pod[] | select(alive)]
  | until_available($seconds; $now);
