/*
 * line: decides when a decision becomes a line, and writes it (doc/protocol.md,
 * "Desired sets").
 *
 * A line has everything that is outstanding. A line is due when a point was not
 * requested yet, when something requested is no longer desired, or when the
 * deadline has passed. Requests are kept per primary as digests, only until
 * their effect is observed.
 */
#ifndef LINE_H
#define LINE_H

#include "decide/decide.h"

enum line_due {
	LINE_NOTHING,
	LINE_AGAIN,	/* kapply dropped a part, for the primary has changed;
			 * or the object in the way of an item is gone */
	LINE_REMINDER,	/* nothing new, but the deadline has passed */
	LINE_CANCEL,	/* something requested is no longer desired */
	LINE_NEW_QUIET, /* a new status or event */
	LINE_NEW	/* a new item, delete or finalizer */
};
enum line_due line_due(const struct primary *p, const struct decision *d);

/* Whether the last line has this point already. */
bool line_is_asked(const struct primary *p, const struct point *pt);

/*
 * Whether an item that the last line has could not be written then, and perhaps
 * can be now; o: the object of its name. Either the object in its way is gone,
 * or the object that it patches has changed, so that another manager may have
 * given up the field.
 */
bool line_is_vacated(const struct primary *p, const struct point *pt,
    const struct cache_object *o);

/* Whether kapply records this Event with the write of an object of the set:
 * such an Event is in each line, as the object is, and is never news. */
bool line_is_about_write(jv event_peek);
/* Whether the last line had this Event; whether it had all of them. */
bool line_has_event(const struct primary *p, jv event_peek);
bool line_has_events(const struct primary *p, jv events_peek);

/*
 * Whether the last line, less than 10 s ago, requested the creation or deletion
 * of an object that is not observed yet. Then the observed state is old, and
 * must not be used to decide how many objects there should be.
 */
bool line_is_awaited(const struct primary *p, int64_t now_us);

/* The line was printed: remembers its requests. */
void line_printed(struct primary *p, const struct decision *d);
/* No line was printed: forgets requests that are observed by now. */
void line_shrink(struct primary *p, const struct decision *d);

/* ---- as text ---- */

/* Each appends, without a newline. */
void line_add(struct buf *b, const struct primary *p, const struct decision *d);
/* A line that cancels all requests: for a primary that is gone, or must not be
 * touched. */
void line_add_empty(struct buf *b, const struct primary *p);
/* reconcile.primary */
void line_add_identity(struct buf *b, const struct cache_object *o);

#endif
