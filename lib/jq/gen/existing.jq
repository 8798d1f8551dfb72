# A kind that exists already: what kgen new and kgen add find in its definition.
#
#	existing	in `from`: a list of documents, CustomResourceDefinitions
#			among them, or what cluster.sh says of another kind. It
#			sets group, version, kind, scope, example and `existing`,
#			which is null for any other input:
#
#	definition	the CustomResourceDefinition as it is
#	copy		what external-crds.yaml has of it: one version; null for
#			a kind of Kubernetes
#	is_own		whether this operator installs it
#	writes		the part of the status that the program has, or null:
#			"all", "condition"
#	condition	the type of that condition, and ...
#	generation	... whether it has observedGeneration
#	status		the names of the fields of the status
#	uses		the path and fields that the program reads
#	stored		the example as the API server keeps it: with the defaults of
#			the definition
include "gen/examples";
include "gen/kinds";
include "gen/sample";

def _refuse($what): error($what);

def _need(holds; $what): if holds then . else _refuse($what) end;

def _lower: ascii_downcase;

# ---- which one ----

def _documents: map(if type == "object" and .kind == "List" then .items[]?
  else . end);

def _is_definition: type == "object" and .kind == "CustomResourceDefinition";

def _is_discovered: type == "object" and has("resource") and has("schemas");

def is_of_definitions: .from != null
  and any(.from | _documents[]; _is_definition or _is_discovered);

def _full_name: "\(.spec.names.kind).\(.spec.group)";

# Names become parts of texts: a program, YAML.
def _is_name: type == "string"
  and test("\\A[A-Za-z0-9]([-.A-Za-z0-9]*[A-Za-z0-9])?\\z");

def _check_definition($file):
  ([.metadata | objects | .name | strings][0] // "") as $name
  | _need(.apiVersion == "apiextensions.k8s.io/v1";
      "\($file): the CustomResourceDefinition \($name) is of \(.apiVersion),"
      + " which Kubernetes 1.22 removed: only v1 can be read. A cluster that has"
      + " it gives it as v1: kubectl get crd \($name) -o yaml")
  | _need((.spec | type) == "object" and (.spec.names | type) == "object"
      and (.spec.versions | type) == "array"
      and all(.spec.versions[]; type == "object" and (.name | _is_name))
      and all(.spec.group, .spec.names.kind, .spec.names.plural; _is_name);
    "\($file): the CustomResourceDefinition \($name) lacks spec.group,"
      + " spec.names.kind, spec.names.plural or spec.versions, or one of them is"
      + " not a name");

# The definition that --kind and --group name, or the only one.
def _definition:
  .kind as $kind | .group as $group | (.source // "--from") as $file
  | [.from | _documents[] | select(_is_definition) | _check_definition($file)]
  | (map(_full_name) | unique | join(", ")) as $all
  | map(select(($group == null or .spec.group == $group) and ($kind == null
      or any(.spec.names.kind, .spec.names.plural; _lower == ($kind | _lower)))))
  | if length == 0 then
      _refuse("\($file): there is no kind \($kind // "")"
        + "\(if $group == null then "" else " of \($group)" end); there are \($all)")
    elif (map(_full_name) | unique | length) > 1 then
      _refuse("\($file): there are several kinds: choose one by --kind"
        + (if (map(.spec.names.kind) | unique | length) == 1 then " and --group"
           else "" end) + ": " + (map(_full_name) | unique | join(", ")))
    else .[-1] end;

# As Kubernetes orders them: v2, v1, v1beta1, v1alpha1.
def _rank:
  [capture("\\Av(?<major>[0-9]+)((?<stage>alpha|beta)(?<minor>[0-9]+))?\\z")][0]
  | if . == null then [0]
    else [({alpha: 1, beta: 2}[.stage // ""] // 3), (.major | tonumber),
      (.minor // "0" | tonumber)] end;

# The version that is asked for, or is stored; one that is served.
def _version($version; $file):
  _full_name as $name
  | [.spec.versions[] | select(.served)] as $served
  | if $version != null then
      ($served | map(select(.name == $version))[0])
      // _refuse("\($file): \($name) does not serve the version \($version),"
        + " but \($served | map(.name) | join(", "))")
    else ($served | map(select(.storage))[0])
      // ($served | sort_by(.name | _rank) | .[-1])
      // _refuse("\($file): no version of \($name) is served") end;

# ---- the status ----

# A list of conditions that several managers can write, each its own: {condition
# is there, generation: ...}; else null.
def _conditions($shared):
  .schema.openAPIV3Schema.properties.status as $status
  | ($status.properties // {}).conditions as $list
  | if $list.type != "array" or ($list.items.properties // {} | . as $p
      | any("type", "status", "reason", "message", "lastTransitionTime";
          . as $k | $p | has($k) | not))
      or (($list.items.required // [])
        - ["type", "status", "reason", "message", "lastTransitionTime",
          "observedGeneration"]) != []
      or ($list.items.properties.type.enum != null)
      or (($status.required // []) - ["conditions"]) != []
      or ($shared and ($list["x-kubernetes-list-type"] != "map"
        or $list["x-kubernetes-list-map-keys"] != ["type"]))
    then null
    else {generation: ($list.items.properties | has("observedGeneration"))} end;

# CertificateOperatorReady, of the operator certificate of that kind;
# MyCertsOperatorReady, of the operator my-certs.
def _condition_type:
  (if .name == (.kind | _lower) then .kind
   else .name / "-" | map((.[:1] | ascii_upcase) + .[1:]) | join("") end)
  + "OperatorReady";

# ---- the example ----

# The name that the definition wants, as of a kind that has one object.
def _object_name:
  (.["x-kubernetes-validations"] // [] | map(.rule
      | capture("self\\.metadata\\.name\\s*(==|in)\\s*\\[?\\s*['\"](?<n>[^'\"]+)").n)
    | .[0])
  // (.properties.metadata.properties.name // {type: "string", maxLength: 63}
    | del(.maxLength | select(. > 63)) | sample("name"));

# What may be added to what is required: fields with few values, which no rule
# speaks of.
def _more($have):
  . as $s
  | ([.["x-kubernetes-validations"][]?.rule] | join(" ")) as $rules
  | [(.properties // {} | to_entries[]
      | select(.key as $k | ($have | has($k) | not)
          and ($rules | contains("self.\($k)") | not)
          and (.value | (.enum != null or .default != null
              or .type == "integer" or .type == "boolean")
            and .type != "object" and .type != "array")
          and (.value.description // "" | test("(?i)deprecat") | not))
      | .key as $k | {($k): (.value | sample($k))})][:3]
  | reduce .[] as $one ($have;
      if (. + $one) as $new | $s | faults($new; "") == [] then . + $one
      else . end);

def _example_of($kind):
  . as $root
  | ((.required // []) + (if .properties // {} | has("spec") then ["spec"] else [] end)
      | unique - ["apiVersion", "kind", "metadata", "status"]) as $fields
  | reduce $fields[] as $k ({apiVersion: "\($kind.group)/\($kind.version)",
      kind: $kind.kind, metadata: ({name: ($root | _object_name)})};
      .[$k] = ($root.properties[$k] // {} | sample($k) as $v
        | if $k == "spec" and ($v | type) == "object" then _more($v)
          else $v end));

# The value with the defaults of the schema, as the API server adds them
# (Kubernetes, "Extend the Kubernetes API with CustomResourceDefinitions",
# Defaulting).
def _with_defaults($schema):
  if ($schema | type) != "object" then .
  elif type == "object" then
    . as $given
    | ($schema.properties // {}) as $properties
    | ($properties | map_values(.default | select(. != null))) as $defaults
    | reduce ($defaults + $given | keys_unsorted[]) as $k ($given;
        .[$k] = (if $given | has($k) then .[$k] else $defaults[$k] end
          | _with_defaults($properties[$k] // $schema.additionalProperties)))
  elif type == "array" then map(_with_defaults($schema.items))
  else . end;

# ---- what the program reads ----

# The example goes into a ConfigMap, where nothing secret belongs.
def _is_secret:
  test("(?i)secret|password|passwd|token|credential|private|(key|data)\\z");

def _is_word: test("\\A[A-Za-z_][A-Za-z0-9_]*\\z");

# {path: ".primary.spec", fields: [...]}; no fields: the whole is not for it.
def _uses:
  if (.spec | type) == "object" and .spec != {} then
    {path: ".primary.spec", object: .spec}
  else {path: ".primary", object: (del(.apiVersion, .kind, .metadata, .status)
    | del(.spec | select(. == {})))} end
  | .fields = ([.object | keys_unsorted[]
      | select(_is_word and (_is_secret | not))][:3])
  | if .fields == [] then {path: ".primary.metadata", fields: ["name"]}
    else del(.object) end;

# ---- all of it ----

# Bounds that libjq cannot keep, as that of an int64, which bounds nothing there.
def _without_large:
  if type == "object" then
    with_entries(select(.value | (type == "number"
      and (. > 9007199254740991 or . < -9007199254740991)) | not))
    | map_values(_without_large)
  elif type == "array" then map(_without_large)
  else . end;

# Without texts for people, which are most of it.
def _without_descriptions:
  if type == "object" then
    with_entries(select(.key != "description" or (.value | type) != "string"))
    | map_values(_without_descriptions)
  elif type == "array" then map(_without_descriptions)
  else . end;

def _copy($version):
  {apiVersion, kind, metadata: ({name: .metadata.name}
      + (.metadata.annotations["api-approved.kubernetes.io"] // null
        | if . == null then {}
          else {annotations: {"api-approved.kubernetes.io": .}} end)),
    spec: {group: .spec.group, scope: .spec.scope, names: .spec.names,
      versions: [$version | _without_descriptions | _without_large
        | .storage = true
        | del(.deprecated, .deprecationWarning)]}};

# {group, version, kind, scope, root, has_status, conditions, definition, copy}
def _defined:
  . as $in | (.source // "--from") as $file
  | _definition as $crd
  | ($crd | _version($in.version; $file)) as $version
  | {
      group: $crd.spec.group,
      version: $version.name,
      kind: $crd.spec.names.kind,
      scope: $crd.spec.scope,
      root: ($version.schema.openAPIV3Schema // {}),
      has_status: ($version.subresources.status != null),
      conditions: ($version | _conditions($in.is_own | not)),
      definition: ($crd | _without_large | del(.status, .metadata.managedFields,
        .metadata.uid, .metadata.resourceVersion, .metadata.generation,
        .metadata.creationTimestamp, .metadata.annotations
          ["kubectl.kubernetes.io/last-applied-configuration"])),
      copy: ($crd | _copy($version)),
      is_cut: ($crd | . != _without_large)
    };

# ---- a kind without a definition ----

# A schema of OpenAPI v3 without references, so many of them deep.
def _expanded($schemas; $depth):
  if type != "object" then .
  elif (.allOf | length) == 1 and .allOf[0]["$ref"] != null then
    del(.allOf, .default) + .allOf[0] | _expanded($schemas; $depth)
  elif has("$ref") then
    $schemas[.["$ref"] | split("/")[-1]] as $named
    | if $depth == 0 or $named == null
      then {"x-kubernetes-preserve-unknown-fields": true}
      else del(.["$ref"]) + $named | _expanded($schemas; $depth - 1) end
  else
    (if .properties then .properties |= map_values(_expanded($schemas; $depth))
     else . end)
    | (if .items then .items |= _expanded($schemas; $depth) else . end)
    | (if .additionalProperties then
         .additionalProperties |= _expanded($schemas; $depth) else . end)
  end;

# A definition for kapi, which takes any object.
def _stand_in:
  {apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition",
    metadata: ({name: "\(.resource.name).\(.group)"}
      + if .group | test("(\\A|\\.)(k8s|kubernetes)\\.io\\z") then
          {annotations: {"api-approved.kubernetes.io": "unapproved, a stand-in"}}
        else {} end),
    spec: {group, scope: .scope, names: {kind: .resource.kind,
        plural: .resource.name, listKind: "\(.resource.kind)List",
        singular: (.resource.kind | _lower)},
      versions: [{name: .version, served: true, storage: true,
        schema: {openAPIV3Schema: {type: "object",
          "x-kubernetes-preserve-unknown-fields": true}}}
        + if .has_status then {subresources: {status: {}}} else {} end]}};

def _discovered:
  . as $in
  | (.from[0] | .scope = if .resource.namespaced then "Namespaced" else "Cluster"
      end) as $d
  | $d.resource.kind as $kind
  | (if $d.group == "" then $kind else "\($kind).\($d.group)" end) as $name
  | _need($in.is_own | not; "--own is for a CustomResourceDefinition, which"
      + " \($name) does not have")
  | _need($d.resource.verbs | index("list") and index("watch");
      "\($name) cannot be watched")
  | _need($name != "ConfigMap"; "the program of a new folder makes a ConfigMap"
      + " for each object, and so for each ConfigMap another one: begin with"
      + " another kind")
  | {
      group: $d.group, version: $d.version, kind: $kind, scope: $d.scope,
      root: ([$d.schemas[] | select(any(."x-kubernetes-group-version-kind"[]?;
          .kind == $kind and .version == $d.version and .group == $d.group))][0]
        // {} | _expanded($d.schemas; 8)
        | if .properties then .properties.metadata = {type: "object"} else . end),
      has_status: $d.has_status,
      conditions: null,
      builtin: builtin_kinds[$name],
      example: ($name | example_of_builtin)
    }
  | .copy = if .builtin then null else ($d | _stand_in) end;

# ---- all of it ----

def existing:
  . as $in
  | (if any(.from[]; _is_discovered) then _discovered else _defined end) as $k
  | .group = $k.group | .version = $k.version
  | .kind = $k.kind | .scope = $k.scope
  | .name = (.name // (.kind | _lower))
  | .example = (. as $kind | $k.root | _example_of($kind))
  | (if $k.example then
       .example |= ({apiVersion, kind, metadata: {name: "example"}} + $k.example)
     else . end)
  | .example.apiVersion |= ltrimstr("/")
  | .existing = {
      definition: $k.definition,
      copy: $k.copy,
      is_own: ($in.is_own == true),
      has_status: $k.has_status,
      writes: (if $k.has_status and $k.conditions != null then
          if $in.is_own then "all" else "condition" end
        else null end),
      condition: (if $in.is_own then "Ready" else _condition_type end),
      generation: $k.conditions.generation,
      status: ($k.root.properties.status.properties // {} | keys_unsorted
        | map(select(_is_name))),
      uses: (.example | _uses),
      stored: (.example
        | if $k.definition == null then . else _with_defaults($k.root) end)
    }
  | .warnings = [
      (select($k.example == null) | .example as $e
        | $k.root | faults($e; $k.kind)[]
        | "example.yaml: \(.): write a value that fits"),
      (select($in.is_own and $k.is_cut)
        | "crd.yaml: bounds beyond 2^53 are left out")
    ];
