/*
 * retry: when a failed request is sent again, and when it counts as failed. One
 * struct per thing that is tried (an object, a status).
 *
 * Transient failures: 100 ms doubling to 30 s, with jitter, never before the
 * server's Retry-After; they count as failed after RETRY_FAILED_MS (or what the
 * tool says). Permanent ones count at once and are tried again slowly, 5 s
 * doubling to 10 min, in case a person has repaired the cause. Missing rights
 * are often granted, and a quota gets room: 403 is tried at least every 30 s.
 */
#ifndef RETRY_H
#define RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "kube/kube.h"

/*
 * Back-off: exponential with jitter. Start with {0}; each call doubles.
 * Returns milliseconds in d..2d, d = first * 2^n capped at max.
 */
struct kube_backoff {
	unsigned n;
};
uint64_t kube_backoff_next(
    struct kube_backoff *b, uint64_t first_ms, uint64_t max_ms);

enum { RETRY_FAILED_MS = 30000 };

/* Zeroed: nothing failed yet. */
struct retry {
	struct kube_backoff backoff;
	uint64_t first_ms; /* clock_ms() of the first failure; 0: none */
	uint64_t due_ms;   /* next try */
	bool permanent;	   /* the last failure was */
	bool failed;	   /* counts as failed */
};

enum retry_kind {
	RETRY_TRANSIENT,
	RETRY_PERMANENT,
	/* Permanent, but others can change it at any time: */
	RETRY_DENIED,	 /* a right is missing */
	RETRY_FORBIDDEN, /* a quota, a policy or a webhook refused it */
	RETRY_SOON	 /* a conflict, or no answer: almost at once */
};

/* The meaning of an error of a write, by Kubernetes' own rules. */
enum retry_kind retry_classify(enum kube_verb verb, const struct kube_error *e);

/* Whether a failure of the kind counts as failed at once. */
static inline bool
retry_is_permanent(enum retry_kind kind)
{
	return kind == RETRY_PERMANENT || kind == RETRY_DENIED ||
	    kind == RETRY_FORBIDDEN;
}

/* Plans the next try. retry_after_ms < 0: the server did not say. */
void retry_plan(struct retry *r, enum retry_kind kind, int64_t retry_after_ms,
    uint64_t now_ms);
/*
 * True once, when a transient failure has lasted for failed_ms; it counts as
 * failed from then on.
 */
bool retry_expire(struct retry *r, uint64_t failed_ms, uint64_t now_ms);
void retry_reset(struct retry *r);

#endif
