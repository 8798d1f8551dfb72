// alone: it has functions in place of the tool's
/* tables: cells of built-in kinds and of CRDs; JSONPath; pretty JSON. What is
 * expected was recorded from a real API server. */
#include "crd/crd.h"
#include "kinds/kinds.h"
#include "reply/cells.h"
#include "reply/columns.h"
#include "reply/pretty.h"
#include "text/jsonpath.h"

#include "trees.h"

#define S(text)                        \
	{                              \
		text, sizeof(text) - 1 \
	}

static const struct crd_column columns[] = {
    {.name = S("Color"), .type = S("string"), .json_path = S(".spec.color")},
    {.name = S("Doors"),
	.type = S("integer"),
	.description = S("how many"),
	.json_path = S(".spec.doors"),
	.priority = 1},
    {.name = S("Ready"),
	.type = S("string"),
	.json_path = S(".status.conditions[?(@.type==\"Ready\")].status")},
    {.name = S("Str"), .type = S("integer"), .json_path = S(".spec.color")},
    {.name = S("When"), .type = S("date"), .json_path = S(".spec.when")},
    {.name = S("Num"), .type = S("number"), .json_path = S(".spec.num")},
    {.name = S("NumI"), .type = S("integer"), .json_path = S(".spec.num")},
    {.name = S("Map"), .type = S("string"), .json_path = S(".spec.map")},
    {.name = S("Bool"), .type = S("boolean"), .json_path = S(".spec.bool")},
};
static struct crd_version version; /* a CRD with these columns */

struct span
request_param(const struct request *r, const char *name)
{
	(void)r, (void)name;
	return SPAN_NONE;
}

bool
request_flag(const struct request *r, const char *name)
{
	(void)r, (void)name;
	return false;
}

static const char *
cells(const char *group, const char *plural, const char *json)
{
	static struct buf b;
	struct resource r = {
	    .strategy = kinds_find(span_str(group), span_str(plural))};
	const struct crd crd = {.versions = &version, .version_count = 1};
	struct node *n = parse(json);

	if (r.strategy == NULL) {
		r.strategy = &kinds_custom;
		r.crd = &crd;
		version.resource = &r;
	}
	buf_reset(&b);
	columns_add_cells(&b, &arena, &r, n);
	columns_add_conditions(&b, &r, n);
	return buf_str(&b);
}

/* A pod with these members of spec and status. */
static const char *
pod(const char *spec, const char *status)
{
	return cells("", "pods",
	    arena_printf(&arena,
		"{\"metadata\":{\"name\":\"p\"},\"spec\":{%s},\"status\":{%s}}",
		spec, status)
		.p);
}

#define ONE "\"containers\":[{\"name\":\"c\"}]"
#define NO4 "\"<unknown>\",\"<none>\",\"<none>\",\"<none>\",\"<none>\"]"

TEST(pods)
{
	is(pod(ONE, "\"phase\":\"Pending\""),
	    "[\"p\",\"0/1\",\"Pending\",\"0\"," NO4, "pending");
	is(pod("\"containers\":[{\"name\":\"c\"},{\"name\":\"d\"}]",
	       "\"phase\":\"Running\",\"podIPs\":[{\"ip\":\"10.0.0.1\"}],"
	       "\"containerStatuses\":[{\"name\":\"c\",\"ready\":true,"
	       "\"restartCount\":2,\"state\":{\"running\":{}}},{\"name\":"
	       "\"d\",\"restartCount\":1,\"state\":{\"waiting\":{\"reason\":"
	       "\"CrashLoopBackOff\"}}}]"),
	    "[\"p\",\"1/2\",\"CrashLoopBackOff\",\"3\",\"<unknown>\","
	    "\"10.0.0.1\",\"<none>\",\"<none>\",\"<none>\"]",
	    "crashing");
	is(pod(ONE,
	       "\"phase\":\"Succeeded\",\"containerStatuses\":[{\"name\":"
	       "\"c\",\"state\":{\"terminated\":{\"reason\":\"Completed\","
	       "\"exitCode\":0}}}]"),
	    "[\"p\",\"0/1\",\"Completed\",\"0\"," NO4
	    ",\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","
	    "\"reason\":\"Succeeded\",\"message\":\"The pod has completed "
	    "successfully.\"}]",
	    "completed");
	is(pod(ONE ",\"initContainers\":[{\"name\":\"i\"},{\"name\":\"j\"}]",
	       "\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":"
	       "\"i\",\"state\":{\"terminated\":{\"exitCode\":0}}},{\"name\":"
	       "\"j\",\"state\":{\"waiting\":{\"reason\":\"PodInitializing\""
	       "}}}]"),
	    "[\"p\",\"0/1\",\"Init:1/2\",\"0\"," NO4, "initializing");
	is(pod(ONE ",\"initContainers\":[{\"name\":\"i\"}]",
	       "\"phase\":\"Pending\",\"initContainerStatuses\":[{\"name\":"
	       "\"i\",\"restartCount\":3,\"state\":{\"terminated\":{"
	       "\"exitCode\":3}}}]"),
	    "[\"p\",\"0/1\",\"Init:ExitCode:3\",\"3\"," NO4, "init failed");
	is(pod(ONE ",\"readinessGates\":[{\"conditionType\":\"a/b\"},{"
		   "\"conditionType\":\"a/c\"}]",
	       "\"phase\":\"Running\",\"conditions\":[{\"type\":\"a/b\","
	       "\"status\":\"True\"}],\"containerStatuses\":[{\"name\":\"c\","
	       "\"state\":{\"terminated\":{\"exitCode\":137,\"signal\":9}}}]"),
	    "[\"p\",\"0/1\",\"Signal:9\",\"0\",\"<unknown>\",\"<none>\","
	    "\"<none>\",\"<none>\",\"1/2\"]",
	    "killed, with gates");
}

TEST(kinds)
{
	is(cells("", "services",
	       "{\"metadata\":{\"name\":\"s\"},\"spec\":{\"type\":"
	       "\"LoadBalancer\",\"clusterIPs\":[\"10.0.0.9\"],\"ports\":[{"
	       "\"port\":80,\"nodePort\":30001,\"protocol\":\"TCP\"},{"
	       "\"port\":81,\"protocol\":\"UDP\"}],\"selector\":{\"b\":\"x\","
	       "\"a\":\"y\"}}}"),
	    "[\"s\",\"LoadBalancer\",\"10.0.0.9\",\"<pending>\","
	    "\"80:30001/TCP,81/UDP\",\"<unknown>\",\"a=y,b=x\"]",
	    "a service");
	is(cells("apps", "deployments",
	       "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":3,"
	       "\"selector\":{\"matchLabels\":{\"app\":\"x\"},"
	       "\"matchExpressions\":[{\"key\":\"z\",\"operator\":"
	       "\"DoesNotExist\"},{\"key\":\"app\",\"operator\":\"In\","
	       "\"values\":[\"y\",\"x\"]}]},\"template\":{\"spec\":{"
	       "\"containers\":[{\"name\":\"a\",\"image\":\"i:1\"},{\"name\":"
	       "\"b\",\"image\":\"j:2\"}]}}},\"status\":{\"readyReplicas\":1,"
	       "\"updatedReplicas\":2}}"),
	    "[\"d\",\"1/3\",2,0,\"<unknown>\",\"a,b\",\"i:1,j:2\","
	    "\"app=x,app in (x,y),!z\"]",
	    "a deployment");
	is(cells("batch", "jobs",
	       "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"parallelism\":3},"
	       "\"status\":{\"succeeded\":1,\"startTime\":"
	       "\"2026-01-01T00:00:00Z\",\"completionTime\":"
	       "\"2026-01-01T00:02:05Z\",\"conditions\":[{\"type\":"
	       "\"Complete\",\"status\":\"True\"}]}}"),
	    "[\"j\",\"Complete\",\"1/1 of 3\",\"2m5s\",\"<unknown>\",\"\","
	    "\"\",\"<none>\"]",
	    "a job");
	is(cells("", "secrets",
	       "{\"metadata\":{\"name\":\"s\"},\"type\":\"Opaque\",\"data\":{"
	       "\"a\":\"\",\"b\":\"\"}}"),
	    "[\"s\",\"Opaque\",2,\"<unknown>\"]", "a secret");
	is(cells("rbac.authorization.k8s.io", "rolebindings",
	       "{\"metadata\":{\"name\":\"rb\"},\"roleRef\":{\"kind\":"
	       "\"Role\",\"name\":\"r\"},\"subjects\":[{\"kind\":\"User\","
	       "\"name\":\"u\"},{\"kind\":\"ServiceAccount\",\"name\":\"sa\","
	       "\"namespace\":\"n\"},{\"kind\":\"User\",\"name\":\"v\"}]}"),
	    "[\"rb\",\"Role/r\",\"<unknown>\",\"u, v\",\"\",\"n/sa\"]",
	    "a role binding");
	is(cells("rbac.authorization.k8s.io", "roles",
	       "{\"metadata\":{\"name\":\"r\",\"creationTimestamp\":"
	       "\"2026-01-01T00:00:00Z\"}}"),
	    "[\"r\",\"2026-01-01T00:00:00Z\"]", "a kind without columns");
	is(cells("", "configmaps", "{\"metadata\":{}}"),
	    "[\"\",0,\"<unknown>\"]", "a bookmark");
}

TEST(custom)
{
	static struct buf b;
	const struct crd crd = {.versions = &version, .version_count = 1};
	struct resource r = {.strategy = &kinds_custom, .crd = &crd};

	version = (struct crd_version){.columns = columns,
	    .column_count = sizeof(columns) / sizeof(*columns)};
	is(cells("", "cars",
	       "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"color\":\"red\","
	       "\"doors\":4,\"when\":\"nonsense\",\"num\":1.5,\"map\":{\"a\":"
	       "[1]},\"bool\":true},\"status\":{\"conditions\":[{\"type\":"
	       "\"Old\",\"status\":\"False\"},{\"type\":\"Ready\","
	       "\"status\":\"True\"}]}}"),
	    "[\"a\",\"red\",4,\"True\",null,\"<invalid>\",1.5,1,"
	    "\"{\\\"a\\\":[1]}\",true]",
	    "columns of a CRD");
	is(cells("", "cars", "{\"metadata\":{\"name\":\"b\"}}"),
	    "[\"b\",null,null,null,null,null,null,null,null,null]",
	    "nothing there");
	buf_reset(&b);
	version.resource = &r;
	columns_add(&b, &r);
	/* Cut after the name of the fourth. */
	buf_truncate(&b, 320);
	is(buf_str(&b),
	    "[{\"name\":\"Name\",\"type\":\"string\",\"format\":\"name\","
	    "\"description\":\"\",\"priority\":0},{\"name\":\"Color\","
	    "\"type\":\"string\",\"format\":\"\",\"description\":\"Custom "
	    "resource definition column (in JSONPath format): .spec.color\","
	    "\"priority\":0},{\"name\":\"Doors\",\"type\":\"integer\","
	    "\"format\":\"\",\"description\":\"how many\",\"priority\":1},"
	    "{\"name\":\"Ready\"",
	    "definitions");
	version = (struct crd_version){0};
	is(cells("", "cars", "{\"metadata\":{\"name\":\"b\"}}"), "[\"b\",null]",
	    "none: the age");
	buf_release(&b);
}

TEST(durations)
{
	static const struct {
		int64_t seconds;
		const char *text;
	} cases[] = {{-2, "<invalid>"}, {-1, "0s"}, {0, "0s"}, {119, "119s"},
	    {120, "2m"}, {125, "2m5s"}, {599, "9m59s"}, {600, "10m"},
	    {10799, "179m"}, {10800, "3h"}, {11000, "3h3m"}, {28800, "8h"},
	    {172799, "47h"}, {172800, "2d"}, {180000, "2d2h"}, {691200, "8d"},
	    {63072000, "2y"}, {64000000, "2y10d"}, {252288000, "8y"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		is(arena_str(&arena, cells_duration(&arena, cases[i].seconds)),
		    cases[i].text, cases[i].text);
}

/* Sources that no kind may have today. */
TEST(sources)
{
	static const struct strategy s = {
	    .columns = "N=spec.n|N=spec.m?none|I:integer=spec.n|I:integer=spec."
		       "m|I=int:spec.m?none|I=int:spec.m|B=bool:spec.m"};
	const struct resource r = {.strategy = &s};
	struct buf b = BUF_INIT;

	columns_add_cells(&b, &arena, &r, parse("{\"spec\":{\"n\":7}}"));
	is(buf_str(&b), "[7,\"none\",7,0,\"none\",0,false]",
	    "numbers, and what stands for one that is absent");
	buf_release(&b);
}

static const char *
path(const char *p)
{
	static struct buf b;
	const struct node *n = jsonpath_first(&arena,
	    parse("{\"a\":{\"b.c/d\":1,\"l\":[{\"n\":1,\"s\":\"one\"},{\"n\":2,"
		  "\"s\":\"two\",\"t\":true}],\"k'\":2}}"),
	    span_str(p));

	buf_reset(&b);
	if (n != NULL)
		tree_write(&b, n);
	return n == NULL ? NULL : buf_str(&b);
}

TEST(paths)
{
	is(path(".a.b\\.c/d"), "1", "an escaped dot");
	is(path(".a['b.c/d']"), "1", "a key in quotes");
	is(path(".a.l[0].s"), "\"one\"", "an index");
	is(path(".a.l[-1].s"), "\"two\"", "from the end");
	is(path(".a.l[2].s"), NULL, "behind the end");
	is(path(".a.l[*].n"), "1", "all: the first");
	is(path(".a.l[?(@.n>1)].s"), "\"two\"", "a filter of numbers");
	is(path(".a.l[?(@.s!=\"one\")].n"), "2", "a filter of texts");
	is(path(".a.l[?(@.t==true)].n"), "2", "a filter of truths");
	is(path(".a.l[?(@.t)].n"), "2", "a filter of presence");
	is(path(".a.l[?(@.n=='1')].s"), NULL, "a number is not text");
	is(path(".a.x.y"), NULL, "absent");
	is(path(".a.l["), NULL, "no path");
	is(path(".a.l[x]"), NULL, "no path either");
	is(path("a.l[1].n"), "2", "without a dot");
}

TEST(pretty)
{
	struct buf b = BUF_INIT;

	pretty_json(&b,
	    span_str("{\"a\":{},\"b\":[],\"c\":[1,{\"d\":\"x,{\\\"}\"}], "
		     "\"e\":null}"));
	is(buf_str(&b),
	    "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    1,\n    {\n"
	    "      \"d\": \"x,{\\\"}\"\n    }\n  ],\n  \"e\": null\n}",
	    "pretty");
	buf_release(&b);
}

int
main(void)
{
	tap_run();
	arena_release(&arena);
	return tap_done();
}
