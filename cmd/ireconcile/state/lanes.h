/*
 * lanes: the queue of primaries to evaluate, fair between namespaces.
 *
 * A lane holds the waiting primaries of one namespace (a cluster-scoped
 * primary has one of its own), first come, first served. The next one comes
 * from the lane whose evaluations have used the least CPU time of late; lanes
 * that differ by less than LANES_SLICE_US take turns in the order of arrival.
 * A lane that had nothing to do gets no credit: it continues with the time of
 * the lane that is served now.
 *
 * With LANES_ONE there is one lane: the order does not depend on time.
 */
#ifndef LANES_H
#define LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/heap.h"
#include "base/map.h"
#include "state/sched.h"

struct primary;
struct lane;

enum { LANES_SLICE_US = 50 * 1000 };
enum lanes_order { LANES_FAIR, LANES_ONE };

/* Zeroed: an empty queue. */
struct lanes {
	enum lanes_order order;
	struct map all;	     /* by namespace, or NUL and name */
	struct heap waiting; /* lanes with waiting primaries */
	uint64_t now_us;     /* used_us of the lane served last */
	uint64_t arrivals;
};

/* A primary as an item of the queue: whether it is queued, the reasons, and the
 * timers that queue it. */
struct work_item {
	bool dirty;    /* the primary is to be evaluated */
	bool queued;   /* the primary is in a lane */
	bool has_slot; /* has a slot of throttle.h */
	bool waiting;
	bool reminder;	      /* the deadline has passed */
	int64_t queued_us;    /* time when it was queued */
	struct primary *next; /* next primary in its lane */
	uint64_t arrival;     /* order of arrival in the queue */
	struct wake wake;
	uint64_t deadline_us;  /* time until the next reminder */
	int64_t requeue_at_us; /* time of day; 0: none */
	int64_t again_us;      /* see wakes_again */
	int64_t soon_us;       /* moves with each requeue of almost no delay */
	/* Why the primary will be evaluated: the first reasons, as elements of
	 * JSON, owned or NULL; and the number of all. See trigger.h. */
	char *trigger;
	uint32_t triggers;
	uint64_t trigger_number; /* trigger.number of the last reason */
};
enum { LANES_TRIGGERS_MAX = 8 };

void lanes_release(struct lanes *l);

/* p is borrowed until lanes_take returns it. */
void lanes_add(struct lanes *l, struct primary *p);
/* NULL: no primary waits. */
struct primary *lanes_take(struct lanes *l);
/* An evaluation of p took so much CPU time. */
void lanes_charge(struct lanes *l, const struct primary *p, uint64_t us);

#endif
