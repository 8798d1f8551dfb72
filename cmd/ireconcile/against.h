/*
 * against: compares the decisions of two watches files and their programs, for
 * --against.
 *
 * Two reconcilers have the same input. When both are done with a piece of it,
 * each primary that changed in either is decided about by both, at the same
 * time of day; the whole sets are compared, and what differs is printed, object
 * by object: when it first differs, when the difference is another one, and
 * when it is over.
 *
 * Nothing is requested. So a decision depends only on the observed objects, not
 * on lines printed before: nothing is in a loop, held back or tolerated.
 */
#ifndef AGAINST_H
#define AGAINST_H

#include <stdbool.h>

#include "base/err.h"
#include "conf/instances.h"
#include "conf/watches.h"
#include "process/opt.h"
#include "state/sched.h"

/* All borrowed. */
struct against_options {
	const char *before, *after; /* watches files */
	struct watches_scope scope;
	const struct opt_list *library_dirs; /* see startup.h */
	struct instances instances;
	enum sched_clock clock;
	int format;    /* enum told_format; -1: text on a terminal, else JSON */
	bool debugs;   /* see program.h */
	int report_fd; /* -1: none */
};

/* Compares until the end of standard input. Returns the exit code (verdict.h),
 * or -1 with err: it could not start. */
int against_run(const struct against_options *o, struct err *err);

#endif
