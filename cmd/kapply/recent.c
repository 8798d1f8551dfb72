#include "recent.h"

#include <stdlib.h>
#include <string.h>

#include "apply.h"
#include "base/buf.h"
#include "base/map.h"
#include "base/mem.h"
#include "process/clock.h"
#include "value/digest.h"

struct created {
	char *key;			   /* owned */
	unsigned char digest[DIGEST_SIZE]; /* of the item */
	uint64_t at_ms;
};

struct recent {
	struct loop *loop;
	struct map all; /* struct created, owned, by primary and object */
	struct timer sweep;
};

struct recent *
recent_new(struct loop *l)
{
	struct recent *r = mem_zalloc(sizeof(*r));

	r->loop = l;
	return r;
}

/* Forgets what is older than RECENT_MS. */
static void
forget(struct recent *r, uint64_t now)
{
	struct created **all = (struct created **)map_sorted(&r->all);
	size_t count = r->all.count;

	for (size_t n = 0; n < count; n++) {
		if (now - all[n]->at_ms < RECENT_MS)
			continue;
		map_del(&r->all, span_str(all[n]->key));
		free(all[n]->key);
		free(all[n]);
	}
	free(all);
}

static void
sweep(void *arg)
{
	struct recent *r = arg;

	forget(r, clock_ms());
	if (r->all.count > 0)
		loop_after(r->loop, &r->sweep, RECENT_MS, sweep, r);
}

void
recent_free(struct recent *r)
{
	if (r == NULL)
		return;
	forget(r, UINT64_MAX);
	loop_cancel(r->loop, &r->sweep);
	map_release(&r->all);
	free(r);
}

/* Whether the line knew of no object, and may have it created at any time. */
static bool
is_creation(const struct set *s, const struct item *i)
{
	return !s->plain && i->op == OP_APPLY && i->known == KNOWN_ABSENT &&
	    !i->once;
}

static void
add_key(struct buf *b, const struct set *s, const struct item *i)
{
	buf_addspan(b, s->primary.uid);
	buf_addf(b, " %s", i->key);
}

void
recent_add(
    struct recent *r, const struct set *s, const struct item *i, uint64_t now)
{
	struct buf key = BUF_INIT;
	struct created *c;

	if (!is_creation(s, i))
		return;
	add_key(&key, s, i);
	c = map_get(&r->all, buf_span(&key));
	if (c == NULL) {
		c = mem_zalloc(sizeof(*c));
		c->key = mem_strdup(buf_str(&key));
		map_put(&r->all, span_str(c->key), c);
	}
	digest_sha256(i->text, c->digest);
	c->at_ms = now;
	buf_release(&key);
	if (!loop_timer_armed(&r->sweep))
		loop_after(r->loop, &r->sweep, RECENT_MS, sweep, r);
}

static bool
makes_again(const struct set *s)
{
	for (size_t n = 0; n < s->count; n++)
		if (s->items[n].op == OP_OWNER)
			return true;
	return false;
}

void
recent_line(struct recent *r, struct set *s, uint64_t now)
{
	if (r->all.count == 0 || makes_again(s))
		return;
	for (size_t n = 0; n < s->count; n++) {
		struct item *i = &s->items[n];
		unsigned char digest[DIGEST_SIZE];
		struct buf key = BUF_INIT;
		const struct created *c;

		if (!is_creation(s, i) || i->state != ITEM_WAITING ||
		    i->vacated)
			continue;
		add_key(&key, s, i);
		c = map_get(&r->all, buf_span(&key));
		buf_release(&key);
		if (c == NULL || now - c->at_ms >= RECENT_MS)
			continue;
		digest_sha256(i->text, digest);
		if (memcmp(digest, c->digest, DIGEST_SIZE) != 0)
			continue;
		i->state = ITEM_DONE;
		i->accepted_ms = c->at_ms;
	}
}
