#include "state/backoff.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const int64_t second = 1000000;
enum { FIRST_S = 10, LAST_S = 600, SWEEP_AT = 256 };

struct backoff {
	int64_t wait;  /* 0: no failure, the evaluation took long */
	int64_t since; /* time of the last evaluation */
	int64_t until;
	size_t key_len;
	char key[];
};

static struct span
key_of(const struct backoff *b)
{
	return span_make(b->key, b->key_len);
}

/* Whether a back-off has been over, and not used, for as long as one can last.
 * The number of those that are kept is bounded by the failures that are
 * possible in that time. */
static bool
is_over(const void *value, const void *now)
{
	const struct backoff *b = value;

	return b->until + LAST_S * second < *(const int64_t *)now;
}

static struct backoff *
get(struct map *all, struct span key, int64_t now)
{
	struct backoff *b = map_get(all, key);

	if (b != NULL)
		return b;
	if (all->count >= SWEEP_AT && (all->count & (all->count - 1)) == 0)
		map_sweep(all, is_over, &now);
	b = mem_zalloc(sizeof(*b) + key.n);
	b->key_len = key.n;
	memcpy(b->key, key.p, key.n);
	map_put(all, key_of(b), b);
	return b;
}

int64_t
backoff_failed(struct map *all, struct span key, int64_t now)
{
	struct backoff *b = get(all, key, now);

	b->wait = b->wait != 0 ? b->wait * 2 : FIRST_S * second;
	if (b->wait > LAST_S * second)
		b->wait = LAST_S * second;
	b->since = now;
	b->until = now + b->wait;
	return b->until;
}

void
backoff_went_well(
    struct map *all, struct span key, int64_t now, uint64_t took_us)
{
	struct backoff *b;

	if (took_us <= BACKOFF_CHEAP_US) {
		free(map_del(all, key));
		return;
	}
	b = get(all, key, now);
	b->wait = 0;
	b->until = now + (int64_t)took_us * BACKOFF_FACTOR;
}

void
backoff_hurry(struct map *all, struct span key)
{
	struct backoff *b = map_get(all, key);

	if (b != NULL && b->wait != 0)
		b->until = b->since + FIRST_S * second;
}

int64_t
backoff_until(const struct map *all, struct span key, int64_t now)
{
	const struct backoff *b = map_get(all, key);

	return b != NULL && b->until > now ? b->until : 0;
}

bool
backoff_has_failed(const struct map *all, struct span key)
{
	const struct backoff *b = map_get(all, key);

	return b != NULL && b->wait != 0;
}

void
backoff_release(struct map *all)
{
	struct backoff *b;

	for (size_t i = 0; (b = map_next(all, &i)) != NULL;)
		free(b);
	map_release(all);
}
