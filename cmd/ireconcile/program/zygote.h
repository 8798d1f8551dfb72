/*
 * zygote: the process that forks workers (see worker.h), one at a time.
 *
 * The zygote is forked when all programs are compiled, and never sees an
 * object, so each worker starts from a clean state. On its control socket it
 * gets orders and reports what happened.
 */
#ifndef ZYGOTE_H
#define ZYGOTE_H

#include <stdint.h>
#include <sys/types.h>

#include "process/sandbox.h"

/* An order is one byte. */
enum zygote_order { ZYGOTE_FORK = 'f', ZYGOTE_KILL = 'k' };

enum zygote_says { ZYGOTE_FORKED, ZYGOTE_ENDED, ZYGOTE_FAILED };
struct zygote_report {
	int32_t says;
	int32_t pid;	  /* the worker */
	int32_t status;	  /* ZYGOTE_ENDED: from waitpid; ZYGOTE_FAILED, after
			     which the zygote ends: errno */
	int32_t peak_kib; /* ZYGOTE_ENDED: the most memory that it had */
	int64_t cpu_us;	  /* ZYGOTE_ENDED: the CPU time that it used */
};

struct zygote_conf {
	int control, requests, answers; /* descriptors */
	pid_t parent;
	enum sandbox_mode mode;
};

/* Runs the zygote in the present process, until the control socket ends. */
_Noreturn void zygote_run(const struct zygote_conf *conf);

#endif
