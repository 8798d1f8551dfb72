#include "set/prunelimit.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct prunelimit_primary {
	size_t passed;	   /* deletions that are counted */
	size_t held;	   /* held back by its own limit */
	uint64_t until_ms; /* end of a limit on it: no deletion before then */
	char key[];
};

struct prunelimit_deletion {
	struct prunelimit_primary *primary;
	uint64_t at_ms;
};

void
prunelimit_init(struct prunelimit *l, size_t limit)
{
	*l = (struct prunelimit){.limit = limit,
	    .passed = mem_array(NULL, limit, sizeof(*l->passed))};
}

void
prunelimit_release(struct prunelimit *l)
{
	struct prunelimit_primary *p;

	for (size_t i = 0; (p = map_next(&l->primaries, &i)) != NULL;)
		free(p);
	map_release(&l->primaries);
	free(l->passed);
	l->passed = NULL;
}

/* ---- primaries ---- */

static struct prunelimit_primary *
find(const struct prunelimit *l, const char *primary)
{
	return map_get(&l->primaries, span_str(primary));
}

static struct prunelimit_primary *
find_or_add(struct prunelimit *l, const char *primary)
{
	struct prunelimit_primary *p = find(l, primary);
	size_t n = strlen(primary) + 1;

	if (p != NULL)
		return p;
	p = mem_zalloc(sizeof(*p) + n);
	memcpy(p->key, primary, n);
	map_put(&l->primaries, span_str(p->key), p);
	return p;
}

static void
forget(struct prunelimit *l, struct prunelimit_primary *p, uint64_t now_ms)
{
	if (p->passed > 0 || p->held > 0 || p->until_ms > now_ms)
		return;
	map_del(&l->primaries, span_str(p->key));
	free(p);
}

/* ---- the window ---- */

static struct prunelimit_deletion *
at(const struct prunelimit *l, size_t i)
{
	return &l->passed[(l->first + i) % l->limit];
}

static void
expire(struct prunelimit *l, uint64_t now_ms)
{
	while (l->count > 0 && now_ms - at(l, 0)->at_ms >= PRUNELIMIT_MS) {
		struct prunelimit_primary *p = at(l, 0)->primary;

		l->first = (l->first + 1) % l->limit;
		l->count--;
		p->passed--;
		forget(l, p, now_ms);
	}
}

static struct prunelimit_primary *
biggest(const struct prunelimit *l)
{
	struct prunelimit_primary *big = at(l, 0)->primary;

	for (size_t i = 1; i < l->count; i++)
		if (at(l, i)->primary->passed > big->passed)
			big = at(l, i)->primary;
	return big;
}

/* Forgets primaries that are no longer held and have no deletion counted. */
static void
sweep(struct prunelimit *l, uint64_t now_ms)
{
	struct prunelimit_primary **all =
	    (struct prunelimit_primary **)map_sorted(&l->primaries);
	size_t count = l->primaries.count;

	for (size_t i = 0; i < count; i++)
		forget(l, all[i], now_ms);
	free(all);
}

/* Limits p alone: its deletions no longer count against others. */
static void
set_apart(struct prunelimit *l, struct prunelimit_primary *p, uint64_t now_ms)
{
	size_t kept = 0;

	for (size_t i = 0; i < l->count; i++)
		if (at(l, i)->primary != p)
			*at(l, kept++) = *at(l, i);
	l->count = kept;
	sweep(l, now_ms);
	p->passed = 0;
	p->until_ms = now_ms + PRUNELIMIT_MS;
}

enum prunelimit_scope
prunelimit_is_on(
    const struct prunelimit *l, const char *primary, uint64_t now_ms)
{
	const struct prunelimit_primary *p = find(l, primary);

	if (p != NULL && (p->held > 0 || p->until_ms > now_ms))
		return PRUNELIMIT_PRIMARY;
	return l->held_all > 0 ? PRUNELIMIT_ALL : PRUNELIMIT_OFF;
}

enum prunelimit_scope
prunelimit_pass(struct prunelimit *l, const char *primary, uint64_t now_ms)
{
	enum prunelimit_scope scope = prunelimit_is_on(l, primary, now_ms);
	struct prunelimit_primary *p;

	if (l->limit == 0 || scope != PRUNELIMIT_OFF)
		return scope;
	expire(l, now_ms);
	if (l->count == l->limit) {
		p = biggest(l);
		if (2 * p->passed < l->limit)
			return PRUNELIMIT_ALL;
		set_apart(l, p, now_ms);
		if (strcmp(p->key, primary) == 0)
			return PRUNELIMIT_PRIMARY;
	}
	p = find_or_add(l, primary);
	p->passed++;
	*at(l, l->count++) = (struct prunelimit_deletion){p, now_ms};
	return PRUNELIMIT_OFF;
}

bool
prunelimit_hold(
    struct prunelimit *l, const char *primary, enum prunelimit_scope scope)
{
	l->held++;
	return scope == PRUNELIMIT_ALL ? l->held_all++ == 0
				       : find_or_add(l, primary)->held++ == 0;
}

bool
prunelimit_let_go(
    struct prunelimit *l, const char *primary, enum prunelimit_scope scope)
{
	l->held--;
	return scope == PRUNELIMIT_ALL ? --l->held_all == 0
				       : --find_or_add(l, primary)->held == 0;
}
