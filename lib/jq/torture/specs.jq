include "torture/values";

# Mutations of the example's spec, each one field: {begin, object, mutations:
# [{name, path, value} or {name, path, absent: true}]}. Input: that of scenes.
# The server refuses some; that is part of it.

# What counts things is not counted to the limit of its type: each may become an
# object.
def _counts: test("replica|size|count|number|parallel|completion|shard|member"; "i");
def _most($name):
  if .maximum != null and .maximum <= 1000 then .maximum
  elif $name | _counts then 40
  elif .maximum != null then .maximum
  elif .format == "int32" then 2147483647
  else 9007199254740991 end;

# 253 bytes are the most of a name, 63 of a label; others are longer.
def _long: . as $s | ("x" * ([$s.maxLength // 300, 2000] | min) // "");
def _too_long: select(.maxLength != null and .maxLength < 2000)
  | "x" * (.maxLength + 1);
def _odd_text: "\u00fc\u2028 \"'$(x) ${x} {{x}}\n\t\\ \ud83d\ude00";

def _wrong_type:
  if .type == "string" then 7, {} elif .type == "object" then "x"
  elif .type == "array" then {} else "x" end;

def _all_of($name):
  . as $s
  | (.enum // [] | .[]),
    (if .["x-kubernetes-int-or-string"] == true then 0, 1, "", "1", "10%", "1Gi"
     elif .type == "boolean" then true, false
     elif .type == "integer" or .type == "number" then
       .minimum // 0, _most($name), (.minimum // 0) - 1, 1, 2,
       (select(.type == "number") | 0.5)
     elif .type == "string" then
       "", _long, _too_long, _odd_text, " ", "-x", (sample($name; 1)),
       ([_texts($name; 0)] | unique[:3][])
     elif .type == "array" then
       [], ([.items // {} | sample($name; 0)] | ., . + .),
       [range(12) as $i | .items // {} | sample($name; $i)], [null]
     elif .type == "object" then
       {}, sample($name; 0), {"": ""}, {("x" * 300): 1}
     else empty end),
    _wrong_type;

# Of a field that no schema knows, by its value.
def _of_value:
  if type == "boolean" then not
  elif type == "number" then 0, -1, . + 1, 40
  elif type == "string" then "", "x" * 300, _odd_text, . + "x"
  elif type == "array" then [], . + .
  elif type == "object" then {}
  else empty end;

def _short: tojson | if length > 24 then .[:21] + "..." else . end;
def _told($path): "\($path | path_text)=\(_short)";

def _of_field:
  .path as $path
  | .value as $value
  | (if .there then {name: "\($path | path_text) absent", $path, absent: true}
     else empty end),
    ([null,
      (if .schema.type != null or .schema["x-kubernetes-int-or-string"] then
         .schema | _all_of($path[-1] | tostring)
       else $value | _of_value end)]
     | reduce .[] as $v ([]; if any(.[]; . == $v) then . else . + [$v] end)
     | .[] | select(. != $value)
     | {name: _told($path), $path, value: .});

# The objects of the example themselves.
def _of_objects:
  .primary
  | (paths(type == "object") | select(length > 0 and (.[0] | is_spec))
      | select(all(.[]; type == "string" or . == 0))) as $path
  | {name: "\($path | path_text) absent", $path, absent: true},
    ({}, null | {name: _told($path), $path, value: .});

def specs:
  {begin: [(.before[], .primary) | {do: "create", object: .}], object: .primary,
   marks, mutations: [(fields | _of_field), _of_objects]};
