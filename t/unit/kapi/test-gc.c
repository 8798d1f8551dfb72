// alone: it has functions in place of the tool's
/* gc: which objects are deleted with which owners. */
#include "control/gc.h"

#include "process/clock.h"
#include "process/loop.h"
#include "stub-rest.h"
#include "write/convert.h"

static struct api api;

static void
set_up(void)
{
	rest_set_up();
	api = (struct api){.loop = loop_new(), .store = store};
	api.gc = gc_new(&api);
	deletes = updates = 0;
}

static void
tear_down(void)
{
	gc_free(api.gc);
	store_free(store);
	loop_free(api.loop);
	arena_release(&arena);
}

/* A word like "A/ns/name" (namespace "-": none) as kind, namespace, name. */
struct place {
	char kind[2], ns[16], name[24];
};

static struct place
place_of(const char *where)
{
	struct place p = {"", "", ""};

	if (sscanf(where, "%1[^/]/%15[^/]/%23s", p.kind, p.ns, p.name) != 3)
		abort();
	if (strcmp(p.ns, "-") == 0)
		p.ns[0] = '\0';
	return p;
}

static struct resource *
resource_at(const struct place *p)
{
	return &kinds[p->kind[0] >= 'X' ? p->kind[0] - 'X' + 3
					: p->kind[0] - 'A'];
}

static bool
there(const char *where)
{
	struct place p = place_of(where);

	return store_get(resource_at(&p)->collection, span_str(p.ns),
		   span_str(p.name)) != NULL;
}

static void
put(const char *where, const char *uid, const char *metadata)
{
	struct place p = place_of(where);
	struct span text = arena_printf(&arena,
	    "{\"apiVersion\":\"g/v1\",\"kind\":\"%s\",\"metadata\":{%s%s%s"
	    "\"name\":\"%s\",\"uid\":\"%s\"%s%s}}",
	    p.kind, p.ns[0] ? "\"namespace\":\"" : "", p.ns,
	    p.ns[0] ? "\"," : "", p.name, uid, *metadata ? "," : "", metadata);
	struct node *object = parse_span(text);

	number(&arena, object);
	store_put(store, resource_at(&p)->collection, object);
}

/* "UID KIND NAME[ blocks]" joined by commas, as ownerReferences. */
static const char *
owners(const char *list)
{
	struct buf b = BUF_INIT;
	const char *text;
	int used;
	char uid[24], kind[16], name[24], blocks[16];

	buf_adds(&b, "\"ownerReferences\":[");
	while (sscanf(list, " %23s %15s %23s %15[a-z-],%n", uid, kind, name,
		   blocks, &used) == 4) {
		buf_addf(&b,
		    "%s{\"apiVersion\":\"g/v1\",\"kind\":\"%s\",\"name\":"
		    "\"%s\",\"uid\":\"%s\"%s}",
		    b.data[b.len - 1] == '[' ? "" : ",", kind, name, uid,
		    strcmp(blocks, "blocks") == 0
			? ",\"blockOwnerDeletion\":true"
			: "");
		list += used;
	}
	buf_adds(&b, "]");
	text = arena_str(&arena, buf_span(&b));
	buf_release(&b);
	return text;
}

static const char *
with(const char *members, const char *more)
{
	return arena_printf(&arena, "%s,%s", members, more).p;
}

static void
drop(const char *where, const char *policy)
{
	struct place p = place_of(where);
	struct rest_writer w = {&api, &arena, SPAN_NONE};
	struct delete_options o = {.policy = span_str(policy)};

	rest_delete(&w, resource_at(&p), span_str(p.ns), span_str(p.name), &o);
}

static void
drop_all(const char *where, const char *policy)
{
	drop(where, policy);
	gc_drain(api.gc);
}

/* The ownerReferences' uids, or "(gone)". */
static const char *
owners_of(const char *where)
{
	struct place p = place_of(where);
	struct stored *o = store_get(
	    resource_at(&p)->collection, span_str(p.ns), span_str(p.name));
	struct buf b = BUF_INIT;
	const struct node *all;
	const char *text;

	if (o == NULL)
		return "(gone)";
	all = tree_path(convert_tree(&arena, o), "metadata.ownerReferences");
	for (size_t i = 0; i < tree_count(all); i++)
		buf_addf(&b, "%s%.*s", i > 0 ? " " : "",
		    SPAN_ARG(tree_path_text(all->items[i], "uid")));
	text = arena_str(&arena, buf_span(&b));
	buf_release(&b);
	return text;
}

TEST_F(background)
{
	put("A/n/a", "a1", "");
	put("B/n/b", "b1", owners("a1 A a -,"));
	put("B/n/c", "c1", owners("b1 B b blocks,"));
	put("B/n/d", "d1", "");
	gc_drain(api.gc);
	ok(there("B/n/c") && there("B/n/d"),
	    "nothing to do while all owners live");
	drop("A/n/a", "Background");
	ok(there("B/n/b"), "a hook deletes nothing");
	gc_drain(api.gc);
	ok(!there("B/n/b") && !there("B/n/c") && there("B/n/d"),
	    "dependents go, and theirs; others stay");
}

TEST_F(two_owners)
{
	put("A/n/a", "a1", "");
	put("A/n/b", "b1", "");
	put("B/n/c", "c1", owners("a1 A a -, b1 A b -,"));
	drop_all("A/n/a", "Background");
	is(owners_of("B/n/c"), "b1", "the reference to a dead owner goes");
	drop_all("A/n/b", "Background");
	ok(!there("B/n/c"), "with the last owner the object goes");
}

TEST_F(foreground)
{
	put("A/n/a", "a1", "");
	put("B/n/b", "b1", owners("a1 A a blocks,"));
	put("B/n/s", "s1",
	    with("\"finalizers\":[\"f\"]", owners("a1 A a blocks,")));
	put("B/n/l", "l1", owners("a1 A a -,"));
	drop_all("A/n/a", "Foreground");
	ok(!there("B/n/b") && !there("B/n/l"), "dependents are deleted first");
	ok(there("A/n/a") && there("B/n/s"),
	    "the owner waits for one with a finalizer");
	put("B/n/s", "s1",
	    with("\"finalizers\":[\"f\"],\"deletionTimestamp\":\"t\"",
		owners("a1 A a -,")));
	gc_drain(api.gc);
	ok(!there("A/n/a"), "until it no longer blocks");
	put("A/n/e", "e1", "");
	drop_all("A/n/e", "Foreground");
	ok(!there("A/n/e"), "who has no dependents goes at once");
}

TEST_F(foreground_chain)
{
	put("A/n/a", "a1", "");
	put("B/n/b", "b1", owners("a1 A a blocks,"));
	put("B/n/c", "c1", owners("b1 B b blocks,"));
	put("B/n/o", "o1", owners("a1 A a blocks, z1 A z -,"));
	put("A/n/z", "z1", "");
	put("B/n/o", "o1", owners("a1 A a blocks, z1 A z -,"));
	drop_all("A/n/a", "Foreground");
	ok(!there("A/n/a") && !there("B/n/b") && !there("B/n/c"),
	    "a chain goes from its end");
	is(owners_of("B/n/o"), "z1", "another owner keeps what it owns");
}

/* An object that is visited for another reason keeps its blockers. */
TEST_F(foreground_owned)
{
	put("A/n/x", "x1", "");
	put("A/n/b", "b1", owners("x1 A x -,"));
	put("B/n/c", "c1",
	    with("\"finalizers\":[\"f\"]", owners("b1 A b blocks,")));
	drop_all("A/n/b", "Foreground");
	ok(there("A/n/b"), "it waits for one that has a finalizer");
	drop_all("A/n/x", "Background");
	ok(!there("A/n/x") && there("A/n/b"), "... also when its owner goes");
}

TEST_F(circle)
{
	put("A/n/a", "a1", "");
	gc_set_loading(api.gc, true);
	put("B/n/b", "b1", owners("a1 A a blocks, c1 B c blocks,"));
	put("B/n/c", "c1", owners("a1 A a blocks, b1 B b blocks,"));
	gc_set_loading(api.gc, false);
	drop_all("A/n/a", "Foreground");
	drop_all("B/n/b", "Foreground");
	ok(!there("B/n/b") && !there("B/n/c") && !there("A/n/a"),
	    "a circle of owners ends");
}

TEST_F(orphan)
{
	put("A/n/a", "a1", "");
	put("B/n/b", "b1", owners("a1 A a blocks,"));
	put("B/n/c", "c1", owners("a1 A a -, c0 C c -,"));
	put("C/-/c", "c0", "");
	put("B/n/c", "c1", owners("a1 A a -, c0 C c -,"));
	drop_all("A/n/a", "Orphan");
	ok(!there("A/n/a"), "the owner goes");
	is(owners_of("B/n/b"), "", "its dependents stay without it");
	is(owners_of("B/n/c"), "c0", "other owners stay theirs");
}

TEST_F(absent)
{
	put("A/n/a", "a1", "");
	put("C/-/c", "c1", "");
	put("B/n/uid", "1", owners("zz A a -,"));
	put("B/n/kind", "2", owners("a1 B a -,"));
	put("B/m/ns", "3", owners("a1 A a -,"));
	put("B/n/cluster", "4", owners("c1 C c -,"));
	put("C/-/scope", "5", owners("a1 A a -,"));
	put("B/n/none", "6", owners("qq A q -,"));
	put("B/n/ok", "7", owners("a1 A a -,"));
	gc_drain(api.gc);
	ok(!there("B/n/uid"), "an owner of another uid does not count");
	ok(!there("B/n/kind"), "nor is one of another kind");
	ok(!there("B/m/ns"), "nor one in another namespace");
	ok(there("B/n/cluster"),
	    "the cluster's objects own those of "
	    "namespaces");
	ok(there("C/-/scope"), "the other way round nothing is done");
	ok(!there("B/n/none"), "an owner that does not exist does not count");
	ok(there("B/n/ok") && updates == 4 && deletes == 4,
	    "and nothing else was written");
}

TEST_F(unknown_kind)
{
	put("B/n/b", "b1", owners("x1 X x -,"));
	gc_drain(api.gc);
	ok(there("B/n/b"), "a kind that is not served says nothing");
	serves_x = true;
	put("Z/n/xs", "d", "");
	gc_drain(api.gc);
	ok(!there("B/n/b"), "once it is, its objects are looked for");
}

TEST_F(events)
{
	put("Y/n/y", "y1", owners("a1 A a -,"));
	put("B/n/b", "b1", owners("a1 A a -,"));
	gc_drain(api.gc);
	ok(there("Y/n/y") && !there("B/n/b"),
	    "a kind without collection outlives its owners");
}

TEST_F(loaded)
{
	gc_set_loading(api.gc, true);
	put("B/n/b", "b1", owners("a1 A a -,"));
	put("B/n/c", "c1", owners("x1 X x -,"));
	put("B/n/d", "d1", owners("e1 A e -,"));
	put("A/n/e", "e1", "");
	gc_set_loading(api.gc, false);
	gc_drain(api.gc);
	ok(there("B/n/b") && there("B/n/c") && there("B/n/d"),
	    "owners that were not loaded are believed in");
	put("B/n/b", "b1", with("\"labels\":{}", owners("a1 A a -,")));
	gc_drain(api.gc);
	ok(there("B/n/b"), "also when the object is written again");
	put("A/n/a", "a1", "");
	drop("A/n/a", "Background");
	drop_all("A/n/e", "Background");
	ok(!there("B/n/b") && !there("B/n/d") && there("B/n/c"),
	    "once seen, an owner can go");
}

TEST_F(index)
{
	gc_free(api.gc);
	put("A/n/a", "a1", "");
	put("B/n/b", "b1", owners("a1 A a -,"));
	put("B/n/c", "c1", owners("zz A a -,"));
	api.gc = gc_new(&api);
	gc_drain(api.gc);
	ok(there("B/n/b") && !there("B/n/c"), "what is there is looked at");
}

/* Processor time, which does not depend on the load of the machine. */
static uint64_t
used_ms(void)
{
	struct timespec ts = {0};

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

TEST_F(many)
{
	char where[40];
	size_t turns = 0;
	uint64_t start;

	put("A/n/a", "a1", "");
	for (int i = 0; i < 10000; i++) {
		char uid[16];

		snprintf(where, sizeof(where), "B/n/b%d", i);
		snprintf(uid, sizeof(uid), "u%d", i);
		put(where, uid, owners("a1 A a blocks,"));
	}
	arena_release(&arena);
	start = used_ms();
	drop("A/n/a", "Foreground");
	ok(used_ms() - start < 200, "the deletion itself is short");
	for (; there("A/n/a") && turns < 100000; turns++)
		loop_once(api.loop, 1000);
	ok(store_count(kinds[1].collection) == 0 && turns > 1,
	    "10,000 go in several turns of the loop");
	ok(used_ms() - start < 20000, "in time that grows with their number");
	printf("# %zu turns, %llu ms\n", turns,
	    (unsigned long long)(used_ms() - start));
}
