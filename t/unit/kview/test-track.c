#include "track.h"

#include "tap.h"

static struct tracks all;

/* The key of the parent. */
static const char *
parent(const char *key)
{
	const struct track *p = tracks_of_key(&all, span_str(key))->parent;

	return p == NULL ? "nothing" : p->key;
}

static void
find(const char *key, const char *metadata)
{
	tracks_find_parent(
	    &all, tracks_of_key(&all, span_str(key)), span_str(metadata));
}

static void
test_owners(void)
{
	find("Pod/ns/a",
	    "{\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Other\","
	    "\"name\":\"o\"},{\"apiVersion\":\"example.com/v1\","
	    "\"kind\":\"Thing\",\"name\":\"t\",\"controller\":true}]}");
	is(parent("Pod/ns/a"), "Thing.example.com/ns/t", "the controller");
	find("Pod/ns/b",
	    "{\"ownerReferences\":[{\"apiVersion\":\"v1\","
	    "\"kind\":\"Other\",\"name\":\"o\"}]}");
	is(parent("Pod/ns/b"), "Other/ns/o", "the first owner without one");
	tracks_set_object(&all,
	    tracks_of_key(&all, span_str("Cluster.example.com//c")),
	    span_str("{}"), span_str("uid-c"));
	find("Pod/ns/c",
	    "{\"ownerReferences\":[{\"apiVersion\":\"example.com/v1\","
	    "\"kind\":\"Cluster\",\"name\":\"c\",\"uid\":\"uid-c\"}]}");
	is(parent("Pod/ns/c"), "Cluster.example.com//c",
	    "one without a namespace, by its uid");
	find("ConfigMap/other/m",
	    "{\"annotations\":{\"kpipe.dev/member\":"
	    "\"Thing.example.com/ns/t ConfigMap/other/m\"}}");
	is(parent("ConfigMap/other/m"), "Thing.example.com/ns/t", "marks");
}

static void
test_replica_sets(void)
{
	static const char pod[] =
	    "{\"labels\":{\"pod-template-hash\":\"abc\"},"
	    "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\","
	    "\"kind\":\"ReplicaSet\",\"name\":\"web-abc\"}]}";

	find("Pod/ns/w1", pod);
	is(parent("ReplicaSet.apps/ns/web-abc"), "nothing",
	    "a Deployment that is not recorded");
	tracks_of_key(&all, span_str("Deployment.apps/ns/web"));
	find("Pod/ns/w2", pod);
	is(parent("ReplicaSet.apps/ns/web-abc"), "Deployment.apps/ns/web",
	    "that of a ReplicaSet which is not recorded");
}

static void
test_circles(void)
{
	struct track *a = tracks_of_key(&all, span_str("A/ns/a"));
	struct track *b = tracks_of_key(&all, span_str("B/ns/b"));
	struct objref wanted;

	tracks_offer_parent(a, b);
	tracks_offer_parent(b, a);
	tracks_offer_parent(a, a);
	is(parent("A/ns/a"), "B/ns/b", "a parent");
	is(parent("B/ns/b"), "nothing", "... is not below it");
	objref_parse_key(&wanted, span_str("B/ns/b"));
	ok(track_is_below(a, &wanted), "it is below its parent");
	ok(track_is_below(b, &wanted), "... which is below itself");
	objref_parse_key(&wanted, span_str("A/ns/a"));
	ok(!track_is_below(b, &wanted), "... and not below it");
}

int
main(void)
{
	tracks_init(&all);
	is(tracks_pipeline(&all)->key, "", "the pipeline has no key");
	test_owners();
	test_replica_sets();
	test_circles();
	tracks_release(&all);
	return tap_done();
}
