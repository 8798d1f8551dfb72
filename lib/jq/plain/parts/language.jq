# Functions of the language of programs that jq 1.6 or 1.7 lacks, or has
# otherwise. (In C: cmd/ireconcile/language/prelude.c.)

def abs:
  if type != "number" then error("\(type) has no absolute value")
  elif . < 0 then - . else . end;
def add(f): reduce f as $x (null; . + $x);
def pick(f): . as $in | reduce path(f) as $p (null;
  setpath($p; $in | getpath($p)));
def toarray: if type == "array" then . else [.] end;
def toboolean:
  if type == "boolean" then .
  elif . == "true" then true elif . == "false" then false
  else error("toboolean: neither true nor false") end;
def skip($n; f):
  if $n > 0 then
    foreach f as $x ($n; . - 1; if . < 0 then $x else empty end)
  elif $n == 0 then f
  else error("skip: the count is negative") end;
def scan($re; $flags):
  match($re; "g" + $flags)
  | if .captures == [] then .string else [.captures[].string] end;

def _is_blank: (. >= 9 and . <= 13) or . == 32 or . == 133 or . == 160
  or . == 5760 or (. >= 8192 and . <= 8202) or . == 8232 or . == 8233
  or . == 8239 or . == 8287 or . == 12288;
def _trimmed($left; $right):
  if type != "string" then error("trim takes a string") else explode end
  | (if $left then until(length == 0 or (.[0] | _is_blank | not); .[1:])
    else . end)
  | (if $right then until(length == 0 or (.[-1] | _is_blank | not); .[:-1])
    else . end)
  | implode;
def trim: _trimmed(true; true);
def ltrim: _trimmed(true; false);
def rtrim: _trimmed(false; true);
def trimstr($s): ltrimstr($s) | rtrimstr($s);

# Fractions of a second, as in a MicroTime, are dropped.
def fromdate: sub("[.][0-9]+Z\\z"; "Z") | fromdateiso8601;
