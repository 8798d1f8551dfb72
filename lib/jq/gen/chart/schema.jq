# The CRD of a chart: types and rules from values.schema.json, where there is
# one, else types from the defaults of its values.
#
# No default stands in the schema: the API server would write it into every
# object, and a null in spec, which takes a default away as in Helm, would get
# it back. So each field is nullable, and its default in its description. Helm
# checks values with the defaults below them, the API server a spec alone: a
# field is required only where no default fills it.
include "gen/crd";

def _anything: {"x-kubernetes-preserve-unknown-fields": true, nullable: true};

def _default_said: tojson | if length > 200 then .[:197] + "..." else . end
  | "Default: \(.)";

# The JSON Schema that it refers to within $root; {}: none that is known.
def _referred($root): if type != "object" then {}
  elif .["$ref"] == null then .
  else .["$ref"] as $ref | del(.["$ref"]) as $more
    | if $ref | startswith("#") then
        ($root | try getpath($ref | split("/")[1:]) catch null)
        | if type == "object" then . + $more else $more end
      else $more end
  end;

def _types: [.type // empty] | flatten | map(select(. != "null")) | sort;

# An enum is a pattern, which a null need not match. (Go has no (?= and (?!.)
def _text_rules:
  (.enum // [] | map(strings)) as $words
  | if $words != [] then
      {pattern: "^(\($words | map(gsub("(?<c>[.+*?()|^$\\[\\]\\\\{}])"; "\\\(.c)")) | join("|")))$"}
    else {pattern, minLength, maxLength}
      | if .pattern // "" | contains("(?") then del(.pattern) else . end end;

# (.) the default or null, {} if it is not an object or a list.
def _field($s; $root; $depth):
  . as $value
  | ($s | _referred($root)) as $s
  | ($s | _types) as $types
  | (if $types != [] then $types
     elif type == "boolean" then ["boolean"]
     # A port may be a name, a number of Pods a share.
     elif type == "number" then if . == floor then ["integer", "string"] else ["number"] end
     elif type == "string" and . != "" then ["string"]
     elif type == "array" and . != [] and all(.[]; type == "string") then ["array"]
     elif type == "object" and . != {} then ["object"]
     else [] end) as $types
  | {nullable: true}
    # (Fields say their own.)
    + ([$s.description // empty,
        ($value | if . == null or (type == "object" and . != {}) then empty else _default_said end)]
      | if . == [] then {} else {description: join("\n")} end)
    + (if $depth > 20 then {}
       elif $types == ["integer", "string"] then {"x-kubernetes-int-or-string": true}
       elif $types == ["string"] then {type: "string"} + ($s | _text_rules)
       elif $types == ["boolean"] then {type: "boolean"}
       elif $types == ["integer"] or $types == ["number"] then
         {type: $types[0]} + ($s | {minimum, maximum, multipleOf})
       elif $types == ["array"] then
         {type: "array"} + ($s | {minItems, maxItems})
         + {items: (if $s.items | type == "object" then
               null | _field($s.items; $root; $depth + 1)
             elif $value | type == "array" and any(.[]; strings) then {type: "string"}
             else _anything end)}
       elif $types == ["object"] then
         ($value | if type == "object" then . else {} end) as $o
         | ($s.properties // {}) as $p
         | ([$o, $p | keys[] | select(. != "")] | unique
             | map(. as $k | {($k): ($o[$k] | _field($p[$k] // {}; $root; $depth + 1))})
             | add // {}) as $properties
         | [$s.required[]? | select($o[.] == null and $properties[.] != null)] as $required
         | {type: "object"} + ($s | {minProperties, maxProperties})
           + (if $properties == {} and ($s.additionalProperties | type) == "object" then
                {additionalProperties: (null | _field($s.additionalProperties; $root; $depth + 1))}
              else
                {$properties}
                + if $s.additionalProperties == false then {}
                  else {"x-kubernetes-preserve-unknown-fields": true} end
              end)
           + (if $required == [] then {}
              else {$required} | .properties = ($properties
                | reduce $required[] as $k (.; .[$k].nullable = null)) end)
       else {} end)
  | if .type == null and (has("x-kubernetes-int-or-string") | not)
    then . + {"x-kubernetes-preserve-unknown-fields": true} else . end
  | with_entries(select(.value != null))
  | if .properties == {} then del(.properties) else . end;

def chart_definition($instances):
  . as $in
  | (reduce ($instances | reverse)[] as $i ({};
      if $i.keys == [] then . * $i.chart.values
      else setpath($i.keys; ((try getpath($i.keys) catch null) // {}) as $o | $i.chart.values * $o) end))
  as $values
  | (reduce $instances[] as $i (null;
      if $i.keys == [] then $values | _field({type: "object"} + ($i.chart.schema // {}); $i.chart.schema; 0)
      elif $i.chart.schema == null then .
      else setpath([$i.keys[] | ("properties", .)];
        $values | getpath($i.keys) | _field($i.chart.schema; $i.chart.schema; 0)) end)) as $spec
  | {group, version, kind, scope} | definition
  | .spec.versions[0].schema.openAPIV3Schema.properties.spec
    = ($spec | del(.nullable, .description))
  | .spec.versions[0].schema.openAPIV3Schema.description
    = "A release of the chart \($in.chart.chart.name).";
