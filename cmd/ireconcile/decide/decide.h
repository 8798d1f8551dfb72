/*
 * decide: compares what is desired for a primary with what is observed now.
 *
 * What is done about an object is a table: the wish for it and its observed
 * state give one action. A second table gives the steps of an evaluation by the
 * standing of the primary.
 *
 * A decision is a list of points: each item that is not observed as desired,
 * each object to delete, each finalizer to change, the status if it is not
 * the observed one. line.h compares it with earlier requests.
 */
#ifndef DECIDE_H
#define DECIDE_H

#include "base/buf.h"
#include "decide/desired.h"
#include "program/program.h"
#include "state/primary.h"
#include "value/digest.h"

/* ---- the tables ---- */

/* The wish of the program, or of the lack of an item, for an object. */
enum wish {
	WISH_ITEM,	/* a member as the item says */
	WISH_EXISTING,	/* a member, but never created: if_exists, as_seen */
	WISH_PATCH,	/* some fields of an object: patch_only */
	WISH_KEEP,	/* nothing is done to the object: keep */
	WISH_FOREIGN,	/* the deletion of an object that is not a member:
			 delete_foreign */
	WISH_UNDESIRED, /* no item names the object */
	WISH_RELEASED,	/* fields are held that no item desires */
	WISHES
};

/* The observed state of that object. */
enum seen {
	SEEN_NONE,	    /* no such object, or not seen by the primary */
	SEEN_OTHER,	    /* an object of that name, which is not a member */
	SEEN_OTHER_LEAVING, /* ... and is being deleted */
	SEEN_MEMBER,	    /* a member; the wish compares nothing */
	SEEN_AGREES,
	SEEN_TOLERATED, /* differs, and that is tolerated: damping.h */
	SEEN_RETRY,	/* ... but it is time to try once more */
	SEEN_DIFFERS,
	SEEN_LEAVING,  /* a member that is being deleted */
	SEEN_SHEDDING, /* ... and an apply takes a finalizer from it */
	SEEN_RETAINED, /* a member that stays without its primary */
	SEENS
};

enum action {
	ACTION_NEVER, /* wish and state do not occur together */
	ACTION_NOTHING,
	ACTION_SHOW, /* a point for DECIDE_ALL; nothing is to be done */
	ACTION_CREATE,
	ACTION_APPLY,
	ACTION_AGAIN, /* apply, although nothing is outstanding */
	ACTION_WAIT,  /* until the object is gone; an Event says what blocks */
	ACTION_WATCH, /* until the object is gone */
	ACTION_DELETE,
	ACTION_RELEASE,
	ACTION_REFUSE, /* the decision fails */
	ACTIONS
};

enum action decide_action(enum wish wish, enum seen seen);

/* Reasons to hold an action back: the action is outstanding then, and not
 * requested. */
enum held_by {
	HELD_BY_CONTENTS = 1 << 0, /* other objects would go, too: refuse.h */
	HELD_BY_LOOP = 1 << 1,	   /* damping.h */
	HELD_BY_SET = 1 << 2,	   /* damping.h */
	HELD_BY_PRUNE =
	    1 << 3, /* like HELD_BY_SET, until the primary is being deleted */
	HELD_BY_ITEM = 1 << 4 /* damping.h */
};
unsigned decide_held_by(enum action action);

/*
 * How a primary stands when its turn has come: why nothing, or only a part, is
 * decided about it. The first that holds counts; reconciler_step finds out those
 * before STANDS_LEAVING, decide() the rest.
 */
enum primary_standing {
	STANDS_QUIET,	    /* nothing has changed since its last evaluation */
	STANDS_UNSEEN,	    /* objects that it may see are not known yet */
	STANDS_GONE,	    /* deleted from the cluster */
	STANDS_HELD,	    /* another instance holds it: holder.h */
	STANDS_PAUSED,	    /* the annotation kpipe.dev/paused: userrequest.h */
	STANDS_BACKING_OFF, /* failed, or was expensive: backoff.h */
	STANDS_LIMITED,	    /* evaluated often enough: evaluationsPerMinute */
	STANDS_LEAVING,	    /* being deleted, and waiting for us */
	STANDS_LEFT,	    /* being deleted, and not waiting for us */
	STANDS_UNREADABLE,  /* too large, and perhaps not the operator's */
	STANDS_UNKNOWN,	    /* `when` failed */
	STANDS_RELEASED,    /* `when` is false, and work had begun */
	STANDS_REJECTED,    /* `when` is false; nothing of it is ours */
	STANDS_TOO_LARGE,   /* the primary, or an object that it sees */
	STANDS_LIVE,
	STANDINGS
};

enum decide_step {
	STEP_FAIL = 1 << 0,	/* the decision has the error */
	STEP_SETTLED = 1 << 1,	/* nothing more is to be done for the primary */
	STEP_SET = 1 << 2,	/* desired items are compared */
	STEP_CLEAN_UP = 1 << 3, /* members are deleted, as for a deletion */
	STEP_OUTCOME = 1 << 4,	/* status, events, requeue */
	STEP_CANCEL = 1 << 5,	/* cancel requests, end timers */
	STEP_FORGET = 1 << 6	/* ... and the primary is forgotten */
};
unsigned decide_steps(enum primary_standing standing);

/* ---- a decision ---- */

/*
 * Notices: ireconcile itself tells the reasons why a primary is not as desired
 * that its program does not know. A row in points.c says how each is told: as a
 * condition, an Event, in the log. Their Events follow those of the program in
 * this order.
 */
enum notice {
	NOTICE_LOOP,	   /* another manager changes an item back: damping.h */
	NOTICE_STAYS,	   /* a difference is tolerated: damping.h */
	NOTICE_UNSETTLED,  /* the program changes a point without end */
	NOTICE_UNPROVEN,   /* objects without a proof are left alone */
	NOTICE_UNSEEN,	   /* members may be left behind: finalizer.h */
	NOTICE_ANNOTATION, /* an invalid request of a user: userrequest.h */
	NOTICE_WAITS,	   /* a member that is deleted waits for something */
	NOTICE_KEPT,	   /* an object is not deleted: refuse_deletion */
	NOTICE_UNWATCHED,  /* a name leads where its kind is not watched */
	NOTICE_OBSERVE_ONLY, /* what would be done: observeonly.h */
	NOTICE_FAILED,	     /* the primary failed, and no status says so */
	NOTICES
};

enum decide_mode {
	DECIDE_DIFFERENCES,
	DECIDE_ALL,
	DECIDE_ANYWAY /* all, although the primary is only observed */
};

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
	int64_t held_until_us;	/* the next time when a hold ends, or a loop
				* may be over; 0: none */
	struct buf loops_over;	/* new ends of loops, one per line */
	struct point *withheld; /* points that were taken away: observeonly.h */
	size_t withheld_count;
	struct buf observed_only;    /* ... and what is told of it; or empty */
	struct buf notices[NOTICES]; /* messages, each with a NUL */
	struct buf complaints;	     /* for the log, one per line */
	bool limited;		     /* a call ran into a limit */
	bool crashed;		     /* a call ended its process */
	bool stays;		     /* a difference is tolerated */
	bool over;		     /* a torn primary is cleaned up */
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
