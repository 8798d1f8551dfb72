# rights: the least rights of each stage of an operator, from its description.
#
# For other generators, with the description as input:
#
#	stages			["kwatch", "kapply", "kstatus", "kelect",
#				"kelect-for-life", "http"]; ireconcile has none
#	rules("kwatch")		{namespaced, cluster, operator_namespace, others}
#	rules("kwatch"; "cluster")
#				the same where all namespaces are watched: what
#				was in namespaced is in cluster
#	is_for_namespaces	whether there is a difference between these two
#
# namespaced, cluster and operator_namespace are lists of rules as a Role has
# them, [] if there are none:
#
#	namespaced		in each namespace that is watched: a Role there, or,
#				if all are watched, add them to the ClusterRole
#	cluster			in the whole cluster, whatever is watched: a
#				ClusterRole
#	operator_namespace	where the operator runs: a Role there
#	others			[{namespace, rules}]: a Role in a namespace that
#				watches.yaml names
#
# What is in cluster is not repeated in the other ones. "kelect-for-life" is
# what kelect needs instead of "kelect" with --leader-elect-for-life.
#
#	lease_name		the name of the Lease that the rules are for, to be
#				given by --leader-election-id
#	service_account("kwatch")
#				the name of its account: NAME-kwatch
#	rights			[{path: "rbac.yaml", objects}]: all of these, as
#				Roles for one namespace and ClusterRoles for all
include "gen/kinds";

def stages: ["kwatch", "kapply", "kstatus", "kelect", "kelect-for-life", "http"];

def service_account($stage): "\(.name)-\($stage)";

# ---- kinds ----

# {group, kind} of an entry or of a dependent.
def _group_kind:
  if has("apiVersion") then
    (.apiVersion | split("/")) as $parts
    | {group: (if ($parts | length) > 1 then $parts[0] else "" end), kind}
  else {group: (.group // ""), kind} end;

def _kind_name: .kind + if .group == "" then "" else "." + .group end;

# Of a kind {group, kind}, in the description $d: {plural, cluster}.
def _known($d):
  . as $k | _kind_name as $name
  | [($d.crds + ($d.external // []))[] | select(.spec.group == $k.group and .spec.names.kind == $k.kind)
    | {plural: .spec.names.plural, cluster: (.spec.scope == "Cluster")}][0]
  // ($d.plurals[$name] | if . == null then null else {plural: .} end)
  // builtin_kinds[$name]
  // error("watches.yaml: \($name): its plural is not known: add it to "
      + "plurals in operator.yaml");

# ---- where ----

def operator_namespace_variables:
  ["OPERATOR_NAME", "OPERATOR_NAMESPACE", "POD_NAMESPACE"];

# ${NAME}, ${NAME:-text}, ${NAME:?text}: {name, text}; else null.
def _reference:
  if startswith("${") and endswith("}") then
    .[2:-1] | split(":") as $parts
    | {name: $parts[0],
       text: ($parts[1:] | join(":")
         | if startswith("-") then .[1:] else "" end)}
  else null end;

# One item of a list of namespaces: watched, operator, or the name of another.
def _place($d):
  . as $item | _reference as $r
  | if $r == null and contains("${") then
      error("watches.yaml: namespaces: \($item): a variable must stand alone")
    elif $r == null then {other: .}
    elif $r.name == "WATCH_NAMESPACE" then "watched"
    elif $d.env[$r.name] != null then {other: $d.env[$r.name]}
    elif operator_namespace_variables | index($r.name) != null then "operator"
    elif $r.text != "" then {other: $r.text}
    else error("watches.yaml: namespaces: ${\($r.name)}: its value is not "
      + "known: add it to env in operator.yaml") end;

# The places of a list of namespaces; [] is everywhere.
def _places($d):
  [.[] | _place($d)
   | if type == "object" then .other | split(",")[]
       | split(" ") | join("") | select(. != "") | {other: .}
     else . end]
  | if length == 0 then ["cluster"] else . end;

def _primary_places($d):
  if (_group_kind | _known($d) | .cluster) or .scope == "Cluster" then
    ["cluster"]
  elif has("namespaces") then .namespaces // [] | _places($d)
  elif .requireScope == "cluster" or .namespaceSelector != null then ["cluster"]
  else ["watched"] end;

# The one namespace of objects that primaries name: map: {field: ..., namespace}.
def _named_in:
  if (.map | type) == "object" and (.map | has("field")) then .map.namespace
  else null end;

# ... or in namespaces that these name, too: everywhere, or in a list.
def _named_anywhere: (.map | type) == "object" and (.map | has("namespaceField"));

# Of a dependent or a related kind, whose primaries are at $primary.
def _kind_places($d; $primary):
  if (_group_kind | _known($d) | .cluster) or .scope == "Cluster" then
    ["cluster"]
  elif has("namespaces") then .namespaces // [] | _places($d)
  elif _named_anywhere or .namespaceSelector != null then ["cluster"]
  elif _named_in != null then [_named_in] | _places($d)
  elif $primary == ["cluster"] then ["cluster"]
  else $primary end;

# ---- grants: [{place, group, resource, verbs, names}] ----

def _grant($d; $places; $verbs):
  _group_kind as $k
  | ($k | _known($d)) as $known
  | $places[] | {place: ., group: $k.group, resource: $known.plural, $verbs};

def _all_kinds: (.dependents // [] | .[]), (.related // [] | .[]);

# The labels of Namespaces, by which some are selected.
def _selected_namespaces:
  if any(., _all_kinds; .namespaceSelector != null) then
    {place: "cluster", group: "", resource: "namespaces",
     verbs: ["list", "watch"]}
  else empty end;

def _kwatch($d):
  (.watches + (.shadow // []))[] | _primary_places($d) as $at
  | _grant($d; $at; ["list", "watch"]),
    (_all_kinds | _grant($d; _kind_places($d; $at); ["list", "watch"])),
    _selected_namespaces;

def _is_cluster($d): (_group_kind | _known($d) | .cluster) or .scope == "Cluster";

# Whether the key is kept: it makes random texts, or objects may be marked.
def _keeps_key($d):
  .random == true
  or (.finalizer != null and .marks != false and (_is_cluster($d) | not));

# ... or objects below a cluster-scoped primary are proven.
def _proves($d): _is_cluster($d) and any(.dependents[]?; .manage == true);

# Server-side apply needs patch, and create for an object that is not there; get
# proves whose an object is.
def _kapply_managed($d):
  .watches[] | _primary_places($d) as $at
  | .dependents // [] | .[] | select(.manage == true)
  | _grant($d; _kind_places($d; $at); ["get", "create", "patch", "delete"]);

# delete_foreign(): get shows that it is not a member.
def _kapply_deleted($d):
  .watches[] | _primary_places($d) as $at
  | .related // [] | .[] | select(.delete == true)
  | _grant($d; _kind_places($d; $at); ["get", "delete"]);

# patch_only(): get shows who has changed a field.
def _kapply_patched($d):
  .watches[] | _primary_places($d) as $at
  | .related // [] | .[] | select(.patch == true)
  | _grant($d; _kind_places($d; $at); ["get", "patch"]);

# A finalizer is a patch of what was read. What went is made again only for a
# primary that is there; once() reads whether it is still as it was.
def _kapply_primaries($d):
  .watches[] | _primary_places($d) as $at
  | if .finalizer != null or (.retiredFinalizers // []) != [] then
      _grant($d; $at; ["get", "patch"])
    elif any(.dependents[]?; .manage == true) then _grant($d; $at; ["get"])
    else empty end;

# The API server wants Events about cluster-scoped objects in "default". That
# about the Pod (OutOfMemory) is where the operator runs, which the others have.
def _events($d; $also):
  _primary_places($d) as $at
  | (_group_kind | _known($d) | .cluster) as $cluster
  | (if $cluster then [{other: "default"}] + $also else $at end)[]
  | {place: ., group: "", resource: "events", verbs: ["create", "patch"]};

def _kapply_events($d): .watches[] | _events($d; ["operator"]);

def _marks_secret($d):
  [.watches | (.[] | select(_keeps_key($d))),
      (.[] | select(any(.dependents[]?; .retain == true)
        or any(.related[]?; .patch == true))),
      (.[] | select(_proves($d))) | _group_kind | _kind_name
    | ascii_downcase][0]
  | if . == null then empty else
      {place: "operator", group: "", resource: "secrets", verbs: ["create"]},
      {place: "operator", group: "", resource: "secrets", verbs: ["get"],
       names: ["kpipe-marks-" + .]}
    end;

def _kstatus($d):
  .watches[] | select(.manageStatus != false) | _primary_places($d) as $at
  | (_grant($d; $at; ["patch"]) | .resource += "/status"), _events($d; []);

def lease_name: .watches[0] | _group_kind | _kind_name | ascii_downcase;

# kpipe without --leader-election-id takes $OPERATOR_NAME before that: rules
# without the name.
def for_any_lease($rules):
  any(.variables[]; .name == "OPERATOR_NAME") as $any
  | $rules | if $any then map(del(.resourceNames)) else . end;

# That it leads; never the same again, so there is no patch.
def _kelect_events:
  {place: "operator", group: "", resource: "events", verbs: ["create"]};

def _kelect:
  {place: "operator", group: "coordination.k8s.io", resource: "leases",
   verbs: ["create"]},
  {place: "operator", group: "coordination.k8s.io", resource: "leases",
   verbs: ["get", "update"], names: [lease_name]},
  _kelect_events;

# The node of a leader that is gone is looked at; so is the Pod.
def _kelect_for_life:
  {place: "operator", group: "", resource: "configmaps", verbs: ["create"]},
  _kelect_events,
  {place: "operator", group: "", resource: "configmaps",
   verbs: ["get", "delete"], names: [lease_name]},
  {place: "operator", group: "", resource: "pods", verbs: ["get", "delete"]},
  {place: "cluster", group: "", resource: "nodes", verbs: ["get"]};

def _http:
  {place: "cluster", group: "authentication.k8s.io", resource: "tokenreviews",
   verbs: ["create"]},
  {place: "cluster", group: "authorization.k8s.io",
   resource: "subjectaccessreviews", verbs: ["create"]};

def _grants($stage):
  . as $d
  | if $stage == "kwatch" then [_kwatch($d)]
    elif $stage == "kapply" then
      [_kapply_primaries($d), _kapply_managed($d), _kapply_deleted($d),
       _kapply_patched($d),
       _kapply_events($d),
       _marks_secret($d)]
    elif $stage == "kstatus" then [_kstatus($d)]
    elif $stage == "kelect" then [_kelect]
    elif $stage == "kelect-for-life" then [_kelect_for_life]
    elif $stage == "http" then [_http]
    else error("\($stage) is not a stage that has rights") end;

# ---- rules ----

def _verb_order: ["get", "list", "watch", "create", "update", "patch", "delete"];

def _in_order: . as $verbs | _verb_order | map(select(. as $v | $verbs | index($v)));

# Without the verbs that $more has for the same resource, under any name.
def _without($more):
  map(. as $g
    | .verbs -= [$more[] | select(.group == $g.group
        and .resource == $g.resource and .names == null) | .verbs[]]
    | select(.verbs != []));

# Of one place: each resource once, with all of its verbs.
def _merged:
  reduce .[] as $g ([];
    ([.[] | .group == $g.group and .resource == $g.resource
      and .names == $g.names] | index(true)) as $i
    | if $i == null then . + [$g | .verbs |= _in_order]
      else .[$i].verbs |= (. + $g.verbs | unique | _in_order) end)
  | . as $all
  | map(if .names == null then . else [.] | _without($all)[] end);

# Resources of one group with the same verbs share a rule.
def _as_rules:
  reduce .[] as $g ([];
    ([.[] | .apiGroups == [$g.group] and .verbs == $g.verbs
      and .resourceNames == $g.names] | index(true)) as $i
    | if $i != null then .[$i].resources += [$g.resource]
      else . + [{apiGroups: [$g.group], resources: [$g.resource]}
        + (if $g.names == null then {} else {resourceNames: $g.names} end)
        + {verbs: $g.verbs}] end);

def _at($place): map(select(.place == $place)) | _merged;

def rules($stage; $scope):
  (.rights[$stage] // {}) as $more
  | _grants($stage)
  | if $scope == "cluster" then
      map(if .place == "watched" then .place = "cluster" else . end) else . end
  | _at("cluster") as $cluster
  | def there: _without($cluster) | _as_rules;
    ($more.namespaced // []) as $watched
  | {namespaced: ((_at("watched") | there)
       + if $scope == "cluster" then [] else $watched end),
     cluster: (($cluster | _as_rules) + ($more.cluster // [])
       + if $scope == "cluster" then $watched else [] end),
     operator_namespace:
       ((_at("operator") | there) + ($more.operator_namespace // [])),
     others: [[.[] | select(.place | type == "object")]
       | group_by(.place.other)[]
       | {namespace: .[0].place.other, rules: (_merged | there)}
       | select(.rules != [])]};

def rules($stage): rules($stage; "namespace");

# ---- rbac.yaml ----

def _role($kind; $name; $scope; $rules; $comment):
  if $rules == [] then empty else
    (if $comment == null then {} else {"#": $comment} end)
    + {apiVersion: "rbac.authorization.k8s.io/v1", $kind,
       metadata: {$name, labels: {"kpipe.dev/scope": $scope}}, $rules}
  end;

def _in_namespace($namespace):
  .metadata = {name: .metadata.name, namespace: $namespace,
    labels: .metadata.labels};

# Whether it is made for namespaces that WATCH_NAMESPACE names.
def is_for_namespaces:
  any(stages[] as $stage | rules($stage).namespaced[]; true);

def _about:
  {kwatch: null,
   kapply: ("Server-side apply needs patch, and create for what is not there; "
     + "get proves\nwhose an object is. Events are about the primaries."),
   kstatus: null}[.];

# Of kwatch, kapply and kstatus.
def _stage_roles($stage):
  "\(.name)-\($stage)" as $name
  | ($stage | _about) as $about
  | rules($stage) as $here | rules($stage; "cluster") as $all
  | if $here.namespaced != [] then
      _role("Role"; $name; "namespace"; $here.namespaced; $about),
      _role("ClusterRole"; $name + "-cluster"; "namespace"; $here.cluster;
        "Beside the Role: of the whole cluster."),
      _role("ClusterRole"; $name; "cluster"; $all.cluster; $about)
    else _role("ClusterRole"; $name; "cluster"; $here.cluster; $about) end,
    _role("ClusterRole"; $name + "-operator"; "operator";
      $here.operator_namespace; "Where the operator runs."),
    ($here.others[] as $o | _role("Role"; $name + "-in-" + $o.namespace; "other";
      $o.rules; null) | _in_namespace($o.namespace));

# For leader election, for metrics, and accounts.
def _other_roles:
  .name as $name
  | (if is_for_namespaces then ["Role", ""] else ["ClusterRole", "-operator"] end)
    as [$kind, $suffix]
  | rules("kelect-for-life") as $life
  | _role($kind; $name + "-kelect" + $suffix; "leader";
      for_any_lease(rules("kelect").operator_namespace);
      "Leader election (kpipe --leader-elect), in the namespace where the lease "
      + "is;\n--leader-elect-for-life takes the second role, and the third, by "
      + "which a\nstandby sees that the node of a leader is gone."),
    _role($kind; $name + "-kelect-for-life" + $suffix; "leader";
      for_any_lease($life.operator_namespace); null),
    _role("ClusterRole"; $name + "-kelect-nodes"; "leader"; $life.cluster; null),
    _role("ClusterRole"; $name + "-http"; "metrics"; rules("http").cluster;
      "kpipe-http with --metrics-secure asks who a client is, and whether it may "
      + "read\nthe metrics; that is all that it may do.");

def _accounts:
  . as $d
  | ["kwatch", "kapply", "kstatus", "kelect", "http"]
  | map({apiVersion: "v1", kind: "ServiceAccount",
      metadata: {name: (. as $stage | $d | service_account($stage)),
        labels: {"kpipe.dev/scope": "accounts"}},
      automountServiceAccountToken: false})
  | .[0] = {"#": ("Accounts of the stages (kpipe --kwatch-token-file and so on; "
      + "doc/security.md),\nin the namespace where the operator runs.")} + .[0]
  | .[];

def _head($all):
  .name as $n
  | (if any($all[]; .metadata.labels["kpipe.dev/scope"] == "operator") then
      "\nThat with the scope operator is for the namespace where the operator runs."
    else "" end) as $here
  | if is_for_namespaces then
"The least rights of each stage, for one namespace (Roles) and for all
(ClusterRoles). Choose one, and give it to the accounts of the stages; one
account may have all:

\tkubectl apply -n NS -f rbac.yaml -l kpipe.dev/scope=namespace
\tkubectl create rolebinding \($n)-kwatch -n NS \\
\t    --role=\($n)-kwatch --serviceaccount=NS:\($n)-kwatch

\tkubectl apply -f rbac.yaml -l kpipe.dev/scope=cluster
\tkubectl create clusterrolebinding \($n)-kwatch \\
\t    --clusterrole=\($n)-kwatch --serviceaccount=NS:\($n)-kwatch

and the same with kapply and kstatus; those with the scopes leader and metrics
are for kelect and kpipe-http. ireconcile needs none." + $here
  else
"The least rights of each stage. Bind the roles that end in -operator in the
operator's namespace, the others in the cluster; one account may have all:

\tkubectl apply -f rbac.yaml
\tkubectl create clusterrolebinding \($n)-kwatch \\
\t    --clusterrole=\($n)-kwatch --serviceaccount=NS:\($n)-kwatch
\tkubectl create rolebinding \($n)-kwatch -n NS \\
\t    --clusterrole=\($n)-kwatch-operator --serviceaccount=NS:\($n)-kwatch

and the same with kapply, kstatus and kelect; kpipe-http has rights in the
cluster only. ireconcile needs none."
  end;

def rights:
  [_stage_roles("kwatch", "kapply", "kstatus")] as $stages
  | [($stages[] | select(.metadata.labels["kpipe.dev/scope"] == "namespace")),
     ($stages[] | select(.metadata.labels["kpipe.dev/scope"] != "namespace")),
     _other_roles, _accounts] as $all
  | _head($all) as $head
  | [{path: "rbac.yaml",
      objects: ($all | .[0]["#"] |= if . == null then $head
        else $head + "\n\n" + . end)}];
