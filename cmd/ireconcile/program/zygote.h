/*
 * zygote: the process that forks workers (see worker.h), one at a time.
 *
 * It is forked itself when all programs are compiled, and never sees an object,
 * so each worker starts from a clean state. On its control socket it gets
 * orders and reports what happened.
 */
#ifndef ZYGOTE_H
#define ZYGOTE_H

#include <stdint.h>
#include <sys/types.h>

#include "process/sandbox.h"

enum zygote_order { ZYGOTE_FORK = 'f', ZYGOTE_KILL = 'k' }; /* one byte */

enum zygote_says { ZYGOTE_FORKED, ZYGOTE_ENDED, ZYGOTE_FAILED };
struct zygote_report {
	int32_t says;
	int32_t pid;	  /* of the worker */
	int32_t status;	  /* ZYGOTE_ENDED: as of waitpid; ZYGOTE_FAILED, after
			     which the process ends: errno */
	int32_t peak_kib; /* the same: the most memory that it had */
	int64_t cpu_us;	  /* the same: what it used */
};

struct zygote_conf {
	int control, requests, answers; /* descriptors */
	pid_t parent;
	enum sandbox_mode mode;
};

/* In the process that was forked for it; until the control socket ends. */
_Noreturn void zygote_run(const struct zygote_conf *conf);

#endif
