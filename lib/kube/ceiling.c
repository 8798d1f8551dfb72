#include "kube/ceiling.h"

#include <stdlib.h>

#include "base/mem.h"

/* More names than this at once are not told apart. */
enum { WRITERS = 4096, WINDOW_MS = CEILING_BURST_S * 1000 };

struct ceiling_writer {
	char *name;
	uint64_t count;
};

void
ceiling_init(struct ceiling *c, long limit, uint64_t now_ms)
{
	*c = (struct ceiling){.limit = limit,
	    .left = (int64_t)limit * 1000 * CEILING_BURST_S,
	    .at_ms = now_ms,
	    .from_ms = now_ms};
}

static void
forget_writers(struct ceiling *c)
{
	struct ceiling_writer *w;

	for (size_t i = 0; (w = map_next(&c->writers, &i)) != NULL;) {
		free(w->name);
		free(w);
	}
	map_release(&c->writers);
	c->writes = 0;
}

void
ceiling_release(struct ceiling *c)
{
	forget_writers(c);
}

static void
refill(struct ceiling *c, uint64_t now_ms)
{
	int64_t full = (int64_t)c->limit * 1000 * CEILING_BURST_S;
	uint64_t passed = now_ms - c->at_ms;

	if (passed > WINDOW_MS)
		passed = WINDOW_MS;
	c->left += (int64_t)passed * c->limit;
	c->at_ms = now_ms;
	if (c->left < full)
		return;
	c->left = full;
	c->hit = false;
}

void
ceiling_write(struct ceiling *c, struct span who, uint64_t now_ms)
{
	struct ceiling_writer *w;

	if (c->limit == 0)
		return;
	refill(c, now_ms);
	c->left -= 1000;
	if (now_ms - c->from_ms >= WINDOW_MS && !c->hit) {
		forget_writers(c);
		c->from_ms = now_ms;
	}
	c->writes++;
	w = map_get(&c->writers, who);
	if (w == NULL && c->writers.count < WRITERS) {
		w = mem_zalloc(sizeof(*w));
		w->name = mem_dup(who.p, who.n);
		map_put(&c->writers, span_make(w->name, who.n), w);
	}
	if (w != NULL)
		w->count++;
}

uint64_t
ceiling_wait(struct ceiling *c, uint64_t now_ms)
{
	if (c->limit == 0)
		return 0;
	refill(c, now_ms);
	/* A whole write must be there. */
	return c->left >= 1000
	    ? 0
	    : (uint64_t)((1000 - c->left + c->limit - 1) / c->limit);
}

bool
ceiling_hold(struct ceiling *c, uint64_t wait_ms, struct ceiling_most *most)
{
	struct ceiling_writer *w;
	bool first = !c->hit;

	c->hit = true;
	c->held_ms += wait_ms;
	*most = (struct ceiling_most){.who = "", .of = c->writes};
	for (size_t i = 0; first && (w = map_next(&c->writers, &i)) != NULL;)
		if (w->count > most->count) {
			most->who = w->name;
			most->count = w->count;
		}
	return first;
}

void
ceiling_tell(
    const struct ceiling *c, const struct ceiling_most *most, struct buf *b)
{
	buf_addf(b,
	    "more writes than %ld a second (--max-writes-per-second): what is "
	    "beyond waits; of the last %llu, %llu are for %s",
	    c->limit, (unsigned long long)most->of,
	    (unsigned long long)most->count, most->who);
}
