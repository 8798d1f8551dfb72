# Values that fit a schema of a CustomResourceDefinition, for an example object.
#
#	sample($name)	a value for the schema (.) of a field of that name: what is
#			required, the default, the first of an enum, a text for
#			the pattern or the format
#	faults($v; $at)	what is wrong with $v by the schema (.): a list of texts
#
# Of rules in CEL it knows which fields are there, comparisons and sizes: a rule
# with more than that counts as kept. What admission webhooks want is beyond it.

# ---- a text for a pattern (RE2, as the API server has it) ----

# One of these codes, as a text: the first that reads well, or the lowest.
def _pick($ranges; $negated):
  def is_in: . as $c | any($ranges[]; .[0] <= $c and $c <= .[1]) != $negated;
  (("a1Ax0-_ ./:" | explode) + [$ranges[][0]] + [range(33; 127)]
    | map(select(is_in))[0]) // 97
  | [.] | implode;

def _code: explode[0];

def _classes: {d: [[48, 57]], s: [[32, 32]], w: [[48, 57], [65, 90], [95, 95],
  [97, 122]]};

# A class, behind its [: {c, i} becomes {c, i, t}.
def _class:
  .negated = (.c[.i] == "^")
  | (if .negated then .i += 1 else . end)
  | .ranges = [] | .begin = .i
  | until(.i >= (.c | length) or (.c[.i] == "]" and .i > .begin);
      .c[.i] as $ch
      | if $ch == "[" and .c[.i + 1] == ":" then
          .ranges += [[97, 122]] | .i += 2
          | until(.c[.i] == "]" or .i >= (.c | length); .i += 1) | .i += 1
        else
          (if $ch == "\\" then .i += 1 else . end)
          | .c[.i] as $lo
          | if $ch == "\\" and _classes[$lo] != null then
              .ranges += _classes[$lo] | .i += 1
            elif .c[.i + 1] == "-" and .c[.i + 2] != "]" then
              .i += 2
              | (if .c[.i] == "\\" then .i += 1 else . end)
              | .ranges += [[($lo | _code), (.c[.i] | _code)]] | .i += 1
            else .ranges += [[($lo | _code), ($lo | _code)]] | .i += 1 end
        end)
  | .t = _pick(.ranges; .negated)
  | {c, i: (.i + 1), t};

# An escape, behind its backslash.
def _escape:
  .c[.i] as $ch
  | .i += 1
  | if _classes[$ch] != null then .t = _pick(_classes[$ch]; false)
    elif _classes[$ch | ascii_downcase] != null then
      .t = _pick(_classes[$ch | ascii_downcase]; true)
    elif $ch == "p" or $ch == "P" then
      .t = "a"
      | if .c[.i] == "{" then until(.c[.i - 1] == "}" or .c[.i] == null; .i += 1)
        else .i += 1 end
    elif any("b", "B", "A", "z"; . == $ch) then .t = ""
    else .t = ({n: "\n", t: "\t", r: "\r"}[$ch] // $ch) end;

# {min, max, i} of what stands behind an atom; max may be null.
def _times:
  .c[.i] as $q
  | if $q == "*" then {min: 0, max: null, i: (.i + 1)}
    elif $q == "+" then {min: 1, max: null, i: (.i + 1)}
    elif $q == "?" then {min: 0, max: 1, i: (.i + 1)}
    elif $q == "{" and ((.c[.i + 1] // "") | test("[0-9]")) then
      (.c[.i + 1:] | index("}")) as $n
      | (.c[.i + 1:.i + 1 + $n] | add | split(",")) as $bounds
      | {min: ($bounds[0] | tonumber), i: (.i + $n + 2),
          max: (if ($bounds | length) == 1 then $bounds[0] | tonumber
            elif $bounds[1] == "" then null else $bounds[1] | tonumber end)}
    else {min: 1, max: 1, i} end;

def _repeated($n): . as $t | if $n < 1 then "" else $t * $n end;

# The first alternative; what may be there several times is there $k times more
# than it has to be.
def _alternatives($k):
  def group:
    if .c[.i] != "?" then .
    elif .c[.i + 1] == "P" or .c[.i + 1] == "<" then
      until(.c[.i - 1] == ">" or .c[.i] == null; .i += 1)
    else until(.c[.i - 1] == ":" or .c[.i] == ")" or .c[.i] == null; .i += 1)
    end
    | _alternatives($k) | .i += 1;
  def atom:
    .c[.i] as $ch
    | .i += 1
    | if $ch == "(" then group
      elif $ch == "[" then _class
      elif $ch == "\\" then _escape
      elif $ch == "." then .t = "a"
      elif $ch == "^" or $ch == "$" then .t = ""
      else .t = $ch end;
  def piece:
    atom | .t as $t | _times as $times
    | .i = $times.i
    | (if .c[.i] == "?" and .c[.i - 1] != $t then .i += 1 else . end)
    | ([$times.min + $k, $times.max // 1000] | min) as $n
    | .t = ($t | _repeated($n));
  def sequence:
    .t = ""
    | until(.i >= (.c | length) or .c[.i] == "|" or .c[.i] == ")";
        .t as $t | piece | .t = $t + .t);
  sequence
  | until(.c[.i] != "|"; .t as $t | .i += 1 | sequence | .t = $t);

def _texts_of_pattern:
  . as $pattern
  | (0, 1, 2, 4, 8) as $k
  | {c: ($pattern | explode | map([.] | implode)), i: 0}
  | [try (_alternatives($k) | .t) catch empty] | .[];

# RE2 and Oniguruma write some things differently.
def _matches($pattern):
  . as $text
  | ($pattern | gsub("\\(\\?P<"; "(?<")
      | gsub("\\\\p(\\{[A-Za-z]+\\}|[A-Z])"; "[A-Za-z]")) as $other
  | [try ($text | test($other)) catch true] | .[0];

# ---- a text ----

def _formats: {
  "date-time": "2026-01-01T00:00:00Z", datetime: "2026-01-01T00:00:00Z",
  date: "2026-01-01", duration: "1h", uri: "https://example.com/",
  email: "admin@example.com", hostname: "example.com", ipv4: "192.0.2.1",
  ipv6: "2001:db8::1", cidr: "192.0.2.0/24", mac: "00:00:5e:00:53:01",
  uuid: "00000000-0000-4000-8000-000000000000",
  uuid3: "00000000-0000-3000-8000-000000000000",
  uuid4: "00000000-0000-4000-8000-000000000000",
  uuid5: "00000000-0000-5000-8000-000000000000",
  byte: "ZXhhbXBsZQ==", hexcolor: "#ffffff", rgbcolor: "rgb(1,2,3)",
  isbn: "9783161484100", isbn10: "3161484100", isbn13: "9783161484100",
  ssn: "111-22-3333", creditcard: "4111111111111111",
  bsonobjectid: "507f1f77bcf86cd799439011"
};

# What a text of a format has at least.
def _shapes: {ipv4: "\\A[0-9]+(\\.[0-9]+){3}\\z", ipv6: ":", cidr: "/", mac: ":",
  "date-time": "\\A[0-9]{4}-.*T", date: "\\A[0-9]{4}-", email: "@",
  uuid: "\\A[0-9a-fA-F-]{32}", duration: "\\A[0-9]"};

# What reads well for a field of this name.
def _by_name($name):
  [
    ["apiversion", "v1"], ["kind$", "ConfigMap"], ["image$", "example:1"],
    ["cidr|subnet", "192.0.2.0/24"], ["email", "admin@example.com"],
    ["url|uri|endpoint|server$", "https://example.com"],
    ["host|domain|dns", "example.com"], ["schedule|cron", "0 3 * * *"],
    ["namespace", "default"], ["duration|interval|timeout|period|ttl", "1h"],
    ["storage|memory|capacity|size$", "1Gi"], ["version", "1.0.0"],
    ["^ip$|address", "192.0.2.1"], ["port$", "80"]
  ]
  | map(select(.[0] as $re | $name | ascii_downcase | test($re))[1]);

def _usual_texts: ["example", "a", "1", "1h", "1Gi", "example.com",
  "https://example.com", "192.0.2.1", "192.0.2.0/24", "1.0.0", "v1", "a/b", "a=b",
  "a:1", "0 3 * * *", "admin@example.com", "2026-01-01T00:00:00Z", "/example",
  "latest", "2001:db8::1", "10%"];

# A text that has at least so many letters, and at most so many.
def _sized:
  . as $s
  | (.minLength // 0) as $min
  | "example"
  | (if length < $min then . + ("e" * ($min - length)) else . end)
  | .[:$s.maxLength // length];

# Candidates, the best first.
def _texts($name; $n):
  . as $s
  | if $n > 0 and .pattern == null and .format == null then
      "\(_sized)\($n + 1)" else empty end,
    (_formats[.format // ""] // empty),
    (_by_name($name)[]), _sized, (_usual_texts[]),
    (.pattern // empty | _texts_of_pattern);

# ---- rules in CEL ----

# A part of a rule, in {t: tokens, i, v}: v becomes the list of its value, [] if
# that is not known.
def _rule($self):
  def at($path): $path | split(".")[1:] as $names
    | reduce $names[] as $name ($self;
        if type == "object" then .[$name] else null end);
  def known: if . == null then [] else [.] end;
  def inside($head; $tail): .[($head | length):-($tail | length)];
  def operand:
    .t[.i] as $token
    | .i += 1
    | if $token == "(" then _rule($self) | .i += 1
      elif $token == "!" then operand | .v |= map(not)
      elif ($token | startswith("[")) then
        ([$token | scan("self[\\w.]+") | select(at(.) != null)] | length) as $n
        | .v = [if $token | endswith(".size()") then $n else $n == 1 end]
      elif ($token | startswith("has(")) then
        .v = [at($token | inside("has("; ")")) != null]
      elif ($token | startswith("size(")) then
        .v = (at($token | inside("size("; ")")) | known | map(length))
      elif ($token | endswith(".size()")) then
        .v = (at($token | rtrimstr(".size()")) | known | map(length))
      elif ($token | startswith("self.")) then .v = (at($token) | known)
      elif ($token | startswith("'")) then .v = [$token | inside("'"; "'")]
      else .v = [$token | fromjson] end;
  # The operators of a level, each with what it makes of two values.
  def chain(next; $operators; combined):
    next
    | until(.t[.i] as $o | any($operators[]; . == $o) | not;
        .v as $left | .t[.i] as $operator
        | .i += 1 | next
        | .v = ({left: $left, right: .v, $operator} | combined));
  def compared:
    if .left == [] or .right == [] then []
    elif .operator == "==" then [.left == .right]
    elif .operator == "!=" then [.left != .right]
    elif .operator == "<" then [.left < .right]
    elif .operator == "<=" then [.left <= .right]
    elif .operator == ">" then [.left > .right]
    else [.left >= .right] end;
  def decided($value):
    if .left == [$value] or .right == [$value] then [$value]
    elif .left == [] or .right == [] then [] else [$value | not] end;
  def comparison: chain(operand; ["==", "!=", "<=", ">=", "<", ">"]; compared);
  def all_of: chain(comparison; ["&&"]; decided(false));
  chain(all_of; ["||"]; decided(true))
  | if .t[.i] != "?" then .
    else
      .v as $condition
      | .i += 1 | _rule($self) | .v as $yes
      | .i += 1 | _rule($self)
      | .v = (if $condition == [] then []
          elif $condition == [true] then $yes else .v end)
    end;

# Whether the value (.) breaks the rule, for all that is known.
def _breaks($rule):
  . as $self
  | ($rule | gsub("\\s"; "")) as $whole
  | [$whole | scan("\\[(?:has\\(self\\.[\\w.]+\\),?)+\\]"
      + "\\.(?:filter\\(\\w+,\\w+\\)\\.size\\(\\)|exists_one\\(\\w+,\\w+\\))"
      + "|has\\(self\\.[\\w.]+\\)|size\\(self\\.[\\w.]+\\)"
      + "|self(?:\\.\\w+\\b(?!\\())+(?:\\.size\\(\\))?|'[^']*'|\"[^\"]*\""
      + "|\\d+|true|false|&&|\\|\\||[=!<>]=|[!<>()?:]")]
  | select(join("") == $whole)
  | [try ({t: ., i: 0} | _rule($self)
      | select(.i == (.t | length)) | .v) catch []] | .[0] == [false];

def _is_broken($rule): [_breaks($rule)] == [true];

# ---- what is wrong ----

def _typed($v):
  ($v | type) as $is
  | if .["x-kubernetes-int-or-string"] == true then
      $is == "number" or $is == "string"
    elif .type == null then true
    elif .type == "integer" then $is == "number" and ($v | . == floor)
    else .type == $is end;

def faults($v; $at):
  . as $s
  | def wrong($what): "\($at): \($what)";
    def below($limit; $number; $what):
      if $limit != null and $number < $limit then wrong($what) else empty end;
    def above($limit; $number; $what):
      if $limit != null and $number > $limit then wrong($what) else empty end;
  if $v == null then [if .nullable == true then empty else wrong("null") end]
  elif _typed($v) | not then [wrong("not of type \(.type)")]
  else [
    (if .enum != null and (any(.enum[]; . == $v) | not) then
      wrong("not one of \(.enum | tojson)") else empty end),
    ($v | select(type == "number")
      | below($s.minimum; .; "less than \($s.minimum)"),
        above($s.maximum; .; "more than \($s.maximum)"),
        (select($s.exclusiveMinimum == true and . == $s.minimum)
          | wrong("not more than \($s.minimum)")),
        (select($s.exclusiveMaximum == true and . == $s.maximum)
          | wrong("not less than \($s.maximum)")),
        (select($s.multipleOf != null and ($s.multipleOf | floor) == $s.multipleOf
          and . % $s.multipleOf != 0) | wrong("not a multiple"))),
    ($v | select(type == "string")
      | below($s.minLength; length; "shorter than \($s.minLength)"),
        above($s.maxLength; length; "longer than \($s.maxLength)"),
        (select(_shapes[$s.format // ""] as $shape
          | $shape != null and (test($shape) | not))
          | wrong("it is not of the format \($s.format)")),
        (select($s.pattern != null and (_matches($s.pattern) | not))
          | wrong("it does not match \($s.pattern)"))),
    ($v | select(type == "array")
      | below($s.minItems; length; "fewer than \($s.minItems) elements"),
        above($s.maxItems; length; "more than \($s.maxItems) elements"),
        (select($s["x-kubernetes-list-type"] == "set" and length > (unique | length))
          | wrong("an element is there twice")),
        (to_entries[] | .key as $i | .value as $e
          | $s.items // {} | faults($e; "\($at)[\($i)]")[])),
    ($v | select(type == "object")
      | . as $o
      | below($s.minProperties; length; "fewer than \($s.minProperties) fields"),
        above($s.maxProperties; length; "more than \($s.maxProperties) fields"),
        ($s.required // [] | .[] | . as $k
          | select($o | has($k) | not) | wrong("\($k) is required")),
        (to_entries[] | . as $e
          | $s.properties[$e.key] // ($s.additionalProperties | objects) // {}
          | faults($e.value; "\($at).\($e.key)")[])),
    (.["x-kubernetes-validations"][]? | .rule as $rule
      | select($v | _is_broken($rule)) | wrong(.message // $rule)),
    (.allOf // [] | .[] | faults($v; $at)[]),
    (if .anyOf != null and (any(.anyOf[]; faults($v; $at) == []) | not)
      then wrong("none of anyOf fits") else empty end),
    (if .oneOf != null
        and ([.oneOf[] | select(faults($v; $at) == [])] | length) != 1
      then wrong("not one of oneOf fits") else empty end),
    (if .not != null and (.not | faults($v; $at)) == []
      then wrong("it must not be so") else empty end)
  ] end;

# ---- a value ----

def _union($more): . + ($more - .);

def _and($other):
  (.required // [] | _union($other.required // [])) as $required
  | . * $other
  | if $required == [] then . else .required = $required end;

# The schema, and what one of its alternatives adds to it.
def _variants:
  (reduce (.allOf // [] | .[]) as $one (.; _and($one))) as $base
  | $base,
    (($base.oneOf // $base.anyOf // [] | .[]) as $one
      | ($base | del(.oneOf)) | _and($one)
      # An alternative of an alternative.
      | ., ((.oneOf // [] | .[]) as $two | _and($two)));

def _number($n):
  (.multipleOf // 1) as $step
  | (if .minimum == null then [1, .maximum // 1] | min
     elif .exclusiveMinimum == true then .minimum + 1
     else .minimum end) as $low
  | ($low / $step | ceil) * $step + $n * $step;

def _best($s; candidates):
  first(candidates | select(. as $v | $s | faults($v; "") == []))
  // [candidates][0];

def sample($name; $n):
  def fields:
    . as $s
    | reduce (.required // [] | .[]) as $k ({};
        .[$k] = ($s.properties[$k] // ($s.additionalProperties | objects) // {}
          | sample($k; $n)));
  # With one or two of the fields that rules ask for.
  def chosen($have):
    . as $s
    | [.["x-kubernetes-validations"][]?.rule
        | scan("has\\(\\s*self\\.(\\w+)")[0]] | unique
    | [.[] | select(. as $k | $s.properties[$k]? != null
        and ($have | has($k) | not))]
    | . as $names
    | (.[] | [.]), (range(length) as $i | .[$i + 1:][] | [$names[$i], .])
    | reduce .[] as $k ($have; .[$k] = ($s.properties[$k] | sample($k; $n)));
  def embedded:
    if .["x-kubernetes-embedded-resource"] == true then
      {apiVersion: "v1", kind: "ConfigMap", metadata: {name: "example"}}
    else {} end;
  # A map has at least one member, and as many as it needs.
  def entries:
    if (.additionalProperties | type) != "object" or .properties != null then {}
    else
      .additionalProperties as $item
      | reduce range([1, .minProperties // 1] | max) as $i ({};
          .["key" + if $i == 0 then "" else "\($i + 1)" end] =
            ($item | sample($name; $i)))
    end;
  def elements: [range([1, .minItems // 1] | max) as $i
    | .items // {} | sample($name | rtrimstr("s"); $i)];
  def values:
    . as $s
    | (select(has("default")) | .default),
      (.enum // [] | select(length > 0) | (.[$n % length], .[])
        | select(. != "")),
      (.enum // [] | .[]),
      if .["x-kubernetes-int-or-string"] == true then
        (_by_name($name)[] | select(. == "1Gi")), 1, _texts($name; $n)
      elif .type == "boolean" then false, true
      elif .type == "integer" or .type == "number" then
        _number($n), 0, 1, (.maximum // empty)
      elif .type == "string" then _texts($name; $n)
      elif .type == "array" then elements, []
      elif .type == "object" or .properties != null then
        (embedded + entries + fields | ., (. as $o | $s | chosen($o))),
        embedded + fields,
        (.minProperties // 0 | select(. > 0)
          | . as $m | $s | embedded + fields + ([.properties // {} | keys_unsorted[]
            | {(.): ($s.properties[.] | sample($name; $n))}][:$m] | add // {}))
      elif .["x-kubernetes-preserve-unknown-fields"] == true then
        {}, "example"
      else "example", {} end;
  . as $s
  | first(_variants | [_best($s; values)][0]
      | select(. as $v | $s | faults($v; "") == []))
    // _best($s; values);

def sample($name): sample($name; 0);
