include "gen/sample";

# Fields of a spec and other values for them, by the schema and the example.

# The schema of the primary's version, or {}: input of scenes and specs.
def schema:
  (.primary.apiVersion | split("/")) as $gv
  | .primary.kind as $kind
  | [.crds[].spec | select(.group == $gv[0] and .names.kind == $kind)
     | .versions[] | select(.name == $gv[1]) | .schema.openAPIV3Schema][0] // {};

# What a user edits: all but these.
def is_spec: IN("apiVersion", "kind", "metadata", "status") | not;

# The fields below a value, those that are there and those that the schema
# knows: {path, schema, value, there}. Of an array the first element.
def fields($s; $value; $path; $there):
  ($s.properties // {}) as $known
  | if ($value | type) == "object" and ($value != {} or $known != {})
        or ($there | not) and $known != {} and ($path | length) < 3 then
      (($known | keys) + ($value // {} | keys) | unique)[] as $k
      | select(($path | length) > 0 or ($k | is_spec))
      | ($value // {} | has($k)) as $has
      | fields($known[$k] // ($s.additionalProperties | objects) // {};
          ($value // {})[$k]; $path + [$k]; $has)
    else
      {path: $path, schema: $s, value: $value, there: $there},
      if ($value | type) == "array" and ($value[0] | type) == "object" then
        fields($s.items // {}; $value[0]; $path + [0]; true)
      else empty end
    end;

def fields: fields(schema; .primary; []; true);

# ".spec.size", ".spec.list[0].name"
def path_text:
  map(if type == "number" then "[\(.)]"
    elif test("\\A[A-Za-z_][A-Za-z0-9_]*\\z") then ".\(.)"
    else "[\(tojson)]" end)
  | join("") | if startswith(".") then . else ".\(.)" end;

# "4.0.1" is "4.0.2", "512Mi" is "513Mi".
def _counted_on:
  [match("[0-9]+"; "g")][-1] as $m
  | if $m == null or $m.length > 9 then empty
    else .[:$m.offset] + "\($m.string | tonumber + 1)"
      + .[$m.offset + $m.length:] end;

def is_time: test("\\A[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z\\z");

# Other values for a field (.), the best first. A time is first one in the
# past: what waits for it begins.
def past: "2020-01-01T00:00:00Z";
def _candidates:
  .schema as $s
  | .path[-1] as $name
  | .value
  | . as $v
  | ($s.enum // [] | .[]),
    (if type == "boolean" then not
     elif type == "number" then . + 1, . - 1, ($s.minimum // empty),
       ($s.maximum // empty)
     elif type == "string" then
       (if is_time then past, "2037-01-01T00:00:00Z"
        else _counted_on, . + "x" end),
       ($s | _texts($name | tostring; 1))
     elif type == "array" and length > 0 then .[1:], . + [.[0]]
     else empty end),
    ($s | select(. != {}) | sample($name | tostring; 0, 1));

# At most $n that the schema takes.
def others($n):
  . as $f
  | reduce limit($n * 3; _candidates
      | select(. != $f.value and (. as $c | $f.schema | faults($c; "") == [])))
      as $c ([]; if any(.[]; . == $c) then . else . + [$c] end)
  | .[:$n][];

# A merge patch that sets the path in an object ($o). Arrays are whole.
def setting($o; $path; $value):
  ([$path | to_entries[] | select(.value | type == "number").key][0]
    // ($path | length)) as $n
  | {} | setpath($path[:$n]; $o | setpath($path; $value) | getpath($path[:$n]));

# A merge patch that makes $from into $to, which has no nulls where $from has
# something.
def merge_patch($from; $to):
  if ($from | type) == "object" and ($to | type) == "object" then
    reduce (($from | keys) + ($to | keys) | unique)[] as $k ({};
      if $to | has($k) | not then .[$k] = null
      elif $from[$k] == $to[$k] then .
      else .[$k] = merge_patch($from[$k]; $to[$k]) end)
  else $to end;
