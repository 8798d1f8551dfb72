/* Which members of its input a function may see. */
#include "language/sees.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "tap.h"

/* "everything", or the members, sorted; with the kinds of owned, * for all. */
static void
say(const struct sees *sees, struct buf *out)
{
	static const char *const members[] = {"error", "loops", "now",
	    "operator", "outstanding", "owned", "primary", "related"};
	static const char *const kinds[] = {"Deployment", "Pod", "Role.apps"};

	if (sees->everything) {
		buf_adds(out, "everything");
		return;
	}
	for (size_t i = 0; i < COUNT(members); i++) {
		if (!sees_member(sees, members[i]))
			continue;
		buf_addf(out, "%s%s", out->len ? " " : "", members[i]);
		if (strcmp(members[i], "owned") != 0)
			continue;
		for (size_t k = 0; k < COUNT(kinds); k++)
			if (!sees->all_owned && sees_owned(sees, kinds[k]))
				buf_addf(out, ".%s", kinds[k]);
		if (sees->all_owned)
			buf_adds(out, ".*");
	}
}

/* The body of `status`, behind these definitions. */
static const struct {
	const char *defs, *body, *sees;
} cases[] = {
    {"", "null", ""},
    {"", "{a: 1, \"b\": [2, \"c\"]}", ""},
    {"", "{nodes: [.owned.Pod[].metadata.name] | sort}", "owned.Pod"},
    {"", ".primary.error", "primary"},
    {"", ".[\"primary\"]", "primary"},
    {"", ".\"primary\".now", "primary"},
    {"", ".owned[\"Role.apps\"][] | .now", "owned.Role.apps"},
    {"", ".owned.\"Pod\"", "owned.Pod"},
    {"", ".owned", "owned.*"},
    {"", ".owned[]", "owned.*"},
    {"", ".owned?.Pod", "owned.*"},
    {"", ".owned[.primary.kind]", "owned.* primary"},
    {"", ".owned | .Pod", "owned.*"},
    {"", "{error, a: .now}", "error now"},
    {"", "{\"error\"}", "error"},
    {"", "{\"err\\u006fr\"}", "everything"},
    {"", "{\"e\\(1)\"}", "everything"},
    {"", "{\"e\\(1 | .)\": .now}", "now"},
    {"", "{a: 1 | ., error}", "error"},
    {"", "{(.now | tostring): .error}", "error now"},
    {"", "{owned}", "owned.*"},
    {"", ".[\"err\\u006fr\"]", "everything"},
    {"", ".\"e\\(1)\"", "everything"},
    /* the whole */
    {"", ".", "everything"},
    {"", "[.]", "everything"},
    {"", "{a: .}", "everything"},
    {"", "\"\\(.)\"", "everything"},
    {"", "\"\\(.now)\"", "now"},
    {"", "@json", "everything"},
    {"", "@json \"\\(.now)\"", "now"},
    {"", "format(\"json\")", "everything"},
    {"", ".now | format(\"json\")", "now"},
    {"", "tojson", "everything"},
    {"", "keys", "everything"},
    {"", ".[]", "everything"},
    {"", ".[.now]", "everything"},
    {"", "..", "everything"},
    {"", ".. | .error", "everything"},
    {"", "to_entries", "everything"},
    {"", "getpath([\"error\"])", "everything"},
    {"", "with_entries(.)", "everything"},
    {"", "map(1)", "everything"},
    {"", "map_values(1)", "everything"},
    {"", "select(.now) | length", "everything"},
    {"", "del(.now)", "everything"},
    {"", ".now = 1", "everything"},
    {"", ".now |= 1", "everything"},
    {"", ".now += 1 | .error", "everything"},
    {"", ".now == 1 and .error != 2 or .loops <= 3", "error loops now"},
    {"", "debug", "everything"},
    {"", "debug(.now)", "everything"},
    {"", "error", "everything"},
    {"", "error(.now)", "now"},
    {"", "recurse", "everything"},
    {"", "has(\"error\")", "everything"},
    {"", "length", "everything"},
    {"", "first(.)", "everything"},
    {"", ". // 1", "everything"},
    {"", "(.).error", "everything"},
    {"", "empty // .error", "error"},
    {"", "try . catch .", "everything"},
    {"", ".error?", "error"},
    {"", ".error? // .now", "error now"},
    {"", "reduce .owned.Pod[] as $p (.; 1)", "everything"},
    /* behind a pipe */
    {"", ".now | .", "now"},
    {"", ".now | tojson | keys | .[] | .error", "now"},
    {"", "(.now | .error), .loops", "loops now"},
    {"", ".now | .error, .loops", "now"},
    {"", "[.now | .error] + .loops", "loops now"},
    {"", "{a: .now | .error, b: .loops}", "loops now"},
    {"", "if .now | . then .error else .loops end", "error loops now"},
    {"", "if .now then .error elif .a | . then . else 1 end", "everything"},
    {"", "if 1 then .now | .error else . end", "everything"},
    {"", "if (if .now | . then 1 else 2 end) then . else 1 end", "everything"},
    {"", ".now | if . then . else .error end", "now"},
    {"", "if .now then 1 end", "everything"},
    {"", "if .now then 1 elif .error then 2 end", "everything"},
    {"", "if (if .now then 1 else 2 end) then 1 end", "everything"},
    {"", "if (if .now then 1 end) then 1 else 2 end", "everything"},
    {"", ".now | if . then 1 end", "now"},
    {"", "{a: if .now then 1, .error else 2 end}", "error now"},
    {"", "{a: if 1 then 2, if .now | . then . else 3 end else . end}",
	"everything"},
    {"", "{a: if 1 then 2, if 3 then .now | . else 4 end else .error end}",
	"error now"},
    {"", "{a: if 1 then 2, if .now then 3 end else 4 end}", "everything"},
    {"", "{a: if 1 then 2, def f: .now; f else 3 end}", "everything"},
    {"", "{a: if 1 then 2 else .now end, error}", "error now"},
    {"", "(if .now then 1 else 2 end | .error), .loops", "loops now"},
    {"", "limit(1; .now | .error) | .loops", "now"},
    {"", "limit(1 | .; .error)", "error"},
    {"", "any(.owned.Pod[]; .error)", "owned.Pod"},
    {"", "all(.owned.Pod[] | .a; keys) | not", "owned.Pod"},
    {"", "first(.owned.Pod[])", "owned.Pod"},
    {"", "[range(.now; .loops)]", "loops now"},
    {"", "reduce .owned.Pod[] as $p (.now; . + $p.error)", "now owned.Pod"},
    {"", "[foreach .owned.Pod[] as $p (0; . + 1; [., $p])]", "owned.Pod"},
    {"", "1 as $x | .error", "error"},
    {"", ".now as [$a, {b: $c}] | .error", "error now"},
    {"", "label $out | .error", "error"},
    {"", ".now | label $out | .error", "now"},
    {"", ".now as $x | . ", "everything"},
    {"", ".now | . as $x | .error", "now"},
    {"", "{if: .now, def: .error, as: 1} | .", "error now"},
    {"", "-.now", "now"},
    {"", ".now * .error % .loops", "error loops now"},
    /* variables */
    {"", ". as $in | $in.now", "now"},
    {"", ". as $in | .error | $in.owned.Pod", "error owned.Pod"},
    {"", ". as $in | .error | $in[\"now\"] | $in.\"loops\"", "error loops now"},
    {"", ". as $in | .error | $in", "everything"},
    {"", ". as $in | .error | {$in}", "everything"},
    {"", ". as $in | .error | [$in[]]", "everything"},
    {"", ". as $in | .error | $in | .now", "everything"},
    {"", ". as $in | .error | $in[\"a\", \"b\"]", "everything"},
    {"", ". as $in | 1 | try ($in.a |= 1) catch .", "everything"},
    {"def f: try 1 catch .;", ". as $in | 1 | $in.now", "everything"},
    {"", ". as {now: $x, $error, \"loops\": $y} | $x", "error loops now"},
    {"", ". as {owned: {Pod: $x}} | $x", "owned.*"},
    {"", ". as {(\"now\"): $x} | $x", "everything"},
    {"", ". as [$x] | $x", "everything"},
    {"", ".primary as {metadata: {$name}} | $name", "primary"},
    {"", "reduce . as $x (0; $x.now)", "now"},
    {"", "reduce try . as {now: $x} (0; $x)", "everything"},
    {"", "1 + . as $x | $x.now", "everything"},
    {"", "$__loc__ as $in | . as $x | $x.now, $in.a", "now"},
    {"", "{a: 1} as $in | $in | .now", ""},
    /* functions */
    {"def f: .now;", "f", "now"},
    {"def f: .now; def g: f;", ".error | g", "error"},
    {"def f: .now; def g: f;", "g, .error", "error now"},
    {"def f: keys;", "f", "everything"},
    {"def f: keys;", ".now | f", "now"},
    {"def f: keys;", "[.now | f], .error", "error now"},
    {"def f(g): g;", "f(.now)", "now"},
    {"def f(g): g;", "f(.)", "everything"},
    {"def f(g): .error | g;", "f(.now)", "error now"},
    {"def f($a): .error + $a;", "f(.now)", "error now"},
    {"def f($a; b): a + b;", "f(.now; .error)", "error now"},
    {"def f: 1; def f(x): .now;", "f", ""},
    {"def f: .now; def f: .error;", "f", "error"},
    {"def f: if .now then f else .error end;", "f", "error now"},
    {"def keys: .now;", "keys", "now"},
    {"def keys(a): a;", "keys", "everything"},
    {"def empty: .now;", "empty", "now"},
    {"", "def f: .now; f", "everything"},
    {"", ".now | def f: .; f", "everything"},
    {"def first(f): f | .;", "first(.now)", "now"},
    /* in C */
    {"", "_call(\"sha256\"; .error)", "error"},
    {"", "_call(\"random\"; [.error, 9])", "error primary"},
    {"", "_call(\"random_for\"; [.error, \"a\", 9])", "error primary"},
    {"", "_call(\"ran\" + \"dom\"; 1)", "primary"},
    {"", "_call(\"a\\u006eb\"; 1)", "primary"},
    {"", "1 | _call(.now; 1)", "primary"},
    {"def f: 1 | _call(\"random\"; .);", "1 | f", "primary"},
    {"def any(f; g): [f, g];", "any(.now; .error)", "error now"},
    {"def all(f; g): [f, g];", "all(.now; .error)", "error now"},
    {"def any(f; g; h): g;", "any(.now; .error; .loops)", "error loops now"},
    {"def f: any(.now; .error); def any(f; g): g;", "f", "now"},
    {"def any(f; g): if f then any(f; .error) else g end;", "any(.now; .loops)",
	"error loops now"},
};

static void
test_case(size_t i)
{
	struct source s;
	struct sees sees;
	struct err err = ERR_INIT;
	struct buf text = BUF_INIT, got = BUF_INIT;
	FILE *f = fopen("p.jq", "w");

	buf_addf(&text, "%s def status: %s;", cases[i].defs, cases[i].body);
	if (f == NULL || fputs(buf_str(&text), f) < 0 || fclose(f) != 0)
		printf("Bail out! cannot write p.jq\n");
	source_init(&s);
	if (source_add_file(&s, "p.jq", NULL, &err) != 0 ||
	    source_compose(&s, &err) != 0) {
		buf_adds(&got, err.message);
	} else {
		sees_find(&sees, &s, "status");
		say(&sees, &got);
		sees_release(&sees);
	}
	is(buf_str(&got), cases[i].sees, buf_str(&text));
	source_release(&s);
	buf_release(&text);
	buf_release(&got);
}

int
main(void)
{
	char dir[] = "/tmp/kpipe-sees.XXXXXX";

	if (mkdtemp(dir) == NULL || chdir(dir) != 0)
		return 1;
	for (size_t i = 0; i < COUNT(cases); i++)
		test_case(i);
	unlink("p.jq");
	rmdir(dir);
	return tap_done();
}
