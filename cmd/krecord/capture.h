/*
 * capture: krecord write: a process beside a pipeline, which records it.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdint.h>

#include "base/err.h"

struct capture_opts {
	const char *dir;     /* NULL: nothing is written to disk */
	const char *watches; /* NULL: only Secrets are hidden */
	uint64_t size;
	/* Descriptors; -1: not given. */
	long events_fd, sets_fd, statuses_fd, results_fd, kstatus_results_fd,
	    states_fd, shadow_fd, report_fd;
	long live_fd; /* all lines go there at once, behind the state */
	long flow_fd; /* ... and there, without it */
};

/*
 * Until all streams have ended, but those that kpipe itself writes: of states
 * and of --shadow. Returns the exit code, or -1
 * with err for a mistake in the options.
 */
int capture_run(const struct capture_opts *o, struct err *err);

#endif
