/*
 * againstrun: ireconcile --against: input, timers, output and end.
 */
#ifndef AGAINSTRUN_H
#define AGAINSTRUN_H

#include "against/telling.h"
#include "conf/watches.h"
#include "process/opt.h"
#include "conf/instances.h"
#include "state/sched.h"

/* All borrowed. */
struct againstrun {
	const char *before, *after; /* watches files */
	struct watches_scope scope;
	const struct opt_list *library_dirs;
	struct instances instances; /* see librarydirs.h */
	enum sched_clock clock;
	int format; /* enum telling_format; -1: text on a terminal, else JSON */
	bool debugs;   /* see program.h */
	int report_fd; /* -1: none */
};

/* Compares until the end of standard input. Returns the exit code, or -1 with
 * err: it could not start. */
int againstrun(const struct againstrun *o, struct err *err);

#endif
