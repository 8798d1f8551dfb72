# to_yaml: a value as YAML that YAML 1.1 and 1.2 readers take alike.
#
# Keys are sorted, so that equal values give equal text. Strings are always
# quoted: none is ever taken for a number, a date or "no". Text of several
# lines that may stand so (a certificate) is a literal block.

def _hex4:
  "0123456789abcdef" as $digits
  | [(. / 4096, . / 256, . / 16, .) | floor % 16 | $digits[.:. + 1]] | add;

# Not printable for YAML, or a line break for it, though plain text for JSON.
def _yaml_special:
  (. >= 127 and . <= 159) or . == 8232 or . == 8233 or . == 65279;

# A JSON string is a YAML string, but for these characters.
def _yaml_quoted:
  if utf8bytelength == length and indices("\u007f") == [] then tojson
  else
    [tojson | explode[]
      | if _yaml_special then ("\\u" + _hex4 | explode[]) else . end]
    | implode
  end;

# Lines of printable ASCII, the first not indented, the last not blank.
def _yaml_is_block:
  contains("\n") and test("\\A[!-~][ -~\n]*[!-~]\n?\\z");

def _yaml_word:
  {y: 0, n: 0, yes: 0, no: 0, on: 0, off: 0, true: 0, false: 0, null: 0}
    [ascii_downcase] != null;

# Plain where nobody takes it for something else. (@uri is quicker than a
# regular expression.)
def _yaml_key:
  if @uri == . and .[:1] >= "A" and (length > 5 or (_yaml_word | not))
  then . else _yaml_quoted end;

# The value as lines; the first may follow a key or a dash if it is the only
# one, or begins with "|".
def _yaml_lines:
  if type == "object" and . != {} then
    . as $object
    | keys[] as $k
    | [$object[$k] | _yaml_lines] as $lines
    | ($k | _yaml_key) + ":"
    | if $lines[0][:1] == "|" then (. + " " + $lines[0]), $lines[1:][]
      elif ($object[$k] | (type != "object" and type != "array")
        or length == 0) then . + " " + $lines[0]
      else ., ($lines[] | "  " + .) end
  elif type == "array" and . != [] then
    .[]
    | [_yaml_lines] as $lines
    | ("- " + $lines[0]), ($lines[1:][] | "  " + .)
  elif type == "string" then
    if _yaml_is_block then
      (if endswith("\n") then "|" else "|-" end),
      (rtrimstr("\n") | split("\n")[] | if . == "" then . else "  " + . end)
    else _yaml_quoted end
  else tojson end;

def to_yaml: [_yaml_lines] | join("\n") + "\n";
