/*
 * actions: the decision as a table. The wish for an object and its observed
 * state give one action; decide.c finds out wish and state, and takes the
 * action. A second table gives the steps of an evaluation by the standing of
 * the primary.
 */
#ifndef ACTIONS_H
#define ACTIONS_H

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
	SEEN_TOLERATED, /* differs, and that is tolerated: staying.h */
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

enum action actions_for(enum wish wish, enum seen seen);

/* Reasons to hold an action back: the action is outstanding then, and not
 * requested. */
enum brake {
	BRAKE_LODGERS = 1 << 0, /* other objects would go, too: refuse.h */
	BRAKE_LOOP = 1 << 1,	/* loops.h */
	BRAKE_SET = 1 << 2,	/* unsettled.h */
	BRAKE_PRUNE =
	    1 << 3, /* like BRAKE_SET, until the primary is being deleted */
	BRAKE_ITEM = 1 << 4 /* unsettled.h */
};
unsigned actions_brakes(enum action action);

/* How a primary stands. */
enum primary_standing {
	STANDS_LIVE,
	STANDS_TOO_LARGE,  /* the primary, or an object that it sees */
	STANDS_UNREADABLE, /* too large, and perhaps not the operator's */
	STANDS_UNKNOWN,	   /* `when` failed */
	STANDS_REJECTED,   /* `when` is false; nothing of it is ours */
	STANDS_RELEASED,   /* `when` is false, and work had begun */
	STANDS_LEAVING,	   /* being deleted, and waiting for us */
	STANDS_LEFT,	   /* being deleted, and not waiting for us */
	STANDINGS
};

enum decide_step {
	STEP_FAIL = 1 << 0,	/* the decision has the error */
	STEP_SETTLED = 1 << 1,	/* nothing more is to be done for the primary */
	STEP_SET = 1 << 2,	/* desired items are compared */
	STEP_CLEAN_UP = 1 << 3, /* members are deleted, as for a deletion */
	STEP_OUTCOME = 1 << 4	/* status, events, requeue */
};
unsigned actions_steps(enum primary_standing standing);

#endif
