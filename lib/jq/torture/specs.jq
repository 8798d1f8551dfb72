include "torture/values";

# Edits of the example's spec, each of one field: {begin, object, edits: [{text,
# path, value} or {text, path, absent: true}]}; text: a program of jq that does
# the same. Input: that of scenes. The server refuses some; that is part of it.

# What counts things is not counted to the limit of its type: each may become an
# object.
def _counts: test("replica|size|count|number|parallel|completion|shard|member"; "i");
def _most($name):
  if .maximum != null and .maximum <= 1000 then .maximum
  elif $name | _counts then 40
  elif .maximum != null then .maximum
  elif .format == "int32" then 2147483647
  else 9007199254740994 end;

# 253 bytes are the most of a name, 63 of a label; others are longer.
def _long: "x" * ([.maxLength // 10000, 10000] | min) // "";
def _too_long: select(.maxLength != null and .maxLength < 10000)
  | "x" * (.maxLength + 1);
def _odd_texts: "", " ", "\n", "-x", "x" * 300,
  "\u00fc\u2028 \"'$(x) ${x} {{x}}\n\t\\ \ud83d\ude00";

# Texts for what has been one of these: a quantity, a duration, a time.
def _amounts: "0", "-1", "1e3", "0.5", "1Ei", "1.5Gi", "1 Gi", "1n";
def _durations: "0s", "-1s", "1ms", "8760h", "1h30m";
def _times: "1970-01-01T00:00:00Z", "2000-02-29T12:00:00Z",
  "2026-02-30T00:00:00Z", "2027-01-01T00:00:00+01:00", "9999-12-31T23:59:59Z";
def _of_form:
  if type != "string" then empty
  elif test("\\A[0-9.]+([KMGTP]i?|m|k)?\\z") then _amounts
  elif test("\\A([0-9.]+(ms|s|m|h))+\\z") then _durations
  elif is_time then _times
  else empty end;

def _maps: {}, {"": ""}, {("x" * 300): "x"}, {"a/b c": "'\"\n"};

def _wrong_type:
  if .type == "string" then 7, {} elif .type == "object" then "x"
  elif .type == "array" then {} else "x" end;

def _all_of($name; $value):
  . as $s
  | (.enum // [] | .[]),
    (if .["x-kubernetes-int-or-string"] == true then
       0, -1, 1, "", "0", "1", "10%", "110%", "1Gi", "x", ($value | _of_form)
     elif .type == "boolean" then true, false
     elif .type == "integer" or .type == "number" then
       .minimum // 0, _most($name), (.minimum // 0) - 1, 1, 2,
       (select(.type == "number") | 0.5, 1e300)
     elif .type == "string" then
       _odd_texts, _long, _too_long, (sample($name; 1)), ($value | _of_form),
       ([_texts($name; 0)] | unique[:3][])
     elif .type == "array" then
       [], ([.items // {} | sample($name; 0)] | ., . + .),
       [range(12) as $i | .items // {} | sample($name; $i)], [null]
     elif .type == "object" then
       _maps, sample($name; 0)
     else empty end),
    (select(.["x-kubernetes-preserve-unknown-fields"] == true
        and .type == "object")
      | ($value | objects // {}) + {ktorture: {"": [null, 1e300]}}),
    _wrong_type;

# Of a field that no schema knows, by its value.
def _of_value:
  if type == "boolean" then not
  elif type == "number" then 0, -1, . + 1, 40
  elif type == "string" then _odd_texts, . + "x", _of_form
  elif type == "array" then [], . + .
  elif type == "object" then _maps
  else empty end;

# JSON that can stand in the quotes of a shell.
def _json:
  if type == "string" and length > 100 and test("\\Ax+\\z") then
    "\"x\" * \(length)"
  else tojson | gsub("'"; "\\u0027") | gsub("\u2028"; "\\u2028") end;
def _to($path; $value): {text: "\($path | path_text) = \($value | _json)", $path,
  $value};
def _absent($path): {text: "del(\($path | path_text))", $path, absent: true};

def _of_field:
  .path as $path
  | .value as $value
  | (if .there then _absent($path) else empty end),
    ([null,
      (if .schema.type != null or .schema["x-kubernetes-int-or-string"] then
         .schema | _all_of($path[-1] | tostring; $value)
       else $value | _of_value end)]
     | reduce .[] as $v ([]; if any(.[]; . == $v) then . else . + [$v] end)
     | .[] | select(. != $value)
     | _to($path; .));

# The objects of the example themselves.
def _of_objects:
  .primary
  | (paths(type == "object") | select(length > 0 and (.[0] | is_spec))
      | select(all(.[]; type == "string" or . == 0))) as $path
  | _absent($path), _to($path; {}, null),
    _to($path + ["ktorture"]; {unknown: [null]});

def specs:
  {begin: [(.before[], .primary) | {do: "create", object: .}], object: .primary,
   marks,
   edits: ([(fields | _of_field), _of_objects]
     | reduce .[] as $e ({}; .[$e.text] //= $e) | [.[]])};
