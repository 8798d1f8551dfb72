# yaml: an object as block YAML for people, its keys in the order given.
#
#	{"#": "What it is for.", kind: "Role", "#a": "About a.", a: 1} | yaml
#
# The key "#" is a comment above the object, "#a" one above the key a: texts of
# some lines. Strings are quoted only where a reader of YAML 1.1 or 1.2 would
# take them for something else; a text of several lines is a literal block. A
# list of words that fits on its line stands there: [get, list].
# (to_yaml in ../yaml.jq is for programs of operators: it sorts keys and quotes
# every string.)

# ---- strings ----

# What YAML takes for null, a boolean or a number, in any case.
def _words: ["", "~", "null", "true", "false", "y", "n", "yes", "no", "on",
  "off", ".inf", ".nan", "=", "<<"];

def _lower: map(if 65 <= . and . <= 90 then . + 32 else . end);

# Bytes that need no quotes inside a string. (": " and " #" are seen to
# elsewhere.) 32 to 126 ~, without " # [ \ ] ` { | }. Every character of a
# file is asked about: the most frequent ones come first.
def _is_inner:
  97 <= . and . <= 122 or 36 <= . and . <= 90 or . == 32 or . == 33
  or . == 94 or . == 95 or . == 126
  or 161 <= . and . != 8232 and . != 8233 and . != 65279;

def _is_letter: 97 <= . and . <= 122 or 65 <= . and . <= 90 or 161 <= .;

# Numbers, dates and times have none of these letters: g-z but o, t, x, z.
def _is_unit: (103 <= . and . <= 122) and . != 111 and . != 116 and . != 120
  and . != 122;

def _first_is_plain:
  (.[0] | _is_letter or . == 95 or . == 47 or . == 36)
  or (.[0] == 45 and (.[1:] | if .[0] == 45 then .[1:] else . end
      | .[0] // 0 | _is_letter))
  or (.[0] >= 48 and .[0] <= 57 and (index([58]) == null)
      and any(_lower[]; _is_unit));

def _is_plain:
  . as $s | explode
  | length > 0
  and (length > 5 or (_lower | implode | . as $l | _words | index($l) == null))
  and _first_is_plain
  and all(.[]; _is_inner)
  and .[-1] != 32 and .[-1] != 58 and ($s | contains(": ") | not);

# In double quotes; JSON leaves characters that end a line of YAML.
def _quoted:
  tojson
  | if all(explode[]; . < 127) then .
    else explode
      | map(if . == 133 or . == 8232 or . == 8233 or . == 65279 then
          {"133": "\\u0085", "8232": "\\u2028", "8233": "\\u2029",
           "65279": "\\ufeff"}[tostring] | explode[]
        else . end)
      | implode end;

def _scalar:
  if type == "string" then if _is_plain then . else _quoted end
  elif type == "array" then "[]"
  elif type == "object" then "{}"
  else tojson end;

# A text of lines that can stand as they are: none of blanks alone, no tabs or
# other bytes that are not seen, and the first does not begin with a blank.
def _is_literal:
  contains("\n") and (startswith("\n") or startswith(" ") | not)
  and (endswith("\n\n") | not)
  and all(explode[]; . == 10 or 32 <= . and . <= 126 or 161 <= . and
      . != 8232 and . != 8233 and . != 65279)
  and all(split("\n")[]; endswith(" ") | not);

def _indented: if . == "" then . else "  " + . end;

def _literal($head):
  if endswith("\n") then [$head + " |"] + (.[:-1] | split("\n") | map(_indented))
  else [$head + " |-"] + (split("\n") | map(_indented)) end;

# ---- comments ----

def _comment:
  if . == null then []
  else rtrimstr("\n") | split("\n")
    | map(if . == "" or startswith("\t") then "#" + . else "# " + . end) end;

def _is_comment: startswith("#");

def _has_keys: any(keys_unsorted[]; _is_comment | not);

# ---- blocks: arrays of lines ----

def _flow: "[" + (map(_scalar) | join(", ")) + "]";

# A list of strings that fits on a line with $width columns left, or null.
def _short_flow($width):
  if length > 0 and length < $width
    and all(.[]; type == "string" and (contains(",") | not))
  then _flow | if length <= $width then . else null end
  else null end;

def _block($width):
  def entry($head):
    if type == "object" and _has_keys then
      [$head] + (_block($width - 2) | map(_indented))
    elif type == "array" and length > 0 then
      _short_flow($width - ($head | length) - 1) as $flow
      | if $flow then [$head + " " + $flow] else [$head] + _block($width) end
    elif type == "string" and _is_literal then _literal($head)
    else [$head + " " + _scalar] end;
  def element:
    if type == "object" and _has_keys or type == "array" and length > 0 then
      (_block($width - 2) | ["- " + .[0]] + (.[1:] | map(_indented)))
    elif type == "string" and _is_literal then _literal("-")
    else ["- " + _scalar] end;
  if type == "array" then
    [.[] | ((if type == "object" then .["#"] else null end | _comment)
      + element)[]]
  else
    . as $o
    | [keys_unsorted[] | select(_is_comment | not) | . as $key
      | ($o["#" + $key] | _comment)
        + ($o[$key] | (if type == "object" then .["#"] else null end | _comment)
          + entry(($key | _scalar) + ":"))
      | .[]]
  end;

def yaml:
  if type == "object" then
    (.["#"] | _comment) + (if _has_keys then _block(80) else ["{}"] end)
  elif type == "array" and length > 0 then _block(80)
  else [_scalar] end
  | join("\n") + "\n";

# The files of a generator, as kgen takes them: objects become text.
def _files:
  map(if (.path | type) != "string" then error("a file has no path")
    elif has("objects") then
      del(.objects) + {text: (.objects | map(yaml) | join("---\n"))}
    elif (.text | type) != "string" then error(.path + " has no text")
    else . end);
