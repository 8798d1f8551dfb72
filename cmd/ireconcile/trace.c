#include "trace.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "state/sched.h"
#include "value/objref.h"

void
trace_event(struct buf *now, struct span text)
{
	struct span type, object, metadata;
	struct objref id = {0};

	buf_reset(now);
	if (!log_is_on(LOG_DEBUG))
		return;
	type = json_raw_string(json_get(text, "type"));
	object = json_get(text, "object");
	if (object.p == NULL)
		object = text;
	metadata = json_get(object, "metadata");
	id.kind = json_raw_string(json_get(object, "kind"));
	objref_split(json_raw_string(json_get(object, "apiVersion")), &id.group,
	    &id.version);
	id.namespace_ = json_raw_string(json_get(metadata, "namespace"));
	id.name = json_raw_string(json_get(metadata, "name"));
	buf_addf(now, "%.*s ", SPAN_ARG(type.n > 0 ? type : span_str("ADDED")));
	if (span_is(type, "BOOKMARK"))
		objref_add_kind(now, id.kind, id.group);
	else
		objref_add_key(now, &id);
}

void
trace_timers(struct buf *now, unsigned reasons)
{
	static const char *const names[WAKE_REASONS] = {
	    [WAKE_REQUEUE] = "requeue",
	    [WAKE_PERIOD] = "reconcilePeriod",
	    [WAKE_DEADLINE] = "a deadline",
	    [WAKE_AGAIN] = "a line to repeat",
	    [WAKE_BACKOFF] = "a back-off",
	    [WAKE_HELD] = "the end of a hold",
	    [WAKE_SLOT] = "the end of a slot"};

	buf_reset(now);
	if (!log_is_on(LOG_DEBUG))
		return;
	for (unsigned i = 0; i < WAKE_REASONS; i++)
		if ((reasons & 1u << i) != 0)
			buf_addf(now, "%s%s",
			    now->len > 0 ? ", " : "timer: ", names[i]);
}

void
trace_cause(const struct buf *now, struct primary *p)
{
	if (now->len == 0 ||
	    (p->cause != NULL && span_is(buf_span(now), p->cause)))
		return;
	if (p->causes++ == 0)
		p->cause = mem_dup(now->data, now->len);
}

static void
add_requeue(struct buf *b, const struct program_requeue *r)
{
	if (r->when == PROGRAM_AFTER)
		buf_addf(b, ", requeue in %.1f s", (double)r->after_ms / 1000);
	else if (r->when == PROGRAM_AT)
		buf_addf(
		    b, ", requeue at %lld", (long long)(r->at_us / 1000000));
}

static size_t
count(const struct decision *d, enum point_type type)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++)
		n += d->points[i].type == type && !d->points[i].done;
	return n;
}

static void
describe(struct buf *b, const struct decision *d, enum line_due due)
{
	size_t items = count(d, POINT_ITEM);
	size_t gone = count(d, POINT_DELETE) + count(d, POINT_FOREIGN);

	buf_addf(b, "%zu item%s, %zu deletion%s, %zu outstanding", items,
	    items == 1 ? "" : "s", gone, gone == 1 ? "" : "s",
	    d->outstanding_count);
	if (count(d, POINT_FINALIZER_ADD) + count(d, POINT_FINALIZER_REMOVE) >
	    0)
		buf_adds(b, ", finalizer");
	if (count(d, POINT_STATUS) > 0)
		buf_adds(b, ", status");
	if (d->failed)
		buf_adds(b, ", failed");
	if (d->primary->plan.fresh)
		buf_adds(b, ", a new plan");
	add_requeue(b, &d->requeue);
	buf_adds(b, due != LINE_NOTHING ? "; a line" : "; no line");
}

void
trace_evaluation(struct primary *p, const struct decision *d, enum line_due due,
    const struct log_about *who)
{
	struct buf b = BUF_INIT;

	if (!log_is_on(LOG_DEBUG))
		return;
	buf_adds(&b, p->cause != NULL ? p->cause : "the start");
	if (p->causes > 1)
		buf_addf(&b, " (and %u more)", p->causes - 1);
	buf_adds(&b, ": ");
	describe(&b, d, due);
	log_write(LOG_DEBUG, who, "%s", buf_str(&b));
	p->plan.fresh = false;
	buf_release(&b);
	free(p->cause);
	p->cause = NULL;
	p->causes = 0;
}
