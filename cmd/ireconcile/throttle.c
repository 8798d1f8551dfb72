#include "throttle.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "decide/userrequest.h"
#include "holder.h"
#include "process/log.h"
#include "state/primary.h"

static void
take_slot(struct entries *es, struct primary *p)
{
	uint64_t timeout_ms = p->entry->conf->throttle_timeout_ms;

	p->work.has_slot = true;
	p->entry->slots_used++;
	sched_set(es->sched, &p->work.timer, SCHED_SLOT,
	    sched_ticks(es->sched) + (int64_t)timeout_ms * 1000);
}

static long
free_slots(const struct entry *e)
{
	return e->conf->throttle_limit - e->slots_used;
}

static size_t
place_of(const struct entry *e, const struct primary *p)
{
	size_t i = 0;

	while (i < e->waiting_count && e->waiting[i] != p)
		i++;
	return i;
}

static void
stop_waiting(struct primary *p)
{
	struct entry *e = p->entry;
	size_t i = place_of(e, p);

	if (!p->work.waiting)
		return;
	p->work.waiting = false;
	e->waiting_count--;
	memmove(&e->waiting[i], &e->waiting[i + 1],
	    (e->waiting_count - i) * sizeof(*e->waiting));
}

static void
wait_for_slot(struct primary *p)
{
	struct entry *e = p->entry;

	if (p->work.waiting)
		return;
	e->waiting =
	    mem_grow(e->waiting, e->waiting_count, sizeof(*e->waiting));
	e->waiting[e->waiting_count++] = p;
	p->work.waiting = true;
}

/* Primaries that would now get a slot are evaluated again. */
static void
wake_waiting(const struct entries *es, struct entry *e)
{
	long n = free_slots(e);

	for (size_t i = 0; i < e->waiting_count && (long)i < n; i++)
		es->dirty(es->arg, e->waiting[i]);
}

void
throttle_leave(struct entries *es, struct primary *p)
{
	if (p->work.has_slot) {
		p->work.has_slot = false;
		p->entry->slots_used--;
		sched_clear(es->sched, &p->work.timer, SCHED_SLOT);
	}
	stop_waiting(p);
	wake_waiting(es, p->entry);
}

void
throttle_start(struct entries *es, struct entry *e)
{
	struct primary **all;

	if (e->conf->throttle_limit == 0)
		return;
	all = entry_primaries(e);
	for (size_t i = 0; i < e->primaries.count; i++) {
		struct primary *p = all[i];

		if (p->object != NULL && !p->object->terminating &&
		    !p->work.has_slot && !userrequest_paused(p) &&
		    !userrequest_observe_only(p) && !holder_find(p, NULL) &&
		    decide_begun(p) &&
		    !decide_settled(p, sched_now_us(es->sched)))
			take_slot(es, p);
	}
	free(all);
}

bool
throttle_allows(struct entries *es, struct primary *p, enum line_due due)
{
	struct entry *e = p->entry;
	size_t place;

	if (e->conf->throttle_limit == 0 || p->work.has_slot)
		return true;
	if (due != LINE_NEW || p->object->terminating) {
		stop_waiting(p);
		wake_waiting(es, e);
		return true;
	}
	place = place_of(e, p);
	if ((long)place < free_slots(e)) {
		stop_waiting(p);
		take_slot(es, p);
		return true;
	}
	wait_for_slot(p);
	return false;
}

void
throttle_observe(struct entries *es, struct primary *p,
    const struct decision *d, bool printed)
{
	bool quiet = d->outstanding_count == 0;

	for (size_t i = 0; i < d->count; i++)
		quiet = quiet && d->points[i].done;
	if (!p->work.has_slot)
		return;
	if (d->failed || p->object->terminating || (quiet && d->settled) ||
	    (d->on_error_holds && !printed) || d->observed_only.len > 0)
		throttle_leave(es, p);
}
