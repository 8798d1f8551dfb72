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

# (Regular expressions: they take a tenth of the time of a walk over the bytes.)

# What YAML takes for null or a boolean, in any case.
def _is_word: length <= 5
  and test("\\A(?i:null|true|false|y|n|yes|no|on|off)\\z");

# What needs no quotes at its beginning. The number of a version or a duration
# does, unless it has a letter that numbers, dates and times have not: g to z
# but o, t, x, z.
def _first_is_plain:
  test("\\A(?:[_/$]|-{0,2}[^\\x00-@\\[-`{-\u00a0]"
    + "|[0-9][^:]*[g-np-su-wyG-NP-SU-WY][^:]*\\z)");

# What needs them anywhere: controls, " # [ \ ] ` { | }, and characters that are
# not seen or end a line; a colon or a blank at the end; ": ".
def _has_special:
  test("[\\x00-\\x1f\"#\\[\\\\\\]`{-}\\x7f-\u00a0\u2028\u2029\ufeff]|: |[: ]\\z");

def _is_plain: _first_is_plain and (_has_special or _is_word | not);

# In double quotes; JSON leaves characters that end a line of YAML.
def _quoted:
  tojson
  | if test("[^\\x00-~]") | not then .
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

# A text of lines that can stand as they are: none ends in a blank, no bytes that
# are not seen but tabs, and the first does not begin with a blank or a tab.
def _is_literal:
  contains("\n") and (startswith("\n") or startswith(" ") or startswith("\t") | not)
  and (endswith("\n\n") | not)
  and (test("[\\x00-\\x08\\x0b-\\x1f\\x7f-\u00a0\u2028\u2029\ufeff]|[ \\t](?:\\n|\\z)")
    | not);

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
