/*
 * workqueue: which key may send its next request.
 *
 * Keys (one struct work embedded in each) wait in one line, first come first
 * served, and each turn lets a key start one request, so that a large set does
 * not hold up others. Four limits: requests in flight, keys of one class
 * (maxConcurrentReconciles), writes a second, and a gate: while the server
 * cannot be reached one request at a time tries, the rest waits.
 *
 * The owner calls workqueue_pump when everything ready was handled
 * (loop_idle). Callbacks come from there only.
 */
#ifndef WORKQUEUE_H
#define WORKQUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "kube/ceiling.h"
#include "kube/retry.h"
#include "process/loop.h"

struct work_class;

struct work {
	struct work *next;
	struct work_class *class; /* NULL: without a limit of its own */
	bool queued;		  /* in a line */
	bool runnable; /* has something to send, or requests in flight */
	bool admitted; /* counted in its class */
};

/*
 * Starts at most one request, and says so by workqueue_started; pushes w
 * again if it has more to send.
 */
typedef void work_fn(void *arg, struct work *w);

/* Queued keys have to wait for the ceiling of writes, for the first time. */
typedef void work_held_fn(void *arg, const struct ceiling_most *most);

struct work_line {
	struct work *first, **last;
};

struct workqueue {
	struct loop *loop; /* borrowed */
	work_fn *run;
	void *arg;
	size_t limit, in_flight;
	size_t runnable; /* keys */
	struct work_line ready;
	struct map classes; /* of struct work_class, owned */
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

/* At most so many writes a second (ceiling.h); 0: no limit. */
void workqueue_limit(struct workqueue *q, long writes, work_held_fn *held);
/* One was started, for `who`. */
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
