/*
 * recovery: what a watch does when its request has ended, and how long it waits
 * before the next one.
 *
 * The first is a table: a row for each way to end, a column for each state.
 * watch.c does what its steps say. Delays double from 0.8 s, with jitter, as
 * those of client-go do; they begin again after a stream that lived for
 * RECOVERY_STEADY_MS. Times are those of clock_ms().
 */
#ifndef RECOVERY_H
#define RECOVERY_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/kubeerror.h"
#include "kube/retry.h"

enum watch_state {
	LISTING,  /* a paged LIST */
	INITIAL,  /* a watch-list, before its end marker */
	WATCHING, /* a stream of changes */
	LASTING,  /* ... which was answered, and has lived for a second */
	WATCH_STATES
};

enum recovery_end {
	END_NOT_YET,
	/* The server ended a stream: */
	END_CLOSED, /* after events */
	END_EMPTY,
	/* An ERROR event, or a line that is not an event: */
	END_EVENT_EXPIRED, /* 410 */
	END_EVENT_FIRST,   /* 500, and nothing else came */
	END_EVENT,
	/* No answer, or not all of it: */
	END_UNREACHABLE, /* no server, or the connection broke */
	END_TIMED_OUT,
	END_TOO_LARGE,
	/* An answer that says no: */
	END_NOT_FOUND, /* 404 */
	END_EXPIRED,   /* 410 */
	END_DENIED,    /* 401, 403 */
	END_REFUSED,   /* 4xx, but for these and 429 */
	END_FAILED,    /* all others */
	/* END_DENIED for the first time, of a watch that had worked: a server
	 * that has just started does not know the rules yet. */
	END_DENIED_FIRST,
	RECOVERY_ENDS
};

enum recovery_step {
	STEP_MISSING,	  /* no step: the table has a hole */
	STEP_NEVER,	  /* cannot happen */
	STEP_RESUME,	  /* watch from the last version, at once */
	STEP_CUT_SHORT,	  /* watch again; the second time by a list */
	STEP_COMPARE,	  /* watch again, from a new initial state */
	STEP_SPOILED,	  /* COMPARE; the second time by a list */
	STEP_RELIST,	  /* COMPARE without a delay, if it is the first time */
	STEP_UNPAGED,	  /* COMPARE, by a list without pages */
	STEP_LIST,	  /* no watch-list is to be had: list at once */
	STEP_UNREACHABLE, /* again, when the server is there */
	STEP_SMALLER,	  /* smaller pages at once; there are none: COMPLAIN */
	STEP_LOST,	  /* the kind may be gone: ask discovery */
	STEP_DOUBT,	  /* again, and complain only then */
	STEP_COMPLAIN,	  /* say why, and try again */
	STEP_MISTRUST	  /* COMPLAIN, and forget the version: it may be bad */
};

enum recovery_end recovery_end_of(const struct kube_error *e);
enum recovery_step recovery_step(enum watch_state state, enum recovery_end end);

enum recovery_why {
	RECOVERY_FAILED, /* up to 15 to 30 s */
	RECOVERY_DENIED, /* 8 to 16 s: rights may be granted later */
	RECOVERY_CHEAP	 /* 4 to 8 s: no server, or it said when to come */
};

enum { RECOVERY_STEADY_MS = 10000, RECOVERY_SHORT_MS = 1000 };

/* Zeroed: nothing happened yet. */
struct recovery {
	struct kube_backoff backoff;
	uint64_t sent_ms;    /* the request of this stream */
	uint64_t began_ms;   /* the answer; 0: none yet */
	uint64_t expired_ms; /* the last version that had expired; 0: none */
};

void recovery_sent(struct recovery *r, uint64_t now_ms);
/* Whether the stream, if it ends now, has lived for almost no time. Counted
 * from the request: some proxies hold back the headers until data follows. */
bool recovery_is_short(const struct recovery *r, uint64_t now_ms);

/* The delay after a failure. told_ms: the server's Retry-After; -1: none. */
uint64_t recovery_wait(struct recovery *r, enum recovery_why why,
    int64_t told_ms, uint64_t now_ms);
/* The delay after an expired version: 0, except for the second one in a row. */
uint64_t recovery_wait_expired(struct recovery *r, uint64_t now_ms);

#endif
