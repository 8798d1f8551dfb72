/* Into which members a program looks. */
#include "language/looks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "tap.h"

/* An expression, and whether it looks into `data`. */
static const struct {
	const char *text;
	bool looks;
} cases[] = {
    {"{data}", false},
    {"{a: .data}", false},
    {"{a: .related.Secret[0].data.k, b: 1}", false},
    {"{a: named(.related.Secret; \"s\").data[\"k\"]}", false},
    {"{a: $secret.data}", false},
    {"{a: (.x.data)}", false},
    {"{a: \"ftp://\\(.x.data.k)@h\"}", false},
    {"{a: (\"x\" + .x.data.k + \"y\" | @base64)}", false},
    {"{data: \"x\", name: \"data\"}", false},
    {".metadata.name", false},
    {".data", true},
    {".data.k == \"prod\"", true},
    {"\"prod\" == .data.k", true},
    {"{a: (.data.k == \"prod\")}", true},
    {"{a: (if .data.k then 1 else 2 end)}", true},
    {"{a: .data | length}", true},
    {"{a: (.data.k | @base64d)}", true},
    {"{a: f(.data.k)}", true},
    {"{a: .x[.data.k]}", true},
    {"{a: [.data.k]}", true},
    {".data as $d | $d", true},
    {". as {data: $d} | $d", true},
    {". as {a: {$data}} | $data", true},
    {".[\"data\"]", true},
    {"getpath([\"data\", \"k\"])", true},
    {"has(\"data\")", true},
    {"{data} | compact", false},
    {"[{a: .data}] | map(if .kind == \"A\" then . else keep(.) end)", false},
    {". + [{a: .data} * {b: 1}]", false},
    {"[config_map(\"a\"; {}; {a: .data})]", false},
    {"{a: .data} | .b == \"prod\"", false},
    {"{a: .data} | .a == \"prod\"", true},
    {"{a: {b: .data}} | .a == {b: 1}", true},
    {"{a: .data} == {a: 1}", true},
    {"{a: .data} as $o | $o", true},
    {"{a: .data} | tojson", true},
    {"{a: .data} | .[]", true},
    {"{a: .data} | . == {a: 1}", true},
    {"{a: .data} | @json", true},
    {"{a: .data} | \"\\(.)\"", true},
    {"{a: .data}[\"a\"] == 1", true},
    {"{a: (.x | .data)}", false},
    {"{a: (.x | .data == 1)}", true},
    {"{(.data): 1}", true},
    {"f({a: .data})", true},
    {"def keep(f): f == {a: 1}; keep({a: .data})", true},
    {"def keep: . == {a: 1}; {a: .data} | keep", true},
    {"[{a: .data}] | map(.a) | index(1)", true},
    {"{a: .data} | map_values(. == 1)", true},
    {"\"\\(.data)\" == \"prod\"", true},
    {"\"a\\(.x)b\\(.data)\" | test(\"prod\")", true},
    {"{a: \"a\\(.x)b\\(.data)c\\(.y)\"}", false},
    {"def o: {a: .data}; o", false},
    {"def o: {a: .data}; {b: o.a}", false},
    {"def o: {a: .data}; o.a == 1", true},
    {"def o: {a: .data}; o | .a == 1", true},
    {"def o: {a: .data}; o == {a: 1}", true},
    {"def o: {a: .data}; o | to_entries", true},
    {"def o: {a: {b: .data}}; def p: {c: o}; p.c.a == {b: 1}", true},
    {"def o: .data; o | startswith(\"p\")", true},
    {"def o: \"x://\\(.data)@h\"; o == \"x://prod@h\"", true},
    {"def o: [\"-p\", .data]; o == [\"-p\", \"prod\"]", true},
    {"def o: 1; [{a: .data}]", false},
    {"def o($data): 1; {a: .data}", false},
    {"{a: .data?}", true},
    {"{a: (.b, .data)}", false},
    {"{a: \"\\(.b, .data)\"}", true},
};

/* The same of the whole object `spec`. */
static const struct {
	const char *text;
	bool inspects;
} objects[] = {
    {".spec.a", false},
    {".spec | .a == 1", false},
    {".spec | {a}", false},
    {".spec != null", false},
    {".spec | select(.a == 1) | {b}", false},
    {".spec == {a: 1}", true},
    {".spec | tojson", true},
    {".spec | select(.a == 1) | to_entries", true},
    {".spec | [.[]]", true},
    {".spec | map(. == 1)", true},
    {".spec | .[$k]", true},
    {"[.spec[]]", true},
    {".spec[$k] == 1", true},
    {".spec[\"a\"]", false},
    {"f(.spec)", true},
    {".spec as $s | $s.a", false},
    {".spec as $s | $s | tojson", true},
    {"(.spec) as $s | $s == 1", true},
    {"def o: .spec; o.a", false},
    {"def o: .spec; o | contains({})", true},
    {"def o($x): .spec; o(1) | tojson", true},
    {"def o($spec): 1; .spec.a", false},
    {"f(1 + .spec)", true},
    {".spec | .a, tojson", false},
};

static bool
finds(const char *text, const char *name, bool whole)
{
	struct source s;
	struct looks looks;
	struct err err = ERR_INIT;
	bool found;

	source_init(&s);
	textlist_init(&looks.members);
	textlist_init(&looks.wholes);
	if (source_add_expression(&s, "test", text, &err) != 0)
		exit(1);
	looks_find(&looks, &s);
	found = textlist_has(
	    whole ? &looks.wholes : &looks.members, name, strlen(name));
	textlist_release(&looks.members);
	textlist_release(&looks.wholes);
	source_release(&s);
	return found;
}

int
main(void)
{
	for (size_t i = 0; i < COUNT(cases); i++)
		ok(finds(cases[i].text, "data", false) == cases[i].looks,
		    cases[i].text);
	for (size_t i = 0; i < COUNT(objects); i++)
		ok(finds(objects[i].text, "spec", true) == objects[i].inspects,
		    objects[i].text);
	ok(finds("[.. | strings]", "..", true), "everything");
	return tap_done();
}
