/* Part of apply.h: which item of which key is next. */
#include "apply.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "process/clock.h"
#include "process/log.h"
#include "send.h"
#include "unseen.h"

enum item_action
engine_item_take(struct item *i, enum item_event event)
{
	enum item_action action = itemstate_action(i->state, event);

	if (action == ACTION_NEVER)
		log_error("bug: %s: \"%s\" while %s", i->key,
		    itemstate_event_name(event),
		    itemstate_state_name(i->state));
	i->state = itemstate_next(i->state, action);
	return action;
}

/* Counts the items of the current phase by state. */
struct tally {
	size_t waiting, flying, retry, refused, stale;
	size_t backoff; /* of retry: failed in passing */
};

static struct tally
tally(const struct set *s)
{
	size_t in[ITEM_STATES] = {0};

	for (size_t n = 0; n < s->count; n++)
		if (s->items[n].phase == s->phase)
			in[s->items[n].state]++;
	return (struct tally){.waiting = in[ITEM_WAITING],
	    .flying = in[ITEM_LOOKUP] + in[ITEM_FLYING],
	    .retry = in[ITEM_BACKOFF] + in[ITEM_OVERDUE] + in[ITEM_FAILED],
	    .backoff = in[ITEM_BACKOFF],
	    .refused = in[ITEM_REFUSED],
	    .stale = in[ITEM_STALE]};
}

static void
lift_barrier(struct apply *a, struct set *s)
{
	if (s->barrier)
		a->barriers--;
	s->barrier = false;
}

/* Frees the set; items that were held back or denied no longer count. */
static void
release_set(struct apply *a, struct set *s)
{
	for (size_t n = 0; s != NULL && n < s->count; n++) {
		report_let_go(a, s, &s->items[n]);
		denials_leave(&a->denials, &s->items[n].denied);
	}
	set_free(s);
}

static void
key_free(struct key *k)
{
	struct set *s;

	map_del(&k->apply->keys, span_str(k->name));
	loop_cancel(k->apply->loop, &k->timer);
	set_free(k->set);
	while ((s = k->next) != NULL) {
		k->next = s->next;
		set_free(s);
	}
	free(k->name);
	free(k);
}

/* The class that maxConcurrentReconciles counts: the primary's kind. */
static void
classify(struct key *k, const struct set *s)
{
	struct buf b = BUF_INIT;

	k->effort = s->plain
	    ? NULL
	    : effort_of(&k->apply->efforts, s->primary.group, s->primary.kind,
		  s->max_concurrent > 0 ? (uint64_t)s->max_concurrent
					: (uint64_t)k->apply->o->max_in_flight);
	if (s->max_concurrent > 0) {
		objref_add_kind(&b, s->primary.kind, s->primary.group);
		workqueue_classify(&k->apply->queue, &k->work, buf_span(&b),
		    (size_t)s->max_concurrent);
	}
	buf_release(&b);
}

static void
take_next(struct key *k)
{
	struct set *old = k->set;

	if (k->next->behind)
		k->apply->lined_up--;
	k->set = k->next;
	k->next = k->set->next;
	k->set->next = NULL;
	loop_cancel(k->apply->loop, &k->timer);
	if (old != NULL)
		set_inherit(k->set, old, RECENT_MS, clock_ms());
	release_set(k->apply, old);
	unseen_line(k->apply->unseen, k->set);
	classify(k, k->set);
}

static void
note_late(struct key *k, struct item *i, uint64_t now)
{
	retry_expire(&i->failure.retry, k->apply->o->failed_after_ms, now);
	if (i->failure.retry.failed)
		engine_item_take(i, EVENT_LATE);
}

static void
retry_due(void *arg)
{
	struct key *k = arg;
	struct set *s = k->set;
	uint64_t now = clock_ms();

	for (size_t n = 0; n < s->count; n++) {
		struct item *i = &s->items[n];

		if (!itemstate_is_retried(i->state) || i->phase != s->phase)
			continue;
		note_late(k, i, now);
		if (i->failure.retry.due_ms <= now)
			engine_item_take(i, EVENT_DUE);
	}
	engine_advance(k);
}

static void
wait_for_retry(struct key *k)
{
	uint64_t due = UINT64_MAX;

	for (size_t n = 0; n < k->set->count; n++) {
		const struct item *i = &k->set->items[n];
		const struct retry *r = &i->failure.retry;
		uint64_t at = r->due_ms;

		if (!itemstate_is_retried(i->state) ||
		    i->phase != k->set->phase)
			continue;
		if (i->state == ITEM_BACKOFF &&
		    at > r->first_ms + k->apply->o->failed_after_ms)
			at = r->first_ms + k->apply->o->failed_after_ms;
		if (at < due)
			due = at;
	}
	workqueue_rest(&k->apply->queue, &k->work);
	loop_at(k->apply->loop, &k->timer, due, retry_due, k);
}

static void
drop_set(struct key *k)
{
	lift_barrier(k->apply, k->set);
	release_set(k->apply, k->set);
	k->set = NULL;
}

/* Nothing of this phase can be sent now, and not all of it is done. */
static void
settle(struct key *k, const struct tally *t)
{
	bool superseded;

	report_failures(k->apply, k->set);
	if (k->set->barrier && itemstate_has_failed(k->set->items[0].state))
		lift_barrier(k->apply, k->set);
	superseded = k->set->plain && k->next != NULL &&
	    k->set->items[0].state == ITEM_FAILED;
	if (t->retry > 0 && !superseded) {
		wait_for_retry(k);
		return;
	}
	if (t->refused > 0 || superseded)
		k->apply->failed = true;
	drop_set(k);
	engine_advance(k);
}

/* Items have failed, and none is left to try, nor will a newer line come:
 * deletes that do not wait for items are sent now. */
static bool
delete_ahead(struct set *s, const struct tally *t)
{
	bool any = false;

	if (s->phase < PHASE_SCOPES || s->phase >= PHASE_DELETE ||
	    t->backoff + t->stale > 0)
		return false;
	for (size_t n = 0; n < s->count; n++) {
		struct item *i = &s->items[n];

		if (!i->always || i->phase != PHASE_DELETE)
			continue;
		i->phase = s->phase;
		any = true;
	}
	return any;
}

/* Only such deletes have not ended: later items do not wait for them. */
static bool
put_back_deletes(struct set *s)
{
	bool any = false;

	if (s->phase >= PHASE_DELETE)
		return false;
	for (size_t n = 0; n < s->count; n++)
		if (s->items[n].phase == s->phase && !s->items[n].always &&
		    s->items[n].state != ITEM_DONE)
			return false;
	for (size_t n = 0; n < s->count; n++) {
		struct item *i = &s->items[n];

		if (i->phase != s->phase || i->state == ITEM_DONE)
			continue;
		i->phase = PHASE_DELETE;
		any = true;
	}
	return any;
}

/* True if there is more to look at, false if the key has to wait. */
static bool
advance_once(struct key *k)
{
	struct tally t;

	/* Requests in flight end first; then only the newest line counts. */
	if (k->next != NULL && k->flying == 0 &&
	    (k->set == NULL || !k->set->plain))
		take_next(k);
	if (k->set == NULL) {
		workqueue_rest(&k->apply->queue, &k->work);
		key_free(k);
		return false;
	}
	if (k->next != NULL && !k->set->plain)
		return false;
	t = tally(k->set);
	if (t.waiting > 0) {
		workqueue_push(&k->apply->queue, &k->work);
		return false;
	}
	if (k->flying > 0 || t.flying > 0)
		return false;
	if (t.retry + t.refused + t.stale > 0) {
		if (put_back_deletes(k->set) || delete_ahead(k->set, &t))
			return true;
		settle(k, &t);
		return false;
	}
	if (k->set->phase == PHASE_STATUS)
		report_status(k->apply, k->set);
	if (++k->set->phase == PHASE_END)
		drop_set(k);
	return true;
}

void
engine_advance(struct key *k)
{
	while (advance_once(k))
		;
}

static struct key *
key_of(struct apply *a, const struct set *s)
{
	struct buf b = BUF_INIT;
	struct key *k;

	/* A plain object may bear the name of a primary. */
	buf_adds(&b, s->plain ? "object " : "primary ");
	buf_adds(&b, s->key);
	k = map_get(&a->keys, buf_span(&b));
	if (k != NULL) {
		buf_release(&b);
		return k;
	}
	k = mem_zalloc(sizeof(*k));
	k->apply = a;
	k->name = buf_take(&b);
	map_put(&a->keys, span_str(k->name), k);
	return k;
}

/* The answer to a dry run has the old resourceVersion: only what was there
 * before tells configured from unchanged. */
static void
read_known(struct set *s)
{
	for (size_t n = 0; n < s->count; n++) {
		struct item *i = &s->items[n];

		if (i->op == OP_APPLY && i->known == KNOWN_UID &&
		    i->step == STEP_WRITE)
			i->step = STEP_CAUSE;
	}
}

void
engine_submit(struct apply *a, struct set *s)
{
	struct key *k = key_of(a, s);
	struct set **last = &k->next;

	a->counters.lines++;
	if (s->plain && s->items[0].phase == PHASE_SCOPES) {
		s->barrier = true;
		a->barriers++;
	}
	/* The object as it was before tells configured from unchanged, and
	 * whether it is another set's. */
	if (s->plain && (a->o->output == OUTPUT_RESULT || a->label != NULL))
		s->items[0].step = STEP_READ;
	if (!s->plain && a->o->dry_run)
		read_known(s);
	if (s->plain) {
		/* Two objects of one name are applied one after the other. */
		s->behind = k->set != NULL;
		a->lined_up += s->behind;
		while (*last != NULL)
			last = &(*last)->next;
	} else {
		/* Now: the line itself may give way to a newer one. */
		announce_send(a, s);
		set_free(k->next);
	}
	*last = s;
	engine_advance(k);
}

void
engine_run(void *arg, struct work *w)
{
	struct key *k = (struct key *)w;
	struct item *first = NULL;
	bool more = false;

	(void)arg;
	if (k->set == NULL || (k->next != NULL && !k->set->plain)) {
		engine_advance(k);
		return;
	}
	for (size_t n = 0; n < k->set->count; n++) {
		struct item *i = &k->set->items[n];

		if (i->phase != k->set->phase || i->state != ITEM_WAITING)
			continue;
		more = first != NULL;
		if (more)
			break;
		first = i;
	}
	if (first != NULL)
		send_item(k, first);
	else if (k->flying == 0)
		engine_advance(k);
	if (more)
		workqueue_push(&k->apply->queue, &k->work);
}

void
engine_item_done(struct key *k, struct item *i, const char *result)
{
	struct apply *a = k->apply;

	if (engine_item_take(i, EVENT_ACCEPTED) != ACTION_ACCEPT)
		return;
	i->accepted_ms = clock_ms();
	retry_reset(&i->failure.retry);
	denials_leave(&a->denials, &i->denied);
	free(i->failure.error);
	i->failure.error = NULL;
	if (i->phase == PHASE_SCOPES)
		a->new_scope_ms = i->accepted_ms;
	if (i->op != OP_APPLY && i->op != OP_DELETE)
		return;
	report_result(a, k->set, i, result, NULL);
	announce_written(a, k->set, i, result);
	report_written(a, k->set, i, result);
}

void
engine_item_gone(struct key *k, struct item *i)
{
	engine_item_done(k, i, i->delete_sent ? "deleted" : "unchanged");
}

void
engine_item_stale(struct key *k, struct item *i)
{
	if (engine_item_take(i, EVENT_OUTDATED) != ACTION_DROP)
		return;
	denials_leave(&k->apply->denials, &i->denied);
	k->apply->counters.stale++;
	log_debug("%s: the line is out of date, a newer one will come", i->key);
}

void
engine_item_failed(struct key *k, struct item *i, enum retry_kind kind,
    int64_t retry_after_ms, struct span message)
{
	struct item_failure *f = &i->failure;
	uint64_t now = clock_ms();

	if (engine_item_take(i,
		retry_is_permanent(kind) ? EVENT_PERMANENT : EVENT_PASSING) ==
	    ACTION_NEVER)
		return;
	retry_plan(&f->retry, kind, retry_after_ms, now);
	note_late(k, i, now);
	f->recorded = false;
	denials_failed(&k->apply->denials, &i->denied, kind);
	k->apply->counters.failures++;
	if (k->effort != NULL)
		k->effort->errors++;
	if (f->error != NULL && span_eq(span_str(f->error), message))
		return;
	free(f->error);
	f->error = mem_dup(message.p, message.n);
	f->reported = false;
	log_debug("%s: %s", i->key, f->error);
}

bool
engine_settled(const struct apply *a)
{
	struct key *k;

	if (a->queue.runnable > 0)
		return false;
	for (size_t n = 0; (k = map_next(&a->keys, &n)) != NULL;)
		for (size_t j = 0; j < k->set->count; j++) {
			const struct item *i = &k->set->items[j];

			if (i->phase == k->set->phase &&
			    (i->state == ITEM_BACKOFF ||
				i->state == ITEM_OVERDUE))
				return false;
		}
	return true;
}

void
engine_give_up(struct apply *a)
{
	struct key **keys = (struct key **)map_sorted(&a->keys);
	size_t count = a->keys.count;

	for (size_t n = 0; n < count; n++) {
		struct set *s = keys[n]->set;

		for (size_t j = 0; j < s->count; j++) {
			struct item *i = &s->items[j];

			if (i->phase != s->phase)
				continue;
			if (engine_item_take(i, EVENT_OVER) == ACTION_END &&
			    i->failure.error == NULL)
				send_fail_with(keys[n], i, RETRY_TRANSIENT, -1,
				    span_str("not done within the time of "
					     "--timeout"));
			engine_item_take(i, EVENT_LATE);
		}
		report_failures(a, s);
	}
	free(keys);
}

void
engine_free(struct apply *a)
{
	struct key **keys = (struct key **)map_sorted(&a->keys);
	size_t count = a->keys.count;

	for (size_t n = 0; n < count; n++)
		key_free(keys[n]);
	free(keys);
	map_release(&a->keys);
}
