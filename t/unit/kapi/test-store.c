/* store: order, versions, history, hooks; compared with a plain model. */
#include "store/store.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "tap.h"

static struct store *store;
static struct collection *pods;
static struct buf seen;

static void
set_up(void)
{
	store = store_new();
	pods = store_collection(store, span_str(""), span_str("pods"));
	buf_reset(&seen);
}

static void
tear_down(void)
{
	store_free(store);
}

static struct node *
make(struct arena *a, const char *ns, const char *name, const char *more)
{
	struct span text = arena_printf(a,
	    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
	    "\"%s\",%s%s%s\"resourceVersion\":\"%" PRIu64 "\"%s}}",
	    name, *ns ? "\"namespace\":\"" : "", ns, *ns ? "\"," : "",
	    store_next_version(store), more);

	return tree_parse(a, text, TREE_LIMITS, NULL, NULL);
}

static struct stored *
put(const char *ns, const char *name)
{
	struct arena a = ARENA_INIT;
	struct stored *o = store_put(store, pods, make(&a, ns, name, ""));

	arena_release(&a);
	return o;
}

static void
del(const char *ns, const char *name)
{
	struct arena a = ARENA_INIT;

	store_delete(store, pods, make(&a, ns, name, ""));
	arena_release(&a);
}

/* "a/x@2 a/y@3" */
static const char *
walk(const char *ns, const char *after)
{
	static struct buf b;
	struct stored *o = store_next(pods, span_str(ns), span_str(after));

	buf_reset(&b);
	for (; o != NULL; o = store_next(pods, span_str(ns), o->key))
		buf_addf(&b, "%s%.*s@%" PRIu64, b.len ? " " : "",
		    SPAN_ARG(o->key), o->version);
	return buf_str(&b);
}

static const char *
at(uint64_t version, const char *ns)
{
	static struct buf b;
	size_t n;
	struct stored **all = store_at(pods, version, span_str(ns), &n);

	if (all == NULL)
		return NULL;
	buf_reset(&b);
	for (size_t i = 0; i < n; i++)
		buf_addf(&b, "%s%.*s@%" PRIu64, b.len ? " " : "",
		    SPAN_ARG(all[i]->key), all[i]->version);
	store_release_all(all, n);
	return buf_str(&b);
}

TEST_F(objects)
{
	struct arena a = ARENA_INIT;
	struct stored *o;
	struct node *n;

	ok(store_version(store) == 1, "an empty store is at version 1");
	n = make(&a, "ns", "x", ",\"uid\":\"u-1\",\"labels\":{\"a\":\"b\"}");
	o = store_put(store, pods, n);
	is(arena_str(&a, o->key), "ns/x", "key");
	is(arena_str(&a, o->namespace_), "ns", "namespace");
	is(arena_str(&a, o->name), "x", "name");
	is(arena_str(&a, o->uid), "u-1", "uid");
	is(arena_str(&a, o->labels), "{\"a\":\"b\"}", "labels, raw");
	is(o->json->p,
	    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
	    "\"x\",\"namespace\":\"ns\",\"resourceVersion\":\"2\",\"uid\":"
	    "\"u-1\",\"labels\":{\"a\":\"b\"}}}",
	    "text");
	ok(o->version == 2 && store_version(store) == 2, "version");
	ok(store_get(pods, span_str("ns"), span_str("x")) == o, "found");
	ok(store_get(pods, span_str("n"), span_str("s/x")) == NULL,
	    "not found under another namespace");
	ok(store_get(pods, SPAN_NONE, span_str("x")) == NULL,
	    "not found without namespace");
	o = store_put(store, pods, make(&a, "", "x", ""));
	is(arena_str(&a, o->key), "x", "key without namespace");
	ok(o->namespace_.n == 0 && o->uid.p == NULL && o->labels.p == NULL,
	    "no namespace, uid, labels");
	ok(store_collection(store, SPAN_NONE, span_str("pods")) == pods,
	    "a collection is found again");
	ok(store_collection(store, span_str("apps"), span_str("pods")) != pods,
	    "another group is another collection");
	arena_release(&a);
}

TEST_F(order)
{
	put("a", "x");
	put("b", "a");
	put("a-b", "x");
	put("a", "w");
	is(walk("", NULL), "a-b/x@4 a/w@5 a/x@2 b/a@3", "order of bytes");
	is(walk("a", NULL), "a/w@5 a/x@2", "one namespace");
	is(walk("a-b", NULL), "a-b/x@4", "its prefix is another");
	is(walk("c", NULL), "", "a namespace without objects");
	is(walk("", "a/w"), "a/x@2 b/a@3", "behind a key");
	is(walk("", "a/wa"), "a/x@2 b/a@3", "behind a key that is not there");
	is(walk("a", "a-b/x"), "a/w@5 a/x@2", "behind one of before");
	is(walk("a", "b/a"), "", "behind one of later");
	del("a", "x");
	is(walk("", NULL), "a-b/x@4 a/w@5 b/a@3", "deleted");
	ok(store_count(pods) == 3, "count");
	del("a", "x");
	ok(store_version(store) == 6, "deleting what is not there is nothing");
}

TEST_F(history)
{
	const struct store_change *c;
	size_t n;

	put("a", "x"); /* 2 */
	put("a", "y"); /* 3 */
	put("a", "x"); /* 4 */
	del("a", "y"); /* 5 */
	put("b", "z"); /* 6 */
	is(at(6, ""), "a/x@4 b/z@6", "at 6");
	is(at(5, ""), "a/x@4", "at 5");
	is(at(4, ""), "a/x@4 a/y@3", "at 4");
	is(at(3, ""), "a/x@2 a/y@3", "at 3");
	is(at(2, ""), "a/x@2", "at 2");
	is(at(1, ""), "", "at 1");
	is(at(6, "b"), "b/z@6", "at 6 in b");
	is(at(4, "b"), "", "at 4 in b");
	ok(store_since(pods, 3, &c, &n) == 0 && n == 3, "three since 3");
	ok(c[0].type == CHANGE_MODIFIED && c[0].version == 4 &&
		c[0].now->version == 4 && c[0].before->version == 2,
	    "modified, with what it was");
	ok(c[1].type == CHANGE_DELETED && c[1].now->version == 5 &&
		c[1].before->version == 3,
	    "deleted, with the version of the deletion");
	ok(c[2].type == CHANGE_ADDED && c[2].before == NULL, "added");
	ok(store_since(pods, 6, &c, &n) == 0 && n == 0, "none since 6");
	store_set_history(store, 2);
	is(at(4, ""), "a/x@4 a/y@3", "two changes are kept");
	is(at(3, ""), NULL, "no longer kept");
	ok(store_since(pods, 3, &c, &n) == -1, "gone");
	put("b", "z"); /* 7 */
	ok(store_since(pods, 4, &c, &n) == -1, "one more is forgotten");
	store_compact(store);
	is(at(7, ""), "a/x@4 b/z@7", "now is always known");
	is(at(6, ""), NULL, "compacted");
}

TEST_F(many_forgotten)
{
	const struct store_change *c;
	size_t n;

	store_set_history(store, 10);
	for (int i = 0; i < 1000; i++)
		put("a", "x");
	ok(store_since(pods, 991, &c, &n) == 0 && n == 10, "ten are kept");
	ok(c[0].version == 992 && c[9].version == 1001, "the last ten");
	ok(store_since(pods, 990, &c, &n) == -1, "not eleven");
	store_set_history(store, 0);
	put("a", "x");
	ok(store_since(pods, 1001, &c, &n) == -1, "none is kept");
}

/* Without its own limit, a collection keeps recent changes. */
TEST_F(young_kept)
{
	const struct store_change *c;
	size_t n;

	for (int i = 0; i < 3000; i++)
		put("a", "x");
	ok(store_since(pods, 1, &c, &n) == 0 && n == 3000, "all are kept");
}

/* ... unless the objects are large. */
TEST_F(large_forgotten)
{
	struct arena a = ARENA_INIT;
	struct buf more = BUF_INIT;
	const struct store_change *c;
	size_t n;

	buf_adds(&more, ",\"annotations\":{\"a\":\"");
	for (int i = 0; i < 20000; i++)
		buf_addc(&more, 'x');
	buf_adds(&more, "\"}");
	for (int i = 0; i < 3000; i++) {
		store_put(store, pods, make(&a, "a", "x", buf_str(&more)));
		arena_reset(&a);
	}
	ok(store_since(pods, 3001 - STORE_HISTORY, &c, &n) == 0 &&
		n == STORE_HISTORY,
	    "so many are always kept");
	ok(store_since(pods, 3000 - STORE_HISTORY, &c, &n) == -1,
	    "no longer kept");
	buf_release(&more);
	arena_release(&a);
}

static void
see(void *arg, struct collection *c, const struct store_change *change)
{
	static const char *const types[] = {"added", "modified", "deleted"};

	buf_addf(&seen, "%s:%.*s-%s-%.*s@%" PRIu64 " ", (const char *)arg,
	    SPAN_ARG(store_collection_plural(c)), types[change->type],
	    SPAN_ARG(change->now->key), change->version);
}

static struct store_hook first = {see, "1", NULL}, last = {see, "2", NULL},
			 all = {see, "all", NULL};

static void
react(void *arg, struct collection *c, const struct store_change *change)
{
	struct store_hook *self = arg;

	(void)c;
	if (change->version == 2) {
		store_remove_hook(store, pods, self);
		store_remove_hook(store, pods, &last);
		put("b", "y");
		del("b", "y");
	}
}

TEST_F(hooks)
{
	struct store_hook reacting = {react, &reacting, NULL};
	struct stored *o;

	store_add_hook(store, pods, &reacting);
	store_add_hook(store, pods, &last);
	store_add_hook(store, pods, &first);
	store_add_hook(store, NULL, &all);
	store_set_history(store, 0);
	o = put("a", "x");
	ok(o->version == 2, "what was put outlives the hooks");
	is(buf_str(&seen),
	    "1:pods-added-a/x@2 all:pods-added-a/x@2 "
	    "1:pods-added-b/y@3 all:pods-added-b/y@3 "
	    "1:pods-deleted-b/y@4 all:pods-deleted-b/y@4 ",
	    "every hook sees every change in order, removed ones none");
}

/* ---- many objects in any order, compared with a model ---- */

enum { NAMES = 2000 };

static bool
check_model(const uint64_t *model, const char *what)
{
	struct stored *o = store_next(pods, SPAN_NONE, SPAN_NONE);
	char name[16];
	size_t n = 0;

	for (int i = 0; i < NAMES; i++) {
		if (model[i] == 0)
			continue;
		snprintf(name, sizeof(name), "%05d", i);
		n++;
		if (o == NULL || !span_is(o->name, name) ||
		    o->version != model[i])
			return ok(false, what);
		if (store_get(pods, span_str("ns"), span_str(name)) != o)
			return ok(false, what);
		o = store_next(pods, SPAN_NONE, o->key);
	}
	return ok(o == NULL && store_count(pods) == n, what);
}

TEST_F(model)
{
	static uint64_t model[NAMES];
	unsigned x = 12345;
	char name[16];

	for (int i = 0; i < 20000; i++) {
		int k = (int)((x = x * 1664525 + 1013904223) >> 8) % NAMES;

		snprintf(name, sizeof(name), "%05d", k);
		/* It grows, shrinks to almost nothing, and grows again. */
		if ((i / 5000) % 2 == 0 || (x >> 28) == 0) {
			model[k] = store_next_version(store);
			put("ns", name);
		} else {
			model[k] = 0;
			del("ns", name);
		}
		if (i % 5000 == 4999)
			check_model(model, "as the model");
	}
	for (int k = 0; k < NAMES; k++) {
		snprintf(name, sizeof(name), "%05d", k);
		del("ns", name);
	}
	is(walk("", NULL), "", "empty again");
}

int
main(void)
{
	tap_run();
	buf_release(&seen);
	return tap_done();
}
