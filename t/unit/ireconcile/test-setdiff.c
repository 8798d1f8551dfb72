/* setdiff, told: where two decisions differ, and what is told of it. */
#include "against/setdiff.h"

#include <stdlib.h>
#include <string.h>

#include "against/told.h"
#include "base/array.h"
#include "json/jvtext.h"
#include "tap.h"

static jv
parse(const char *text)
{
	struct err err = ERR_INIT;

	return text == NULL ? jv_invalid() : jvtext_parse(span_str(text), &err);
}

/* "PATH=BEFORE>AFTER" of each, separated by blanks. */
static void
spell(struct buf *b, const struct setdiff_fields *d)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct setdiff_field *f = &d->fields[i];

		buf_addf(b, "%s%s=%s>%s", b->len ? " " : "", f->path,
		    f->before ? f->before : "", f->after ? f->after : "");
	}
}

#define DE "\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\""
#define POD(x) "{" DE ",\"spec\":{\"template\":{\"spec\":" x "}}}"
#define NOTES(x) "{" DE ",\"metadata\":{\"annotations\":{" x "}}}"

static const struct value_case {
	const char *what, *before, *after, *want;
	enum setdiff_values shown;
} value_cases[] = {
    {"equal", "{\"a\":[1,{\"b\":2}]}", "{\"a\":[1,{\"b\":2}]}", "",
	SETDIFF_VALUES},
    {"a value", "{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":3}", ".b=2>3",
	SETDIFF_VALUES},
    {"only before", "{\"a\":1,\"b\":{\"c\":2}}", "{\"a\":1}", ".b={\"c\":2}>",
	SETDIFF_VALUES},
    {"only after", "{\"b\":1}", "{\"a\":null,\"b\":1}", ".a=>null",
	SETDIFF_VALUES},
    {"in order of keys", "{\"c\":1,\"a\":1}", "{\"b\":1,\"a\":2}",
	".a=1>2 .b=>1 .c=1>", SETDIFF_VALUES},
    {"another type", "{\"a\":{}}", "{\"a\":[]}", ".a={}>[]", SETDIFF_VALUES},
    {"a list by index", "{\"a\":[1,2]}", "{\"a\":[1,3,4]}",
	".a[1]=2>3 .a[2]=>4", SETDIFF_VALUES},
    {"a list by key",
	POD("{\"containers\":[{\"name\":\"a\",\"image\":\"x\"},"
	    "{\"name\":\"b\"}]}"),
	POD("{\"containers\":[{\"name\":\"c\"},"
	    "{\"name\":\"a\",\"image\":\"y\"}]}"),
	".spec.template.spec.containers[name=a].image=\"x\">\"y\" "
	".spec.template.spec.containers[name=b]={\"name\":\"b\"}> "
	".spec.template.spec.containers[name=c]=>{\"name\":\"c\"}",
	SETDIFF_VALUES},
    {"a quantity",
	POD("{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":"
	    "{\"cpu\":\"1\",\"memory\":\"1Gi\"}}}]}"),
	POD("{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":"
	    "{\"cpu\":\"1000m\",\"memory\":\"2Gi\"}}}]}"),
	".spec.template.spec.containers[name=a].resources.limits.memory="
	"\"1Gi\">\"2Gi\"",
	SETDIFF_VALUES},
    {"marks that follow",
	NOTES("\"kpipe.dev/paths\":\"a\",\"kpipe.dev/proof\":\"b\","
	      "\"kpipe.dev/patch-1\":\"c\",\"x\":\"1\""),
	NOTES("\"kpipe.dev/paths\":\"d\",\"x\":\"2\""),
	".metadata.annotations.x=\"1\">\"2\"", SETDIFF_VALUES},
    {"a mark that counts", NOTES("\"kpipe.dev/retain\":\"true\""), NOTES(""),
	".metadata.annotations[\"kpipe.dev/retain\"]=\"true\">",
	SETDIFF_VALUES},
    {"times of conditions", "{\"c\":[{\"lastTransitionTime\":\"a\"}]}",
	"{\"c\":[{\"lastTransitionTime\":\"b\"}]}", "", SETDIFF_VALUES},
    {"paths only", "{\"a\":1}", "{\"a\":2}", ".a=>", SETDIFF_PATHS},
    {"no texts", "{\"a\":1,\"b\":\"x\",\"c\":{\"d\":\"x\"}}",
	"{\"a\":2,\"b\":3,\"c\":4}", ".a=1>2 .b=> .c=>", SETDIFF_NO_TEXTS},
};

static void
test_values(void)
{
	for (size_t i = 0; i < COUNT(value_cases); i++) {
		const struct value_case *c = &value_cases[i];
		jv before = parse(c->before), after = parse(c->after);
		struct setdiff_fields d = {NULL, 0, 0};
		struct buf got = BUF_INIT;

		setdiff_add_fields(&d, NULL, before, after, c->shown);
		spell(&got, &d);
		is(buf_str(&got), c->want, c->what);
		setdiff_release_fields(&d);
		buf_release(&got);
		jv_free(before);
		jv_free(after);
	}
}

static void
test_limits(void)
{
	struct buf text = BUF_INIT;
	struct setdiff_fields d = {NULL, 0, 0};
	jv before = jv_array(), after;

	buf_adds(&text, "[");
	for (int i = 0; i < SETDIFF_MOST + 7; i++)
		buf_addf(&text, "%s%d", i > 0 ? "," : "", i);
	buf_adds(&text, "]");
	after = parse(buf_str(&text));
	setdiff_add_fields(&d, NULL, before, after, SETDIFF_VALUES);
	ok(d.count == SETDIFF_MOST && d.more == 7, "more are counted");
	setdiff_release_fields(&d);
	jv_free(after);
	buf_reset(&text);
	buf_addc(&text, '"');
	for (int i = 0; i < SETDIFF_LONGEST; i++)
		buf_adds(&text, "\xc3\xa4");
	buf_addc(&text, '"');
	after = parse(buf_str(&text));
	setdiff_add_fields(&d, "m", before, after, SETDIFF_VALUES);
	is(d.fields[0].path, ".m", "a member has its name");
	ok(strlen(d.fields[0].after) <= SETDIFF_LONGEST + 3 &&
		strcmp(d.fields[0].after + strlen(d.fields[0].after) - 5,
		    "\xc3\xa4...") == 0,
	    "a long value is cut between characters");
	setdiff_release_fields(&d);
	jv_free(before);
	jv_free(after);
	buf_release(&text);
}

#define LINE(items, rest) \
	"{\"items\":[" items "],\"reconcile\":{\"manager\":\"m\"" rest "}}"
#define MAP(name, value)                               \
	"{\"apiVersion\":\"v1\",\"kind\":\"Service\"," \
	"\"metadata\":{\"namespace\":\"d\",\"name\":\"" name "\"}," value "}"
#define ID(name)                                                 \
	"{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"namespace\":" \
	"\"d\",\"name\":\"" name "\",\"uid\":\"u\"}"

/* NULL: the primary is not there; "!": it failed with the rest as message. */
static const struct line_case {
	const char *what, *before, *after, *want;
} line_cases[] = {
    {"the same line", LINE(MAP("a", "\"x\":1"), ""),
	LINE(MAP("a", "\"x\":1"), ""), ""},
    {"items", LINE(MAP("b", "\"x\":1") "," MAP("a", "\"x\":1"), ""),
	LINE(MAP("b", "\"x\":2") "," MAP("c", "\"x\":1"), ""),
	"item Service/d/a only-before;item Service/d/b differs .x=1>2;"
	"item Service/d/c only-after;"},
    {"how an item is written", LINE(MAP("a", "\"x\":1"), ""),
	LINE(MAP("a", "\"x\":1"),
	    ",\"once\":[\"Service/d/a\"],\"asSeen\":[\"Service/d/b\"],"
	    "\"patch\":{\"Service/d/a\":\"hold\"}"),
	"item Service/d/a differs .reconcile.once=>true "
	".reconcile.patch=>\"hold\";"},
    {"deletes", LINE("", ",\"delete\":[" ID("a") "," ID("b") "]"),
	LINE("", ",\"delete\":[" ID("b") "," ID("c") "]"),
	"delete Pod/d/a only-before;delete Pod/d/c only-after;"},
    {"a release", LINE("", ""), LINE("", ",\"release\":[" ID("a") "]"),
	"release Pod/d/a only-after;"},
    {"a status", LINE("", ",\"status\":{\"a\":1}"),
	LINE("", ",\"status\":{\"a\":2}"),
	"status P/d/p differs .status.a=1>2;"},
    {"the rest", LINE("", ",\"finalizers\":{\"add\":[\"f\"]}"), LINE("", ""),
	"reconcile P/d/p differs .finalizers={\"add\":[\"f\"]}>;"},
    {"what was observed does not count", LINE("", ""),
	LINE("",
	    ",\"known\":{\"a\":null},\"because\":{},\"loops\":{},"
	    "\"vacated\":[\"a\"],\"onError\":{\"a\":1}"),
	""},
    {"a failure", LINE(MAP("a", "\"x\":1"), ""), "!no",
	"failure P/d/p differs .error=>\"no\";"},
    {"two failures", "!yes", "!no",
	"failure P/d/p differs .error=\"yes\">\"no\";"},
    {"the same failure", "!no", "!no", "failure P/d/p not-compared;"},
    {"only before", LINE("", ""), NULL, "primary P/d/p only-before;"},
    {"only after", NULL, LINE("", ""), "primary P/d/p only-after;"},
    {"in neither", NULL, NULL, ""},
};

static struct setdiff_side
side_of(const char *text)
{
	bool failed = text != NULL && *text == '!';

	return (struct setdiff_side){text != NULL, failed ? text + 1 : NULL,
	    text == NULL ? SPAN_NONE
		: failed ? span_str(LINE("", ""))
			 : span_str(text)};
}

static void
test_lines(void)
{
	for (size_t i = 0; i < COUNT(line_cases); i++) {
		const struct line_case *c = &line_cases[i];
		struct setdiff_side before = side_of(c->before);
		struct setdiff_side after = side_of(c->after);
		struct buf got = BUF_INIT, fields = BUF_INIT;
		struct setdiff s;

		setdiff_make(&s, "P/d/p", &before, &after, false);
		for (size_t n = 0; n < s.count; n++) {
			buf_reset(&fields);
			spell(&fields, &s.objects[n].fields);
			buf_addf(&got, "%s %s %s%s%s;",
			    setdiff_part_name(s.objects[n].part),
			    s.objects[n].object,
			    setdiff_how_name(s.objects[n].how),
			    fields.len > 0 ? " " : "", buf_str(&fields));
		}
		is(buf_str(&got), c->want, c->what);
		setdiff_release(&s);
		buf_release(&got);
		buf_release(&fields);
	}
}

/* Appends what is told of these two lines. */
static void
tell(struct told_list *t, const char *before, const char *after,
    struct buf *lines)
{
	const struct told_about about = {"P/d/p", SPAN_NONE, NULL};
	struct setdiff_side b = side_of(before), a = side_of(after);
	struct setdiff s;

	buf_reset(lines);
	setdiff_make(&s, "P/d/p", &b, &a, false);
	told_update(t, &s, TOLD_TEXT, &about, lines);
	setdiff_release(&s);
}

static void
test_told(void)
{
	struct told_list t = {NULL, 0};
	struct buf lines = BUF_INIT;
	const char *one = LINE(MAP("a", "\"x\":1"), "");
	const char *two = LINE(MAP("a", "\"x\":2") "," MAP("b", "\"x\":1"), "");

	tell(&t, one, two, &lines);
	is(buf_str(&lines),
	    "P d/p\n  Service d/a\n    .x: 1 -> 2\n+ Service d/b\n",
	    "differences are told");
	tell(&t, one, two, &lines);
	is(buf_str(&lines), "", "... once");
	tell(&t, one, LINE(MAP("a", "\"x\":2"), ""), &lines);
	is(buf_str(&lines), "P d/p\n  Service d/b agrees again\n",
	    "... and the end of each");
	tell(&t, one, LINE(MAP("a", "\"x\":3"), ""), &lines);
	is(buf_str(&lines), "P d/p\n  Service d/a\n    .x: 1 -> 3\n",
	    "... and another one");
	tell(&t, one, one, &lines);
	is(buf_str(&lines), "P d/p\n  Service d/a agrees again\n",
	    "... at last");
	ok(t.count == 0, "... and nothing is remembered");
	tell(&t, one, LINE(MAP("a\\u001b", "\"x\":3"), ""), &lines);
	is(buf_str(&lines), "P d/p\n- Service d/a\n+ Service d/a\\x1b\n",
	    "what cannot be seen is escaped");
	told_release(&t);
	buf_release(&lines);
}

int
main(void)
{
	test_values();
	test_limits();
	test_lines();
	test_told();
	return tap_done();
}
