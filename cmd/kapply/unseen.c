#include "unseen.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/mem.h"
#include "body.h"
#include "json/json.h"
#include "kube/proof.h"
#include "process/clock.h"

struct made {
	struct made *next;
	char *key;	   /* owned: the object's */
	uint64_t until_ms; /* it is waited for */
	uint64_t kept_ms;  /* ... and looked at, later */
};

struct owner {
	char *key; /* owned: the primary's */
	struct made *made;
};

struct unseen {
	struct loop *loop;
	struct map owners; /* struct owner, owned */
	size_t count;	   /* of struct made */
	struct timer sweep;
};

struct unseen *
unseen_new(struct loop *l)
{
	struct unseen *u = mem_zalloc(sizeof(*u));

	u->loop = l;
	return u;
}

/* Drops the entry of that key, or what is older than now (key NULL). */
static void
drop(struct unseen *u, struct owner *o, const char *key, uint64_t now)
{
	struct made **at = &o->made, *m;

	while ((m = *at) != NULL) {
		if (key != NULL ? strcmp(m->key, key) != 0 : m->kept_ms > now) {
			at = &m->next;
			continue;
		}
		*at = m->next;
		free(m->key);
		free(m);
		u->count--;
	}
}

/* Drops what is older than now of all, and owners without entries. */
static void
clean(struct unseen *u, uint64_t now)
{
	struct owner **all = (struct owner **)map_sorted(&u->owners);
	size_t count = u->owners.count;

	for (size_t i = 0; i < count; i++) {
		drop(u, all[i], NULL, now);
		if (all[i]->made != NULL)
			continue;
		map_del(&u->owners, span_str(all[i]->key));
		free(all[i]->key);
		free(all[i]);
	}
	free(all);
}

static void
sweep(void *arg)
{
	struct unseen *u = arg;

	clean(u, clock_ms());
	if (u->owners.count > 0)
		loop_after(u->loop, &u->sweep, UNSEEN_KEPT_MS, sweep, u);
}

void
unseen_free(struct unseen *u)
{
	if (u == NULL)
		return;
	clean(u, UINT64_MAX);
	loop_cancel(u->loop, &u->sweep);
	map_release(&u->owners);
	free(u);
}

/* Fields of what is not a member are news, too: their mark is not seen yet. */
static bool
is_news(const struct item *i)
{
	return i->partial == PARTIAL_NONE ? i->known != KNOWN_UID
					  : i->partial != PARTIAL_RELEASE;
}

/* The garbage collector deletes it, and nothing holds that up. */
static bool
is_collected(const struct item *i)
{
	struct json_elements finalizers =
	    json_elements(json_path(i->text, "metadata.finalizers"));

	return body_controller(i->text).p != NULL && !json_element(&finalizers);
}

void
unseen_add(
    struct unseen *u, const struct set *s, const struct item *i, uint64_t now)
{
	struct owner *o;
	struct span notes = json_path(i->text, "metadata.annotations");
	struct made *m;

	/* The finalizer does not wait for what is to stay. */
	if (s->plain || !is_news(i) || is_collected(i) ||
	    json_is(json_get(notes, PROOF_RETAIN), "true"))
		return;
	if (u->count >= UNSEEN_MAX)
		clean(u, now + UNSEEN_KEPT_MS - UNSEEN_MS);
	o = map_get(&u->owners, span_str(s->key));
	if (o == NULL) {
		o = mem_zalloc(sizeof(*o));
		o->key = mem_strdup(s->key);
		map_put(&u->owners, span_str(o->key), o);
	}
	drop(u, o, i->key, now);
	m = mem_zalloc(sizeof(*m));
	m->key = mem_strdup(i->key);
	m->until_ms = now + UNSEEN_MS;
	m->kept_ms = now + UNSEEN_KEPT_MS;
	m->next = o->made;
	o->made = m;
	u->count++;
	if (!loop_timer_armed(&u->sweep))
		loop_after(u->loop, &u->sweep, UNSEEN_KEPT_MS, sweep, u);
}

void
unseen_line(struct unseen *u, const struct set *s)
{
	struct owner *o = map_get(&u->owners, span_str(s->key));

	if (s->plain || o == NULL)
		return;
	/* A line with the item was decided when it was seen. */
	for (size_t n = 0; n < s->count; n++) {
		const struct item *i = &s->items[n];

		if (i->op == OP_DELETE ||
		    (i->known == KNOWN_UID && !is_news(i)))
			drop(u, o, i->key, 0);
	}
}

uint64_t
unseen_wait(const struct unseen *u, const struct set *s, uint64_t now)
{
	const struct owner *o = map_get(&u->owners, span_str(s->key));
	uint64_t wait = 0;

	for (const struct made *m = o ? o->made : NULL; m != NULL; m = m->next)
		if (m->until_ms > now + wait)
			wait = m->until_ms - now;
	return wait;
}

const char *
unseen_next(const struct unseen *u, const struct set *s)
{
	const struct owner *o = map_get(&u->owners, span_str(s->key));

	return o != NULL && o->made != NULL ? o->made->key : NULL;
}

void
unseen_forget(struct unseen *u, const struct set *s, const char *key)
{
	struct owner *o = map_get(&u->owners, span_str(s->key));

	if (o != NULL)
		drop(u, o, key, 0);
}

void
unseen_keep(
    struct unseen *u, const struct set *s, const char *key, uint64_t now)
{
	const struct owner *o = map_get(&u->owners, span_str(s->key));

	for (struct made *m = o ? o->made : NULL; m != NULL; m = m->next)
		if (strcmp(m->key, key) == 0)
			m->kept_ms = now + UNSEEN_KEPT_MS;
}
