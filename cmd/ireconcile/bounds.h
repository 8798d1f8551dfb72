/*
 * bounds: runs a piece of work inside libjq that must not take too long, use
 * too much memory, or run out of stack.
 *
 * Time is CPU time of the process (a busy machine makes no program fail). A
 * timer signal every 10 ms of it looks at time and memory, and asks jq to stop
 * between two instructions (jq_halt: the state stays usable, nothing is
 * lost). Where that is not enough (a regular expression that backtracks for
 * ever), when memory grows by leaps beyond twice the limit (RLIMIT_AS), or
 * when the stack ends, the work is left by a jump: then what libjq had in
 * hand is lost, and its state must be dropped. The jump is taken only out of
 * the code of libjq and libonig, or out of libjq's handler for lacking
 * memory; never out of malloc. If the stack ends anywhere else, the process
 * dies as it would without us.
 *
 * In a build with AddressSanitizer, and where /proc/self/statm cannot be read,
 * there is no limit of memory; with AddressSanitizer none of the stack.
 */
#ifndef BOUNDS_H
#define BOUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <jq.h>

enum bounds_end {
	BOUNDS_DONE,
	BOUNDS_TIME, /* this and the next: the work returned early */
	BOUNDS_MEMORY,
	BOUNDS_BROKEN_TIME, /* this and the following: left by a jump */
	BOUNDS_BROKEN_MEMORY,
	BOUNDS_BROKEN_STACK
};

struct bounds {
	uint64_t time_ms;
	size_t memory; /* growth in bytes */
};

/* Once, at start, before the sandbox. */
void bounds_init(void);

/* jq: the state that work uses; may be NULL. Not to be nested. */
enum bounds_end bounds_run(const struct bounds *bounds, jq_state *jq,
    void (*work)(void *arg), void *arg);

/*
 * Around code inside the work that calls our own mem.h, which ends the
 * process when there is no memory. Such code bounds itself.
 */
void bounds_pause(void);
void bounds_resume(void);

/*
 * By how many bytes the process is larger now than when the last work
 * started, after giving back to the system what is free.
 */
size_t bounds_growth(void);

#endif
