# CustomResourceDefinitions from a short notation, or from an example object.
#
# A field is `TYPE | MARKER=VALUE ...`, as in the SimpleSchema of kro:
#
#	size: integer | required=true minimum=0
#	tags: "[]string"
#	database: {host: string, port: integer | default=5432}
#	ports: [{name: string, port: integer}]
#
# TYPE	string, integer, number (or float), boolean, object (an object with any
#	members), any, int-or-string; []TYPE, map[string]TYPE; or the fields
#	below it, and a list with one element of these.
# MARKER	required, default, description, enum="a,b", nullable, immutable,
#	validation="CEL" of all; minimum, maximum, multipleOf of numbers; format,
#	pattern, minLength, maxLength of strings; minItems, maxItems, uniqueItems
#	of lists; minProperties, maxProperties of maps.
#
# The result is a structural schema (Kubernetes, "Extend the Kubernetes API
# with CustomResourceDefinitions", Specifying a structural schema).

def _wrong($at; $what): error("\($at): \($what)");

# ---- a field of the notation ----

# The words of a text, at blanks outside of quotes: ["default=\"a b\""].
def _words:
  reduce (explode[] | [.] | implode) as $c
    ({words: [], word: "", quoted: false, escaped: false};
      if .escaped then .word += $c | .escaped = false
      elif .quoted and $c == "\\" then .word += $c | .escaped = true
      elif $c == "\"" then .word += $c | .quoted = (.quoted | not)
      elif .quoted == false and ($c == " " or $c == "\t") then
        .words += [.word] | .word = ""
      else .word += $c end)
  | .words + [.word] | map(select(. != ""));

# What is left and right of the first $mark, or null.
def _cut($mark): index($mark) as $i
  | if $i == null then null
    else {left: .[:$i], right: .[$i + ($mark | length):]} end;

def _trimmed: _words | join(" ");

# "integer | minimum=0": {type: "integer", markers: {minimum: "0"}}
def _parse($at):
  (_cut("|") // {left: ., right: ""})
  | {
      type: (.left | _trimmed),
      markers: (reduce (.right | _words[]) as $word ({};
        ($word | _cut("=")) as $m
        | if $m == null then
            _wrong($at; "\($word) is not MARKER=VALUE: put a value with"
              + " blanks into quotes")
          elif has($m.left) then _wrong($at; "\($m.left) is given twice")
          else .[$m.left] = $m.right end))
    };

# (jq 1.6 would also catch errors of what comes after it, but for the list.)
def _json($at; $marker):
  . as $text
  | [try {v: fromjson} catch null] | .[0]
  | if . == null then _wrong($at; "\($marker)=\($text) is not JSON")
    else .v end;

def _plain($at; $marker):
  if startswith("\"") then _json($at; $marker) else . end;

def _typed($at; $marker; $want):
  . as $text
  | _json($at; $marker)
  | if type == $want then .
    else _wrong($at; "\($marker)=\($text) is not a \($want)") end;

# A value as the type wants it: default=1 of a string is "1".
def _value_of($schema; $at; $marker):
  if $schema.type == "string" then _plain($at; $marker)
  else
    . as $text
    | _json($at; $marker)
    | if $schema.type == null
        or ($schema.type == "integer" and type == "number" and . == floor)
        or $schema.type == type then .
      else _wrong($at; "\($marker)=\($text) is not of type \($schema.type)") end
  end;

def _rules($rule): .["x-kubernetes-validations"] += [$rule];

def _of($types; $at; $marker):
  if (.type as $t | any($types[]; . == $t)) then .
  else _wrong($at; "\($marker) is for \($types | join(" or ")), not for "
    + (.type // "any type")) end;

def _numbers: ["integer", "number"];

# The schema (.) with one more marker. `required` is for the field's parent.
def _mark($m; $v; $at):
  if $m == "required" then .
  elif $m == "description" then .description = ($v | _plain($at; $m))
  elif $m == "nullable" then .nullable = ($v | _typed($at; $m; "boolean"))
  elif $m == "default" then
    . as $schema | .default = ($v | _value_of($schema; $at; $m))
  elif $m == "enum" then
    . as $schema | .enum = ($v | _plain($at; $m) | split(",")
      | map(_trimmed | _value_of($schema; $at; $m)))
  elif $m == "validation" then _rules({rule: ($v | _plain($at; $m))})
  elif $m == "immutable" then
    if $v | _typed($at; $m; "boolean") then
      _rules({rule: "self == oldSelf", message: "it cannot be changed"})
    else . end
  elif any("minimum", "maximum", "multipleOf"; . == $m) then
    _of(_numbers; $at; $m) | .[$m] = ($v | _typed($at; $m; "number"))
  elif any("format", "pattern"; . == $m) then
    _of(if $m == "format" then ["string"] + _numbers else ["string"] end;
      $at; $m)
    | .[$m] = ($v | _plain($at; $m))
  elif any("minLength", "maxLength"; . == $m) then
    _of(["string"]; $at; $m) | .[$m] = ($v | _typed($at; $m; "number"))
  elif any("minItems", "maxItems"; . == $m) then
    _of(["array"]; $at; $m) | .[$m] = ($v | _typed($at; $m; "number"))
  elif $m == "uniqueItems" then
    # The API server has no other way to say it for lists.
    _of(["array"]; $at; $m)
    | if $v | _typed($at; $m; "boolean")
      then .["x-kubernetes-list-type"] = "set" else . end
  elif any("minProperties", "maxProperties"; . == $m) then
    _of(["object"]; $at; $m) | .[$m] = ($v | _typed($at; $m; "number"))
  else _wrong($at; "\($m) is not a marker") end;

def _anything: {"x-kubernetes-preserve-unknown-fields": true};

def _type($at):
  if . == "string" or . == "integer" or . == "number" or . == "boolean" then
    {type: .}
  elif . == "float" then {type: "number"}
  elif . == "object" then {type: .} + _anything
  elif . == "any" then _anything
  elif . == "int-or-string" then {"x-kubernetes-int-or-string": true}
  elif startswith("[]") then {type: "array", items: (.[2:] | _type($at))}
  elif startswith("map[string]") then
    {type: "object", additionalProperties: (.[11:] | _type($at))}
  else _wrong($at; "\(tojson) is not a type: string, integer, number, boolean,"
    + " object, any, int-or-string, []TYPE or map[string]TYPE") end;

def _field($at):
  _parse($at) as $f
  | reduce ($f.markers | to_entries[]) as $m ($f.type | _type($at);
      _mark($m.key; $m.value; $at));

def _is_required($at):
  type == "string"
  and (_parse($at).markers.required
    | . != null and _typed($at; "required"; "boolean"));

# ---- a tree of the notation ----

def _below($at; $name): if $at == "" then $name else "\($at).\($name)" end;

def _check_name($at):
  if test("\\A[A-Za-z_][-A-Za-z0-9_.]*\\z") then .
  else _wrong($at; "\(tojson) is not a name of a field") end;

# schema_of(PATH): the schema of a tree of the notation (.).
def schema_of($at):
  if type == "string" then _field($at)
  elif type == "object" then
    . as $fields
    | [keys_unsorted[] | _check_name($at)
        | . as $k | select($fields[$k] | _is_required(_below($at; $k)))]
      as $required
    | {type: "object"}
      + (if $required == [] then {} else {required: $required} end)
      + (if $fields == {} then {} else {properties:
          (reduce ($fields | keys_unsorted[]) as $k ({};
            .[$k] = ($fields[$k] | schema_of(_below($at; $k)))))} end)
  elif type == "array" and length == 1 then
    {type: "array", items: (.[0] | schema_of("\($at)[]"))}
  elif type == "array" then
    _wrong($at; "a list has one element: what its elements are")
  else _wrong($at; "\(tojson) is not a type, such as \"integer\"") end;

# ---- an example ----

# The notation for a value (.) and all others that an example has in its place.
def notation_of_all:
  map(select(. != null))
  | (map(type) | unique) as $types
  | if . == [] then "any"
    elif $types == ["string"] then "string"
    elif $types == ["boolean"] then "boolean"
    elif $types == ["number"] then
      if all(.[]; . == floor) then "integer" else "number" end
    elif $types == ["number", "string"] then "int-or-string"
    elif $types == ["array"] then
      add | if . == [] then ["any"] else [notation_of_all] end
    elif $types == ["object"] then
      . as $all
      | reduce (.[] | keys_unsorted[]) as $k ({};
          if has($k) then . else .[$k] = ([$all[][$k]] | notation_of_all) end)
      | if . == {} then "object" else . end
    else "any" end;

# The notation that an example value fits.
def notation: [.] | notation_of_all;

# ---- names ----

def kind_in_lower_case:
  explode | map(if 65 <= . and . <= 90 then . + 32 else . end) | implode;

# Memcached: memcacheds, Policy: policies, Ingress: ingresses
def plural_of:
  kind_in_lower_case
  | if test("(s|x|z|ch|sh)\\z") then . + "es"
    elif test("[^aeiou]y\\z") then .[:-1] + "ies"
    else . + "s" end;

# "shop.example.com" of kind Web, for messages
def _called: "\(.kind).\(.group)";

# ---- the whole definition ----

def _time: {type: "string", format: "date-time"};

# What every status of ours has (metav1.Condition, doc/watches.md).
def _status_fields: {
  observedGeneration: {
    description: "The generation of the spec that the status is about.",
    type: "integer",
    format: "int64"
  },
  lastHandledReconcileAt: {
    description: ("The last value of the annotation"
      + " reconcile.fluxcd.io/requestedAt."),
    type: "string"
  },
  conditions: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
    items: {
      type: "object",
      required: ["type", "status", "reason", "message", "lastTransitionTime"],
      properties: {
        type: {type: "string"},
        status: {type: "string", enum: ["True", "False", "Unknown"]},
        reason: {type: "string"},
        message: {type: "string"},
        lastTransitionTime: _time,
        observedGeneration: {type: "integer", format: "int64"}
      }
    }
  }
};

def _columns: [
  {name: "Ready", type: "string",
    jsonPath: ".status.conditions[?(@.type==\"Ready\")].status"},
  {name: "Reason", type: "string", priority: 1,
    jsonPath: ".status.conditions[?(@.type==\"Ready\")].reason"},
  {name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp"}
];

# If no field is required, `spec` need not be written, and has its defaults.
def _spec_default:
  if .required == null and any(.properties[]?; has("default"))
  then {type, default: {}} + . else . end;

def _top($schema):
  ($schema.spec // {} | schema_of("\($schema.kind).spec") | _spec_default)
    as $spec
  | ($schema.status // {} | schema_of("\($schema.kind).status")) as $status
  | {
      description: ($schema.description // "A \($schema.kind)."),
      type: "object"
    }
    + (if $spec.required == null then {} else {required: ["spec"]} end)
    + {
      properties: {
        apiVersion: {type: "string"},
        kind: {type: "string"},
        metadata: {
          type: "object",
          properties: {
            name: {
              description: "It is the value of a label, too.",
              type: "string",
              maxLength: 63
            }
          }
        },
        spec: $spec,
        status: ($status
          | .properties = (.properties // {} | . + _status_fields))
      }
    };

def _plural: .plural // (.kind | plural_of);

# definition: of a document of schema.yaml (.): group, version, kind, spec,
# status; plural, singular, shortNames, categories, scope, description,
# additionalPrinterColumns.
def definition:
  . as $s
  | {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: {name: "\(_plural).\(.group)"},
      spec: {
        group: .group,
        scope: (.scope // "Namespaced"),
        names: ({
          kind: .kind,
          listKind: "\(.kind)List",
          plural: _plural,
          singular: (.singular // (.kind | kind_in_lower_case))
        } + (if .shortNames == null then {} else {shortNames: .shortNames} end)
          + (if .categories == null then {}
             else {categories: .categories} end)),
        versions: [{
          name: .version,
          served: true,
          storage: true,
          subresources: {status: {}},
          additionalPrinterColumns:
            ((.additionalPrinterColumns // []) + _columns),
          schema: {openAPIV3Schema: _top($s)}
        }]
      }
    };

# ---- kgen crd ----

def _schema_keys: ["group", "version", "kind", "plural", "singular",
  "shortNames", "categories", "scope", "description",
  "additionalPrinterColumns", "spec", "status"];

def _check_schema($watches; $source):
  . as $s
  | if type != "object" then _wrong($source; "a document is not a mapping")
    else . end
  | (keys_unsorted | map(select(. as $k
      | any(_schema_keys[]; . == $k) | not))[0]) as $foreign
  | (["group", "version", "kind"]
      | map(select($s[.] | type != "string"))[0]) as $missing
  | if $foreign != null then _wrong($source; "unknown key \($foreign)")
    elif $missing != null then _wrong($source; "there is no \($missing)")
    elif any($watches[];
      .group == $s.group and .kind == $s.kind and .version == $s.version)
    then .
    else _wrong($source; "\(.version) of \(_called) is not in watches.yaml")
    end;

def _split_version: .apiVersion as $v
  | ($v | tostring | split("/"))
  | if length == 2 then {group: .[0], version: .[1]}
    else error("the example's apiVersion \($v | tojson) is not GROUP/VERSION")
    end;

def _example_notation:
  notation | if . == "object" or . == "any" then {} else . end;

# The document of schema.yaml for an example object (.).
def schema_of_example:
  _split_version + {kind: .kind, spec: (.spec | _example_notation)}
  + if .status == null then {}
    else {status: (.status | _example_notation
      | with_entries(select(.key as $k | _status_fields | has($k) | not)))}
    end;

# The fields of "NAME:TYPE | MARKER=VALUE" (kgen crd, kgen new).
def fields_of_arguments:
  reduce .[] as $arg ({};
    ($arg | _cut(":")) as $f
    | ($f | if . == null then "" else .left | _trimmed end) as $name
    | if $name == "" then error("the field \($arg | tojson) is not NAME:TYPE")
      elif has($name) then error("the field \($name) is given twice")
      else .[$name] = ($f.right | _trimmed) end);

def _of_fields($d):
  $d.watches
  | if length == 1 then .[0] | {group, version, kind}
    else error("watches.yaml has \(length) kinds: write the fields into"
      + " schema.yaml") end
  | .spec = ($d.fields | fields_of_arguments);

def _of_examples($d):
  [$d.examples[]
    | select(. as $e | any($d.watches[];
        "\(.group)/\(.version)" == $e.apiVersion and .kind == $e.kind))]
  | unique_by([.apiVersion, .kind])[] | schema_of_example;

# {source, schemas}: what the definitions are made of. Input: the description,
# with `fields` (arguments), `from` (objects) or `schema` (schema.yaml); else
# its examples.
def _schemas:
  . as $d
  | if (.fields // []) != [] then
      {source: "the fields", schemas: [_of_fields($d)]}
    elif .from != null then
      {source: "the example", schemas: [.from[] | schema_of_example]}
    elif (.schema // []) != [] then {source: "schema.yaml", schemas: .schema}
    else {source: "example.yaml", schemas: [_of_examples($d)]} end;

# The scope that watches.yaml says.
def _scope_of($watches; $source):
  . as $s
  | ([$watches[] | select(.group == $s.group and .kind == $s.kind)
      | .scope // "Namespaced"][0]) as $scope
  | if (.scope // $scope) == $scope then .scope = $scope
    else _wrong($source; "\(_called) is \(.scope), and \($scope) in"
      + " watches.yaml") end;

# kgen crd: the file crd.yaml.
def crd:
  .watches as $watches
  | _schemas
  | .source as $source
  | [.schemas[] | _check_schema($watches; $source)
      | _scope_of($watches; $source)]
  | if . == [] then
      error("crd.yaml is made of schema.yaml, or of an example of a kind of"
        + " watches.yaml in example.yaml: there is neither")
    else [{path: "crd.yaml", objects: map(definition)}] end;
