#include "decide/observeonly.h"

#include <stdlib.h>

#include "decide/points.h"
#include "decide/userrequest.h"

enum { NAMED_MAX = 8 };

/* Appends the change that kapply would make of the point: "create X". */
static void
add_change(struct buf *b, const struct point *pt)
{
	static const char *const changes[] = {[POINT_ITEM] = "configure",
	    [POINT_DELETE] = "delete",
	    [POINT_FOREIGN] = "delete",
	    [POINT_RELEASE] = "give back fields of",
	    [POINT_FINALIZER_ADD] = "set the finalizer",
	    [POINT_FINALIZER_REMOVE] = "remove the finalizer"};
	bool item = pt->target.type == POINT_ITEM;
	const char *path = item ? pt->item->memory.path : NULL;

	if (item && pt->object == NULL)
		buf_addf(b, "create %s", pt->target.label);
	else
		buf_addf(
		    b, "%s %s", changes[pt->target.type], pt->target.label);
	if (item && pt->object != NULL && path != NULL)
		buf_addf(b, " (%s)", path);
}

static void
describe(struct decision *d)
{
	struct buf *b = &d->observed_only;
	size_t named = 0;

	buf_adds(b,
	    "by the annotation kpipe.dev/observe-only nothing is "
	    "created, changed or deleted");
	for (size_t i = 0; i < d->withheld_count; i++) {
		const struct point *pt = &d->withheld[i];

		if (pt->done || pt->again)
			continue;
		if (named++ >= NAMED_MAX)
			continue;
		buf_adds(b, named == 1 ? "; else this would be done: " : ", ");
		add_change(b, pt);
	}
	if (named > NAMED_MAX)
		buf_addf(b, ", and %zu more", named - NAMED_MAX);
	if (named > 0)
		points_note(d, NOTICE_OBSERVE_ONLY, buf_str(b));
}

void
observeonly_withhold(struct decision *d)
{
	if (d->mode == DECIDE_ANYWAY || !userrequest_observe_only(d->primary))
		return;
	d->withheld = d->points;
	d->withheld_count = d->count;
	d->points = NULL;
	d->count = d->open = 0;
	d->stays = false;
	describe(d);
}

jv
observeonly_condition(const struct decision *d, jv status)
{
	struct buf message = BUF_INIT;

	buf_addspan(&message, buf_span(&d->observed_only));
	status = points_set_condition(
	    d, status, NOTICE_OBSERVE_ONLY, buf_str(&message));
	buf_release(&message);
	return status;
}

void
observeonly_release(struct decision *d)
{
	for (size_t i = 0; i < d->withheld_count; i++) {
		said_target_release(&d->withheld[i].target);
		jv_free(d->withheld[i].observed);
	}
	free(d->withheld);
	buf_release(&d->observed_only);
}
