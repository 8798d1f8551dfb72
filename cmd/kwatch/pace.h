/*
 * pace: how long a watch waits before it asks again. Delays double from
 * 0.8 s, with jitter, as those of client-go do; they begin again after a stream
 * that lived for PACE_STEADY_MS. Times are those of clock_ms().
 */
#ifndef PACE_H
#define PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/retry.h"

enum pace_why {
	PACE_FAILED, /* up to 15 to 30 s */
	PACE_DENIED, /* 8 to 16 s: rights may be granted later */
	PACE_CHEAP   /* 4 to 8 s: no server, or it said when to come */
};

enum { PACE_STEADY_MS = 10000, PACE_SHORT_MS = 1000 };

/* Zeroed: nothing happened yet. */
struct pace {
	struct kube_backoff backoff;
	uint64_t sent_ms;    /* the request of this stream */
	uint64_t began_ms;   /* its answer; 0: none yet */
	uint64_t expired_ms; /* the last version that had expired; 0: none */
};

void pace_sent(struct pace *p, uint64_t now_ms);
void pace_began(struct pace *p, uint64_t now_ms);
/* Whether the stream, if it ends now, has lived for almost no time. Counted
 * from the request: some proxies hold back the headers until data follows. */
bool pace_is_short(const struct pace *p, uint64_t now_ms);

/* After a failure. told_ms: the server's Retry-After; -1: none. */
uint64_t pace_wait(
    struct pace *p, enum pace_why why, int64_t told_ms, uint64_t now_ms);
/* After an expired version: no delay, except for the second one in a row. */
uint64_t pace_wait_expired(struct pace *p, uint64_t now_ms);

#endif
