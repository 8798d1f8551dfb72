/* discovery: both kinds of documents, spellings, stale and removed kinds. */
#include "kube/discovery.h"

#include <stdlib.h>
#include <string.h>

#include "process/clock.h"
#include "httpserver.h"
#include "tap.h"

static struct loop *loop;

static const char aggregated[] =
    "200 application/json;as=APIGroupDiscoveryList;v=v2;"
    "g=apidiscovery.k8s.io\n";

static const char core[] =
    "\"c1\"\n"
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{},"
    "\"versions\":[{\"version\":\"v1\",\"freshness\":\"Current\",\"resources\":"
    "[{\"resource\":\"pods\",\"responseKind\":{\"group\":\"\",\"version\":\"\","
    "\"kind\":\"Pod\"},\"scope\":\"Namespaced\",\"singularResource\":\"pod\","
    "\"verbs\":[\"get\",\"list\",\"watch\"],\"shortNames\":[\"po\"],"
    "\"subresources\":[{\"subresource\":\"status\"},{\"subresource\":"
    "\"log\"}]},"
    "{\"resource\":\"nodes\",\"responseKind\":{\"kind\":\"Node\"},\"scope\":"
    "\"Cluster\",\"singularResource\":\"node\",\"verbs\":[\"list\"]},"
    "{\"resource\":\"nokinds\",\"scope\":\"Cluster\",\"verbs\":[]},"
    "{\"resource\":\"events\",\"responseKind\":{\"kind\":\"Event\"},\"scope\":"
    "\"Namespaced\",\"singularResource\":\"event\",\"verbs\":[\"list\"],"
    "\"shortNames\":[\"ev\"]}]}]}]}";

static const char groups[] =
    "\"g1\"\n"
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":"
    "\"example.com\"},\"versions\":[{\"version\":\"v2\",\"freshness\":"
    "\"Current\",\"resources\":[{\"resource\":\"things\",\"responseKind\":{"
    "\"kind\":\"Thing\"},\"scope\":\"Namespaced\",\"singularResource\":"
    "\"thing\",\"verbs\":[\"list\",\"watch\"]},"
    "{\"resource\":\"events\",\"responseKind\":{\"kind\":\"Event\"},\"scope\":"
    "\"Namespaced\",\"singularResource\":\"event\",\"verbs\":[\"list\"]}]},"
    "{\"version\":\"v1\",\"freshness\":\"Current\",\"resources\":[{"
    "\"resource\":\"things\",\"responseKind\":{\"kind\":\"Thing\"},\"scope\":"
    "\"Namespaced\",\"singularResource\":\"thing\",\"verbs\":[\"list\"]},"
    "{\"resource\":\"olds\",\"responseKind\":{\"kind\":\"Old\"},\"scope\":"
    "\"Namespaced\",\"singularResource\":\"old\",\"verbs\":[\"list\"]}]}]}]}";

static const char stale_groups[] =
    "\"g2\"\n"
    "{\"kind\":\"APIGroupDiscoveryList\",\"items\":[{\"metadata\":{\"name\":"
    "\"example.com\"},\"versions\":[{\"version\":\"v2\",\"freshness\":"
    "\"Stale\"}]}]}";

static void
put_doc(const char *name, const char *head, const char *body)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, head);
	buf_adds(&b, body);
	put_file(name, buf_str(&b));
	buf_release(&b);
}

static void
put_json(const char *name, const char *body)
{
	put_doc(name, "200 application/json\n\n", body);
}

struct got {
	int calls;
	int failed;
	char message[256];
};

static void
on_done(void *arg, const struct kube_error *e)
{
	struct got *g = arg;

	g->calls++;
	g->failed += e != NULL;
	if (e != NULL)
		snprintf(g->message, sizeof(g->message), "%s", e->message);
}

static void
refresh(struct discovery *d, struct got *g)
{
	uint64_t end = clock_ms() + 20000;

	*g = (struct got){0};
	discovery_refresh(d, on_done, g);
	while (g->calls == 0 && clock_ms() < end)
		loop_once(loop, 1000);
}

static void
is_named(const struct discovery *d, const char *spelling, const char *want)
{
	struct err err = ERR_INIT;
	const struct api_resource *r = discovery_resolve(d, spelling, &err);
	struct buf b = BUF_INIT;

	if (r != NULL)
		buf_addf(&b, "%s %s/%s", r->kind, r->group, r->version);
	else
		buf_adds(&b, err.message);
	is(buf_str(&b), want, spelling);
	buf_release(&b);
}

static void
test_spellings(const struct discovery *d)
{
	is_named(d, "pods", "Pod /v1");
	is_named(d, "pod", "Pod /v1");
	is_named(d, "po", "Pod /v1");
	is_named(d, "Pod", "Pod /v1");
	is_named(d, "PODS", "Pod /v1");
	is_named(d, "pods.v1.", "Pod /v1");
	is_named(d, "events", "Event /v1");
	is_named(d, "ev", "Event /v1");
	is_named(d, "events.example.com", "Event example.com/v2");
	is_named(d, "things", "Thing example.com/v2");
	is_named(d, "things.example.com", "Thing example.com/v2");
	is_named(d, "things.v1.example.com", "Thing example.com/v1");
	is_named(d, "things.ex", "Thing example.com/v2");
	is_named(d, "olds", "Old example.com/v1");
	is_named(d, "things.v3.example.com",
	    "the server has no resource type "
	    "\"things.v3.example.com\"");
	is_named(d, "things.other",
	    "the server has no resource type "
	    "\"things.other\"");
	is_named(d, "nokinds", "the server has no resource type \"nokinds\"");
	is_named(d, "", "the server has no resource type \"\"");
	is_named(d, ".", "the server has no resource type \".\"");
}

static void
test_paths(const struct discovery *d)
{
	const struct api_resource *pod =
	    discovery_find(d, span_str(""), span_str("v1"), span_str("Pod"));
	const struct api_resource *thing =
	    discovery_find_kind(d, span_str("example.com"), span_str("Thing"));
	const struct api_resource *node =
	    discovery_find_kind(d, span_str(""), span_str("Node"));
	struct buf b = BUF_INIT;

	discovery_path(&b, pod, span_str("n"), span_str("a"), "status");
	buf_addc(&b, '\n');
	discovery_path(&b, pod, SPAN_NONE, SPAN_NONE, NULL);
	buf_addc(&b, '\n');
	discovery_path(&b, node, span_str("n"), span_str("x:y"), NULL);
	buf_addc(&b, '\n');
	discovery_path(&b, thing, span_str("n"), SPAN_NONE, NULL);
	is(buf_str(&b),
	    "/api/v1/namespaces/n/pods/a/status\n/api/v1/pods\n"
	    "/api/v1/nodes/x%3Ay\n/apis/example.com/v2/namespaces/n/things",
	    "paths");
	buf_release(&b);
	ok(pod->namespaced && pod->can_list && pod->can_watch &&
		strcmp(pod->subresources.items[1], "log") == 0,
	    "what is known of a resource");
	ok(!node->namespaced && node->can_list && !node->can_watch, "another");
	ok(discovery_find(d, span_str("example.com"), span_str("v3"),
	       span_str("Thing")) == NULL,
	    "a version that is not there");
}

static void
test_aggregated(struct kube *k)
{
	struct discovery *d = discovery_new(loop, k);
	const struct api_resource *pod;
	struct got g, joined = {0};

	put_doc("_api", aggregated, core);
	put_doc("_apis", aggregated, groups);
	discovery_refresh(d, on_done, &joined);
	refresh(d, &g);
	ok(g.calls == 1 && g.failed == 0 && joined.calls == 1,
	    "two callers, one request");
	test_spellings(d);
	test_paths(d);
	pod = discovery_find_kind(d, span_str(""), span_str("Pod"));
	refresh(d, &g);
	ok(pod == discovery_find_kind(d, span_str(""), span_str("Pod")),
	    "what was not modified stays, at the same place");

	put_doc("_apis", aggregated, stale_groups);
	refresh(d, &g);
	ok(discovery_stale(d, span_str("example.com"), span_str("v2")) &&
		!discovery_stale(d, span_str("example.com"), span_str("v1")),
	    "a stale version");
	is_named(d, "things", "Thing example.com/v2");
	is_named(d, "olds",
	    "the server has no resource type \"olds\" (it could not say what "
	    "is in example.com/v2)");

	put_doc("_apis", "500 text/plain\n\n", "boom");
	refresh(d, &g);
	ok(g.failed == 1, "an error");
	is(g.message, "boom", "is told");
	is_named(d, "things", "Thing example.com/v2");
	put_json("_apis", "{}");
	refresh(d, &g);
	ok(strstr(g.message, "/apis: no list of API groups") != NULL,
	    "nonsense is an error, too");
	put_doc("_apis", aggregated, "\n{\"items\":[]}");
	refresh(d, &g);
	is_named(d, "things", "the server has no resource type \"things\"");
	ok(strcmp(pod->kind, "Pod") == 0, "resources live as long as it does");

	joined = (struct got){0};
	discovery_refresh(d, on_done, &joined);
	discovery_free(d);
	ok(joined.calls == 0, "freed with a request under way");
}

static void
test_legacy(struct kube *k)
{
	struct discovery *d = discovery_new(loop, k);
	struct got g;

	put_json("_api", "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
	put_json("_apis",
	    "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"example.com\","
	    "\"versions\":[{\"version\":\"v1\"},{\"version\":\"v2\"}],"
	    "\"preferredVersion\":{\"version\":\"v2\"}},{\"name\":\"broken."
	    "com\",\"versions\":[{\"version\":\"v1\"}]}]}");
	put_json("_api_v1",
	    "{\"resources\":[{\"name\":\"pods\",\"singularName\":\"pod\","
	    "\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":[\"list\","
	    "\"watch\"],\"shortNames\":[\"po\"]},{\"name\":\"pods/status\","
	    "\"kind\":\"Pod\",\"verbs\":[]}]}");
	put_json("_apis_example.com_v1",
	    "{\"resources\":[{\"name\":\"things\",\"singularName\":\"\","
	    "\"namespaced\":false,\"kind\":\"Thing\",\"verbs\":[]},{\"name\":"
	    "\"olds\",\"kind\":\"Old\",\"verbs\":[]}]}");
	put_json("_apis_example.com_v2",
	    "{\"resources\":[{\"name\":\"things\",\"singularName\":\"thing\","
	    "\"namespaced\":true,\"kind\":\"Thing\",\"verbs\":[]}]}");
	put_doc("_apis_broken.com_v1", "503 text/plain\n\n", "no");
	refresh(d, &g);
	ok(g.calls == 1 && g.failed == 0, "an older server");
	is_named(d, "po", "Pod /v1");
	is_named(d, "things", "Thing example.com/v2");
	is_named(d, "olds", "Old example.com/v1");
	ok(discovery_stale(d, span_str("broken.com"), span_str("v1")),
	    "a version that cannot be listed is stale");
	is(discovery_find_kind(d, span_str(""), span_str("Pod"))
		->subresources.items[0],
	    "status", "subresources");
	discovery_free(d);
}

TEST(discovery)
{
	char url[64];
	struct kube_opts o = {.server = url};
	struct err err;
	struct server server;
	struct kube *k;

	server_prepare();
	setenv("DOCS", scratch, 1);
	setenv("KUBECONFIG", "/nowhere", 1);
	server = server_start(NULL, NULL, NULL);
	snprintf(url, sizeof(url), "http://127.0.0.1:%d", server.port);
	loop = loop_new();
	k = kube_open(loop, &o, "test", &err);
	test_aggregated(k);
	test_legacy(k);
	kube_free(k);
	loop_free(loop);
	server_stop(&server);
	scratch_remove();
}
