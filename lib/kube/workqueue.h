/*
 * workqueue: which key may send its next request.
 *
 * Keys (one struct work embedded in each) wait in one line, first come first
 * served, and each turn lets a key start one request, so that a large set does
 * not hold up others. Four limits: requests in flight, keys of one class
 * (maxConcurrentReconciles), writes a second, and a gate: while the server
 * cannot be reached one request at a time tries, the rest waits.
 *
 * The limit of writes is a bucket that holds CEILING_BURST_S seconds' worth of
 * them, so that only lasting load is ever held up. Writes are counted by writer,
 * to name the one that wrote most.
 *
 * The owner calls workqueue_pump when everything ready was handled
 * (loop_idle). Callbacks come from there only.
 */
#ifndef WORKQUEUE_H
#define WORKQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"
#include "kube/retry.h"
#include "process/loop.h"

enum { CEILING_DEFAULT = 500, CEILING_MAX = 1000000, CEILING_BURST_S = 20 };

struct work_class;

struct work {
	TAILQ_ENTRY(work) next;
	struct work_class *class; /* NULL: without a limit of its own */
	bool queued;		  /* waits in a line */
	bool runnable; /* has something to send, or requests in flight */
	bool admitted; /* counted in its class */
};

/*
 * Starts at most one request, and says so by workqueue_started; pushes w
 * again if it has more to send.
 */
typedef void work_fn(void *arg, struct work *w);

/* Queued keys have to wait for the limit of writes, for the first time since the
 * bucket was full: a sentence for the log. */
typedef void work_held_fn(void *arg, const char *text);

struct work_line {
	TAILQ_HEAD(, work) all;
};

struct ceiling {
	long limit;   /* writes a second; 0: none */
	int64_t left; /* thousandths of a write */
	uint64_t at_ms;
	bool hit;
	uint64_t held_ms;   /* time that writes waited, in all */
	struct map writers; /* struct ceiling_writer, owned: since from_ms */
	uint64_t from_ms, writes;
};

struct workqueue {
	struct loop *loop; /* borrowed */
	work_fn *run;
	void *arg;
	size_t limit, in_flight;
	size_t runnable; /* keys */
	struct work_line ready;
	struct map classes; /* struct work_class, owned */
	bool closed;	    /* the gate */
	bool announced;	    /* the owner was told */
	bool paused;	    /* closed, and the next attempt is not due */
	struct kube_backoff backoff;
	struct timer timer;
	struct ceiling ceiling;
	work_held_fn *held;
	bool waiting; /* for the ceiling */
	struct timer ceiling_timer;
};

void workqueue_init(
    struct workqueue *q, struct loop *l, size_t limit, work_fn *run, void *arg);
void workqueue_release(struct workqueue *q);

/* At most so many writes a second; 0: no limit. */
void workqueue_limit(struct workqueue *q, long writes, work_held_fn *held);
/* A write was started, for `who`. */
void workqueue_wrote(struct workqueue *q, struct span who);

/* Puts w into a class with at most max keys at work (0: no limit). */
void workqueue_classify(
    struct workqueue *q, struct work *w, struct span name, size_t max);

void workqueue_push(struct workqueue *q, struct work *w);
/* w has nothing to send and nothing in flight; it may be freed then. */
void workqueue_rest(struct workqueue *q, struct work *w);
/* Twice the limit of runnable keys: read no more for now. */
bool workqueue_full(const struct workqueue *q);

void workqueue_started(struct workqueue *q);
/*
 * A request ended. code is HTTP's, 0 if the server gave no answer: the gate
 * closes. True if the owner should log it: two requests in a row got no answer,
 * or the server answers again after that.
 */
bool workqueue_ended(struct workqueue *q, int code);
void workqueue_pump(struct workqueue *q);

#endif
