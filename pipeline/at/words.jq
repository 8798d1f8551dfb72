# A command line as words, as a shell splits it: quotes, backslashes, blanks.
# Nothing is expanded and nothing else means anything: $ ` * ; | > # are letters
# like others. A shell is what `sh -c '...'` is for.
#
# The text is cut at what may mean something, and the pieces are read one after
# the other: that is quick for long texts, letter by letter is not.

# The state that a piece is read in.
def _plain: 0;
def _opened_single: 1;   # just behind the ' that opens
def _single: 2;
def _opened_double: 3;
def _double: 4;
def _escaped: 5;         # behind a backslash
def _escaped_double: 6;  # behind a \ in double quotes

# No text has a NUL: marks that no text has. An empty word exists only if there
# are quotes.
def _end: "\u0000e";
def _empty: "\u0000q";

# The pieces between occurrences of $at, and those.
def _cut($at):
  split($at) | (.[0] | values), (.[1:][] | $at, .) | select(. != "");

def _tokens: _cut("\\") | _cut("'") | _cut("\"");

def _blanks: [_cut(" ") | _cut("\t") | _cut("\n")
  | if . == " " or . == "\t" or . == "\n" then _end else . end];

# [the next state, texts...]
def _read_plain($piece):
  if $piece == "'" then [_opened_single]
  elif $piece == "\"" then [_opened_double]
  elif $piece == "\\" then [_escaped]
  else [_plain] + ($piece | _blanks) end;

# A backslash before a newline continues the line.
def _read_escaped($piece):
  [_plain] + (if $piece[:1] == "\n" then [] else [$piece[:1]] end)
    + ($piece[1:] | _blanks);

def _read_escaped_double($piece):
  $piece[:1] as $c
  | if $c == "\n" then [_double, $piece[1:]]
    elif $c == "$" or $c == "`" or $c == "\"" or $c == "\\"
    then [_double, $piece]
    else [_double, "\\", $piece] end;

def _read($state; $piece):
  if $state == _plain then _read_plain($piece)
  elif $state == _opened_single or $state == _single then
    if $piece != "'" then [_single, $piece]
    elif $state == _opened_single then [_plain, _empty]
    else [_plain] end
  elif $state == _opened_double or $state == _double then
    if $piece == "\\" then [_escaped_double]
    elif $piece != "\"" then [_double, $piece]
    elif $state == _opened_double then [_plain, _empty]
    else [_plain] end
  elif $state == _escaped then _read_escaped($piece)
  else _read_escaped_double($piece) end;

def _stop($state):
  if $state == _opened_single or $state == _single
  then error("a ' is not closed")
  elif $state == _escaped then error("it ends with a backslash")
  elif $state != _plain then error("a \" is not closed")
  else empty end;

def _words_quoted:
  [foreach (_tokens, null) as $piece ([_plain];
      if $piece == null then .[0] as $state | _stop($state)
      else _read(.[0]; $piece) end;
      .[1:][] | explode[])]
  | implode | split(_end)
  | map(select(. != "") | split(_empty)
    | if length == 1 then .[0] else join("") end);

def _count($text): split($text) | length - 1;

# So many are read in a tenth of a second.
def _quotes_max: 8192;

# An array of words, or an error that says what is wrong with the text.
def words:
  (_count("'") + _count("\"") + _count("\\")) as $quotes
  | if _count("\u0000") > 0 then error("it has a NUL")
    elif $quotes > _quotes_max
    then error("it has more than \(_quotes_max) quotes and backslashes")
    elif $quotes > 0 or _count("\t") > 0 or _count("\n") > 0
    then _words_quoted
    else split(" ") | map(select(. != "")) end;
