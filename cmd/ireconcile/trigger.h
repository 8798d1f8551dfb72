/*
 * trigger: notes why a primary is evaluated: the events that were observed
 * since its last evaluation, and timers. These reasons go into the line of the
 * primary (decide/reason.h), and into the log at level debug.
 *
 * Events before the entry was complete are not noted: an evaluation without a
 * reason is the start. Beyond FAIRQUEUE_TRIGGERS_MAX reasons only their number
 * is kept.
 */
#ifndef TRIGGER_H
#define TRIGGER_H

#include "base/buf.h"
#include "state/entry.h"
#include "state/primary.h"

/* The cause of what happens now; neither member: the start. */
struct trigger {
	const struct event *event; /* borrowed; NULL: a timer, or the start */
	unsigned timers;	   /* bits, as sched_due gives them */
	uint64_t number; /* counts causes: one may reach a primary twice */
};

/* The cause is now this event, these timers, or over. */
void trigger_event(struct trigger *now, const struct event *event);
void trigger_timers(struct trigger *now, unsigned timers);
void trigger_over(struct trigger *now);
/* Notes the cause as a reason to evaluate p. */
void trigger_note(const struct trigger *now, struct primary *p);

/* "MODIFIED ConfigMap/ns/a (and 2 more)", "timer: requeue", "the start" */
void trigger_describe(struct buf *b, const struct primary *p);

/* p was evaluated: its reasons are dropped. */
void trigger_forget(struct primary *p);

#endif
