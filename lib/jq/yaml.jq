# to_yaml: a value as YAML that YAML 1.1 and 1.2 readers take alike.
#
# Keys are sorted, so that equal values give equal text. Strings are always
# quoted: none is ever taken for a number, a date or "no". Text of several
# lines that may stand so (a certificate) is a literal block.

def _hex4:
  "0123456789abcdef" as $digits
  | [(. / 4096, . / 256, . / 16, .) | floor % 16 | $digits[.:. + 1]] | add;

# Texts in one, in little more than linear time: join copies all that it has
# with each text, so it is given few at a time.
def _yaml_join($between):
  if length <= 64 then join($between)
  else (length / 2 | floor) as $half
    | (.[:$half] | _yaml_join($between)) + $between
      + (.[$half:] | _yaml_join($between)) end;

# Not printable for YAML, or a line break for it, though plain text for JSON.
def _yaml_specials: "[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]";

# A JSON string is a YAML string, but for these characters.
def _yaml_quoted:
  if utf8bytelength == length
  then if indices("\u007f") == [] then tojson
    else tojson | split("\u007f") | _yaml_join("\\u007f") end
  elif test(_yaml_specials) then
    reduce (range(127; 160), 8232, 8233, 65279, 65534, 65535) as $c (tojson;
      split([$c] | implode) | _yaml_join("\\u" + ($c | _hex4)))
  else tojson end;

# Lines of printable ASCII, the first not indented, the last not blank.
def _yaml_is_block:
  contains("\n") and test("\\A[!-~][ -~\n]*[!-~]\n?\\z");

def _yaml_word:
  {y: 0, n: 0, yes: 0, no: 0, on: 0, off: 0, true: 0, false: 0, null: 0}
    [ascii_downcase] != null;

# Plain where nobody takes it for something else. (@uri is quicker than a
# regular expression.)
def _yaml_key:
  if @uri == . and .[:1] >= "A" and .[:1] <= "z"
    and (length > 5 or (_yaml_word | not))
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
    | if type == "string" and (_yaml_is_block | not) then "- " + _yaml_quoted
      else [_yaml_lines] as $lines
        | ("- " + $lines[0]), ($lines[1:][] | "  " + .) end
  elif type == "string" then
    if _yaml_is_block then
      (if endswith("\n") then "|" else "|-" end),
      (rtrimstr("\n") | split("\n")[] | if . == "" then . else "  " + . end)
    else _yaml_quoted end
  else tojson end;

def to_yaml: [_yaml_lines] | _yaml_join("\n") + "\n";
