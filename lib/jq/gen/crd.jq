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

include "gen/kinds";

def _wrong($at; $what): error("\($at): \($what)");

# ---- markers ----

# What a marker is of (null: of every type), how one is written, and what its
# value is, where nothing else has to be known of it.
def _markers:
  ["integer", "number"] as $numbers
  | {
      required: {right: "required=true"},
      default: {right: "default=1"},
      description: {right: "description=\"What it is.\"", is: "text"},
      enum: {right: "enum=\"a,b\""},
      nullable: {right: "nullable=true", is: "boolean"},
      immutable: {right: "immutable=true"},
      validation: {right: "validation=\"self != 'x'\""},
      minimum: {of: $numbers, right: "minimum=0", is: "number"},
      maximum: {of: $numbers, right: "maximum=9", is: "number"},
      multipleOf: {of: $numbers, right: "multipleOf=2", is: "number"},
      format: {of: (["string"] + $numbers), right: "format=uri", is: "text"},
      pattern: {of: ["string"], right: "pattern=\"^[a-z]+$\"", is: "text"},
      minLength: {of: ["string"], right: "minLength=1", is: "number"},
      maxLength: {of: ["string"], right: "maxLength=63", is: "number"},
      minItems: {of: ["array"], right: "minItems=1", is: "number"},
      maxItems: {of: ["array"], right: "maxItems=9", is: "number"},
      uniqueItems: {of: ["array"], right: "uniqueItems=true"},
      minProperties: {of: ["object"], right: "minProperties=1", is: "number"},
      maxProperties: {of: ["object"], right: "maxProperties=9", is: "number"}
    };

# How the marker is written, behind what is wrong with it.
def _as_in:
  _markers[.].right | if . == null then "" else ", as in \(.)" end;

# What others call a marker.
def _other_names: {regex: "pattern", regexp: "pattern", values: "enum",
  oneof: "enum", optional: "required", readonly: "immutable", cel: "validation",
  unique: "uniqueItems", size: "max", length: "max"};

# The marker of this type that may be meant, and else all of them.
def _meant($type):
  ascii_downcase as $name
  | (_other_names[$name] // .)[:3] as $begin
  | [_markers | to_entries[]
      | select(.value.of == null or any(.value.of[]; . == $type))]
  | (map(select(.key | startswith($begin)))[0]) as $meant
  | if $meant != null then ": write \($meant.value.right)"
    else ": those of \($type // "any type") are \(map(.key) | join(", "))"
    end;

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
              + " blanks into quotes" + ($word | _as_in))
          elif has($m.left) then _wrong($at; "\($m.left) is given twice")
          else .[$m.left] = $m.right end))
    };

# (jq 1.6 would also catch errors of what comes after it, but for the list.)
def _parsed: [try {v: fromjson} catch null] | .[0];

# A backslash of a regular expression, say, as JSON has it.
def _escaped: gsub("(?<pair>\\\\[\"\\\\])|(?<one>\\\\)";
  .pair // "\\\\");

def _json($at; $marker):
  . as $text
  | _parsed
  | if . != null then .v
    elif ($text | startswith("\"") and (_escaped | _parsed) != null) then
      _wrong($at; "\($marker)=\($text) is not JSON, as a value in quotes has"
        + " to be: write \($marker)=\($text | _escaped)")
    else
      _wrong($at; "\($marker)=\($text) is not JSON" + ($marker | _as_in))
    end;

def _plain($at; $marker):
  if startswith("\"") then _json($at; $marker) else . end;

def _typed($at; $marker; $want):
  . as $text
  | _json($at; $marker)
  | if type == $want then .
    else _wrong($at; "\($marker)=\($text) is not a \($want)"
      + ($marker | _as_in)) end;

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

# The schema (.) is of a type that the marker is for.
def _fits($at; $marker):
  .type as $type
  | _markers[$marker].of as $types
  | if $types == null or any($types[]; . == $type) then .
    else _wrong($at; "\($marker) is for \($types | join(" or ")), not for "
      + ($type // "any type") + ($marker | _meant($type))) end;

# The schema (.) with one more marker. `required` is for the field's parent.
def _mark($m; $v; $at):
  _fits($at; $m)
  | if $m == "required" then .
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
    elif $m == "uniqueItems" then
      # The API server has no other way to say it for lists.
      if $v | _typed($at; $m; "boolean")
      then .["x-kubernetes-list-type"] = "set" else . end
    elif _markers[$m].is == "text" then .[$m] = ($v | _plain($at; $m))
    elif _markers[$m] != null then
      .[$m] = ($v | _typed($at; $m; _markers[$m].is))
    else
      _wrong($at; "\($m) is not a marker" + (.type as $type | $m
        | _meant($type)))
    end;

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
  else
    {int: "integer", int32: "integer", int64: "integer", str: "string",
      text: "string", bool: "boolean", double: "number", list: "\"[]string\"",
      array: "\"[]string\"", map: "map[string]string", dict: "object"} as $known
    | (if startswith("\"") then "\(.[1:] | rtrimstr("\"")) without quotes"
      else $known[.] end) as $meant
    | _wrong($at; "\(tojson) is not a type: string, integer, number, boolean,"
      + " object, any, int-or-string, []TYPE or map[string]TYPE"
      + if $meant == null then "" else "; write \($meant)" end)
  end;

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

# An object that need not be written, because none of its fields is required, has
# the defaults of those that have one.
def _with_defaults:
  if .required == null and any(.properties[]?; has("default"))
  then {type, default: {}} + . else . end;

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
    | _with_defaults
  elif type == "array" and length == 1 then
    # An element that is not there has no defaults.
    {type: "array", items: (.[0] | if type == "object"
      then schema_of("\($at)[]") | del(.default)
      else schema_of("\($at)[]") end)}
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

def _our_columns: [
  {name: "Ready", type: "string",
    jsonPath: ".status.conditions[?(@.type==\"Ready\")].status"},
  {name: "Reason", type: "string", priority: 1,
    jsonPath: ".status.conditions[?(@.type==\"Ready\")].reason"},
  {name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp"}
];

# The author's columns, and those of ours that they do not show already.
def _columns:
  def shows: [(.name | ascii_downcase), (.jsonPath | gsub("'"; "\""))];
  . as $own
  | $own + (_our_columns | map(select(shows as $new
      | any($own[] | shows; .[0] == $new[0] or .[1] == $new[1]) | not)));

def _top($schema):
  ($schema.spec // {} | schema_of("\($schema.kind).spec")) as $spec
  | ($schema.status // {} | schema_of("\($schema.kind).status")
      | del(.default)) as $status
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
          additionalPrinterColumns: (.additionalPrinterColumns // [] | _columns),
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
      elif ($name | contains(".")) then
        error("the field \($name) has a dot: fields below others, and those of"
          + " the status, are written into schema.yaml")
      elif has($name) then error("the field \($name) is given twice")
      else .[$name] = ($f.right | _trimmed) end);

def _of_fields($d):
  $d.watches
  | if length == 1 then .[0] | {group, version, kind}
    else error("watches.yaml has \(length) kinds: write the fields into"
      + " schema.yaml") end
  | .spec = ($d.fields | fields_of_arguments);

# Kinds that others define: nothing is made of them here.
def _is_external($d):
  . as $k
  | builtin_kinds[.kind + if .group == "" then "" else "." + .group end] != null
    or any($d.external[]?.spec; .group == $k.group and .names.kind == $k.kind);

def _of_examples($d):
  [$d.examples[]
    | select(. as $e | any($d.watches[]; "\(.group)/\(.version)"
        == $e.apiVersion and .kind == $e.kind and (_is_external($d) | not)))]
  | unique_by([.apiVersion, .kind])[] | schema_of_example;

# {source, schemas}: what the definitions are made of. Input: the description,
# with `fields` (arguments), `from` (objects) or `schema` (schema.yaml); else
# its examples.
def _schemas:
  . as $d
  | if (.fields // []) != [] and .from != null then
      error("--from has the fields: leave out \(.fields | join(" "))")
    elif (.fields // []) != [] then
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
  . as $d
  | .watches as $watches
  | if all($watches[]; _is_external($d)) then
      error("\([$watches[] | _called] | join(", ")): a kind that Kubernetes or"
        + " another project defines: there is no crd.yaml to make")
    else . end
  | _schemas
  | .source as $source
  | [.schemas[]
      | if _is_external($d) then
          _wrong($source; "\(_called) is a kind that Kubernetes or another"
            + " project defines: leave it out")
        else . end
      | _check_schema($watches; $source)
      | _scope_of($watches; $source)]
  | if . == [] then
      error("crd.yaml is made of schema.yaml, or of an example of a kind of"
        + " watches.yaml in example.yaml: there is neither")
    else [{path: "crd.yaml", objects: map(
      [try {crd: definition} catch {wrong: .}] | .[0]
      | if .crd != null then .crd
        elif $source == "schema.yaml" then _wrong($source; .wrong)
        else error(.wrong) end)}] end;
