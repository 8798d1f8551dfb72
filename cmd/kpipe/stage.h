/*
 * stage: one tool of the pipeline as a child process.
 *
 * A stage has a process group of its own (so that Ctrl-C reaches kpipe alone,
 * and its helpers end with it), dies with kpipe whatever happens to that, and
 * reports on descriptor 3: a newline when it is ready, then counters.
 */
#ifndef STAGE_H
#define STAGE_H

#include <stdbool.h>
#include <sys/types.h>

#include "err.h"
#include "opt.h"

enum { STAGE_REPORT_FD = 3 };

struct stage {
	const char *name;
	char *path;	      /* owned; found by stage_find */
	struct opt_list args; /* owned: argv without argv[0] */
	char *const *env;     /* borrowed; NULL: our own */

	pid_t pid;	  /* 0: not running */
	int report_fd;	  /* -1: none, or closed by the stage */
	bool ready;	  /* since it was started */
	bool told_to_end; /* by us: its end is no news */
	int exit_code;	  /* of the last run; 128 + signal if killed */
};

/*
 * Looks in dir, or if that is NULL beside the running program, then in PATH.
 * Returns -1 and a permanent error if there is no such program.
 */
int stage_find(struct stage *s, const char *dir, struct err *err);

/* Appends an argument; a printf format. */
void stage_arg(struct stage *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Starts it; in and out are borrowed and become its stdin and stdout. The
 * report pipe is open for reading, non-blocking, in report_fd afterwards.
 */
int stage_start(struct stage *s, int in, int out, struct err *err);

/* Sends signo to the stage and what it started. */
void stage_kill(struct stage *s, int signo);

/* Takes over a wait status: it is no longer running. */
void stage_ended(struct stage *s, int wait_status);

enum stage_report {
	STAGE_REPORT_NOTHING, /* no news */
	STAGE_REPORT_READY,   /* it became ready */
	STAGE_REPORT_END      /* nothing will come any more: close it */
};
/* Reads what is there. */
enum stage_report stage_read_report(struct stage *s);
void stage_close_report(struct stage *s);
void stage_release(struct stage *s);

#endif
