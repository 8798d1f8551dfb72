/*
 * itemstate: the states of an item, and what an event does in each, as a table.
 *
 *	WAITING --- send ----> FLYING      its turn has come
 *	        --- ask -----> LOOKUP      ... but its kind is not known
 *	        --- delay ---> BACKOFF     ... but it may not be sent yet
 *	        --- fail ----> FAILED      ... but it must not be sent
 *	FLYING, LOOKUP
 *	        --- queue ---> WAITING     another request follows
 *	        --- accept --> DONE
 *	        --- drop ----> STALE
 *	        --- delay ---> BACKOFF
 *	        --- fail ----> FAILED
 *	BACKOFF --- count ---> OVERDUE     it fails for --fail-after
 *	BACKOFF, OVERDUE, FAILED
 *	        --- queue ---> WAITING     it is due
 *
 * A new item is WAITING; REFUSED, if it may not be sent at all; DONE, if it is
 * created at most once and was there. "Not yet": what was created is not
 * observed, and the finalizer waits for that (unseen.h). "Must not": the prune
 * limit holds the deletion back (prunelimit.h), or the namespace or scope is
 * wrong.
 *
 * The items of a set end together: when all are done, when one is REFUSED or
 * STALE and none is left to try, or when a newer line of the primary comes and
 * nothing is in flight. An item that the newer line wants unchanged goes on
 * there as the column "same" says; one that it wants changed begins again; one
 * that it does not have is forgotten.
 *
 * No clock and no requests: engine.c and set.c do what an action says.
 */
#ifndef ITEMSTATE_H
#define ITEMSTATE_H

#include <stdbool.h>

enum item_state {
	ITEM_WAITING, /* for its turn to be sent */
	ITEM_LOOKUP,  /* the kind is not known: discovery is asked */
	ITEM_FLYING,  /* a request is under way */
	ITEM_BACKOFF, /* failed in passing; tried again when it is due */
	ITEM_OVERDUE, /* ... for so long that it counts as failed */
	ITEM_FAILED,  /* time will not mend it; tried again, but slowly */
	ITEM_REFUSED, /* never sent; it counts as failed */
	ITEM_STALE,   /* the line is out of date here: a newer one will come */
	ITEM_DONE,
	ITEM_STATES
};

enum item_event {
	EVENT_TURN,	 /* the item's turn: the request goes out */
	EVENT_UNKNOWN,	 /* the item's turn: its kind is not known */
	EVENT_NEXT,	 /* the answer: its kind is known, or go on */
	EVENT_ACCEPTED,	 /* the answer: it is as the line wants it */
	EVENT_OUTDATED,	 /* the answer: it is not what the line saw */
	EVENT_PASSING,	 /* failed, and time may mend it */
	EVENT_PERMANENT, /* failed, and time will not mend it */
	EVENT_LATE,	 /* has failed for --fail-after, or before */
	EVENT_DUE,	 /* the timer: its back-off is over */
	EVENT_OVER,	 /* the time of the whole run is over */
	EVENT_SAME,	 /* a newer line has come and wants the same */
	ITEM_EVENTS
};

/* The reaction to an event. It leads to one state, or keeps the state. */
enum item_action {
	ACTION_MISSING, /* no action: the table has a hole */
	ACTION_NEVER,	/* cannot happen; nothing is done */
	ACTION_STAY,
	ACTION_SEND,   /* -> FLYING */
	ACTION_ASK,    /* discovery: -> LOOKUP */
	ACTION_QUEUE,  /* may be sent: -> WAITING */
	ACTION_ACCEPT, /* -> DONE */
	ACTION_DROP,   /* say nothing, a newer line will come: -> STALE */
	ACTION_DELAY,  /* try again soon: -> BACKOFF */
	ACTION_COUNT,  /* counts as failed: -> OVERDUE */
	ACTION_FAIL,   /* counts as failed at once: -> FAILED */
	ACTION_END,    /* not done in time: -> WAITING, for good */
	/* A newer line has come: its item takes over from this one ... */
	ACTION_KEEP,   /* the state, and how and when it failed */
	ACTION_RECALL, /* the state, if it was accepted just now */
	ACTION_RESET,  /* nothing is taken over */
	ITEM_ACTIONS
};

enum item_action itemstate_action(enum item_state state, enum item_event event);
enum item_state itemstate_next(enum item_state state, enum item_action action);

/* Failed, and tried again when it is due. */
bool itemstate_is_retried(enum item_state state);
/* Counts as failed: that is logged, and told by onError. */
bool itemstate_has_failed(enum item_state state);

/* For log lines. */
const char *itemstate_state_name(enum item_state state);
const char *itemstate_event_name(enum item_event event);

#endif
