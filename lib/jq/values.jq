# Values that Kubernetes has: selectors, versions, amounts, patches.

# ---- selectors ----

# `.` if it is an object of these members only: another one would be ignored.
def _only($what; $members):
  if type != "object"
  then _call("wrong"; "selects: \($what) is not an object")
  else (keys - $members)[0] as $wrong
    | if $wrong == null then .
      else _call("wrong"; "selects: \($what) has no member "
        + "\($wrong | tojson), only \($members | join(", "))") end
  end;

def _list($name):
  if . == null then []
  elif type == "array" then .
  else _call("wrong"; "selects: \($name) is not a list") end;

# By apimachinery's Requirement.Matches; $labels are those of the object.
def _requirement_holds($labels):
  _only("an element of matchExpressions"; ["key", "operator", "values"])
  | .key as $key
  | (.values | _list("values")) as $values
  | if ($key | type) != "string"
    then _call("wrong"; "selects: a key is a text")
    elif .operator == "In" or .operator == "NotIn" then
      if $values == []
      then _call("wrong"; "selects: \(.operator) needs values")
      else (.operator == "In")
        == any($values[]; . == $labels[$key] and . != null) end
    elif .operator == "Exists" or .operator == "DoesNotExist" then
      if $values != []
      then _call("wrong"; "selects: \(.operator) has no values")
      else (.operator == "Exists") == ($labels | has($key)) end
    else _call("wrong";
      "selects: an operator is In, NotIn, Exists or DoesNotExist")
    end;

# Does a LabelSelector (matchLabels, matchExpressions) select this object? {}
# selects all, null none. Another member is an error.
def selects($selector):
  (.metadata.labels // {}) as $labels
  | if $selector == null then false
    else
      $selector
      | _only("a selector"; ["matchLabels", "matchExpressions"])
      | [.matchExpressions | _list("matchExpressions")[]
          | _requirement_holds($labels)]
        + [.matchLabels // {}
          | if type == "object" then to_entries[]
            else _call("wrong"; "selects: matchLabels is not an object") end
          | .value == $labels[.key]]
      | all
    end;

# ---- semantic versions ----

def _version_identifiers($numbers):
  if . == "" then [.] else split(".") end
  | map(
    if test("\\A(0|[1-9][0-9]*)\\z") then tonumber
    elif test("\\A[0-9]+\\z") or $numbers or (test("\\A[-0-9A-Za-z]+\\z") | not)
    then _call("wrong"; "semver: not a version such as 1.2.3 or v1.2.3-rc.1")
    else . end);

# "v1.2.3-rc.1+a" as {major, minor, patch, prerelease: ["rc", 1], build: "a"}
# (semver.org 2.0.0; a v may lead).
def semver:
  if type != "string" then _call("wrong"; "semver: not text") else . end
  | (ltrimstr("v") | split("+")) as $parts
  | ($parts[0] | split("-")) as $core
  | ($core[0] | _version_identifiers(true)) as $numbers
  | if ($numbers | length) != 3 or ($parts | length) > 2
      or ($parts[1:] | any(test("\\A[-0-9A-Za-z]+([.][-0-9A-Za-z]+)*\\z") | not))
    then _call("wrong"; "semver: not a version such as 1.2.3 or v1.2.3-rc.1")
    else {
      major: $numbers[0], minor: $numbers[1], patch: $numbers[2],
      prerelease: (if ($core | length) == 1 then []
        else $core[1:] | join("-") | _version_identifiers(false) end),
      build: ($parts[1] // "")
    } end;

# Numbers come before texts, as in semver.org, 11.
def _semver_order: semver
  | [.major, .minor, .patch, .prerelease == [], .prerelease];

# -1, 0 or 1: $a is older, as old, newer. Builds do not count.
def semver_compare($a; $b):
  ($a | _semver_order) as $x | ($b | _semver_order) as $y
  | if $x < $y then -1 elif $x == $y then 0 else 1 end;

# ---- amounts (in C: cmd/ireconcile/program/amounts.c) ----

# A quantity of resources ("500m", "1Gi", 2) as a number.
def quantity: _call("quantity"; tostring);
# -1, 0 or 1, exact: numbers as above have 15 digits.
def quantity_compare($a; $b):
  _call("quantity_compare"; [$a, $b | tostring]);

# Seconds of a duration of Go ("1h30m").
def duration: _call("duration"; .);

# ---- patches ----

# A JSON merge patch (RFC 7386) applied to the value.
def merge_patch($patch):
  if ($patch | type) != "object" then $patch
  else reduce ($patch | keys_unsorted[]) as $k (
      if type == "object" then . else {} end;
      if $patch[$k] == null then delpaths([[$k]])
      else setpath([$k]; .[$k] | merge_patch($patch[$k])) end)
  end;

def _differences($path; $a; $b):
  if $a == $b then empty
  elif ($a | type) == ($b | type) and ($a | type == "object" or type == "array")
  then
    (($a | keys) + ($b | keys) | unique[]) as $k
    | ($path + [$k]) as $p
    | if $a | has($k) | not then {path: $p, to: $b[$k]}
      elif $b | has($k) | not then {path: $p, from: $a[$k]}
      else _differences($p; $a[$k]; $b[$k]) end
  else {path: $path, from: $a, to: $b} end;

# What differs: [{path, from, to}], without `from` or `to` where there is
# nothing. A path is a list, for getpath.
def json_diff($a; $b): [_differences([]; $a; $b)];
