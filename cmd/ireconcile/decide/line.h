/*
 * line: when a decision becomes a line (doc/protocol.md, "Desired sets"; how
 * it is spelled: spell.h).
 *
 * A line says all that is outstanding. One is due when a point was not asked
 * for yet, when something asked for is no longer wanted, or when the deadline
 * has passed. What was asked for is kept per primary as digests, only until
 * it is observed.
 */
#ifndef LINE_H
#define LINE_H

#include "decide/decide.h"

enum line_due {
	LINE_NOTHING,
	LINE_AGAIN,	/* its primary has changed: part of it was dropped */
	LINE_REMINDER,	/* nothing new, but the deadline has passed */
	LINE_CANCEL,	/* something asked for is no longer wanted */
	LINE_NEW_QUIET, /* a new status or event */
	LINE_NEW	/* a new item, delete or finalizer */
};
enum line_due line_due(const struct primary *p, const struct decision *d);

/* Does the earlier line hold this point already? */
bool line_is_asked(const struct primary *p, const struct point *pt);

/* Was it sent with the last line? Were all of them? */
bool line_has_event(const struct primary *p, jv event_peek);
bool line_has_events(const struct primary *p, jv events_peek);

/*
 * Has the last line asked for the creation or deletion of an object, less than
 * 10 s ago, and nobody has seen it yet? What is observed is behind then, and
 * no ground to decide on how many there should be.
 */
bool line_is_awaited(const struct primary *p, int64_t now_us);

/* The line was printed: remembers what it asked for. */
void line_printed(struct primary *p, const struct decision *d);
/* None was: forgets what is observed by now. */
void line_shrink(struct primary *p, const struct decision *d);

/*
 * The deadline has passed. Items that kapply must have applied (the status of
 * the same line arrived), and whose object did not change since, are
 * tolerated from now on. Returns their number; `what` gets label and path of
 * each, separated by newlines.
 */
size_t line_tolerate(
    struct primary *p, const struct decision *d, struct buf *what);

#endif
