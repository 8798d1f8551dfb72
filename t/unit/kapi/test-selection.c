/* selection: selectors, what they match, and how bad ones are refused (with
 * messages that were recorded from a real API server); the tokens of pages. */
#include "crd/crd.h"
#include "kinds/kinds.h"
#include "read/list.h"
#include "read/selection.h"

#include <inttypes.h>

#include "base/array.h"
#include "trees.h"

static struct crd_version car_version = {
    .selectable =
	(const struct span[]){{".spec.color", 11}, {".spec.doors", 11}},
    .selectable_count = 2};
static const struct crd crd = {.versions = &car_version, .version_count = 1};
static struct resource pods, maps, jobs, nodes, cars;

static void
set_up(void)
{
	pods.strategy = kinds_find(span_str(""), span_str("pods"));
	maps.strategy = kinds_find(span_str(""), span_str("configmaps"));
	nodes.strategy = kinds_find(span_str(""), span_str("nodes"));
	jobs.strategy = kinds_find(span_str("batch"), span_str("jobs"));
	pods.namespaced = maps.namespaced = jobs.namespaced = true;
	cars.strategy = &kinds_custom;
	cars.crd = &crd;
	car_version.resource = &cars;
}

/* "" if the selector is fine. */
static const char *
refused(const char *labels)
{
	struct selection s = {0};
	struct problem *p =
	    selection_labels_parse(&arena, span_str(labels), &s);

	return p == NULL ? "" : arena_str(&arena, p->message);
}

TEST(label_words)
{
	static const char *const cases[][2] = {
	    {"", ""},
	    {"a", ""},
	    {"!a", ""},
	    {"! a , b", ""},
	    {"a=b,c==d,e!=f", ""},
	    {"a in (b,c),d notin (e),x.y/z", ""},
	    {"a in (in,notin)", ""},
	    {"in in (in)", ""},
	    {"a=", ""},
	    {"a=,b", ""},
	    {"a in ()", ""},
	    {"a in (,)", ""},
	    {"a in (b,,c)", ""},
	    {"a>5", ""},
	    {"a<5", ""},
	    {"a===b",
		"unable to parse requirement: found '=', expected: "
		"identifier"},
	    {"a in b", "unable to parse requirement: found 'b' expected: '('"},
	    {"a in (b",
		"unable to parse requirement: found '', expected: ',' or "
		"')'"},
	    {"!",
		"unable to parse requirement: found '', expected: identifier"},
	    {"a,,b", "found ',', expected: identifier after ','"},
	    {"a=b=c", "found '=', expected: ',' or 'end of string'"},
	    {",x", "found ',', expected: !, identifier, or 'end of string'"},
	    {"x y",
		"unable to parse requirement: found 'y', expected: in, notin, "
		"=, ==, !=, gt, lt"},
	    {"x)",
		"unable to parse requirement: found ')', expected: in, notin, "
		"=, ==, !=, gt, lt"},
	    {"a in (b,c))", "found ')', expected: ',' or 'end of string'"},
	    {"a=!b",
		"unable to parse requirement: found '!', expected: "
		"identifier"},
	    {"!a=b", "found '=', expected: ',' or 'end of string'"},
	    {"a=-b",
		"unable to parse requirement: values[0][a]: Invalid value: "
		"\"-b\": a valid label must be an empty string or consist of "
		"alphanumeric characters, '-', '_' or '.', and must start and "
		"end with an alphanumeric character (e.g. 'MyValue',  or "
		"'my_value',  or '12345', regex used for validation is "
		"'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"},
	    {"a>x",
		"unable to parse requirement: values[0]: Invalid value: "
		"\"x\": for 'Gt', 'Lt' operators, the value must be an "
		"integer"},
	    {"-a",
		"unable to parse requirement: <nil>: Invalid value: \"-a\": "
		"name part must consist of alphanumeric characters, '-', '_' "
		"or '.', and must start and end with an alphanumeric "
		"character (e.g. 'MyName',  or 'my.name',  or '123-abc', "
		"regex used for validation is "
		"'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is(refused(cases[i][0]), cases[i][1], cases[i][0]);
}

static bool
labels_match(const char *selector, const char *labels)
{
	struct selection s = {0};

	return selection_labels_parse(&arena, span_str(selector), &s) == NULL &&
	    selection_labels_match(&s, *labels ? span_str(labels) : SPAN_NONE);
}

TEST(label_matches)
{
	static const char l[] = "{\"a\":\"b\",\"n\":\"7\",\"e\":\"\"}";
	static const char *const yes[] = {"", "a", "a=b", "a==b", "a!=c",
	    "a in (x,b)", "a notin (x)", "!z", "z!=b", "z notin (b)", "n>6",
	    "n<8", "e=", "e", "e in ()", "a=b,n=7", "a in (b,)"};
	static const char *const no[] = {"!a", "z", "a=c", "a!=b", "a in (x,y)",
	    "a notin (b)", "z=b", "z in (b)", "n>7", "n<7", "a>1", "z>1",
	    "e!=", "a=b,n=8", "e=x"};

	for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
		ok(labels_match(yes[i], l), yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
		ok(!labels_match(no[i], l), no[i]);
	ok(labels_match("!a", ""), "no labels at all");
	ok(!labels_match("a", ""), "no labels, one wanted");
}

#define UNKNOWN                                                    \
	" is not a known field selector: only \"metadata.name\", " \
	"\"metadata.namespace\""
#define ESCAPE "invalid field selector: invalid escape sequence: \\"
#define UNSUPPORTED "field label not supported: "

TEST(field_words)
{
	const struct {
		const struct resource *r;
		const char *fields, *want, *what; /* want "": it is fine */
	} cases[] = {
	    {&maps, "a", "invalid selector: 'a'; can't understand 'a'",
		"no operator"},
	    {&maps, "a=b", "\"a\"" UNKNOWN, "unknown"},
	    {&maps, "=x", "\"\"" UNKNOWN, "no name"},
	    {&maps, "metadata.name=a\\b", ESCAPE "b", "a bad escape"},
	    {&maps, "metadata.name=x\\", ESCAPE, "half an escape"},
	    {&maps, "metadata.name=a==b=c",
		"invalid field selector: unescaped character in value: 61",
		"= in a value"},
	    {&maps, "metadata.name!=x,", "", "an empty term"},
	    {&maps, "metadata.name=a\\,b\\=c\\\\", "", "escapes"},
	    {&pods, "spec.x=1", UNSUPPORTED "spec.x", "unknown, of pods"},
	    {&jobs, "spec.x=1", "field label \"spec.x\" not supported for Job",
		"unknown, of jobs"},
	    {&nodes, "metadata.namespace=x", UNSUPPORTED "metadata.namespace",
		"nodes have no namespace"},
	    {&cars, "metadata.namespace=x", UNSUPPORTED "metadata.namespace",
		"custom resources without one"},
	    {&cars, "spec.color=x,spec.doors!=4", "", "fields of a CRD"},
	    {&cars, "spec.x=1", UNSUPPORTED "spec.x", "unknown, of a CRD"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct selection s;
		struct problem *p = selection_parse(
		    &arena, SPAN_NONE, span_str(cases[i].fields), &s);

		if (p == NULL)
			p = selection_resolve(&arena, cases[i].r, &s);
		is(p == NULL ? "" : arena_str(&arena, p->message),
		    cases[i].want, cases[i].what);
	}
}

static bool
fields_match(const struct resource *r, const char *fields, const char *json)
{
	struct store *store = store_new();
	struct collection *c =
	    store_collection(store, SPAN_NONE, span_str("x"));
	struct stored *o = store_put(store, c, parse(json));
	struct selection s;
	bool matches =
	    selection_parse(&arena, SPAN_NONE, span_str(fields), &s) == NULL &&
	    selection_resolve(&arena, r, &s) == NULL &&
	    selection_matches(&s, o);

	store_free(store);
	return matches;
}

TEST(field_matches)
{
	static const char pod[] =
	    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\"},\"spec\":{"
	    "\"nodeName\":\"a=b\"},\"status\":{\"phase\":\"Running\","
	    "\"podIPs\":[{\"ip\":\"10.0.0.1\"},{\"ip\":\"::1\"}]}}";
	static const char car[] =
	    "{\"metadata\":{\"name\":\"c\"},\"spec\":{\"color\":\"r\\\"d\","
	    "\"doors\":4}}";

	const struct {
		const struct resource *r;
		const char *fields, *json, *what;
	} yes[] = {
	    {&pods, "metadata.name=p,metadata.namespace=n", pod,
		"name and namespace"},
	    {&pods, "spec.nodeName=a\\=b", pod, "an escape"},
	    {&pods, "spec.host=a\\=b", pod, "spec.host is old"},
	    {&pods, "status.phase==Running", pod, "=="},
	    {&pods, "status.podIP=10.0.0.1", pod, "first IP"},
	    {&pods, "status.podIPs=", pod, "podIPs are never there"},
	    {&pods, "spec.hostNetwork=false", pod, "a default"},
	    {&pods, "status.nominatedNodeName=", pod, "absent"},
	    {&jobs, "status.successful=0", "{\"metadata\":{\"name\":\"j\"}}",
		"no success yet"},
	    {&jobs, "status.successful=2",
		"{\"metadata\":{\"name\":\"j\"},\"status\":"
		"{\"succeeded\":2}}",
		"two"},
	    {&cars, "spec.color=r\"d,spec.doors=4", car, "fields of a CRD"},
	};

	for (size_t i = 0; i < COUNT(yes); i++)
		ok(fields_match(yes[i].r, yes[i].fields, yes[i].json),
		    yes[i].what);
	ok(!fields_match(&pods, "metadata.name!=p", pod), "not that name");
	ok(!fields_match(&cars, "spec.doors=5", car), "another value");
}

static const char *
token(const char *text)
{
	struct span key;
	int64_t version;
	struct problem *p =
	    list_continue_parse(&arena, span_str(text), &version, &key);

	if (p != NULL)
		return arena_str(&arena, p->message);
	return arena_printf(&arena, "%" PRId64 " %.*s", version, SPAN_ARG(key))
	    .p;
}

#define BAD "invalid continue token: continue key is not valid: "
#define V1 "eyJ2IjoibWV0YS5rOHMuaW8vdjEi" /* {"v":"meta.k8s.io/v1" */

TEST(tokens)
{
	static const char *const cases[][3] = {
	    {V1 "LCJydiI6MjgzLCJzdGFydCI6Ii9hXHUwMDAwIn0", "283 a",
		"the API server's"},
	    {"abc", BAD "invalid character 'i' looking for beginning of value",
		"no JSON"},
	    {"%", BAD "illegal base64 data at input byte 0", "no base64"},
	    {V1 "LCJydiI6MCwic3RhcnQiOiJhIn0",
		BAD "incorrect encoded start resourceVersion (version "
		    "meta.k8s.io/v1)",
		"version 0"},
	    {"eyJ2IjoibWV0YS5rOHMuaW8vdjIiLCJydiI6MSwic3RhcnQiOiJhIn0",
		BAD "server does not recognize this encoded version "
		    "meta.k8s.io/v2",
		"another format"},
	    {V1 "LCJydiI6MSwic3RhcnQiOiIifQ",
		BAD "encoded start key empty (version meta.k8s.io/v1)",
		"no key"},
	    {V1 "LCJydiI6MSwic3RhcnQiOiIuLi9hIn0", BAD "../a", "a way out"},
	};
	struct span t = list_continue_make(&arena, 283, span_str("a"));

	is(arena_str(&arena, t), V1 "LCJydiI6MjgzLCJzdGFydCI6ImFcdTAwMDAifQ",
	    "a token");
	is(token(arena_str(&arena, t)), "283 a", "and back");
	t = list_continue_make(&arena, -1, span_str("ns/n\"x"));
	is(token(arena_str(&arena, t)), "-1 ns/n\"x", "of no version");
	for (size_t i = 0; i < COUNT(cases); i++)
		is(token(cases[i][0]), cases[i][1], cases[i][2]);
}

int
main(void)
{
	set_up();
	tap_run();
	arena_release(&arena);
	return tap_done();
}
