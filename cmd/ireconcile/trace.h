/*
 * trace: at level debug, a line for each evaluation: what caused it, and what
 * it decided.
 *
 *	MODIFIED ConfigMap/ns/a (and 2 more): 1 item, 0 deletions, 1 outstanding,
 *	status; a line
 *
 * At other levels nothing here costs anything.
 */
#ifndef TRACE_H
#define TRACE_H

#include "base/buf.h"
#include "base/span.h"
#include "decide/line.h"
#include "process/log.h"

/* Replaces the cause of the evaluations that follow: a document of the input;
 * timers, as sched_due gives them. */
void trace_event(struct buf *now, struct span text);
void trace_timers(struct buf *now, unsigned reasons);

/* It is why p will be evaluated, or one more reason. */
void trace_cause(const struct buf *now, struct primary *p);

/* p was evaluated. */
void trace_evaluation(struct primary *p, const struct decision *d,
    enum line_due due, const struct log_about *who);

#endif
