#include "loops.h"

#include "line.h"

enum { TOO_OFTEN = 5, DOUBLINGS = 6 };
static const int64_t second = 1000000, window_us = 600 * 1000000ll;

static jv
loop_event(const struct buf *text)
{
	jv event =
	    jv_object_set(jv_object(), jv_string("type"), jv_string("Warning"));

	event =
	    jv_object_set(event, jv_string("reason"), jv_string("RepairLoop"));
	return jv_object_set(event, jv_string("message"),
	    jv_string_sized(text->data, (int)text->len));
}

static void
hold_back(struct item *i, int64_t now_us)
{
	unsigned doublings = i->repairs - TOO_OFTEN;
	int64_t wait;

	if (doublings > DOUBLINGS)
		doublings = DOUBLINGS;
	wait = (10 * second) << doublings;
	i->held_until_us = now_us + (wait < window_us ? wait : window_us);
}

static void
count(struct item *i, struct decision *d, struct buf *what)
{
	struct buf text = BUF_INIT;

	/* One held back for minutes stays in its loop. */
	if (i->repairs < TOO_OFTEN &&
	    d->now_us - i->repairs_since_us > window_us)
		i->repairs = 0;
	if (i->repairs++ == 0)
		i->repairs_since_us = d->now_us;
	i->agreed_before = false;
	if (i->repairs < TOO_OFTEN)
		return;
	hold_back(i, d->now_us);
	if (i->repairs > TOO_OFTEN)
		return;
	buf_addf(&text,
	    "%s: %s is changed by somebody else each time it was "
	    "repaired",
	    i->label, i->path != NULL ? i->path : "it");
	d->events = jv_array_append(d->events, loop_event(&text));
	buf_addf(what, "%s%s", what->len > 0 ? "\n" : "", buf_str(&text));
	buf_release(&text);
}

void
loops_count(struct primary *p, struct decision *d, struct buf *what)
{
	for (size_t i = 0; i < d->count; i++) {
		const struct point *pt = &d->points[i];

		if (pt->type == POINT_ITEM && pt->object != NULL && !pt->done &&
		    pt->item->agreed_before && !line_is_asked(p, pt))
			count(pt->item, d, what);
	}
}
