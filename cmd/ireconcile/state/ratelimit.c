#include "state/ratelimit.h"

#include <stdlib.h>

#include "state/backoff.h"

/* Sets the timer that stores waiting objects, so that it fires by then. */
static void
wake_at(struct entries *es, int64_t at)
{
	struct sched_timer *w = &es->rate_limited;

	if (sched_at(w, SCHED_BACKOFF) == 0 || sched_at(w, SCHED_BACKOFF) > at)
		sched_set(es->sched, w, SCHED_BACKOFF, at);
}

static int64_t
until(const struct entries *es, const struct cache_object *o)
{
	return backoff_until(
	    &o->kind->backoffs, cache_object_key(o), sched_ticks(es->sched));
}

bool
ratelimit_takes(struct entries *es, struct cache_object *o)
{
	struct cache_kind *k = o->kind;
	struct cache_object *old = cache_get(k, cache_object_key(o));
	int64_t at = until(es, o);

	cache_object_free(map_del(&k->rate_limited, cache_object_key(o)));
	if (at == 0 ||
	    (old != NULL &&
		span_eq(cache_object_text(old), cache_object_text(o))))
		return false;
	if (old != NULL && !span_eq(cache_object_uid(old), cache_object_uid(o)))
		entries_drop(es, old);
	else if (old != NULL)
		old->epoch = o->epoch;
	map_put(&k->rate_limited, cache_object_key(o), o);
	wake_at(es, at);
	return true;
}

void
ratelimit_forget(const struct cache_object *gone)
{
	struct map *waiting = &gone->kind->rate_limited;
	struct cache_object *o = map_get(waiting, cache_object_key(gone));

	if (o != NULL &&
	    (gone->uid_len == 0 ||
		span_eq(cache_object_uid(gone), cache_object_uid(o))))
		cache_object_free(map_del(waiting, cache_object_key(gone)));
}

void
ratelimit_sweep(struct cache_kind *k)
{
	struct cache_object **all =
	    (struct cache_object **)map_sorted(&k->rate_limited);
	size_t count = k->rate_limited.count;

	for (size_t i = 0; i < count; i++)
		if (all[i]->epoch != k->epoch)
			cache_object_free(map_del(
			    &k->rate_limited, cache_object_key(all[i])));
	free(all);
}

void
ratelimit_charge(
    struct entries *es, const struct cache_object *o, uint64_t us, bool stopped)
{
	struct map *all = &o->kind->backoffs;
	int64_t now = sched_ticks(es->sched);

	if (stopped)
		backoff_failed(all, cache_object_key(o), now);
	else
		backoff_went_well(all, cache_object_key(o), now, us);
}

static void
put_of(struct entries *es, struct cache_kind *k, enum ratelimit_which which)
{
	struct cache_object **all =
	    (struct cache_object **)map_sorted(&k->rate_limited);
	size_t count = k->rate_limited.count;

	for (size_t i = 0; i < count; i++) {
		int64_t at = which == RATELIMIT_ALL ? 0 : until(es, all[i]);

		if (at != 0) {
			wake_at(es, at);
			continue;
		}
		map_del(&k->rate_limited, cache_object_key(all[i]));
		entries_put(es, all[i]);
	}
	free(all);
}

void
ratelimit_put(struct entries *es, enum ratelimit_which which)
{
	for (size_t i = 0; i < es->store.kind_count; i++)
		put_of(es, es->store.kinds[i], which);
}
