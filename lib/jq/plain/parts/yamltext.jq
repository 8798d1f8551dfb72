# YAML as ireconcile writes it. (In C: cmd/ireconcile/program/yamltext.c.)

def _hex4: . as $n
  | [(4096, 256, 16, 1) as $unit | ($n / $unit | floor) % 16
      | "0123456789abcdef"[.:. + 1]]
  | add;

# Characters beyond ASCII that YAML does not print, or takes for line breaks.
def _yaml_string:
  if type != "string" or test("\\A[ -~]*\\z") then tojson
  else
    [tojson | explode[]
      | if (. >= 127 and . <= 159) or . == 8232 or . == 8233 or . == 65279
          or . == 65534 or . == 65535
        then "\\u" + _hex4 else [.] | implode end]
    | add
  end;

def _yaml_is_block:
  test("\\n") and test("\\A[ -~\\n]*\\z") and (rtrimstr("\n")
    | length > 1 and test("\\A[!-~]") and test("[!-~]\\z"));

def _yaml_scalar($indent):
  if type == "string" and _yaml_is_block then
    (if endswith("\n") then "|" else "|-" end)
    + ([rtrimstr("\n") | split("\n")[]
        | if . == "" then "\n" + $indent else "\n" + $indent + "  " + . end]
      | add)
  else _yaml_string end;

def _yaml_key:
  if test("\\A[A-Za-z_][-A-Za-z0-9_.~]*\\z")
    and (test("\\A(y|n|yes|no|on|off|true|false|null|~)\\z"; "i") | not)
  then . + ":" else _yaml_string + ":" end;

def _yaml_is_tree: (type == "object" or type == "array") and length > 0;

def _yaml($indent):
  if _yaml_is_tree | not then _yaml_scalar($indent)
  elif type == "array" then
    [.[] | "- " + _yaml($indent + "  ")] | join("\n" + $indent)
  else . as $object
    | [keys[] as $k | ($k | _yaml_key)
        + ($object[$k]
          | if _yaml_is_tree then "\n  " + $indent + _yaml($indent + "  ")
            else " " + _yaml_scalar($indent) end)]
    | join("\n" + $indent)
  end;
