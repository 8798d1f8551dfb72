/*
 * trigger: why a primary is evaluated: the events that were observed since its
 * last evaluation, and timers. They go into its line
 * (decide/reason.h), and into the log at level debug.
 *
 * There are none for what was observed before the entry was complete: that is
 * the start. Of more than LANES_TRIGGERS_MAX only the number is kept.
 */
#ifndef TRIGGER_H
#define TRIGGER_H

#include "base/buf.h"
#include "state/events.h"
#include "state/primary.h"

/* The cause of what happens now; neither member: the start. */
struct trigger {
	const struct event *event; /* of the input, borrowed; or NULL */
	unsigned timers;	   /* bits, as sched_due gives them */
	uint64_t number; /* of these; a primary may be reached twice */
};

/* Something else happens now. */
void trigger_event(struct trigger *now, const struct event *event);
void trigger_timers(struct trigger *now, unsigned timers);
void trigger_over(struct trigger *now);
/* Notes it as a reason to evaluate p. */
void trigger_note(const struct trigger *now, struct primary *p);

/* "MODIFIED ConfigMap/ns/a (and 2 more)", "timer: requeue", "the start" */
void trigger_describe(struct buf *b, const struct primary *p);

/* p was evaluated. */
void trigger_forget(struct primary *p);

#endif
