#include "kube/retry.h"

#include "process/clock.h"

enum {
	TRANSIENT_FIRST_MS = 100,
	TRANSIENT_MAX_MS = 30000,
	PERMANENT_FIRST_MS = 5000,
	PERMANENT_MAX_MS = 600000,
	DENIED_MAX_MS = 15000, /* jitter adds up to as much again */
	SOON_FIRST_MS = 10,
	SOON_MAX_MS = 1000
};

uint64_t
kube_backoff_next(struct kube_backoff *b, uint64_t first_ms, uint64_t max_ms)
{
	uint64_t d = first_ms;

	for (unsigned i = 0; i < b->n && d < max_ms; i++)
		d *= 2;
	if (d > max_ms)
		d = max_ms;
	b->n++;
	return d + (d != 0 ? clock_jitter() % (d + 1) : 0);
}

enum retry_kind
retry_classify(enum kube_verb verb, const struct kube_error *e)
{
	if (e->namespace_terminating)
		return RETRY_TRANSIENT;
	/* Without an answer, the gate of the queue sets the pace. */
	if (e->code == 0 && e->kind == ERR_TRANSIENT)
		return RETRY_SOON;
	/*
	 * Server-side apply answers 500 without a reason when the object does
	 * not fit its schema (managedfields' typed conversion).
	 */
	if (verb == KUBE_APPLY && e->code == 500 && e->reason[0] == '\0')
		return RETRY_PERMANENT;
	if (e->field_conflict)
		return RETRY_PERMANENT;
	/* A failed "test" of a JSON patch: 422 "Invalid" without causes. */
	if (verb == KUBE_JSON_PATCH && e->code == 422 && e->causes == NULL)
		return RETRY_SOON;
	if (e->code == 409 || e->kind == ERR_CONFLICT)
		return RETRY_SOON;
	if (e->code == 403)
		return e->denied ? RETRY_DENIED : RETRY_FORBIDDEN;
	return e->kind == ERR_TRANSIENT ? RETRY_TRANSIENT : RETRY_PERMANENT;
}

void
retry_plan(struct retry *r, enum retry_kind kind, int64_t retry_after_ms,
    uint64_t now_ms)
{
	uint64_t wait;

	if (r->first_ms == 0)
		r->first_ms = now_ms;
	if (r->permanent != retry_is_permanent(kind))
		r->backoff = (struct kube_backoff){0};
	r->permanent = retry_is_permanent(kind);
	if (r->permanent) {
		r->failed = true;
		wait = kube_backoff_next(&r->backoff, PERMANENT_FIRST_MS,
		    kind == RETRY_PERMANENT ? PERMANENT_MAX_MS : DENIED_MAX_MS);
	} else if (kind == RETRY_SOON) {
		wait =
		    kube_backoff_next(&r->backoff, SOON_FIRST_MS, SOON_MAX_MS);
	} else {
		wait = kube_backoff_next(
		    &r->backoff, TRANSIENT_FIRST_MS, TRANSIENT_MAX_MS);
	}
	if (retry_after_ms > 0 && wait < (uint64_t)retry_after_ms)
		wait = (uint64_t)retry_after_ms;
	r->due_ms = now_ms + wait;
}

bool
retry_expire(struct retry *r, uint64_t failed_ms, uint64_t now_ms)
{
	if (r->failed || r->first_ms == 0 || now_ms - r->first_ms < failed_ms)
		return false;
	r->failed = true;
	return true;
}

void
retry_reset(struct retry *r)
{
	*r = (struct retry){0};
}
