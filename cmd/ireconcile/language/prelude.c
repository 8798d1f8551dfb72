#include "language/prelude.h"

#include "base/array.h"
#include "language/jq16/jq16.h"
#include "libjq/jqlex.h"

/*
 * A value goes to C through `debug`, and the result comes back through
 * `input`: libjq has no other way to call C (see natives.h).
 */
#define C_CALL(name, value) "[\"" name "\", " value "] | debug | input"

struct definition {
	const char *name;
	int arity;
	const char *text;
};

/*
 * In the order of the text: a definition calls the last one of a name before
 * it, or a built-in. Written for all versions: `if` has an `else`, and `as`
 * binds a term.
 * JQ16_...: see jq16/jq16.h.
 *
 * A definition that only calls C has C_CALL in its place, because a call of
 * _call costs as much as its work.
 *
 * _jq_raise: `error` of a program. It notes that the message is the author's
 * (see program.c); the compiler still calls jq's own `error` for `break`.
 * _jq_refuse: an error of ours, which contains no values. _jq_caught, _jq_quiet:
 * see jqparse.h. _jq_debug: `debug` of a program, with its place;
 * trace/debugs.h. It gives its input, also in paths, and keeps no copy; a
 * message that fails, or that is not a path, changes nothing.
 */
static const struct definition definitions[] = {
    {"_call", 2, "def _call($name; x): [$name, x] | debug | input;"},
    {"_jq_raise", 1,
	"def _jq_raise(m): m as $m | _call(\"error\"; $m) as $e"
	" | error($e);"},
    {"_jq_refuse", 1,
	"def _jq_refuse(m): _call(\"refuse\"; m) as $e | error($e);"},
    {"_jq_raise", 0, "def _jq_raise: _jq_raise(.);"},
    {"_jq_end", 0, JQ16_END},
    /* A `break` is an error {__jq: N}, which must not be caught. */
    {"_jq_pass", 0,
	"def _jq_pass: if type != \"object\" then ." JQ16_LATER
	" elif has(\"__jq\") then error(.) else . end;"},
    {"_jq_caught", 0, "def _jq_caught: _jq_pass | " C_CALL("caught", ".") ";"},
    {"_jq_quiet", 0, "def _jq_quiet: _jq_pass | empty;"},
    {"_jq_debug", 1,
	"def _jq_debug($at): ([\"debug\", $at, .] | debug | empty), .;"},
    {"_jq_debug", 2,
	"def _jq_debug($at; m): ({a: [try m catch {\"failed\": .}"
	" | [\"debug\", $at, .] | debug]} | empty), .;"},
    {"_jq_undebug", 1, "def _jq_undebug(m): .;"},

    /* 1.6 gives null for .[1.5], and each version fails in its own way for huge
     * ones. */
    {"_jq_index", 0,
	"def _jq_index: if type != \"number\" then ."
	" elif . >= -16777216 and . <= 16777216 then trunc"
	" else _jq_refuse(\"an index must be a number within 2^24\") end;"},
    {"_jq_bound", 0, JQ16_BOUND},
    {"_jq_path", 0,
	"def _jq_path: if type != \"array\" then ."
	" elif length == 1 and (.[0] | type) == \"string\" then ."
	" else map(" JQ16_SLICE "_jq_index" JQ16_SLICE_END ") end;"},
    {"_jq_getpath", 1, "def _jq_getpath(p): getpath(p | _jq_path);"},
    {"_jq_setpath", 2,
	"def _jq_setpath(p; v): v as $v | p as $p"
	" | setpath($p | _jq_path; $v);"},
    {"_jq_delpaths", 1,
	"def _jq_delpaths(p): delpaths(p"
	" | if type == \"array\" then map(_jq_path) else . end);"},
    /* Only 1.8 starts again for each value. */
    {"_jq_one", 1,
	"def _jq_one(f): [f] | if length == 1 then .[0]"
	" else _jq_refuse(\"reduce, foreach: one value to start with,"
	" not \\(length)\") end;"},

    /* `%`: 1.6 ends at -1, and is undefined beyond 2^63. */
    {"_jq_mod", 2, "def _jq_mod(a; b): a % b;"},
    {"_mod", 2,
	"def _mod(a; b): b as $b | a as $a"
	" | if ($a | type) != \"number\" or ($b | type) != \"number\""
	" then _jq_mod($a; $b)"
	" elif ($a | isnan) or ($b | isnan) then nan"
	" elif ($a | fabs) >= 9223372036854775808"
	" or ($b | fabs) >= 9223372036854775808"
	" then _jq_refuse(\"%: a number is beyond 2^63\")"
	" elif $b <= -1 and $b > -2 then 0 else _jq_mod($a; $b) end;"},
    /* `*` of strings: by 0, by a fraction, with the number first. */
    {"_jq_times", 2, "def _jq_times(a; b): a * b;"},
    {"_jq_repeat", 1,
	"def _jq_repeat($n): if $n < 0 then null elif $n < 1 then \"\""
	" else . as $text | _jq_times($text; $n | trunc) end;"},
    {"_multiply", 2,
	"def _multiply(a; b): b as $b | a as $a"
	" | if ($a | type) == \"string\" and ($b | type) == \"number\""
	" then $a | _jq_repeat($b)"
	" elif ($a | type) == \"number\" and ($b | type) == \"string\""
	" then $b | _jq_repeat($a) else _jq_times($a; $b) end;"},
    {"_modify", 2, JQ16_MODIFY},
    {"map_values", 1, JQ16_MAP_VALUES},

    /* Numbers are printed as doubles; ours fail where digits would be lost. 1.6
     * prints 1e17 as 1e+17, and deep trees as text that is not JSON. */
    {"_jq_tojson", 0, "def _jq_tojson: tojson;"},
    {"tojson", 0,
	"def tojson: type as $t | if $t == \"string\" then _jq_tojson"
	" elif $t == \"number\" and . < 9007199254740992"
	" and . > -9007199254740992 then . + 0 | _jq_tojson"
	" else " C_CALL("tojson", ".") " end;"},
    {"tostring", 0,
	"def tostring: if type == \"string\" then . else tojson end;"},
    {"fromjson", 0, "def fromjson: " C_CALL("fromjson", ".") ";"},
    {"tonumber", 0,
	"def tonumber: if type == \"number\" then ."
	" else " C_CALL("tonumber", ".") " end;"},
    {"_jq_format", 1, "def _jq_format($f): format($f);"},
    {"format", 1,
	"def format($f): if $f == \"uri\" then"
	" [$f, tostring] | debug | input"
	" elif $f == \"text\" then tostring"
	" elif $f == \"json\" then tojson"
	" elif $f == \"base64d\" then _call(\"base64d\"; tostring)"
	" elif type == \"string\" then _jq_format($f)"
	" elif type == \"array\" then"
	" map(if type == \"number\" then tojson | tonumber else . end)"
	" | _jq_format($f)"
	" else tojson | _jq_format($f) end;"},
    {"join", 1,
	"def join($s): reduce .[] as $x (null;"
	" (if . == null then \"\" else . + $s end)"
	" + ($x | if . == null then \"\""
	" elif type == \"boolean\" or type == \"number\" then tojson"
	" else . end)) // \"\";"},

    {"implode", 0, "def implode: " C_CALL("implode", ".") ";"},
    {"contains", 1, "def contains($b): " C_CALL("contains", "[., $b]") ";"},
    {"inside", 1, "def inside(xs): . as $x | xs | contains($x);"},
    {"trim", 0, "def trim: " C_CALL("trim", ".") ";"},
    {"ltrim", 0, "def ltrim: " C_CALL("ltrim", ".") ";"},
    {"rtrim", 0, "def rtrim: " C_CALL("rtrim", ".") ";"},
    {"ltrimstr", 1,
	"def ltrimstr($s): if startswith($s)"
	" then .[($s | length):] else . end;"},
    {"rtrimstr", 1,
	"def rtrimstr($s): if endswith($s)"
	" then .[:length - ($s | length)] else . end;"},
    {"trimstr", 1, "def trimstr($s): ltrimstr($s) | rtrimstr($s);"},
    {"toboolean", 0,
	"def toboolean: if type == \"boolean\" then ."
	" elif . == \"true\" then true elif . == \"false\" then false"
	" else _jq_refuse(\"toboolean: neither true nor false\") end;"},
    /* In strings: by code points, overlapping. */
    {"indices", 1,
	"def indices($i): if type == \"string\" and ($i | type) == \"string\""
	" then [\"indices\", [., $i]] | debug | input"
	" elif type == \"array\" and ($i | type) == \"array\" then .[$i]"
	" elif type == \"array\" then .[[$i]] else .[$i] end;"},
    {"index", 1, "def index($i): indices($i) | .[0];"},
    {"rindex", 1, "def rindex($i): indices($i) | .[-1:][0];"},

    /* glibc's own exp10 came late to 15 digits: 1000.0000000000001. */
    {"exp10", 0, "def exp10: pow(10; .);"},
    {"abs", 0,
	"def abs: if type != \"number\""
	" then _jq_refuse(\"\\(type) has no absolute value\")"
	" elif . < 0 then - . else . end;"},
    {"toarray", 0, "def toarray: if type == \"array\" then . else [.] end;"},
    {"transpose", 0, JQ16_TRANSPOSE},
    /* The versions differ in what is not an event. */
    {"fromstream", 1,
	"def fromstream(f): {value: null, whole: false} as $new"
	" | foreach f as $event ($new; if .whole then $new else . end"
	" | if $event | length == 2"
	" then .whole = ($event[0] | length == 0)"
	" | _jq_setpath([\"value\"] + $event[0]; $event[1])"
	" else .whole = ($event[0] | length == 1) end;"
	" if .whole then .value else empty end);"},
    {"paths", 1, JQ16_PATHS},
    /* Quicker in 1.8, with other messages. */
    {"unique_by", 1, "def unique_by(f): group_by(f) | map(.[0]);"},
    {"unique", 0, "def unique: group_by(.) | map(.[0]);"},
    {"add", 1, "def add(f): reduce f as $x (null; . + $x);"},
    {"pick", 1,
	"def pick(f): . as $in | reduce path(f) as $p"
	" (null; setpath($p; $in | getpath($p)));"},
    {"limit", 2,
	"def limit($n; f): if $n > 0 then label $done"
	" | foreach f as $x ($n; . - 1;"
	" $x, if . <= 0 then break $done else empty end)"
	" elif $n == 0 then empty"
	" else _jq_refuse(\"limit: the count is negative\") end;"},
    {"skip", 2,
	"def skip($n; f): if $n > 0 then foreach f as $x ($n; . - 1;"
	" if . < 0 then $x else empty end) elif $n == 0 then f"
	" else _jq_refuse(\"skip: the count is negative\") end;"},
    {"last", 1, "def last(f): reduce f as $x ([]; [$x]) | .[];"},
    {"nth", 2,
	"def nth($n; f): if $n < 0"
	" then _jq_refuse(\"nth: the index is negative\")"
	" else first(skip($n; f)) end;"},
    {"nth", 1, "def nth($n): .[($n | _jq_index)];"},
    {"isempty", 1, "def isempty(f): first((f | false), true);"},
    {"any", 2, "def any(f; condition): isempty(f | condition or empty) | not;"},
    {"any", 1, "def any(condition): any(.[]; condition);"},
    {"any", 0, "def any: any(.[]; .);"},
    {"all", 2, "def all(f; condition): isempty(f | condition and empty);"},
    {"all", 1, "def all(condition): all(.[]; condition);"},
    {"all", 0, "def all: all(.[]; .);"},
    {"IN", 1, "def IN(s): any(s == .; .);"},
    {"IN", 2, "def IN(f; s): any(f == s; .);"},
    {"INDEX", 2,
	"def INDEX(f; key): reduce f as $row ({};"
	" .[($row | key | tostring)] = $row);"},
    {"INDEX", 1, "def INDEX(key): INDEX(.[]; key);"},
    {"from_entries", 0,
	"def from_entries: map({(.key // .Key // .name // .Name):"
	" (if has(\"value\") then .value else .Value end)}) | add // {};"},
    {"with_entries", 1,
	"def with_entries(f): to_entries | map(f) | from_entries;"},
    {"walk", 1,
	"def walk(f): def w: if type == \"object\" then map_values(w)"
	" elif type == \"array\" then map(w) else . end | f; w;"},
    {"range", 3,
	"def range($from; $to; $by):"
	" if $by > 0 then $from | while(. < $to; . + $by)"
	" elif $by < 0 then $from | while(. > $to; . + $by)"
	" else empty end;"},

    /*
     * Regular expressions. A global search of libjq 1.6 misses and repeats
     * empty matches, and all up to 1.8 step into the middle of a character
     * behind one. So an empty match, and text beyond ASCII, is searched for
     * step by step: the expression behind \A.{OFFSET}.*?\K. Captures of an
     * empty match are wrong, too: asked for with one character more.
     */
    {"_jq_flags", 0,
	"def _jq_flags: if . == null then \"\""
	" elif type != \"string\" then _jq_refuse(\"flags of a regular"
	" expression: \\(type) is not a string\")"
	" elif test(\"[ln]\") then _jq_refuse(\"flags of a regular"
	" expression: neither l nor n\") else . end;"},
    {"_jq_search", 4,
	"def _jq_search($before; $re; $behind; $flags):"
	" _match_impl($before + \"(?:\" + $re"
	" + (if $flags | test(\"x\") then \"\\n)\" else \")\" end) + $behind;"
	" $flags; false)[0];"},
    {"_jq_captures", 2,
	"def _jq_captures($re; $flags): . as [$in, $m]"
	" | if $m == null or $m.length > 0 or ($re | split(\"(\") | length) == "
	"1"
	" then $m else $m + {captures: ("
	"if $in == \"\" then \" \" | _jq_search(\"\\\\A.\"; $re; \"{0}\"; "
	"$flags)"
	" | .captures | map(.offset = 0 | .string = \"\")"
	" elif $m.offset < ($in | length) then $in"
	" | _jq_search(\"\\\\A(?s:.{\\($m.offset)})\\\\K\";"
	" $re; \"(?s:.)\"; $flags).captures"
	" else $in | _jq_search(\"\\\\A(?s:.{\\($m.offset)})\";"
	" $re; \"\"; $flags).captures end)} end;"},
    {"_jq_steps", 3,
	"def _jq_steps($re; $flags; $from): if $from > length then empty"
	" else . as $in | [., _jq_search(\"\\\\A(?s:.{\\($from)}.*?)\\\\K\";"
	" $re; \"\"; $flags)] | _jq_captures($re; $flags) | values"
	" | ., (. as $m | $in | _jq_steps($re; $flags; $m.offset"
	" + if $m.length == 0 then 1 else $m.length end)) end;"},
    {"_jq_global", 2,
	"def _jq_global($re; $flags): if utf8bytelength != length"
	" then _jq_steps($re; $flags; 0)"
	" else _match_impl($re; $flags + \"g\"; false) as $all"
	" | if any($all[]; .length == 0) or (_jq_search("
	"\"\\\\A(?s:.{\\(length)})\\\\K\"; $re; \"\"; $flags) != null)"
	" then _jq_steps($re; $flags; 0) else $all[] end end;"},
    {"match", 2,
	"def match($re; $flags): ($flags | _jq_flags) as $f"
	" | if type != \"string\" or ($re | type) != \"string\""
	" then _match_impl($re; $f; false)[]"
	" elif $f | test(\"g\") then"
	" _jq_global($re; $f | split(\"g\") | join(\"\"))"
	" else [., _match_impl($re; $f; false)[0]]"
	" | _jq_captures($re; $f) | values end;"},
    {"match", 1,
	"def match($val): if ($val | type) == \"array\""
	" then match($val[0]; $val[1]) else match($val; null) end;"},
    {"_jq_named", 0,
	"def _jq_named: reduce (.captures[] | select(.name != null)"
	" | {(.name): .string}) as $pair ({}; . + $pair);"},
    {"capture", 2, "def capture($re; $flags): match($re; $flags) | _jq_named;"},
    {"capture", 1, "def capture($val): match($val) | _jq_named;"},
    {"scan", 2,
	"def scan($re; $flags): match($re; \"g\" + $flags)"
	" | if .captures == [] then .string"
	" else [.captures[].string] end;"},
    {"scan", 1, "def scan($re): scan($re; null);"},
    {"splits", 2,
	"def splits($re; $flags): . as $in"
	" | foreach (match($re; $flags + \"g\"), null) as $m ({};"
	" {from: (.next // 0), to: $m.offset,"
	" next: ($m | if . == null then null else .offset + .length end)};"
	" .from as $from | .to as $to | $in[$from:$to]);"},
    {"splits", 1, "def splits($re): splits($re; null);"},
    {"split", 2, "def split($re; $flags): [splits($re; $flags)];"},
    {"sub", 3,
	"def sub($re; s; $flags): . as $in"
	" | (reduce match($re; $flags) as $m ({result: [], previous: 0};"
	" $in[.previous:$m.offset] as $gap"
	" | [$m | _jq_named | s] as $texts"
	" | reduce range($texts | length) as $i (.;"
	" .result[$i] += $gap + $texts[$i])"
	" | .previous = $m.offset + $m.length)"
	" | .result[] + $in[.previous:]) // $in;"},
    {"sub", 2, "def sub($re; s): sub($re; s; \"\");"},
    {"gsub", 3, "def gsub($re; s; $flags): sub($re; s; $flags + \"g\");"},
    {"gsub", 2, "def gsub($re; s): sub($re; s; \"g\");"},

    /* Times: libjq 1.6 aborts for values that are not numbers, or far away. */
    {"gmtime", 0, "def gmtime: " C_CALL("gmtime", ".") ";"},
    {"localtime", 0, "def localtime: " C_CALL("gmtime", ".") ";"},
    {"strflocaltime", 1,
	"def strflocaltime($f): " C_CALL("strftime", "[., $f]") ";"},
    {"mktime", 0, "def mktime: " C_CALL("mktime", ".") ";"},
    {"strftime", 1, "def strftime($f): " C_CALL("strftime", "[., $f]") ";"},
    {"strptime", 1, "def strptime($f): " C_CALL("strptime", "[., $f]") ";"},
    {"todateiso8601", 0, "def todateiso8601: " C_CALL("todate", ".") ";"},
    {"todate", 0, "def todate: todateiso8601;"},
    {"fromdateiso8601", 0, "def fromdateiso8601: " C_CALL("fromdate", ".") ";"},
    {"fromdate", 0, "def fromdate: fromdateiso8601;"},
};
enum { DEFINITIONS = COUNT(definitions) };
_Static_assert((int)DEFINITIONS <= (int)PRELUDE_MAX, "");

int
prelude_find(struct span name, int arity)
{
	for (int i = 0; i < DEFINITIONS; i++)
		if (definitions[i].arity == arity &&
		    span_is(name, definitions[i].name))
			return i;
	return -1;
}

void
prelude_offer(struct nearest *n)
{
	for (int i = 0; i < DEFINITIONS; i++)
		nearest_offer(
		    n, span_str(definitions[i].name), definitions[i].arity);
}

/* By name only, so perhaps too many. */
void
prelude_want(struct prelude *prelude, int index)
{
	struct err err = ERR_INIT;
	struct jqlex lex;

	if (prelude->wanted[index])
		return;
	prelude->wanted[index] = true;
	if (jqlex_read(
		&lex, "prelude", span_str(definitions[index].text), &err) != 0)
		return;
	for (int i = 0; i < lex.count; i++) {
		if (lex.tokens[i].type == JQLEX_PIECE)
			prelude_want(
			    prelude, prelude_find(span_str("format"), 1));
		if (lex.tokens[i].type != JQLEX_WORD)
			continue;
		for (int d = 0; d <= index; d++)
			if (span_is(lex.tokens[i].text, definitions[d].name))
				prelude_want(prelude, d);
	}
	jqlex_release(&lex);
}

int
prelude_write(const struct prelude *prelude, struct buf *out)
{
	int lines = 0;

	for (int i = 0; i < DEFINITIONS; i++) {
		if (!prelude->wanted[i])
			continue;
		buf_adds(out, definitions[i].text);
		buf_addc(out, '\n');
		lines++;
	}
	return lines;
}
