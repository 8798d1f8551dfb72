/* The results of programs. */
#include "test-program.h"

#include "base/array.h"

/* Programs and results stand here with ' in place of ". */
static void
quote(struct buf *b)
{
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] == '\'')
			b->data[i] = '"';
}

static void
is_quoted(const char *got, const char *want, const char *what)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, want);
	quote(&b);
	is(got, buf_str(&b), what);
	buf_release(&b);
}

struct expression {
	const char *what, *text, *result;
};

/* A program whose `desired` is, for .primary.i, the text number i and tail. */
static struct program *
load_choice(
    const char *head, const struct expression *e, size_t n, const char *tail)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct program *p;

	buf_addf(&text, "%sdef desired: .primary.i as $i |", head);
	for (size_t i = 0; i < n; i++)
		buf_addf(&text, " if $i == %zu then (%s)%s else", i, e[i].text,
		    tail);
	buf_adds(&text, " []");
	for (size_t i = 0; i < n; i++)
		buf_adds(&text, " end");
	buf_addc(&text, ';');
	quote(&text);
	p = load(buf_str(&text), &err);
	is(p ? "" : err.message, "", "a program of all expressions");
	buf_release(&text);
	return p;
}

/* The value of an expression, shown by error(its text). */
static const struct expression values[] = {
    {"input", ".primary.a", "{'b':1}"},
    {"sha256", "'abc' | _call('sha256'; .)",
	"'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'"},
    {"sha256 is pure in paths", "['abc'] | map(_call('sha256'; .)[:4])",
	"['ba78']"},
    {"limit(0)", "[limit(0; 1, 2)]", "[]"},
    {"limit(1)", "[limit(1; 1, 2)]", "[1]"},
    {"limit(5)", "[limit(5; 1, 2)]", "[1,2]"},
    {"limit stops", "[limit(1; 1, error('too far'))]", "[1]"},
    {"|= empty", "[1, 2, 3, 4] | (.[] | select(. < 4)) |= empty", "[4]"},
    {"|=", "{a: [1, 2]} | .a[] |= . + 1", "{'a':[2,3]}"},
    {"|= takes the first", "[1] | .[0] |= (5, 6)", "[5]"},
    {"map_values(empty)", "{a: 1, b: 2, c: 3} | map_values(empty)", "{}"},
    {"fromdate", "'2026-07-01T00:00:00Z' | fromdate", "1782864000"},
    {"fromdate of a MicroTime", "'2026-07-01T00:00:00.123456Z' | fromdate",
	"1782864000"},
    {"mktime in summer", "1782864000 | todate | fromdateiso8601", "1782864000"},
    {"time zone", "1782864000 | localtime | mktime", "1782864000"},
    {"tojson keeps the order of keys", "{b: 1, a: 2} | tojson",
	"'{\\'b\\':1,\\'a\\':2}'"},
    {"tostring", "[1, 'a', null] | map(tostring)", "['1','a','null']"},
    {"interpolation", "'\\(1) \\('a') \\([1])'", "'1 a [1]'"},
    {"large integers in texts", "'\\(9007199254740991)'", "'9007199254740991'"},
    {"@json", "[1] | @json", "'[1]'"},
    {"@text", "1 | @text", "'1'"},
    {"@base64", "'a' | @base64", "'YQ=='"},
    {"@csv", "[1, 'a'] | @csv", "'1,\\'a\\''"},
    {"@sh", "[1, 'a b'] | @sh | explode", "[49,32,39,97,32,98,39]"},
    {"@uri", "'a b' | @uri", "'a%20b'"},
    {"join", "[1, null, 'a', true] | join('-')", "'1--a-true'"},
    {"try", "try error('x') catch .", "'x'"},
    {"try with an object", "try error({a: 1}) catch .a", "1"},
    {"error/0", "try ('y' | error) catch .", "'y'"},
    {"$__loc__", "$__loc__.file | type", "'string'"},
    {"delete is harmless", "'\\u007f'", "'\\u007f'"},
    {"@base64d", "'YQ==' | @base64d", "'a'"},
    {"test", "['ab', 'b'] | map(test('^a'))", "[true,false]"},
    {"later definitions win", "twice", "'second'"},
    {"libraries are there, also those of libraries", "[lib1, lib2]", "[21,22]"},
};

static void
test_values(void)
{
	struct buf text = BUF_INIT;
	struct buf out = BUF_INIT;
	struct program *p;

	write_file("lib/one.jq",
	    "include \"two\";\ndef lib1: lib2 - 1;\ndef twice: \"first\";\n");
	write_file("two.jq", "def lib2: 2;\ndef twice: \"zeroth\";\n");
	write_file("lib/two.jq", "def lib2: 22;\n");
	p = load_choice("include 'two';\ninclude 'one';\n"
			"def twice: 'second';\n",
	    values, COUNT(values), " | tojson | error");
	for (size_t i = 0; p && i < COUNT(values); i++) {
		buf_reset(&text);
		buf_addf(&text, "{\"primary\":{\"i\":%zu,\"a\":{\"b\":1}}}", i);
		desired(p, buf_str(&text), &out);
		is_quoted(buf_str(&out) + (out.len > 7 ? 7 : 0),
		    values[i].result, values[i].what);
	}
	program_free(p);
	buf_release(&text);
	buf_release(&out);
}

#define NOT_AN_EVENT                                                      \
	"error: p.jq:1: events: item 0 is not {type: 'Normal' or "        \
	"'Warning', reason, message}, with object and failure: {reason, " \
	"message} if it is about a write"
#define OBJ(name) "{apiVersion: 'v1', kind: 'C', metadata: {name: " name "}}"
#define A OBJ("'a'")
#define A_TEXT "{'apiVersion':'v1','kind':'C','metadata':{'name':'a'}}\n"
#define WRONG "error: p.jq:1: desired: "

/* desired for .primary.s3cret = "hunter2". */
static const struct expression results[] = {
    {"nothing desired", "[]", ""},
    {"two objects", "[" OBJ("'b'") ", " A "]",
	"{'apiVersion':'v1','kind':'C','metadata':{'name':'b'}}\n" A_TEXT},
    {"once", "[{'kpipe.dev/once': " A "}]", "once " A_TEXT},
    {"if_exists", "[{'kpipe.dev/if-exists': " A "}]", "if_exists " A_TEXT},
    {"both", "[{'kpipe.dev/if-exists': {'kpipe.dev/once': " A "}}]",
	WRONG "item 0 (C a) is both once and if_exists"},
    {"keep", "[{'kpipe.dev/keep': " A "}]", "keep " A_TEXT},
    {"keep and once", "[{'kpipe.dev/keep': {'kpipe.dev/once': " A "}}]",
	WRONG "item 0 (C a) is keep and something else, too"},
    {"keep and retain", "[{'kpipe.dev/retain': {'kpipe.dev/keep': " A "}}]",
	WRONG "item 0 (C a) is keep and something else, too"},
    {"immutable",
	"[{'kpipe.dev/immutable': {'object': {'kpipe.dev/if-exists': " A "}, "
	"'paths': [['spec', 'x']]}}]",
	"if_exists [['spec','x']] " A_TEXT},
    {"immutable without paths", "[{'kpipe.dev/immutable': {'object': " A "}}]",
	WRONG "item 0 (C a) has immutable paths that are not a list of paths"},
    {"immutable, no paths",
	"[{'kpipe.dev/immutable': {'paths': [], 'object': " A "}}]",
	WRONG "item 0 (C a) has immutable paths that are not a list of paths"},
    {"immutable element",
	"[{'kpipe.dev/immutable': {'paths': [['spec', 0]], 'object': " A "}}]",
	WRONG "item 0 (C a) has immutable paths that lead not by members "
	      "alone"},
    {"immutable whole",
	"[{'kpipe.dev/immutable': {'paths': [[]], 'object': " A "}}]",
	WRONG "item 0 (C a) has immutable paths that lead not by members "
	      "alone"},
    {"immutable identity",
	"[{'kpipe.dev/immutable': {'paths': [['spec'], ['metadata', "
	"'labels']], 'object': " A "}}]",
	WRONG "item 0 (C a) has immutable paths that lead into the identity "
	      "of the object"},
    {"immutable object", "[{'kpipe.dev/immutable': {'paths': [['spec']]}}]",
	WRONG "item 0 is not an object"},
    {"empty", "empty", "error: p.jq:1: desired gives no result; nothing is []"},
    {"several", "[], []", "error: p.jq:1: desired gives more than one result"},
    {"an object", "{}", "error: p.jq:1: desired gives an object, not an array"},
    {"null", "null", "error: p.jq:1: desired gives null, not an array"},
    {"a null element", "[null]", WRONG "item 0 is not an object"},
    {"no kind", "[{apiVersion: 'v1'}]", WRONG "item 0 has no kind"},
    {"no apiVersion", "[{kind: 'C'}]", WRONG "item 0 has no apiVersion"},
    {"no name", "[" A "," OBJ("null") "]", WRONG "item 1 has no metadata.name"},
    {"a name that the server makes",
	"[{apiVersion: 'v1', kind: 'C', metadata: {generateName: 'a-'}}]",
	WRONG
	"item 0 has metadata.generateName and no name, so it would be "
	"another object each time: name_for(SEED) makes a name that stays"},
    {"empty name", "[" OBJ("''") "]", WRONG "item 0 has no metadata.name"},
    {"a name with a slash", "[" OBJ("'a/b'") "]",
	WRONG "item 0 has the name 'a/b': a name is not . or .. and has no "
	      "/, % or NUL"},
    {"a number as the name", "[" OBJ("5") "]",
	WRONG "item 0 has a number as its metadata.name, which has to be a "
	      "text: tostring makes one"},
    {"an array as the kind", "[" A " | .kind = []]",
	WRONG "item 0 has an array as its kind, which has to be a text"},
    {"an object as the apiVersion", "[" A " | .apiVersion = {}]",
	WRONG "item 0 has an object as its apiVersion, which has to be a text"},
    {"false as the namespace", "[" A " | .metadata.namespace = false]",
	WRONG "item 0 has true or false as its metadata.namespace, which "
	      "has to be a text: tostring makes one"},
    {"null as the namespace", "[" A " | .metadata.namespace = null]",
	"{'apiVersion':'v1','kind':'C','metadata':{'name':'a',"
	"'namespace':null}}\n"},
    {"twice", "[" A ", " A "]", "error: p.jq:1: desired gives C//a twice"},
    {"twice in two versions",
	"[{apiVersion: 'g/v1', kind: 'C', metadata: {name: 'a'}},"
	"{apiVersion: 'g/v2', kind: 'C', metadata: {name: 'a'}}]",
	"error: p.jq:1: desired gives C.g//a twice"},
    {"large integers", "[" A " + {n: 100000000000000000}]",
	".n is an integer beyond 2^53: digits would be lost\n"},
    {"integers", "[" A " + {n: 1e15}]",
	"{'apiVersion':'v1','kind':'C','metadata':{'name':'a'},"
	"'n':1000000000000000}\n"},
    {"too deep", "[" A " + reduce range(300) as $i ({}; {a: .})]",
	"error: p.jq:1: desired gives a value nested deeper than 256"},
    {"far too deep", "reduce range(3000) as $i (1; [.])",
	"error: p.jq:1: desired gives a value nested deeper than 256"},

    /* the text of errors */
    {"an error of the author", "error('size \\(.primary.s3cret) is bad (7)')",
	"error: size hunter2 is bad (7)"},
    {"... passed on", "try error('a') catch error('b: \\(.)')", "error: b: a"},
    {"an object", "error({a: .primary.s3cret})",
	WRONG "error with object that is not text"},
    {"null is an error, not nothing", "error(null)", "error: null"},
    {"index by a name", ".primary.s3cret.replicas",
	WRONG "Cannot index string with string 'replicas' at .primary.s3cret"},
    {"index by a value", "1 | .[$__loc__.file[:0] + 'hun' + 'ter2']",
	WRONG "Cannot index number with string"},
    {"index by a value (2)", ".primary.s3cret as $s | 1 | .[$s]",
	WRONG "Cannot index number with string"},
    {"iterate", ".primary.s3cret[]",
	WRONG "Cannot iterate over string (...) at .primary.s3cret"},
    {"iterate over null", ".primary.nothing[]",
	WRONG "Cannot iterate over null (null) at .primary.nothing"},
    {"add", ".primary.s3cret + 1",
	WRONG "string (...) cannot be added at .primary.s3cret (string) + "
	      "... (number)"},
    {"fromjson", "'{\\(.primary.s3cret)' | fromjson",
	WRONG "fromjson: the text is not JSON"},
    {"date", ".primary.s3cret | strptime('%Y')",
	WRONG "strptime: the text does not match the format at "
	      ".primary.s3cret"},
    {"regex in the message", "'a' | test('hunter2(')",
	WRONG "Regex failure: end pattern with unmatched parenthesis"},
    {"object key", "{(1 | tostring | tonumber): 1}",
	WRONG "Cannot use number (...) as object key"},
    {"tojson", "[1e300] | tojson",
	WRONG "tojson: [0] is an integer beyond 2^53: digits would be lost"},
    {"interpolation of large integers", "'\\(1e17)'",
	WRONG "tojson: the value is an integer beyond 2^53: digits would be "
	      "lost"},
    {"@csv of large integers", "[1e17] | @csv",
	WRONG "tojson: the value is an integer beyond 2^53: digits would be "
	      "lost"},
    {"tojson of deep trees", "reduce range(300) as $i (1; [.]) | tojson",
	WRONG "tojson: a value is nested deeper than 256"},
    {"a path of another value",
	"{a: 'negative valid by text'} as $x | 1 | $x.a |= 2",
	WRONG "Invalid path expression near attempt to access element ... "
	      "of ..."},
    {"a path of another value (2)",
	"{a: 'negative valid by text'} as $x | 1 | $x[] |= 2",
	WRONG "Invalid path expression near attempt to iterate through ..."},
    {"a path that is a value", "path({a: 'negative valid by text'})",
	WRONG "Invalid path expression with result ..."},
    {"limit(-1)", "[limit(-1; 1)]", WRONG "limit: the count is negative"},
    {"what may not be read is not null", "(.['owned'] | .Pod), []",
	WRONG "Cannot index boolean with string 'Pod' at .owned, which "
	      "desiredReads in watches.yaml does not list"},
    {"nor is now", "[.['now'] + 1]",
	WRONG "boolean (...) cannot be added at .now, which desiredReads in "
	      "watches.yaml does not list + ... (number)"},
    {"unknown call", "_call('open'; '/etc/passwd')",
	WRONG "_call: no such function"},
    {"sha256 of a number", "_call('sha256'; 1)", WRONG "sha256 takes a string"},
};

static void
test_results(void)
{
	struct buf text = BUF_INIT;
	struct buf out = BUF_INIT;
	struct program *p = load_choice("", results, COUNT(results), "");

	for (size_t i = 0; p && i < COUNT(results); i++) {
		buf_reset(&text);
		buf_addf(&text,
		    "{\"primary\":{\"i\":%zu,\"s3cret\":\"hunter2\"}}", i);
		desired(p, buf_str(&text), &out);
		is_quoted(buf_str(&out), results[i].result, results[i].what);
		desired(p, buf_str(&text), &out);
		is_quoted(buf_str(&out), results[i].result, "and once more");
	}
	program_free(p);
	buf_release(&text);
	buf_release(&out);
}

/* Calls another function: "" if its result is as expected, else the result. */
static void
call(struct program *p, enum program_call c, const char *input, struct buf *out)
{
	struct program_finalize f;
	struct program_requeue r;
	struct err err = ERR_INIT;
	bool settled;
	jv value = jv_invalid();
	int rc;

	buf_reset(out);
	switch (c) {
	case PROGRAM_STATUS:
		rc = program_status(p, whole(input), "T n/x", &value, &err);
		break;
	case PROGRAM_EVENTS:
		rc = program_events(p, whole(input), "T n/x", &value, &err);
		break;
	case PROGRAM_SETTLED:
		rc = program_settled(p, whole(input), "T n/x", &settled, &err);
		value = jv_bool(settled);
		break;
	case PROGRAM_REQUEUE:
		rc = program_requeue(p, whole(input), "T n/x", &r, &err);
		buf_addf(out, "%d %llu %lld ", (int)r.when,
		    (unsigned long long)r.after_ms, (long long)r.at_us);
		break;
	case PROGRAM_FINALIZE:
		rc = program_finalize(p, whole(input), "T n/x", &f, &err);
		if (rc != 0)
			break;
		buf_addf(
		    out, "%zu items, done %d, delete ", f.items.count, f.done);
		value = jv_copy(f.delete_);
		program_finalize_release(&f);
		break;
	default:
		rc = program_map(p, whole(input), &value, &err);
		break;
	}
	if (rc != 0) {
		buf_reset(out);
		buf_addf(out, "error: %s", err.message);
	} else if (!jv_is_valid(value)) {
		buf_adds(out, "none");
	} else {
		jvtext_add(out, value, &err);
	}
	jv_free(value);
}

static const struct {
	const char *what;
	enum program_call call;
	const char *text, *result;
} calls[] = {
    {"status", PROGRAM_STATUS, "def status: {a: .primary.n};", "{'a':1}"},
    {"no status", PROGRAM_STATUS, "", "none"},
    {"null status", PROGRAM_STATUS, "def status: null;", "none"},
    {"empty status", PROGRAM_STATUS, "def status: empty;", "none"},
    {"status of another type", PROGRAM_STATUS, "def status: [1];",
	"error: p.jq:1: status gives an array, not an object"},
    {"two statuses", PROGRAM_STATUS, "def status: {}, {};",
	"error: p.jq:1: status gives more than one result"},
    {"failing status", PROGRAM_STATUS, "def status: {a: (1 | .b)};",
	"error: p.jq:1: status: Cannot index number with string 'b'"},
    {"a second result that fails", PROGRAM_STATUS,
	"def status: {}, error('no');", "error: no"},
    {"settled", PROGRAM_SETTLED, "def settled: .primary.n == 1;", "true"},
    {"not settled", PROGRAM_SETTLED, "def settled: .primary.n == 2;", "false"},
    {"without settled", PROGRAM_SETTLED, "", "true"},
    {"settled of another type", PROGRAM_SETTLED, "def settled: null;",
	"error: p.jq:1: settled gives neither true nor false"},
    {"settled without result", PROGRAM_SETTLED, "def settled: empty;",
	"error: p.jq:1: settled gives neither true nor false"},
    {"requeue after seconds", PROGRAM_REQUEUE, "def requeue: 1.5;",
	"1 1500 0 none"},
    {"requeue at once", PROGRAM_REQUEUE, "def requeue: -3;", "1 0 0 none"},
    {"requeue at a time", PROGRAM_REQUEUE,
	"def requeue: '1970-01-01T00:00:01Z';", "2 0 1000000 none"},
    {"no requeue", PROGRAM_REQUEUE, "def requeue: null;", "0 0 0 none"},
    {"without requeue", PROGRAM_REQUEUE, "", "0 0 0 none"},
    {"requeue with a bad time", PROGRAM_REQUEUE, "def requeue: 'soon';",
	"error: p.jq:1: requeue gives a text that is not an RFC 3339 time "
	"(seconds are a number)"},
    {"requeue with an object", PROGRAM_REQUEUE, "def requeue: {};",
	"error: p.jq:1: requeue gives neither seconds nor an RFC 3339 time"},
    {"requeue never", PROGRAM_REQUEUE, "def requeue: infinite;",
	"error: p.jq:1: requeue gives no sensible number"},
    {"requeue nan", PROGRAM_REQUEUE, "def requeue: nan;",
	"error: p.jq:1: requeue gives no sensible number"},
    {"events", PROGRAM_EVENTS,
	"def events: [{type: 'Normal', reason: 'A', message: 'b'}];",
	"[{'message':'b','reason':'A','type':'Normal'}]"},
    {"without events", PROGRAM_EVENTS, "", "[]"},
    {"events of another type", PROGRAM_EVENTS, "def events: {};",
	"error: p.jq:1: events gives an object, not an array"},
    {"a bad event", PROGRAM_EVENTS,
	"def events: [{type: 'Loud', reason: 'A', message: 'b'}];",
	NOT_AN_EVENT},
    {"an event of another component", PROGRAM_EVENTS,
	"def events: [{type: 'Normal', reason: 'A', message: 'b', component: "
	"'c'}];",
	"[{'component':'c','message':'b','reason':'A','type':'Normal'}]"},
    {"an event of a bad component", PROGRAM_EVENTS,
	"def events: [{type: 'Normal', reason: 'A', message: 'b', component: "
	"1}];",
	NOT_AN_EVENT},
    {"an event about a write", PROGRAM_EVENTS,
	"def events: [{type: 'Normal', reason: 'A', message: 'b', object: "
	"'c', failure: {reason: 'D', message: ''}}];",
	"[{'failure':{'message':'','reason':'D'},'message':'b','object':'c',"
	"'reason':'A','type':'Normal'}]"},
    {"... of no object", PROGRAM_EVENTS,
	"def events: [{type: 'Normal', reason: 'A', message: 'b', failure: "
	"{reason: 'D', message: ''}}];",
	NOT_AN_EVENT},
    {"... with a failure without a reason", PROGRAM_EVENTS,
	"def events: [{type: 'Normal', reason: 'A', message: 'b', object: "
	"'c', failure: {message: 'e'}}];",
	NOT_AN_EVENT},
    {"finalize", PROGRAM_FINALIZE,
	"def finalize: {items: [" OBJ("'a'") "], delete: [" OBJ(
	    "'b'") "],"
		   "done: false};",
	"1 items, done 0, delete [{'apiVersion':'v1','kind':'C',"
	"'metadata':{'name':'b'}}]"},
    {"short finalize", PROGRAM_FINALIZE, "def finalize: {done: true};",
	"0 items, done 1, delete []"},
    {"finalize without done", PROGRAM_FINALIZE, "def finalize: {items: []};",
	"error: p.jq:1: finalize: .done is neither true nor false"},
    {"finalize with more", PROGRAM_FINALIZE,
	"def finalize: {done: true, deletes: []};",
	"error: p.jq:1: finalize gives more than {items, delete, done}"},
    {"finalize of another type", PROGRAM_FINALIZE, "def finalize: [];",
	"error: p.jq:1: finalize gives no object {items, delete, done}"},
    {"finalize with bad items", PROGRAM_FINALIZE,
	"def finalize: {items: {}, done: true};",
	"error: p.jq:1: finalize: .items is not an array"},
    {"finalize with a bad delete", PROGRAM_FINALIZE,
	"def finalize: {delete: [1], done: true};",
	"error: p.jq:1: finalize: object 0 to delete is not an object"},
    {"finalize with no list to delete", PROGRAM_FINALIZE,
	"def finalize: {delete: 1, done: true};",
	"error: p.jq:1: finalize: .delete is not an array"},
    {"two functions", PROGRAM_STATUS,
	"def settled: true; def status: {}; def requeue: 1;", "{}"},
};

static void
test_calls(void)
{
	struct buf text = BUF_INIT;
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < COUNT(calls); i++) {
		struct err err = ERR_INIT;
		struct program *p;

		buf_reset(&text);
		if (skip(i))
			continue;
		buf_addf(&text, "def desired: []; %s", calls[i].text);
		quote(&text);
		p = load(buf_str(&text), &err);
		if (p == NULL) {
			is(err.message, "", calls[i].what);
			continue;
		}
		ok(program_defines(p, calls[i].call) ==
			(calls[i].text[0] != '\0'),
		    "knows what is defined");
		call(p, calls[i].call, "{\"primary\":{\"n\":1}}", &out);
		is_quoted(buf_str(&out), calls[i].result, calls[i].what);
		program_free(p);
	}
	buf_release(&text);
	buf_release(&out);
}

static const struct expression maps[] = {
    {"map", "[{namespace: .metadata.namespace, name: 'x'}]",
	"[{'name':'x','namespace':'n'}]"},
    {"map to all of nothing", "[]", "[]"},
    {"map without a namespace", "[{name: 'x'}]",
	"[{'name':'x','namespace':''}]"},
    {"map with definitions", "def f: [{name: 'x'}]; f # end",
	"[{'name':'x','namespace':''}]"},
    {"map to something else", "{}",
	"error: w.yaml:7: map gives no array of {namespace, name}"},
    {"map to nothing", "empty",
	"error: w.yaml:7: map gives no array of {namespace, name}"},
    {"map without a name", "[{namespace: 'x'}]",
	"error: w.yaml:7: map: item 0 is not {namespace, name}"},
    {"failing map", "[1 | .a]",
	"error: w.yaml:7:1: map: Cannot index number with string 'a'"},
    {"impure map", "[now]", "w.yaml:7:1: now is not pure: use .now"},
    {"broken map", "[", "w.yaml:7:1: a bracket is not closed"},
    {"map that closes more", "1) | (2",
	"w.yaml:7:1: a bracket closes that was not open"},
    {"map with an unknown function", "\n[foo]",
	"w.yaml:7:2: foo/0 is not defined"},
};

static void
test_maps(void)
{
	struct buf text = BUF_INIT, out = BUF_INIT;

	for (size_t i = 0; i < COUNT(maps); i++) {
		struct err err = ERR_INIT;
		struct program *p;

		if (skip(i))
			continue;
		buf_reset(&text);
		buf_adds(&text, maps[i].text);
		quote(&text);
		p = program_load_expression(
		    "w.yaml:7", buf_str(&text), &options, &err);
		if (p == NULL) {
			is_quoted(err.message, maps[i].result, maps[i].what);
			continue;
		}
		call(p, PROGRAM_MAP, "{\"metadata\":{\"namespace\":\"n\"}}",
		    &out);
		is_quoted(buf_str(&out), maps[i].result, maps[i].what);
		program_free(p);
	}
	buf_release(&text);
	buf_release(&out);
}

static void
tests(void)
{
	test_values();
	test_results();
	test_calls();
	test_maps();
}

int
main(void)
{
	return program_tests(tests);
}
