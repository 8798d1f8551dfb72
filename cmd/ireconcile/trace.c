#include "trace.h"

#include "trigger.h"

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
		n += d->points[i].target.type == type && !d->points[i].done;
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
	trigger_describe(&b, p);
	buf_adds(&b, ": ");
	describe(&b, d, due);
	log_write(LOG_DEBUG, who, "%s", buf_str(&b));
	p->plan.fresh = false;
	buf_release(&b);
}
