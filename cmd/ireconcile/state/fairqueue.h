/*
 * fairqueue: the queue of primaries to evaluate, fair between namespaces.
 *
 * A namespace's queue holds its waiting primaries (a cluster-scoped primary has
 * one of its own), first come, first served. The next one comes from the queue
 * whose evaluations have used the least CPU time of late; queues that differ by
 * less than FAIRQUEUE_SLICE_US take turns in the order of arrival. A queue that
 * had nothing to do gets no credit: it continues with the time of the queue
 * that is served now.
 *
 * With FAIRQUEUE_ONE there is one queue: the order does not depend on time.
 */
#ifndef FAIRQUEUE_H
#define FAIRQUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/map.h"
#include "state/sched.h"

struct primary;
struct nsqueue;

enum { FAIRQUEUE_SLICE_US = 50 * 1000 };
enum fairqueue_order { FAIRQUEUE_FAIR, FAIRQUEUE_ONE };

/* Zeroed: an empty queue. */
struct fairqueue {
	enum fairqueue_order order;
	struct map all;	     /* by namespace, or NUL and name */
	struct heap waiting; /* queues with waiting primaries */
	uint64_t now_us;     /* used_us of the queue served last */
	uint64_t arrivals;
};

/* A primary as an item of the queue: whether it is queued, the reasons, and the
 * timers that queue it. */
struct work_item {
	bool dirty;    /* the primary is to be evaluated */
	bool queued;   /* the primary is in its queue */
	bool has_slot; /* has a slot of throttle.h */
	bool waiting;
	bool reminder;	      /* the deadline has passed */
	int64_t queued_us;    /* time when it was queued */
	struct primary *next; /* next primary in its queue */
	uint64_t arrival;     /* order of arrival in the queue */
	struct sched_timer timer;
	uint64_t deadline_us;  /* time until the next reminder */
	int64_t requeue_at_us; /* time of day; 0: none */
	int64_t again_us;      /* see requeue_again */
	int64_t evaluated_us;  /* see requeue_limits */
	int64_t soon_us;       /* moves with each requeue of almost no delay */
	/* Why the primary will be evaluated: the first reasons, as elements of
	 * JSON, owned or NULL; and the number of all. See trigger.h. */
	char *trigger;
	uint32_t triggers;
	uint64_t trigger_number; /* trigger.number of the last reason */
};
enum { FAIRQUEUE_TRIGGERS_MAX = 8 };

void fairqueue_release(struct fairqueue *q);

/* p is borrowed until fairqueue_take returns it. */
void fairqueue_add(struct fairqueue *q, struct primary *p);
/* NULL: no primary waits. */
struct primary *fairqueue_take(struct fairqueue *q);
/* An evaluation of p took so much CPU time. */
void fairqueue_charge(
    struct fairqueue *q, const struct primary *p, uint64_t us);

#endif
