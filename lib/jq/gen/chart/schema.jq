# The CRD of a chart: types from the defaults of its values.
#
# No default stands in the schema: the API server would write it into every
# object, and a null in spec, which takes a default away as in Helm, would get
# it back. So each field is nullable, and its default in its description.
include "gen/crd";

def _anything: {"x-kubernetes-preserve-unknown-fields": true, nullable: true};

def _said: tojson | if length > 200 then .[:197] + "..." else . end
  | {description: "Default: \(.)"};

def _one_type: map(type) | unique | length == 1;

def schema_of_value:
  if type == "boolean" then {type: "boolean", nullable: true} + _said
  elif type == "number" then
    # A port may be a name, a number of Pods a share.
    if . == floor then {"x-kubernetes-int-or-string": true, nullable: true} + _said
    else {type: "number", nullable: true} + _said end
  elif type == "string" and . != "" then {type: "string", nullable: true} + _said
  elif type == "array" and length > 0 and _one_type
    and (.[0] | type | IN("string")) then
    {type: "array", nullable: true, items: {type: "string"}} + _said
  elif type == "object" and . != {} then
    {type: "object", nullable: true, "x-kubernetes-preserve-unknown-fields": true,
      properties: (with_entries(select(.key != "" ) | .value |= schema_of_value))}
  else _anything end;

def chart_definition($instances):
  . as $in
  | (reduce ($instances | reverse)[] as $i ({};
      if $i.keys == [] then . * $i.chart.values
      else setpath($i.keys; ((try getpath($i.keys) catch null) // {}) as $o | $i.chart.values * $o) end))
  as $values
  | {group, version, kind, scope} | definition
  | .spec.versions[0].schema.openAPIV3Schema.properties.spec
    = ($values | if . == {} then {"x-kubernetes-preserve-unknown-fields": true} + {type: "object"} else schema_of_value end
        | del(.nullable))
  | .spec.versions[0].schema.openAPIV3Schema.description
    = "A release of the chart \($in.chart.chart.name).";
