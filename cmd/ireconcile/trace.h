/*
 * trace: logs a line for each evaluation, at level debug: its cause and its
 * decision.
 *
 *	MODIFIED ConfigMap/ns/a (and 2 more): 1 item, 0 deletions,
 *	1 outstanding, status; a line
 *
 * At other levels this costs nothing.
 */
#ifndef TRACE_H
#define TRACE_H

#include "decide/line.h"
#include "process/log.h"

/* p was evaluated. */
void trace_evaluation(struct primary *p, const struct decision *d,
    enum line_due due, const struct log_about *who);

#endif
