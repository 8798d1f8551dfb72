# The library for authors of operators: include "operator";
#
# Everything here is a pure function. What reads the program's input (`.` of
# desired, status, ...) says so; the rest works on its own `.` and arguments.
# A definition of the same name in a program hides the one here, from there on.
#
# ready.jq, time.jq, values.jq and yaml.jq are part of it.
include "ready";
include "time";
include "values";
include "yaml";

# ---- errors ----

# The primary is Failed, with this text as `.error` of `status`; nothing is
# applied for it and nothing pruned. A secret never goes into the text.
def fail($reason): error($reason);

# `.` if the condition holds, else a failure.
def need(holds; reason): if holds then . else fail(reason) end;

# ---- text ----

# SHA-256 of a string: 64 hex digits.
def sha256: _call("sha256"; .);

# A string: "" for null and what is not there.
def text: if . == null then "" else tostring end;

# Is this string a DNS label (RFC 1123) of at most $max characters?
def is_dns_label($max):
  length <= $max and test("\\A[a-z0-9]([-a-z0-9]*[a-z0-9])?\\z");
def is_dns_label: is_dns_label(63);

# The value at each of these keys of an object, where it is neither null nor
# empty: optional fields are left out with it.
def compact: . as $object
  | reduce keys_unsorted[] as $k ({};
      $object[$k] as $v
      | if $v == null or $v == {} or $v == [] then .
        else . + {($k): $v} end);

# The given value (`.`) laid over the defaults, which also say which fields
# there are: what is null or not given, and "" where the default is another
# text, has the default; fields without a default are left out.
def filled($defaults):
  if ($defaults | type) == "object" and $defaults != {} then
    . as $given
    | reduce ($defaults | keys_unsorted[]) as $k ($defaults;
        setpath([$k]; $given[$k] | filled($defaults[$k])))
  elif . == null or (. == "" and ($defaults | type) == "string") then $defaults
  else . end;

# A name that always follows from the seed (`.` and text; a number counts as its
# text): PREFIX-HASH, a DNS label of at most 63 characters.
#	name_for(.primary.metadata.name; .primary.spec.version)
def name_for($prefix; $seed):
  ([$prefix, $seed] | map(type) - ["string", "number"]) as $wrong
  | if $wrong != []
    then _call("wrong"; "name_for: text is needed, not \($wrong[0])")
    else
      ($prefix | tostring | ascii_downcase | gsub("[^a-z0-9-]"; "-")
        | .[:52] | gsub("\\A-+|-+\\z"; "")) as $head
      | ("\($prefix)/\($seed)" | sha256 | .[:10]) as $hash
      | [$head, $hash] | map(select(. != "")) | join("-")
    end;
# ... that begins with the name of the primary. Reads .primary.
def name_for($seed): name_for(.primary.metadata.name; $seed);

# A text of letters and digits, always the same for this primary and seed, which
# only the operator can compute: for passwords. watches.yaml needs
# `random: true`. Of 22 characters it has 131 bits.
#	random("admin"; 22)
def random($seed; $length): _call("random"; [$seed, $length]);
# ... for this kind, namespace and name, whatever the primary's uid is: for what
# outlives its primary (retain). Who names another one gets that one's text.
#	random_for(.primary.metadata.name; "admin"; 22)
def random_for($name; $seed; $length):
  _call("random_for"; [$name, $seed, $length]);

# ---- items ----

# Created at most once for each version of the primary: not twice because the
# first one was not observed yet. One that is deleted is created again; what is
# to be created once and never again needs a note in the status (program.md).
def once(object): {"kpipe.dev/once": object};

# Kept as desired while it exists, never created.
def if_exists(object): {"kpipe.dev/if-exists": object};

# The same, but only this version of it: another one is left as it is, and the
# program decides again. The object needs the resourceVersion that was seen:
#	as_seen(new | .metadata.resourceVersion = $seen.metadata.resourceVersion)
def as_seen(object): {"kpipe.dev/as-seen": object};

# Stays as it is while it exists: neither changed, nor pruned, nor created. Its
# identity is enough, and a whole observed object is good, too:
#	[.owned.Job[] | keep(.)] + [new Jobs]
def keep(object): {"kpipe.dev/keep": object};

# A ConfigMap or a Secret, from whose data the keys of others are removed.
def exactly(object): {"kpipe.dev/exactly": object};

# A member that stays when the primary goes, and when it is not desired any more:
# it has no owner, and is never deleted by us. watches.yaml needs `retain: true`.
def retain(object): {"kpipe.dev/retain": object};

# To be deleted as it was seen, though not a member: an object of .related, of a kind
# with `delete: true` in watches.yaml. Its identity is enough.
#	[.related.Pod[] | select(old) | delete_foreign(.)]
def delete_foreign(object): {"kpipe.dev/delete-foreign": object};

# Fields of an object of .related that is not a member, held while they are desired,
# and given back then: labels, annotations, and what is outside of metadata and
# status. It is never created. Of a kind with `patch: true` in watches.yaml.
#	patch_only(namespace("shop"; {team: "a"}))
def patch_only(object): {"kpipe.dev/patch": object};

# What the API server takes only when it creates the object: once it exists, the
# values that it has at these paths are desired instead.
#	statefulset(...) | immutable(.spec.volumeClaimTemplates)
def immutable(paths):
  {"kpipe.dev/immutable": {object: ., paths: [path(paths)]}};

# Applied only when these others of the set have been: an object, several, or
# arrays of them, of which the identity counts. See "The order" in program.md.
#	config_map(...) as $script | [$script, after(job; $script)]
def after(object; others): {"kpipe.dev/after": {object: object,
  others: ([others] | map(if type == "array" then .[] else . end))}};

# Items of earlier kinds that fail do not hold it back, nor does it hold back
# others when it fails.
def independent(object): {"kpipe.dev/independent": object};

# An object in another namespace than that of the primary.
def in_namespace($namespace): .metadata.namespace = $namespace;

def annotated($annotations): .metadata.annotations += $annotations;

# {($key): $value} | compact
def _given($key; $value):
  if $value == null or $value == {} or $value == [] then {}
  else {($key): $value} end;

def _metadata($name; $labels): {name: $name} + _given("labels"; $labels);

# The members at those of $keys that `.` has, in their order; and all others.
def _part($keys): . as $all
  | reduce ($keys - ($keys - (. // {} | keys_unsorted)))[] as $k ({};
      . + {($k): $all[$k]});
def _without($keys): . as $all
  | if . == null then null
    else reduce (keys_unsorted - $keys)[] as $k ({}; . + {($k): $all[$k]}) end;

# An object of a workload: the spec's members that belong to the workload go
# there, `annotations` to the pods' metadata, all else to the pods' spec.
def _workload($kind; $keys; $name; $labels; $spec): {
  apiVersion: "apps/v1",
  kind: $kind,
  metadata: _metadata($name; $labels),
  spec: (($spec | _part($keys)) + {
    selector: {matchLabels: $labels},
    template: {
      metadata: (_given("labels"; $labels)
        + _given("annotations"; $spec.annotations)),
      spec: ($spec | _without($keys + ["annotations"]))
    }
  })
};

# deployment(NAME; LABELS; {replicas, containers, ...}): the labels are also
# the selector. Members of the pods' spec (containers, volumes, ...) and of the
# Deployment's (replicas, strategy, ...) stand side by side.
def deployment(name; labels; spec):
  _workload("Deployment"; ["replicas", "strategy", "minReadySeconds",
    "revisionHistoryLimit", "paused", "progressDeadlineSeconds"];
    name; labels; spec);

# The same. serviceName is the name of the StatefulSet if not given.
def statefulset(name; labels; spec):
  _workload("StatefulSet"; ["replicas", "serviceName", "updateStrategy",
    "podManagementPolicy", "volumeClaimTemplates", "minReadySeconds",
    "revisionHistoryLimit", "persistentVolumeClaimRetentionPolicy",
    "ordinals"]; name; labels; {serviceName: name} + spec);

# The same, for one pod on each node.
def daemonset(name; labels; spec):
  _workload("DaemonSet"; ["updateStrategy", "minReadySeconds",
    "revisionHistoryLimit"]; name; labels; spec);

# service(NAME; LABELS; {ports, ...}): selects the pods with these labels.
def service(name; labels; spec): {
  apiVersion: "v1",
  kind: "Service",
  metadata: _metadata(name; labels),
  spec: ({selector: labels} + spec)
};

# config_map(NAME; LABELS; {KEY: TEXT})
def config_map(name; labels; data): {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: _metadata(name; labels),
  data: data
};

def namespace(name; labels): {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: _metadata(name; labels)
};

# An element of volumeClaimTemplates: claim(NAME; "10Gi").
def claim(name; size): {
  metadata: {name: name},
  spec: {
    accessModes: ["ReadWriteOnce"],
    resources: {requests: {storage: size}}
  }
};

# ---- the status ----

# Unix seconds as an RFC 3339 time in whole seconds.
def rfc3339: floor | todate;

def _holds:
  if . == null then "Unknown" elif . == true then "True"
  elif . == false then "False"
  elif . == "True" or . == "False" or . == "Unknown" then .
  else _call("wrong"; "condition: true, false or null, not \(type)") end;

# Most types and reasons are no more than that, which is quicker to see.
def _is_letters: test("\\A[A-Za-z]+\\z");

def _is_condition_type: _is_letters
  or test("\\A([-a-z0-9.]+/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?\\z");

def _is_condition_reason: _is_letters
  or test("\\A[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?\\z");

# The API server refuses other conditions, and then the whole status.
def _check_condition:
  if (.type | type) != "string" or (.type | length) > 316
    or (.type | _is_condition_type | not)
  then _call("wrong"; "condition: \(.type | tojson) is not a type")
  elif (.reason | type) != "string" or (.reason | length) > 1024
    or (.reason | _is_condition_reason | not)
  then _call("wrong"; "condition \(.type): \(.reason | tojson) is not a "
    + "reason, which is one word such as NotReady")
  elif (.message | length) > 32768 then .message |= .[:32765] + "..."
  else . end;

# One element of .status.conditions. Reads .primary and .now: the time of the
# last transition moves only when the condition's status does.
#
# $holds: true, false, or null for "Unknown". $reason: one CamelCase word.
# $message: a text, or null.
def condition($type; $holds; $reason; $message):
  ($holds | _holds) as $status
  | ([.primary.status.conditions[]?
      | select(.type == $type and .status == $status)
      | .lastTransitionTime][0]) as $since
  | .primary.metadata.generation as $generation
  | {
      type: $type,
      status: $status,
      reason: $reason,
      message: ($message | text),
      lastTransitionTime: ($since // (.now | rfc3339))
    }
    + if $generation == null then {} else {observedGeneration: $generation} end
  | _check_condition;

# Members of a status that say which request to reconcile now (the annotation
# reconcile.fluxcd.io/requestedAt) was handled: `{...} + handled`.
def handled:
  .primary.metadata.annotations["reconcile.fluxcd.io/requestedAt"] as $at
  | if $at == null then {} else {lastHandledReconcileAt: $at} end;

# What is not as desired yet, for people: ["Secret db", "Service other/web"];
# the namespace is there if it is not that of the primary. Reads .outstanding.
def outstanding_names: .primary.metadata.namespace as $here
  | [.outstanding[] | .metadata as $m
      | ($m.namespace // $here | if . == $here then "" else "\(.)/" end) as $in
      | "\(.kind) \($in)\($m.name)"];

# The object of this name in a list like .owned.Deployment, or null.
def named($list; $name): [$list[] | select(.metadata.name == $name)][0];
def named($name): named(.; $name);
