/*
 * debugs: the values that a program gives to `debug`, as lines for the log.
 *
 * The worker collects the lines, in limits, and sends them with the answer of
 * the call (evaluator.h); the caller logs them. Only with --clock=input, which
 * is for files, or --debug-values: a value that comes from a Secret looks like any
 * other.
 */
#ifndef DEBUGS_H
#define DEBUGS_H

#include <jv.h>

#include "base/buf.h"
#include "base/span.h"
#include "process/log.h"

enum {
	DEBUGS_VALUE_MAX = 1000, /* bytes of JSON; the rest is cut off */
	DEBUGS_LINES_MAX = 100,	 /* lines of one evaluation */
	DEBUGS_BYTES_MAX = 1 << 20
};

/* ---- the worker's side ---- */

struct debugs {
	struct buf lines; /* owned; each with its newline */
	int count;
};

void debugs_begin(struct debugs *d);
void debugs_release(struct debugs *d);

/* request: ["debug", ["reconcile.jq:3", DEFINITION], VALUE] of _jq_debug
 * (language/prelude.c); borrowed. function: the one that was called. */
void debugs_add(struct debugs *d, jv request_peek, const char *function);

/* ---- the caller's side ---- */

/* Logs the lines. about: the label of the object if who is NULL; or NULL. said:
 * the number of lines of this evaluation so far. */
void debugs_log(struct span lines, const struct log_about *who,
    const char *about, int *said);

#endif
