# jq of a Go template: of the tree that kgen's chart/gotemplate.h describes.
#
# A template is a function without parameters: its input is Go's dot, its result
# one text. A list of nodes is a stream of texts: commas between the pieces, and
# a variable binds what is behind it. Where a block (if, with, range) assigns
# variables of an outer one, it gives [TEXT, VALUE...], and they are bound again
# behind it.
#
# $c: {path (for messages), prefix (of template names), names: {NAME: FUNCTION},
# at_root (the dot is $), group, group_name (templates that call each other)}
include "gen/chart/functions";

def _jq_keywords: {
  "def": 1, "if": 1, "then": 1, "elif": 1, "else": 1, "end": 1, "as": 1,
  "reduce": 1, "foreach": 1, "try": 1, "catch": 1, "label": 1, "import": 1,
  "include": 1, "and": 1, "or": 1, "not": 1, "__loc__": 1, "module": 1,
  "ENV": 1, "root": 1
};

def identifier: gsub("[^A-Za-z0-9_]+"; "_");

def _variable: if . == "" then "$root"
  else identifier as $name
    | if _jq_keywords[$name] != null or ($name | startswith("_"))
      then "$v_\($name)" else "$\($name)" end end;

def _field: if test("\\A[A-Za-z_][A-Za-z0-9_]*\\z")
    and (_jq_keywords[.] == null or . == "root")
  then ".\(.)" else ".[\(tojson)]" end;

# .a["b"]: a path begins with its only dot.
def _fields: ([.[] | _field] | add) | .[:1] + (.[1:] | gsub("\\.\\["; "["));

# join in time that does not grow with the square of the length.
def joined($by): if length < 16 then join($by)
  else (length / 2 | floor) as $half
    | (.[:$half] | joined($by)) + $by + (.[$half:] | joined($by)) end;

def _hang: split("\n") | joined("\n  ");
def _indent: "  " + _hang;

# ---- expressions: {s: jq, k: what it gives} ----

def _x($s): {s: $s, k: "any"};
def _x($s; $k): {s: $s, k: $k};

def _fails($at; $what): _x("error(\("\($at): \($what)" | tojson))");

def _escaped_re: gsub("(?<c>[.+*?(){}|^$\\[\\]\\\\])"; "\\\(.c)");

# The text of an expression that is always the same, or null.
def _constant($c):
  if .e == "lit" and (.v | type) == "string" then .v
  elif .e == "chain" and .f[-2:] == ["Template", "BasePath"] then
    "\($c.prefix)templates"
  elif .e == "call" and .fn == "print" then
    [.args[] | _constant($c)]
    | if any(.[]; . == null) then null else add // "" end
  elif .e == "call" and .fn == "printf" and .args[0].e == "lit" then
    .args[0].v as $format
    | [.args[1:][] | _constant($c)] as $texts
    | if any($texts[]; . == null) or ($format | gsub("%s"; "") | contains("%"))
      then null
      else reduce $texts[] as $t ($format; sub("%s"; $t)) end
  else null end;

# The templates that a computed name may mean.
def _candidates($c):
  (if .e == "call" and .fn == "printf" and .args[0].e == "lit" then
     .args[0].v | _escaped_re | gsub("%[a-z]"; ".*")
   elif .e == "call" and .fn == "print" then
     [.args[] | if .e == "lit" and (.v | type) == "string" then .v | _escaped_re
       else ".*" end] | add // ""
   else ".*" end) as $re
  | [$c.names | keys[] | select(startswith("\u0000") | not)
      | select(test("\\A" + $re + "\\z"))];

# The templates that an expression or a list calls, by their names.
def called_templates($c):
  [.. | objects
    | if .t == "template" then .name
      elif .e == "call" and .fn == "include" then
        .args[0] | _constant($c) as $name
        | if $name != null then $name else _candidates($c)[] end
      elif .e == "call" and .fn == "tpl" then "\u0000tpl"
      else empty end]
  | unique;

# The call of a template: `.` is its name.
def _call_of($c):
  $c.names[.] as $function
  | if $function == null then _fails($c.path; "there is no template \(.)") | .s
    elif ($c.group // []) | index([$function]) then
      "\($c.group_name)(\($function | tojson))"
    else $function end;

def expression($c):
  def arg($i): .args[$i] | expression($c) | .s;
  # An integer is printed in all its digits, a number of values as 1e+06.
  def list($from; $prints): "[\([.args[$from:][] | expression($c)
    | if $prints and .k == "integer" and (.s | test("\\A-?[0-9]{1,6}\\z") | not)
      then "(\(.s) | tostring)" else .s end] | join(", "))]";
  def at: "\($c.path):\(.line)";
  def included:
    .args[0] as $name
    | (if (.args | length) > 1 then arg(1) else "null" end) as $dot
    | ($name | _constant($c)) as $text
    | if $text != null then
        ($text | _call_of($c)) as $call
        | _x(if $dot == "." then $call else "(\($dot) | \($call))" end; "text")
      else ($name | _candidates($c)) as $all
        | _x("(\($name | expression($c) | .s) as $_name | \($dot) | "
          + ([$all[] | "if $_name == \(tojson) then \(_call_of($c)) else "]
              | add // "")
          + "error(\"there is no template \\($_name)\")"
          + ([$all[] | " end"] | add // "") + ")"; "text")
      end;
  def given($n):
    if $n == "list" then
      list(0; .fn | IN("quote", "squote", "print", "println", "cat"))
    elif $n == "more" then "\(arg(0)); \(list(1; false))"
    else [range($n) as $i | arg($i)] | join("; ") end;
  def called:
    (.fn | function_name) as $f
    | _functions[$f] as $n
    | if .fn == "include" and .args != [] then included
      elif .fn == "tpl" and (.args | length) == 2 then
        _x("([\(arg(0)), \(arg(1))] | \("\u0000tpl" | _call_of($c)))"; "text")
      elif (.fn == "and" or .fn == "or") and .args != [] then
        .fn as $fn
        | [.args[] | expression($c) | .s] | reverse
        | _x(reduce .[1:][] as $x (.[0]; "h_\($fn)(\($x); \(.))"))
      elif $f == "has" and .args[1].f[-1:] == ["APIVersions"] then
        _x("h_has_api(\(arg(1)); \(arg(0)))"; "boolean")
      elif .fn == "files_config" or .fn == "files_secrets" then
        _x("h_\(.fn)(\(arg(0)))"; "text")
      elif .fn == "toString" and (.args[0] | expression($c) | .k) == "integer" then
        _x("(\(arg(0)) | tostring)"; "text")
      elif _random_functions[$f] != null then
        _x("random(\(at | tojson); "
          + (if .fn == "uuidv4" then "32" else arg(0) end) + ")"; "text")
      elif _impossible_functions[.fn] != null then
        _fails(at; "\(.fn) \(_impossible_functions[.fn])")
      elif $n == null then _fails(at; "the function \(.fn) is not supported")
      elif ($n | type) == "number" and (.args | length) != $n then
        _fails(at; "\(.fn) takes \($n) arguments")
      else
        given($n) as $given
        | _x("h_\($f)(\($given))";
            if _texts[$f] != null then "text"
            elif _integers[$f] != null then "integer"
            elif _booleans[$f] != null then "boolean" else "any" end)
      end;
  def chained:
    (.f | _fields) as $fields
    | if .of.e == "dot" then _x($fields)
      else _x((.of | expression($c) | .s)
        + ($fields | if startswith(".[") then .[1:] else . end)) end;
  def method:
    .f[-1] as $name
    | (if (.f | length) > 1 then {e: "chain", of: .of, f: .f[:-1]} else .of end
        | expression($c) | .s) as $object
    | {Has: "has_api", Get: "file", GetBytes: "file", Glob: "glob",
        Lines: "lines"}[$name] as $f
    | if $f == null or (.args | length) != 1 then
        _fails(at; ".\($name) is not supported")
      else _x("h_\($f)(\($object); \(arg(0)))";
        if $f == "has_api" then "boolean" elif $f == "file" then "text"
        else "any" end) end;
  if .e == "dot" then _x(".")
  elif .e == "lit" then
    _x(.v | tojson;
      {string: "text", number: "integer", boolean: "boolean"}[.v | type])
  elif .e == "var" then _x(.v | _variable)
  elif .e == "chain" and (.f[-1] | IN("AsConfig", "AsSecrets")) then
    {e: "call",
      fn: {AsConfig: "files_config", AsSecrets: "files_secrets"}[.f[-1]],
      args: [if (.f | length) > 1 then .f |= .[:-1] else .of end]}
    | called
  elif .e == "chain" and .f[-2:] == ["Capabilities", "KubeVersion"] then
    .f += ["Version"] | chained
  elif .e == "chain" then chained
  elif .e == "method" then method
  elif .e == "call" then called
  else _x("null") end;

def condition($c):
  if .e == "call" and .fn == "not" and (.args | length) == 1 then
    "(\(.args[0] | condition($c)) | not)"
  elif .e == "call" and (.fn == "and" or .fn == "or") and .args != [] then
    .fn as $fn | "(\([.args[] | condition($c)] | join(" \($fn) ")))"
  else expression($c)
    | if .k == "boolean" then .s else "(\(.s) | h_true)" end end;

def _printed($c):
  expression($c)
  | if .k == "text" then .s
    elif .k == "integer" then "(\(.s) | tostring)"
    else "(\(.s) | h_text)" end;

# ---- what a block assigns ----
# Names of variables; "" is $, and "." the dot where that is not $. (The parser
# says where to look: `changes` of a node's x, `assigns` of all of it.)

def _base($c): if .e == "chain" then .of | _base($c)
  elif .e == "var" then .v
  elif .e == "dot" then if $c.at_root then "" else "." end else null end;
def _path: if .e == "chain" then (.of | _path) + .f else [] end;

# `set X k v`, and merge, change X where it stands.
def _changes($c): .e == "call"
  and (.fn | function_name | IN("set", "unset", "merge", "mergeOverwrite"))
  and (.args | length) > 0 and (.args[0] | _base($c)) != null;
def _changes_in($c): [.. | objects | select(_changes($c))] | reverse;

def _below_root: .at_root = false;

def _assigned($c):
  reduce .[] as $n ({own: [], all: []};
    if ($n | type) == "string" then .
    elif $n.t == "set" and $n.declares and ($n.changes | not) then
      .own += $n.vars
    elif $n.assigns | not then .
    else
      .own as $own
      | .all += (if $n.changes then
          [$n.x | _changes_in($c)[] | .args[0] | _base($c)] - $own else [] end)
      | if $n.t == "set" and $n.declares then .own += $n.vars
        elif $n.t == "set" then .all += ($n.vars - $own)
        elif $n.t == "if" then
          .all += ((($n.then | _assigned($c)) + ($n.else | _assigned($c))
              - $n.vars) - $own)
        elif $n.t == "with" or $n.t == "range" then
          .all += ((($n.then | _assigned($c | _below_root))
              + ($n.else | _assigned($c)) - $n.vars - ["."]) - $own)
        else . end
    end)
  | .all | unique;

# ---- statements ----

def _has_jump($what): any(.[]; type == "object" and (.t == $what
  or ((.t == "if" or .t == "with") and
    ((.then | _has_jump($what)) or (.else | _has_jump($what))))));

# Texts and prints in a row, a line of the output on each line.
def _row($c):
  [.[]
    | if type == "string" then
        split("\n") | map(tojson[1:-1]) | joined("\\n\u0000")
      elif .t == "template" then
        "\\(\({e: "call", fn: "include", line: .line,
          args: [{e: "lit", v: .name}, .x]} | expression($c) | .s))"
      else "\\(\(.x | _printed($c)))" end]
  | add // "" | split("\u0000") | map(select(. != "") | "\"\(.)\"");

def _is_simple: type == "string"
  or ((.t == "print" or .t == "template") and (.changes | not));

# What comes before the first node that is not simple, that node, the others.
def _split_first: . as $list
  | (first(range(length) as $i | select($list[$i] | _is_simple | not) | $i)
      // length) as $i
  | {simple: .[:$i], first: .[$i], more: .[$i + 1:]};

def _values($names):
  [$names[] | if . == "." then "." else _variable end | ", \(.)"] | add // "";
def _pattern($names):
  [$names[] | if . == "." then "$_dot" else _variable end | ", \(.)"]
  | add // "";
# The dot is what was assigned.
def _again($c; $names):
  if ($names | index([""])) and $c.at_root then "$root | "
  elif $names | index(["."]) then "$_dot | " else "" end;

# Binds again what a set or merge in the expression changed.
def _bind_changes($c):
  [select(.changes) | .x | _changes_in($c)[]
    | (.args[0] | _base($c)) as $base
    | (.args[0] | _path) as $path
    | (expression($c) | .s) as $new
    | (if $base == "." then "." else $base | _variable end) as $old
    | (if $path == [] then $new
       else "\($new) as $_new | \($old) | \($path | _fields) = $_new" end)
    | if $base == "." then "(\(.))\n| "
      else "(\(.)) as \($old)\n| "
        + (if $base == "" and $c.at_root then "$root | " else "" end) end]
  | add // "";

# A statement that binds: text with "| " at its end.
def _set($c):
  _bind_changes($c) as $changes
  | if $changes != "" and (.vars[0] == "_" or ((.x | _changes($c))
        and (.x.args[0] | _path) == []
        and (.x.args[0] | _base($c)) == .vars[0])) then $changes
    else "\(.x | expression($c) | .s) as \(.vars[0] | _variable)\n| "
      + $changes end;

# if, with or range: what comes before `then`, of which the dot is bound.
def _opens($c):
  (.x | expression($c) | .s) as $x
  | if .t == "if" and .vars == [] then "if \(.x | condition($c)) then"
    elif .t == "if" then
      (.vars[0] | _variable) as $v | "\($x) as \($v) | if \($v) | h_true then"
    else "\($x) as $_x | if $_x | h_true then" end;
def _enters:
  if .t == "if" then ""
  elif .vars == [] then "$_x\n| "
  else "$_x as \(.vars[0] | _variable)\n| $_x\n| " end;
def _inside($c): if .t == "if" then $c else $c | _below_root end;

def stream($c):
  # As [$_t, VALUE...], behind what $_t has.
  def whole($c; $names):
    def add($pieces): "($_t + h_join(\($pieces))) as $_t\n| ";
    def begun($l; $c): "\"\" as $_t\n| \($l | whole($c; $names))";
    def branches:
      "(\(_opens($c))\n"
      + (_enters + begun(.then; _inside($c)) | _indent)
      + "\nelse\n\(begun(.else; $c) | _indent)\nend)";
    def loop:
      "(reduce (\(.x | expression($c) | .s) | h_each) as [$_k, $_x] (\n"
      + "  [\"\"\(_values($names))]; . as [$_t\(_pattern($names))]\n  | "
      + (if (.vars | length) == 2 then
           "$_k as \(.vars[0] | _variable) | $_x as \(.vars[1] | _variable) | "
         elif (.vars | length) == 1 then "$_x as \(.vars[0] | _variable) | "
         else "" end)
      + "$_x\n  | \(.then | whole($c | _below_root; $names) | _hang)))";
    def block:
      if .t != "range" then branches
      elif .else == [] then loop
      else "if \(.x | condition($c)) then\n\(loop | _indent)\nelse\n"
        + "\(begun(.else; $c) | _indent)\nend" end;
    _split_first as {$simple, $first, $more}
    | (if $simple == [] then "" else add($simple | _row($c) | joined(", ")) end)
      + if $first == null then "[$_t\(_values($names))]"
        elif $first.t == "set" then ($first | _set($c)) + ($more | whole($c; $names))
        elif $first.t == "print" or $first.t == "template" then
          add([$first] | _row($c)[0]) + ($first | _bind_changes($c))
          + ($more | whole($c; $names))
        elif $first.t == "break" or $first.t == "continue" then
          _fails("\($c.path):\($first.line)";
            "\($first.t) in a block that assigns variables") | .s
        else
          ([$first] | _assigned($c)) as $inner
          | if $inner == [] then
              add([$first] | stream($c)) + ($more | whole($c; $names))
            else
              "\($first | if $names == $inner then block
                else . as $n | [$n] | "(\"\" as $_t | \(whole($c; $inner)))" end) as [$_text\(_pattern($inner))]\n| "
              + _again($c; $inner) + "($_t + $_text) as $_t\n| "
              + ($more | whole($c; $names))
            end
        end;
  def loop($source):
    (if .then | _has_jump("break") then "label $_all | " else "" end)
    + (if (.vars | length) == 2 then
         "\($source) | h_each as [\(.vars[0] | _variable), \(.vars[1] | _variable)]"
         + " | \(.vars[1] | _variable)"
       elif (.vars | length) == 1 then
         "\($source) | h_items | . as \(.vars[0] | _variable)"
       else "\($source) | h_items" end)
    + "\n| " + (if .then | _has_jump("continue") then "label $_one | " else "" end)
    + (.then | stream($c | _below_root) | "(\(_hang))") | "(\(_hang))";
  def branches:
    _inside($c) as $inside
    | _opens($c) + "\n" + (_enters + (.then | stream($inside)) | _indent)
    + "\nelse\n\(.else | stream($c) | _indent)\nend"
    | if startswith("if ") then . else "(\(_hang))" end;
  def piece:
    if .t != "range" then branches
    elif .else == [] then loop(.x | expression($c) | .s)
    else
      "if \(.x | condition($c)) then\n\(loop(.x | expression($c) | .s) | _indent)\n"
      + "else\n\(.else | stream($c) | _indent)\nend" end;
  # . : pieces; $rest: what comes behind them.
  def before($rest):
    if $rest == "empty" then join(",\n")
    else . + [if $rest | test("\\A\"[^\n]*\\z") then $rest
      else "(\($rest | _hang))" end] | join(",\n") end;
  _split_first as {$simple, $first, $more}
  | if $simple != [] then
      if $first == null then $simple | _row($c) | joined(",\n")
      else
        ([$first] + $more | stream($c)) as $rest
        | if ($first | .t | IN("if", "range", "with"))
            and ([$first] | _assigned($c)) == [] then
            ($simple | _row($c) | joined(",\n")) + ",\n" + $rest
          else $simple | _row($c) | before($rest) end
      end
    elif $first == null then "empty"
    elif $first.t == "set" then ($first | _set($c)) + ($more | stream($c))
    elif $first.t == "print" or $first.t == "template" then
      ($first | _bind_changes($c)) as $bind
      | [$first] | _row($c) | before($bind + ($more | stream($c)))
    elif $first.t == "break" then "break $_all"
    elif $first.t == "continue" then "break $_one"
    else
      ([$first] | _assigned($c)) as $names
      | if $names == [] then
          [$first | piece] | before($more | stream($c))
        else
          "(\"\" as $_t | \([$first] | whole($c; $names) | _hang)) as [$_text\(_pattern($names))]\n| "
          + _again($c; $names)
          + (["$_text"] | before($more | stream($c)))
        end
    end;
