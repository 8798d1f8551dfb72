#include "set/brake.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct brake_primary {
	size_t passed;	   /* deletions that are counted */
	size_t held;	   /* held back by its own brake */
	uint64_t until_ms; /* end of a brake on it: no deletion before then */
	char key[];
};

struct brake_deletion {
	struct brake_primary *primary;
	uint64_t at_ms;
};

void
brake_init(struct brake *b, size_t limit)
{
	*b = (struct brake){.limit = limit,
	    .passed = mem_array(NULL, limit, sizeof(*b->passed))};
}

void
brake_release(struct brake *b)
{
	struct brake_primary *p;

	for (size_t i = 0; (p = map_next(&b->primaries, &i)) != NULL;)
		free(p);
	map_release(&b->primaries);
	free(b->passed);
	b->passed = NULL;
}

/* ---- primaries ---- */

static struct brake_primary *
find(const struct brake *b, const char *primary)
{
	return map_get(&b->primaries, span_str(primary));
}

static struct brake_primary *
find_or_add(struct brake *b, const char *primary)
{
	struct brake_primary *p = find(b, primary);
	size_t n = strlen(primary) + 1;

	if (p != NULL)
		return p;
	p = mem_zalloc(sizeof(*p) + n);
	memcpy(p->key, primary, n);
	map_put(&b->primaries, span_str(p->key), p);
	return p;
}

static void
forget(struct brake *b, struct brake_primary *p, uint64_t now_ms)
{
	if (p->passed > 0 || p->held > 0 || p->until_ms > now_ms)
		return;
	map_del(&b->primaries, span_str(p->key));
	free(p);
}

/* ---- the window ---- */

static struct brake_deletion *
at(const struct brake *b, size_t i)
{
	return &b->passed[(b->first + i) % b->limit];
}

static void
expire(struct brake *b, uint64_t now_ms)
{
	while (b->count > 0 && now_ms - at(b, 0)->at_ms >= BRAKE_MS) {
		struct brake_primary *p = at(b, 0)->primary;

		b->first = (b->first + 1) % b->limit;
		b->count--;
		p->passed--;
		forget(b, p, now_ms);
	}
}

static struct brake_primary *
biggest(const struct brake *b)
{
	struct brake_primary *big = at(b, 0)->primary;

	for (size_t i = 1; i < b->count; i++)
		if (at(b, i)->primary->passed > big->passed)
			big = at(b, i)->primary;
	return big;
}

/* Forgets primaries that are no longer held and have no deletion counted. */
static void
sweep(struct brake *b, uint64_t now_ms)
{
	struct brake_primary **all =
	    (struct brake_primary **)map_sorted(&b->primaries);
	size_t count = b->primaries.count;

	for (size_t i = 0; i < count; i++)
		forget(b, all[i], now_ms);
	free(all);
}

/* Puts the brake on p alone: its deletions no longer count against others. */
static void
set_apart(struct brake *b, struct brake_primary *p, uint64_t now_ms)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->count; i++)
		if (at(b, i)->primary != p)
			*at(b, kept++) = *at(b, i);
	b->count = kept;
	sweep(b, now_ms);
	p->passed = 0;
	p->until_ms = now_ms + BRAKE_MS;
}

enum brake_scope
brake_is_on(const struct brake *b, const char *primary, uint64_t now_ms)
{
	const struct brake_primary *p = find(b, primary);

	if (p != NULL && (p->held > 0 || p->until_ms > now_ms))
		return BRAKE_PRIMARY;
	return b->held_all > 0 ? BRAKE_ALL : BRAKE_OFF;
}

enum brake_scope
brake_pass(struct brake *b, const char *primary, uint64_t now_ms)
{
	enum brake_scope scope = brake_is_on(b, primary, now_ms);
	struct brake_primary *p;

	if (b->limit == 0 || scope != BRAKE_OFF)
		return scope;
	expire(b, now_ms);
	if (b->count == b->limit) {
		p = biggest(b);
		if (2 * p->passed < b->limit)
			return BRAKE_ALL;
		set_apart(b, p, now_ms);
		if (strcmp(p->key, primary) == 0)
			return BRAKE_PRIMARY;
	}
	p = find_or_add(b, primary);
	p->passed++;
	*at(b, b->count++) = (struct brake_deletion){p, now_ms};
	return BRAKE_OFF;
}

bool
brake_hold(struct brake *b, const char *primary, enum brake_scope scope)
{
	b->held++;
	return scope == BRAKE_ALL ? b->held_all++ == 0
				  : find_or_add(b, primary)->held++ == 0;
}

bool
brake_let_go(struct brake *b, const char *primary, enum brake_scope scope)
{
	b->held--;
	return scope == BRAKE_ALL ? --b->held_all == 0
				  : --find_or_add(b, primary)->held == 0;
}
