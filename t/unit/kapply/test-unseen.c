#include "unseen.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "tap.h"

#define PRIMARY                                                   \
	"\"primary\":{\"apiVersion\":\"e.com/v1\",\"kind\":\"T\"" \
	",\"namespace\":\"d\",\"name\":\"t\",\"uid\":\"u1\"}"
#define NS(name)                                         \
	"{\"apiVersion\":\"v1\",\"kind\":\"Namespace\"," \
	"\"metadata\":{\"name\":\"" name "\"}}"

static struct set *
parse(const char *text)
{
	struct err err = ERR_INIT;
	struct set *s;

	if (set_read(&s, span_str(text), 1, false, &err) != 0)
		printf("# %s\n", err.message);
	return s;
}

static void
patched(struct unseen *u)
{
	struct set *held = parse(
	    "{\"items\":[" NS("d") "],\"reconcile\":{" PRIMARY
				   ",\"known\":{\"Namespace//d\":\"u4\"}"
				   ",\"patch\":{\"Namespace//d\":\"take\"}}}");
	struct set *back =
	    parse("{\"items\":[],\"reconcile\":{" PRIMARY
		  ",\"release\":[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\","
		  "\"metadata\":{\"name\":\"d\",\"uid\":\"u4\"}}]}}");

	unseen_add(u, held, &held->items[0], 40000);
	ok(unseen_wait(u, held, 40000) == UNSEEN_MS,
	    "fields that were patched are waited for");
	unseen_line(u, held);
	ok(unseen_wait(u, held, 40000) == UNSEEN_MS,
	    "... though the object was known");
	unseen_line(u, back);
	ok(unseen_wait(u, held, 40000) == 0,
	    "... until a line gives them back");
	unseen_add(u, back, &back->items[0], 40000);
	ok(unseen_wait(u, held, 40000) == 0, "which is not waited for");
	set_free(held);
	set_free(back);
}

#define OWNED(more)                                             \
	"{\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Pod\","  \
	"\"metadata\":{\"name\":\"p\",\"namespace\":\"d\"" more \
	",\"ownerReferences\":[{\"controller\":true}]}}],"      \
	"\"reconcile\":{" PRIMARY "}}"

static void
owned(struct unseen *u)
{
	struct set *plain = parse(OWNED(",\"finalizers\":[]"));
	struct set *held = parse(OWNED(",\"finalizers\":[\"e/f\"]"));

	unseen_add(u, plain, &plain->items[0], 60000);
	ok(unseen_next(u, plain) == NULL, "the garbage collector follows");
	unseen_add(u, held, &held->items[0], 60000);
	is(unseen_next(u, held), "Pod/d/p",
	    "... but not where a finalizer holds the object");
	unseen_forget(u, held, "Pod/d/p");
	set_free(plain);
	set_free(held);
}

/* As many as are kept, at a time; more of them later. */
static void
many(struct unseen *u)
{
	struct set *s = parse(
	    "{\"items\":[" NS("a") "," NS("b") "],"
					       "\"reconcile\":{" PRIMARY "}}");
	struct buf name = BUF_INIT;

	for (unsigned n = 0; n <= UNSEEN_MAX; n++) {
		buf_reset(&name);
		buf_addf(&name, "T.e.com/d/%u", n);
		free(s->key);
		s->key = mem_strdup(buf_str(&name));
		unseen_add(u, s, &s->items[0],
		    70000 + (n == UNSEEN_MAX ? UNSEEN_MS : 0));
	}
	is(unseen_next(u, s), "Namespace//a", "the newest is kept");
	free(s->key);
	s->key = mem_strdup("T.e.com/d/0");
	ok(unseen_next(u, s) == NULL, "... and too many old ones are not");
	buf_release(&name);
	set_free(s);
}

int
main(void)
{
	struct loop *l = loop_new();
	struct unseen *u = unseen_new(l);
	struct set *two = parse(
	    "{\"items\":[" NS("a") "," NS("b") "],"
					       "\"reconcile\":{" PRIMARY "}}");
	struct set *seen = parse(
	    "{\"items\":[" NS("b") "],\"reconcile\":{" PRIMARY
				   ",\"known\":{\"Namespace//b\":\"u2\"}}}");

	struct set *stays = parse(
	    "{\"items\":[{\"apiVersion\":\"v1\",\"kind\":\"Namespace\","
	    "\"metadata\":{\"name\":\"c\",\"annotations\":{"
	    "\"kpipe.dev/retain\":\"true\"}}}],\"reconcile\":{" PRIMARY "}}");

	ok(unseen_wait(u, two, 0) == 0, "nothing was created");
	unseen_add(u, two, &two->items[0], 1000);
	unseen_add(u, two, &two->items[1], 3000);
	ok(unseen_wait(u, two, 4000) == UNSEEN_MS - 1000, "the newest counts");
	unseen_line(u, two);
	ok(unseen_wait(u, two, 4000) == UNSEEN_MS - 1000,
	    "a line that knows nothing changes nothing");
	unseen_line(u, seen);
	ok(unseen_wait(u, two, 4000) == UNSEEN_MS - 3000,
	    "seen: the other one counts");
	unseen_add(u, seen, &seen->items[0], 5000);
	ok(unseen_wait(u, two, 5000) == UNSEEN_MS - 4000,
	    "what was known is not noted");
	ok(unseen_wait(u, two, 1000 + UNSEEN_MS) == 0, "it ends");
	is(unseen_next(u, two), "Namespace//a", "... then it is looked at");
	unseen_keep(u, two, "Namespace//a", UNSEEN_KEPT_MS);
	ok(unseen_wait(u, two, UNSEEN_KEPT_MS) == 0,
	    "... again, without a wait");
	unseen_forget(u, two, "Namespace//a");
	ok(unseen_next(u, two) == NULL, "... until it is gone");
	unseen_add(u, stays, &stays->items[0], 20000);
	ok(unseen_wait(u, two, 20000) == 0,
	    "what is retained is not waited for");
	patched(u);
	owned(u);
	many(u);
	set_free(two);
	set_free(seen);
	set_free(stays);
	unseen_free(u);
	loop_free(l);
	return tap_done();
}
