/*
 * decide: compares what is desired for a primary with what is observed now.
 *
 * A decision is a list of points: each item that is not observed as desired,
 * each object to delete, each finalizer to change, the status if it is not
 * the observed one. line.h compares it with earlier requests.
 */
#ifndef DECIDE_H
#define DECIDE_H

#include "base/buf.h"
#include "decide/actions.h"
#include "decide/desired.h"
#include "program/program.h"
#include "state/primary.h"
#include "value/digest.h"

enum decide_mode { DECIDE_DIFFERENCES, DECIDE_ALL };

struct point {
	struct target target;
	unsigned char digest[DIGEST_SIZE]; /* requested content */
	struct desired_item *item;	   /* POINT_ITEM: borrowed */
	const struct cache_object *object; /* the member observed, or NULL */
	jv observed;			   /* the object parsed, or invalid */
	bool done;			   /* only present for --all */
	bool again;			   /* tolerated, and tried once more */
	bool vacated;			   /* POINT_ITEM: see line_is_vacated */
};

struct decision {
	struct primary *primary;
	enum decide_mode mode;
	struct point *points;
	size_t count;
	struct map index;	/* by target, if there are many */
	size_t open;		/* points not done, without the status */
	struct buf outstanding; /* .outstanding, as parts of an input */
	size_t outstanding_count;
	struct desired finalize;     /* deleted by finalize */
	const struct desired *set;   /* the items compared, or NULL */
	struct buf status, on_error; /* JSON; empty: none */
	unsigned char status_digest[DIGEST_SIZE]; /* computed status */
	bool has_status;
	bool on_error_holds; /* the observed status is our onError */
	jv events;	     /* all Events of the program, and our own */
	bool has_news;	     /* the last line had other Events */
	bool failed;
	char *error; /* why the decision failed */
	bool settled;
	struct program_requeue requeue;
	int64_t now_us;
	int64_t held_until_us; /* the next time when a hold ends, or a loop
				* may be over; 0: none */
	struct buf loops_over; /* new ends of loops, one per line */
	struct buf complaints; /* see points_complain, one per line */
	struct buf waits;      /* see points_wait, one per line */
	struct buf keeps;      /* see refuse_deletion, one per line */
	bool limited;	       /* a call ran into a limit */
	bool crashed;	       /* a call ended its process */
	bool stays;	       /* a difference is tolerated */
	bool over;	       /* a torn primary is cleaned up */
};

void decide(struct primary *p, int64_t now_us, enum decide_mode mode,
    struct decision *d);
/* Appends the input of the outcome as one JSON text. -1 with err: it has a
 * value that cannot be printed. */
int decide_input(
    struct primary *p, int64_t now_us, struct buf *out, struct err *err);
/* A decision that only puts an error into the status. */
void decide_failure(struct primary *p, int64_t now_us, enum decide_mode mode,
    const char *message, struct decision *d);

const struct point *decide_find(
    const struct decision *d, const struct target *target);

/* At the start: whether the program calls the observed primary settled. */
bool decide_settled(struct primary *p, int64_t now_us);
/* Whether work on the primary has begun: it has our finalizer, or a member
 * exists that does not outlive the primary. */
bool decide_begun(const struct primary *p);

/* The objects of managed dependents that p sees, members or not, up to a NULL;
 * the list is owned. */
struct cache_object **decide_managed(const struct primary *p);
/* Decides about an object that no item names: WISH_UNDESIRED or _RELEASED. */
void decide_object(
    struct decision *d, enum wish wish, const struct cache_object *o);

#endif
