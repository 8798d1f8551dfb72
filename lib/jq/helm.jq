# The functions of Helm's templates, for programs that `kgen new --from-chart`
# made: include "helm";
#
# h_NAME does what NAME does in a template (Go's text/template, Sprig, Helm).
# A function that takes any number of arguments gets them as a list. What a
# template prints is text; h_text prints as Go does.

# ---- values ----

# What counts as true in an if.
def h_true: . != null and . != false and . != 0 and . != "" and . != []
  and . != {};
def h_and(a; b): a as $a | if $a | h_true then b else $a end;
def h_or(a; b): a as $a | if $a | h_true then $a else b end;
def h_not($x): $x | h_true | not;
def h_empty($x): $x | h_true | not;
def h_default($d; $x): if $x | h_true then $x else $d end;
def h_ternary($yes; $no; $x): if $x then $yes else $no end;
def h_coalesce($list): first($list[] | select(h_true)) // null;
def h_any($list): any($list[]; h_true);
def h_all($list): all($list[]; h_true);
def h_deepCopy($x): $x;
def h_deepEqual($a; $b): $a == $b;
def h_required($why; $x):
  if $x == null or $x == "" then error($why) else $x end;
def h_fail($why): error($why);
# The cluster is not seen, as in `helm template`.
def h_lookup($api; $kind; $namespace; $name): {};

# ---- texts ----

# A number as Go prints a float64: 1e+06.
def _h_number:
  if . == floor and . < 1000000 and . > -1000000 then tostring
  elif . >= 0.0001 and . < 1000000 or . <= -0.0001 and . > -1000000 then tostring
  else (if . < 0 then {sign: "-", n: -.} else {sign: "", n: .} end) as $x
    | ($x.n | log10 | floor) as $e
    | ($x.n | tostring | split("e")[0] | gsub("[.]"; "")
        | gsub("\\A0+|0+\\z"; "")) as $digits
    | $x.sign + $digits[:1]
      + (if ($digits | length) > 1 then "." + $digits[1:] else "" end)
      + (if $e < 0 then "e-" else "e+" end)
      + ($e | fabs | tostring | if length < 2 then "0" + . else . end)
  end;
def _h_print:
  if type == "string" then .
  elif type == "number" then _h_number
  elif type == "boolean" then tostring
  elif . == null then "<nil>"
  elif type == "array" then "[" + (map(_h_print) | join(" ")) + "]"
  else . as $o
    | "map[" + ([keys[] | "\(.):\($o[.] | _h_print)"] | join(" ")) + "]" end;
def h_text: if type == "string" then . elif . == null then ""
  else _h_print end;
def h_join(f): [f] | add // "";
def h_toString($x): $x | _h_print;
def h_toStrings($list): $list | map(_h_print);
def h_print($list): reduce $list[] as $x ({text: "", before: "string"};
    ($x | type) as $t
    | .text += (if .text != "" and .before != "string" and $t != "string"
        then " " else "" end) + ($x | _h_print)
    | .before = $t) | .text;
def h_println($list): ($list | map(_h_print) | join(" ")) + "\n";
def h_cat($list): $list | map(select(. != null) | _h_print) | join(" ");
def _h_go_quoted: tojson | gsub("\\\\u007f"; "\\x7f");
def h_quote($list):
  $list | map(select(. != null) | _h_print | _h_go_quoted) | join(" ");
def h_squote($list):
  $list | map(select(. != null) | "'" + _h_print + "'") | join(" ");

def _h_padded($flags; $width): . as $s
  | ($width - ($s | length)) as $n
  | if $n <= 0 then $s
    elif $flags | contains("-") then $s + (" " * $n)
    elif ($flags | contains("0")) then ("0" * $n) + $s
    else (" " * $n) + $s end;
def _h_fixed($digits): . as $x | pow(10; $digits) as $p
  | ($x * $p | round | fabs | tostring) as $s
  | (if ($s | length) <= $digits then ("0" * ($digits + 1 - ($s | length))) + $s
     else $s end) as $s
  | (if $x < 0 then "-" else "" end) + $s[:($s | length) - $digits]
    + (if $digits > 0 then "." + $s[($s | length) - $digits:] else "" end);
def _h_hex: if . < 16 then "0123456789abcdef"[.:. + 1]
  else (. / 16 | floor | _h_hex) + (. % 16 | _h_hex) end;
def _h_verb($verb; $flags; $precision): . as $x
  | if $verb == "s" then
      if $x == null then "%!s(<nil>)"
      elif type == "number" then "%!s(float64=" + _h_print + ")"
      elif type == "boolean" then "%!s(bool=" + _h_print + ")"
      else _h_print | if $precision == null then . else .[:$precision] end end
    elif $verb == "v" then _h_print
    elif $verb == "d" then
      if type == "number" then floor | tostring
      else "%!d(\(type)=" + _h_print + ")" end
    elif $verb == "q" then _h_print | _h_go_quoted
    elif $verb == "f" then _h_fixed($precision // 6)
    elif $verb == "t" then tostring
    elif $verb == "x" then
      if type == "number" then _h_hex
      else [tostring | explode[] | _h_hex
        | if length < 2 then "0" + . else . end] | add // "" end
    elif $verb == "g" then _h_print
    elif $verb == "T" then type
    elif $verb == "c" then [.] | implode
    else "%!\($verb)(" + _h_print + ")" end;
def h_printf($format; $list):
  [$format | match("%(?<flags>[-+# 0]*)(?<width>[0-9]*)(?:[.](?<precision>[0-9]*))?(?<verb>[a-zA-Z%])"; "g")] as $all
  | reduce $all[] as $m ({text: "", at: 0, i: 0};
      ([$m.captures[] | {(.name): .string}] | add) as $c
      | .text += $format[.at:$m.offset]
      | .at = $m.offset + $m.length
      | if $c.verb == "%" then .text += "%"
        elif .i >= ($list | length) then .text += "%!\($c.verb)(MISSING)"
        else .i as $i
          | .text += ($list[$i]
            | _h_verb($c.verb; $c.flags;
                if $c.precision == null or $c.precision == "" then null
                else $c.precision | tonumber end)
            | if $c.width == "" then .
              else _h_padded($c.flags; $c.width | tonumber) end)
          | .i += 1 end)
  | .text + $format[.at:];

def h_trunc($n; $s): $s | if $n >= 0 then .[:$n] else .[$n:] end;
def h_trimSuffix($x; $s): $s | if $x == "" then . else rtrimstr($x) end;
def h_trimPrefix($x; $s): $s | ltrimstr($x);
def h_trim($s): $s | gsub("\\A\\s+|\\s+\\z"; "");
def h_trimAll($set; $s):
  ($set | explode) as $set | $s | explode
  | until(length == 0 or (.[0] | IN($set[]) | not); .[1:])
  | until(length == 0 or (.[-1] | IN($set[]) | not); .[:-1]) | implode;
def h_nospace($s): $s | gsub("\\s"; "");
def h_upper($s): $s | ascii_upcase;
def h_lower($s): $s | ascii_downcase;
def h_title($s): $s | gsub("(?<b>\\A|[^A-Za-z0-9_'])(?<c>[a-z])";
    .b + (.c | ascii_upcase));
def h_untitle($s): $s | gsub("(?<b>\\A|[^A-Za-z0-9_'])(?<c>[A-Z])";
    .b + (.c | ascii_downcase));
def h_swapcase($s): $s | explode | map(if . >= 65 and . <= 90 then . + 32
    elif . >= 97 and . <= 122 then . - 32 else . end) | implode;
def h_initials($s): [$s | splits("\\s+") | .[:1]] | add // "";
def h_replace($old; $new; $s): $s | split($old) | join($new);
def h_contains($part; $s): $s | contains($part);
def h_hasPrefix($x; $s): $s | startswith($x);
def h_hasSuffix($x; $s): $s | endswith($x);
def h_repeat($n; $s): [range($n) | $s] | add // "";
def h_substr($from; $to; $s):
  if $from < 0 then $s[:$to] elif $to < 0 or $to > ($s | length) then $s[$from:]
  else $s[$from:$to] end;
def h_abbrev($n; $s): if ($s | length) <= $n then $s else $s[:$n - 3] + "..." end;
def h_plural($one; $many; $n): if $n == 1 then $one else $many end;
def h_indent($n; $s): ([range($n) | " "] | add // "") as $pad
  | $pad + ($s | split("\n") | join("\n" + $pad));
def h_nindent($n; $s): "\n" + h_indent($n; $s);
def h_join($by; $list): $list
  | if type == "array" then map(select(. != null) | _h_print) | join($by)
    else _h_print end;
def h_splitList($by; $s): if $s == "" then [""] else $s | split($by) end;
def h_split($by; $s): h_splitList($by; $s)
  | reduce range(length) as $i ({list: ., o: {}}; .o["_\($i)"] = .list[$i]) | .o;
def h_splitn($by; $n; $s): h_splitList($by; $s)
  | (.[:$n - 1] + [.[$n - 1:] | select(length > 0) | join($by)])
  | reduce range(length) as $i ({list: ., o: {}}; .o["_\($i)"] = .list[$i]) | .o;
def h_sortAlpha($list): $list | map(_h_print) | sort;
def _h_words: gsub("(?<a>[a-z0-9])(?<b>[A-Z])"; "\(.a) \(.b)")
  | [splits("[-_. ]+") | select(. != "")];
def h_snakecase($s): $s | _h_words | map(ascii_downcase) | join("_");
def h_kebabcase($s): $s | _h_words | map(ascii_downcase) | join("-");
def h_camelcase($s): $s | _h_words
  | map((.[:1] | ascii_upcase) + .[1:]) | add // "";
def h_b64enc($s): $s | @base64;
def h_b64dec($s): $s | @base64d;
def h_sha256sum($s): _call("sha256"; $s);
def h_base($s): $s | split("/") | map(select(. != "")) | last // ".";
def h_dir($s): $s | split("/") | if length < 2 then "." else .[:-1] | join("/") end;
def h_ext($s): $s | split("/") | last
  | if contains(".") then "." + (split(".") | last) else "" end;
def h_urlquery($s): $s | @uri | gsub("%20"; "+");
def h_html($s): $s | @html;

# Go's regular expressions, near enough: in [\w-.] the - is itself.
def _h_re: gsub("(?<c>\\\\[wds])-"; "\(.c)\\-");
def h_regexMatch($re; $s): $s | test($re | _h_re);
def h_regexFind($re; $s): [$s | match($re | _h_re) | .string][0] // "";
def h_regexFindAll($re; $s; $n): [$s | match($re | _h_re; "g") | .string]
  | if $n < 0 then . else .[:$n] end;
def h_regexSplit($re; $s; $n): [$s | splits($re | _h_re)];
def h_regexQuoteMeta($s): $s | gsub("(?<c>[.+*?(){}|^$\\[\\]\\\\])"; "\\\(.c)");
def h_regexReplaceAllLiteral($re; $s; $new): $s | gsub($re | _h_re; $new);
def h_regexReplaceAll($re; $s; $new):
  if $new | contains("$") | not then $s | gsub($re | _h_re; $new)
  else reduce ($s | match($re | _h_re; "g")) as $m ({text: "", at: 0};
      .text += $s[.at:$m.offset]
        + ($new | gsub("\\$(?:\\{(?<a>[0-9]+)\\}|(?<b>[0-9]+))";
            ((.a // .b) | tonumber) as $i
            | if $i == 0 then $m.string else $m.captures[$i - 1].string // "" end))
      | .at = $m.offset + $m.length)
    | .text + $s[.at:] end;

# ---- YAML and JSON ----

# As sigs.k8s.io/yaml writes it: what is printed into a text is the same.
def h_toYaml($x): _call("go_yaml"; $x);
def _h_first: if length == 0 then {} else .[0] end;
def h_fromYaml($s): _call("from_yaml"; $s) | _h_first;
def h_fromYamlArray($s): _call("from_yaml"; $s) | .[0] // [];
def h_fromJson($s): $s | fromjson;
def h_fromJsonArray($s): $s | fromjson;
def _h_sorted:
  if type == "object" then
    . as $o | reduce keys[] as $k ({}; .[$k] = ($o[$k] | _h_sorted))
  elif type == "array" then map(_h_sorted) else . end;
def h_toRawJson($x): $x | _h_sorted | tojson;
def h_toJson($x): h_toRawJson($x)
  | gsub("&"; "\\u0026") | gsub("<"; "\\u003c") | gsub(">"; "\\u003e");
def _h_pretty($in): if type == "object" and . != {} then
    . as $o | "{\n" + ([keys[] | $in + "  " + tojson + ": "
      + (. as $k | $o[$k] | _h_pretty($in + "  "))] | join(",\n")) + "\n" + $in + "}"
  elif type == "array" and . != [] then
    "[\n" + (map($in + "  " + _h_pretty($in + "  ")) | join(",\n")) + "\n" + $in + "]"
  else tojson end;
def h_toPrettyJson($x): $x | _h_pretty("");

# ---- dictionaries and lists ----

def h_dict($list): reduce range(0; $list | length; 2) as $i ({};
    .[$list[$i] | _h_print] = $list[$i + 1]);
def h_list($list): $list;
def h_get($o; $k): $o[$k] // "";
def h_set($o; $k; $v): $o | .[$k] = $v;
def h_unset($o; $k): $o | del(.[$k]);
def h_hasKey($o; $k): if $o == null then false else $o | has($k) end;
def h_keys($list): [$list[] | keys[]];
def h_values($o): $o | [keys[] as $k | .[$k]];
def h_pick($o; $keys): $o | with_entries(select(.key | IN($keys[])));
def h_omit($o; $keys): reduce $keys[] as $k ($o; del(.[$k]));
def h_pluck($k; $list): [$list[] | select(has($k)) | .[$k]];
def h_dig($list): ($list | length) as $n
  | (reduce $list[:$n - 2][] as $k ({v: $list[$n - 1], there: true};
      if .there and (.v | type) == "object" and (.v | has($k)) then .v = .v[$k]
      else .there = false end)) as $r
  | if $r.there then $r.v else $list[$n - 2] end;
# mergo: the members of the second that the first lacks, or has empty.
def _h_merge($b): . as $a
  | reduce ($b | keys_unsorted[]) as $k ($a;
      if (has($k) and (.[$k] | type) == "object" and ($b[$k] | type) == "object")
      then .[$k] |= _h_merge($b[$k])
      elif .[$k] | h_true then . else .[$k] = $b[$k] end);
def _h_over($b): . as $a
  | reduce ($b | keys_unsorted[]) as $k ($a;
      if (.[$k] | type) == "object" and ($b[$k] | type) == "object"
      then .[$k] |= _h_over($b[$k])
      elif ($b[$k] | h_true) or (has($k) | not) then .[$k] = $b[$k] else . end);
def h_merge($list): reduce $list[1:][] as $b ($list[0]; _h_merge($b // {}));
def h_mergeOverwrite($list): reduce $list[1:][] as $b ($list[0]; _h_over($b // {}));
def h_len($x): if $x == null then 0 elif $x | type == "string"
  then $x | utf8bytelength else $x | length end;
def h_index($x; $list): reduce $list[] as $k ($x;
    if . == null then null else .[$k] end);
def h_slice($x; $list): if ($list | length) == 0 then $x
  elif ($list | length) == 1 then $x[$list[0]:] else $x[$list[0]:$list[1]] end;
def h_first($list): $list[0];
def h_last($list): $list[-1:][0];
def h_rest($list): $list[1:];
def h_initial($list): $list[:-1];
def h_append($list; $x): ($list // []) + [$x];
def h_prepend($list; $x): [$x] + ($list // []);
def h_concat($list): [$list[] | .[]?];
def h_uniq($list): reduce $list[] as $x ([]; if index([$x]) then . else . + [$x] end);
def h_reverse($list): $list | reverse;
def h_compact($list): $list | map(select(h_true));
def h_has($x; $list): ($list // []) | any(.[]; . == $x);
def h_without($list; $those): $list | map(select(. as $x | any($those[]; . == $x) | not));
def h_until($n): [range($n)];
def h_untilStep($from; $to; $by): [range($from; $to; $by)];
def h_seq($list):
  (if ($list | length) == 1 then [1, (if $list[0] < 1 then -1 else 1 end), $list[0]]
   elif ($list | length) == 2 then
     [$list[0], (if $list[1] < $list[0] then -1 else 1 end), $list[1]]
   else $list end)
  | [range(.[0]; .[2] + (if .[1] < 0 then -1 else 1 end); .[1]) | tostring] | join(" ");
# What range goes over, as [KEY, VALUE]; keys in their order.
def h_each: if . == null then empty
  elif type == "object" then keys[] as $k | [$k, .[$k]]
  elif type == "number" then range(.) | [., .]
  else range(length) as $i | [$i, .[$i]] end;
def h_items: if . == null then empty
  elif type == "object" then keys[] as $k | .[$k]
  elif type == "number" then range(.)
  else .[] end;

# ---- numbers ----

def h_float64($x): $x | if type == "number" then .
  elif type == "string" then (try tonumber catch 0)
  elif . == true then 1 else 0 end;
def h_int($x): h_float64($x) | trunc;
def h_int64($x): h_int($x);
def h_atoi($x): h_int($x);
def h_toDecimal($x): reduce (h_toString($x) | explode[]) as $c (0; . * 8 + $c - 48);
def h_add($list): reduce $list[] as $x (0; . + h_int($x));
def h_addf($list): reduce $list[] as $x (0; . + h_float64($x));
def h_add1($x): h_int($x) + 1;
def h_sub($a; $b): h_int($a) - h_int($b);
def h_subf($list): reduce $list[1:][] as $x ($list[0]; . - h_float64($x));
def h_mul($list): reduce $list[] as $x (1; . * h_int($x));
def h_mulf($list): reduce $list[] as $x (1; . * h_float64($x));
def h_div($a; $b): h_int($a) / h_int($b) | trunc;
def h_divf($list): reduce $list[1:][] as $x (h_float64($list[0]); . / h_float64($x));
def h_mod($a; $b): h_int($a) % h_int($b);
def h_max($list): $list | map(h_int(.)) | max;
def h_min($list): $list | map(h_int(.)) | min;
def h_floor($x): h_float64($x) | floor;
def h_ceil($x): h_float64($x) | ceil;
def h_round($x; $n): h_float64($x) * pow(10; $n) | round / pow(10; $n);

def h_eq($a; $list): any($list[]; . == $a);
def h_ne($a; $b): $a != $b;
def h_lt($a; $b): $a < $b;
def h_le($a; $b): $a <= $b;
def h_gt($a; $b): $a > $b;
def h_ge($a; $b): $a >= $b;

# ---- types ----

def _h_kind: type
  | {object: "map", array: "slice", string: "string", number: "float64",
      boolean: "bool", "null": "invalid"}[.];
def _h_type: type
  | {object: "map[string]interface {}", array: "[]interface {}",
      string: "string", number: "float64", boolean: "bool",
      "null": "<nil>"}[.];
def h_kindOf($x): $x | _h_kind;
def h_kindIs($k; $x): $k == ($x | _h_kind)
  or ($x | type == "number") and ($k | IN("int", "int64"))
    and ($x | . == floor) and $k == "int64" and false;
def h_typeOf($x): $x | _h_type;
def h_typeIs($k; $x): $k == ($x | _h_type);
def h_typeIsLike($k; $x): h_typeIs($k; $x);

# ---- versions ----

def _h_version:
  [match("\\Av?(?<a>[0-9]+|[xX*])(?:\\.(?<b>[0-9]+|[xX*]))?(?:\\.(?<c>[0-9]+|[xX*]))?(?:-(?<pre>[0-9A-Za-z.-]+))?(?:\\+(?<meta>[0-9A-Za-z.-]+))?\\z")
    | [.captures[] | {(.name): .string}] | add][0]
  | if . == null then error("not a semantic version") else . end
  | map_values(if . != null and test("\\A[xX*]\\z") then null else . end)
  | {a: ((.a // "0") | tonumber), any: (.a == null),
      b: ((.b // "0") | tonumber), minor: (.b == null),
      c: ((.c // "0") | tonumber), patch: (.c == null), pre: .pre};
def _h_order: [.a, .b, .c,
  if .pre == null then [1] else [0] + [.pre | split(".")[]
    | if test("\\A[0-9]+\\z") then [0, tonumber] else [1, .] end] end];
def _h_meets($v):
  [match("\\A\\s*(?<op>=|!=|>=|=>|<=|=<|>|<|~>|~|\\^)?\\s*(?<v>\\S*)\\s*\\z")
    | [.captures[] | {(.name): .string}] | add][0] as $m
  | (if $m.v == "" then "*" else $m.v end | _h_version) as $c
  | ($m.op // "") as $op
  | ($v | _h_order) as $x | ($c | _h_order) as $y
  | ($c.any or $c.minor or $c.patch) as $open
  # Up to which version, not included, an open one goes.
  | (if $c.any then [infinite] elif $c.minor then [$c.a + 1]
     elif $c.patch then [$c.a, $c.b + 1] else null end) as $until
  | if $v.pre != null and $c.pre == null then false
    elif $op == "!=" then if $open then ($x < $y or $x >= $until) else $x != $y end
    elif $op == ">" then if $open then $x >= $until else $x > $y end
    elif $op == "<" then $x < $y
    elif $op == ">=" or $op == "=>" then $x >= $y
    elif $op == "<=" or $op == "=<" then
      if $open then $x < $until else $x <= $y end
    elif $op == "^" then $x >= $y and (
      if $c.any then true
      elif $c.a > 0 or $c.minor then $x < [$c.a + 1]
      elif $c.b > 0 or $c.patch then $x < [0, $c.b + 1]
      else $x < [0, 0, $c.c + 1] end)
    elif $op == "~" or $op == "~>" then $x >= $y
      and (if $c.any then true elif $c.minor then $x < [$c.a + 1]
        else $x < [$c.a, $c.b + 1] end)
    elif $open then $x >= $y and $x < $until
    else $x == $y end;
def h_semverCompare($constraint; $version):
  ($version | _h_version) as $v
  | any($constraint | splits("\\|\\|");
      gsub("(?<a>[0-9xX*][^ ]*) +- +(?<b>[0-9xX*][^ ]*)"; ">=\(.a) <=\(.b)")
      | gsub("(?<op>[=!<>~^]) +"; .op) | gsub("\\A[ ,]+|[ ,]+\\z"; "")
      | [splits("[ ,]+")] | all(.[]; _h_meets($v)));
def h_semver($s): $s | _h_version
  | {Major: .a, Minor: .b, Patch: .c, Prerelease: (.pre // ""), Metadata: "",
      Original: $s};

# ---- addresses ----

def h_urlParse($s):
  [$s | match("\\A(?:(?<scheme>[a-zA-Z][a-zA-Z0-9+.-]*):)?(?://(?:(?<userinfo>[^/@]*)@)?(?<host>[^/?#]*))?(?<path>[^?#]*)(?:\\?(?<query>[^#]*))?(?:#(?<fragment>.*))?\\z")
    | .captures[] | {(.name): (.string // "")}] | add
  | . + {hostname: (.host | sub(":[0-9]+\\z"; "")), opaque: ""};
def h_urlJoin($o):
  (if ($o.scheme // "") == "" then "" else "\($o.scheme):" end)
  + (if ($o.host // "") == "" then ""
     else "//" + (if ($o.userinfo // "") == "" then "" else "\($o.userinfo)@" end)
       + $o.host end)
  + ($o.path // "")
  + (if ($o.query // "") == "" then "" else "?\($o.query)" end)
  + (if ($o.fragment // "") == "" then "" else "#\($o.fragment)" end);

# ---- .Files and .Capabilities ----

def h_file($files; $name): $files[$name] // "";
def h_lines($files; $name): h_file($files; $name) | split("\n");
def _h_glob_re: gsub("(?<c>[.+(){}|^$\\[\\]\\\\])"; "\\\(.c)")
  | gsub("\\\\\\{(?<in>[^}]*)\\\\\\}"; "(?:" + (.in | gsub(","; "|")) + ")")
  | gsub("\\*\\*/?"; "\u0001") | gsub("\\*"; "[^/]*") | gsub("\\?"; "[^/]")
  | gsub("\u0001"; ".*") | "\\A" + . + "\\z";
def h_glob($files; $pattern): ($pattern | _h_glob_re) as $re
  | $files | with_entries(select(.key | test($re)));
def h_files_config($files):
  if $files == {} then "" else h_toYaml($files | with_entries(.key |= h_base(.)))
  | rtrimstr("\n") end;
def h_files_secrets($files):
  if $files == {} then ""
  else h_toYaml($files | with_entries(.key |= h_base(.)) | map_values(@base64))
  | rtrimstr("\n") end;

# What `helm template --kube-version` says of a cluster; $more: APIs beside
# those of Kubernetes itself.
def h_capabilities($version; $more):
  ($version | ltrimstr("v")) as $v
  | {
      KubeVersion: {Version: "v\($v)", GitVersion: "v\($v)",
        Major: ($v | split(".")[0]), Minor: ($v | split(".")[1])},
      HelmVersion: {Version: "v3.18.0", GitCommit: "", GoVersion: ""},
      APIVersions: (["v1", "admissionregistration.k8s.io/v1",
        "apiextensions.k8s.io/v1", "apiregistration.k8s.io/v1", "apps/v1",
        "authentication.k8s.io/v1", "authorization.k8s.io/v1",
        "autoscaling/v1", "autoscaling/v2", "batch/v1",
        "certificates.k8s.io/v1", "coordination.k8s.io/v1",
        "discovery.k8s.io/v1", "events.k8s.io/v1", "networking.k8s.io/v1",
        "node.k8s.io/v1", "policy/v1", "rbac.authorization.k8s.io/v1",
        "scheduling.k8s.io/v1", "storage.k8s.io/v1"]
        + ($more | split(",") | map(select(. != ""))))
    };
# "policy/v1/PodDisruptionBudget" is there if policy/v1 is.
def h_has_api($versions; $api):
  ($versions | index([$api])) != null
  or ($api | split("/") | length > 1 and (.[-1] | test("\\A[A-Z]"))
    and (.[:-1] | join("/") as $v | $versions | index([$v]) != null));

# ---- values ----

# $given laid over the defaults (.): a null takes a default away.
def h_values_over($given):
  if type != "object" or ($given | type) != "object" then $given
  else . as $defaults
    | reduce ($defaults | keys_unsorted[]) as $k ($given;
        if has($k) | not then .[$k] = $defaults[$k]
        elif .[$k] == null then del(.[$k])
        elif ($defaults[$k] | type) == "object" and (.[$k] | type) == "object" then
          .[$k] as $g | .[$k] = ($defaults[$k] | h_values_over($g))
        else . end)
  end;
# The values of a chart below another: what .[$key] has over its defaults, and
# the globals of the chart above.
def h_values_below($key; $defaults):
  . as $all
  | (.[$key] | if type == "object" then . else {} end) as $own
  | (($own.global // {}) | h_values_over($all.global // {})) as $global
  | .[$key] = ($defaults | h_values_over($own + {global: $global}));
# The defaults of a chart, and below them what it imports of another chart, of
# which $below has the defaults: import-values in Chart.yaml.
def h_imported($below; $imports):
  reduce $imports[] as $i (.;
    ($i | if type == "string" then {child: "exports.\(.)", parent: "."} else . end
      | map_values(split(".") | map(select(. != "")))) as {$child, $parent}
    | ($below | try getpath($child) catch null) as $new
    | if $new | type != "object" then .
      else . as $own | null | setpath($parent; $new) | h_values_over($own) end);
# Whether a chart below is wanted: the first of its conditions that there is;
# else its tags.
def h_enabled($values; $conditions; $tags):
  ([$conditions[] | split(".") as $p
     | try ($values | getpath($p)) catch null | select(type == "boolean")][0]) as $c
  | [$tags[] | $values.tags[.]? | select(type == "boolean")] as $t
  | if $c != null then $c elif any($t[]; .) then true else all($t[]; .) end;

# ---- tpl ----

# The pieces of a text: what is in {{ }} alone, blanks cut where it says so.
def h_pieces:
  . as $text
  | [foreach (match("\\{\\{.*?\\}\\}"; "gm"), null) as $m ({next: 0};
      {from: .next, to: ($m.offset // ($text | length)), m: $m,
        next: (if $m == null then 0 else $m.offset + $m.length end)};
      $text[.from:.to], (.m | select(. != null) | .string))]
  | . as $all
  | [range(length) as $i | .[$i]
      | if $i % 2 == 1 then .
        else
          if $i > 0 and ($all[$i - 1] | test("\\s-\\}\\}\\z")) then ltrim else . end
          | if $all[$i + 1] // "" | test("\\A\\{\\{-\\s") then rtrim else . end
        end];
# What these functions make of a list of arguments.
def _h_call($f; $a):
  if $f == "quote" then h_quote($a) elif $f == "squote" then h_squote($a)
  elif $f == "printf" then h_printf($a[0]; $a[1:])
  elif $f == "print" then h_print($a) elif $f == "cat" then h_cat($a)
  elif $f == "list" then $a elif $f == "dict" then h_dict($a)
  elif $f == "eq" then h_eq($a[0]; $a[1:]) elif $f == "ne" then $a[0] != $a[1]
  elif $f == "not" then h_not($a[0]) elif $f == "empty" then h_empty($a[0])
  elif $f == "and" then first(($a[] | select(h_true | not)), $a[-1])
  elif $f == "or" then first(($a[] | select(h_true)), $a[-1])
  elif $f == "coalesce" then h_coalesce($a)
  elif $f == "default" then h_default($a[0]; $a[1])
  elif $f == "ternary" then h_ternary($a[0]; $a[1]; $a[2])
  elif $f == "required" then h_required($a[0]; $a[1])
  elif $f == "toYaml" then h_toYaml($a[0])
  elif $f == "toJson" then h_toJson($a[0])
  elif $f == "toString" then h_toString($a[0]) elif $f == "int" then h_int($a[0])
  elif $f == "len" then h_len($a[0]) elif $f == "index" then h_index($a[0]; $a[1:])
  elif $f == "get" then h_get($a[0]; $a[1])
  elif $f == "join" then h_join($a[0]; $a[1])
  elif $f == "replace" then h_replace($a[0]; $a[1]; $a[2])
  elif $f == "indent" then h_indent($a[0]; $a[1])
  elif $f == "nindent" then h_nindent($a[0]; $a[1])
  elif $f == "trim" then h_trim($a[0]) elif $f == "trunc" then h_trunc($a[0]; $a[1])
  elif $f == "trimSuffix" then h_trimSuffix($a[0]; $a[1])
  elif $f == "trimPrefix" then h_trimPrefix($a[0]; $a[1])
  elif $f == "upper" then h_upper($a[0]) elif $f == "lower" then h_lower($a[0])
  elif $f == "title" then h_title($a[0])
  elif $f == "b64enc" then h_b64enc($a[0])
  elif $f == "sha256sum" then h_sha256sum($a[0])
  else error("\($f) is not a function that it may call") end;
# An action of a user's text: a pipeline of constants, fields of the dot (.),
# the functions above and include, for which named gets the name of a template.
def h_action($action; named):
  . as $dot
  | ($action | sub("\\A\\{\\{-?"; "") | sub("-?\\}\\}\\z"; "")) as $text
  | [$text | match("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|[|()]|[^\\s|()]+"; "g")
      | .string] as $t
  # Each moves .i behind what it reads, and leaves its value in .v.
  | def pipeline:
      def operand: ($t[.i] // "") as $w
        | .i += 1
        | if $w == "(" then pipeline
            | if $t[.i] == ")" then .i += 1 else error("a ) is missing") end
          elif $w | startswith("\"") then .v = ($w | fromjson)
          elif $w | startswith("`") then .v = $w[1:-1]
          elif $w | IN("true", "false") or test("\\A-?[0-9]+\\z") then
            .v = ($w | fromjson)
          elif $w | test("\\A\\$?(\\.([A-Za-z_][A-Za-z0-9_]*)?)*\\z") and . != ""
          then .v = ($dot | getpath($w | split(".")[1:] | map(select(. != ""))))
          else error("\($w | tojson) is not understood") end;
      def command($piped):
        if $t[.i] // "" | test("\\A[A-Za-z]") and (IN("true", "false") | not) then
          $t[.i] as $f
          | {i: (.i + 1), args: []}
          | until($t[.i] | IN(null, "|", ")"); .args as $args
              | operand | .args = $args + [.v])
          | (.args + $piped) as $args
          | if $f | IN("include", "template") then
              if $args[1] != $dot then error("\($f) is not called with the dot")
              else .v = ($args[0] | named) end
            else .v = _h_call($f; $args) end
        else operand end;
      command([])
      | until($t[.i] != "|"; .v as $v | .i += 1 | command([$v]));
  try (if $text | startswith("/*") then ""
    else {i: 0} | pipeline
      | if $t[.i] != null then error("\($t[.i] | tojson) is not understood")
        else .v | h_text end end)
  catch error("a template in a value fails: \($action): \(.)");

# ---- objects ----

# What a file of the chart makes: objects without Helm's hooks.
def h_objects($name; f):
  (.Template.Name = $name | f) as $text
  # Helm takes --- for the end of an object, whatever follows on its line, and
  # ends each object with one newline.
  | ($text | split("\n---")
      | map(until((endswith("\n") or endswith(" ")) | not; .[:-1]) + "\n")
      | join("---\n")) as $text
  | try _call("from_yaml"; $text) catch error("\($name): \(.)")
  | .[] | select(type == "object")
  | if (.kind // "" | endswith("List")) and (.items | type) == "array"
    then .items[] else . end
  | select(.kind != null)
  | select((.metadata.annotations // {})["helm.sh/hook"] == null);
# As the operator wants them: what Helm keeps is retained.
def h_item:
  if (.metadata.annotations // {})["helm.sh/resource-policy"] == "keep"
  then {"kpipe.dev/retain": .} else . end;
