#include "state/late.h"

#include <stdlib.h>

#include "state/backoff.h"

/* Wakes whoever puts them no later than that. */
static void
wake_at(struct entries *es, int64_t at)
{
	struct wake *w = &es->late;

	if (!sched_is_set(w, WAKE_BACKOFF) || w->at[WAKE_BACKOFF] > at)
		sched_set(es->sched, w, WAKE_BACKOFF, at);
}

static int64_t
until(const struct entries *es, const struct object *o)
{
	return backoff_until(
	    &o->kind->backoffs, object_key(o), sched_ticks(es->sched));
}

bool
late_takes(struct entries *es, struct object *o)
{
	struct kind *k = o->kind;
	struct object *old = store_get(k, object_key(o));
	int64_t at = until(es, o);

	object_free(map_del(&k->late, object_key(o)));
	if (at == 0 ||
	    (old != NULL && span_eq(object_text(old), object_text(o))))
		return false;
	if (old != NULL && !span_eq(object_uid(old), object_uid(o)))
		entries_drop(es, old);
	else if (old != NULL)
		old->epoch = o->epoch;
	map_put(&k->late, object_key(o), o);
	wake_at(es, at);
	return true;
}

void
late_forget(const struct object *gone)
{
	struct map *late = &gone->kind->late;
	struct object *o = map_get(late, object_key(gone));

	if (o != NULL &&
	    (gone->uid_len == 0 || span_eq(object_uid(gone), object_uid(o))))
		object_free(map_del(late, object_key(gone)));
}

void
late_sweep(struct kind *k)
{
	struct object **all = (struct object **)map_sorted(&k->late);
	size_t count = k->late.count;

	for (size_t i = 0; i < count; i++)
		if (all[i]->epoch != k->epoch)
			object_free(map_del(&k->late, object_key(all[i])));
	free(all);
}

void
late_charge(
    struct entries *es, const struct object *o, uint64_t us, bool stopped)
{
	struct map *all = &o->kind->backoffs;
	int64_t now = sched_ticks(es->sched);

	if (stopped)
		backoff_failed(all, object_key(o), now);
	else
		backoff_went_well(all, object_key(o), now, us);
}

static void
put_of(struct entries *es, struct kind *k, enum late_which which)
{
	struct object **all = (struct object **)map_sorted(&k->late);
	size_t count = k->late.count;

	for (size_t i = 0; i < count; i++) {
		int64_t at = which == LATE_ALL ? 0 : until(es, all[i]);

		if (at != 0) {
			wake_at(es, at);
			continue;
		}
		map_del(&k->late, object_key(all[i]));
		entries_put(es, all[i]);
	}
	free(all);
}

void
late_put(struct entries *es, enum late_which which)
{
	for (size_t i = 0; i < es->store.kind_count; i++)
		put_of(es, es->store.kinds[i], which);
}
