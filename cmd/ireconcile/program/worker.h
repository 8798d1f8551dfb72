/*
 * worker: the process in which programs run, and which may crash.
 *
 * libjq is written in C and gets input from strangers: a failed assertion, a
 * fault, a lack of memory or stack ends this process and nothing else. It is
 * forked from the zygote, with all programs compiled, makes calls until it
 * ends, and sees only the objects of its calls.
 */
#ifndef WORKER_H
#define WORKER_H

#include <stdint.h>

/* Exit codes of a worker, besides 0 at the end of its requests. */
enum {
	WORKER_NO_MEMORY = 111, /* see mem.h */
	WORKER_NO_STACK = 112,
	WORKER_NO_SANDBOX = 113 /* 114 is TRAIL_TOO_LONG (trail.h) */
};

/* The head of each answer. */
enum worker_says {
	WORKER_GIVES,
	WORKER_FAILS,
	WORKER_FAILS_SOMEWHERE /* a traced call can tell where */
};
struct worker_head {
	uint32_t says;
	uint32_t n; /* bytes that follow: a value (jvwire.h) or a message */
	uint32_t debugs; /* the last bytes of these: lines of debugs.h */
};

/* Sets limits and handlers that workers inherit. Called in the zygote, before
 * its sandbox. */
void worker_prepare(void);

/* Reads requests (see arguments.h) until they end, and answers each. */
_Noreturn void worker_run(int requests_fd, int answers_fd);

#endif
