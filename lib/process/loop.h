/*
 * loop: waits for file descriptors, timers and signals by epoll, in a thread.
 *
 * A regular file cannot be polled and counts as always
 * readable and writable. Callbacks run from loop_run only, one at a time; each
 * may add, change and remove anything, itself included.
 */
#ifndef LOOP_H
#define LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"

struct loop;

enum { LOOP_READ = 1, LOOP_WRITE = 2, LOOP_HUP = 4 };

typedef void loop_fd_fn(void *arg, int fd, int events);
typedef void loop_fn(void *arg);
typedef void loop_signal_fn(void *arg, int signo);

struct loop *loop_new(void);
void loop_free(struct loop *l);

/*
 * Calls fn when fd is ready for one of events (LOOP_READ | LOOP_WRITE; 0 is
 * allowed: only hang-ups and errors, reported as LOOP_HUP). A second call for
 * the same fd changes it. The caller unwatches before it closes. If fd cannot
 * be waited for, the process ends, with a message: it would wait for ever.
 */
void loop_watch(struct loop *l, int fd, int events, loop_fd_fn *fn, void *arg);
void loop_unwatch(struct loop *l, int fd);

/* A timer belongs to the caller, zeroed before first use. */
struct timer {
	struct heap_slot slot; /* first: armed if in a loop's heap */
	uint64_t due_ms;       /* clock_ms() */
	loop_fn *fn;
	void *arg;
	uint64_t order;
};

void loop_at(
    struct loop *l, struct timer *t, uint64_t due_ms, loop_fn *fn, void *arg);
void loop_after(
    struct loop *l, struct timer *t, uint64_t ms, loop_fn *fn, void *arg);
void loop_cancel(struct loop *l, struct timer *t);
static inline bool
loop_timer_armed(const struct timer *t)
{
	return heap_has(t);
}

/* Blocks the signal and delivers it here, by signalfd. */
void loop_signal(struct loop *l, int signo, loop_signal_fn *fn, void *arg);

/* fn runs before each wait, when everything ready was handled. One only. */
void loop_idle(struct loop *l, loop_fn *fn, void *arg);

/*
 * fn runs ms after something happened (a callback of a descriptor, a timer),
 * once for all that happened until then. While nothing does, it does not run
 * and wakes nobody. One only; fn NULL: none.
 */
void loop_follow(struct loop *l, uint64_t ms, loop_fn *fn, void *arg);
/* fn runs once more, as if something had happened. */
void loop_follow_on(struct loop *l);

/* Until loop_stop. */
void loop_run(struct loop *l);
void loop_stop(struct loop *l);
/* Runs a round: waits at most timeout_ms (-1: as long as it takes). */
void loop_once(struct loop *l, int timeout_ms);

#endif
