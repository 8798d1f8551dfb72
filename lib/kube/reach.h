/*
 * reach: the first contact with the API server: requests its discovery until it
 * answers, and logs once if it does not.
 */
#ifndef REACH_H
#define REACH_H

#include "base/err.h"
#include "kube/discovery.h"
#include "kube/kube.h"
#include "kube/retry.h"
#include "process/loop.h"

/*
 * Called once, from the loop: with NULL when the tables of the discovery are
 * there, or with a permanent error (no trust, no login; if hasty, 401, too).
 */
typedef void reach_done_fn(void *arg, const struct err *err);

struct reach {
	struct loop *loop; /* all borrowed */
	struct kube *kube;
	struct discovery *discovery;
	reach_done_fn *done;
	void *arg;
	struct timer timer;
	struct kube_backoff backoff;
	bool hasty; /* an answer that time does not mend ends it (401) */
	bool said;
};

enum reach_how {
	REACH_PATIENT, /* credentials and rights may come later */
	REACH_HASTY    /* a user waits: 401 and the like end it */
};

/* r lives until done was called or the discovery is freed. */
void reach_start(struct reach *r, enum reach_how how, struct loop *l,
    struct kube *k, struct discovery *d, reach_done_fn *done, void *arg);

#endif
