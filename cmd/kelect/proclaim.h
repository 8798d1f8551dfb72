/*
 * proclaim: Events that say who leads, about the Lease, or the ConfigMap of
 * --for-life: type Normal, reason LeaderElection, "<identity> became leader";
 * as client-go's (v0.36, leaderelection/resourcelock/leaselock.go). Before a
 * Lease is given back "<identity> stopped leading"; a lock for life ends with
 * the Pod, and says nothing.
 *
 * The election never waits for them, and the process ends without those that
 * are not sent yet.
 */
#ifndef PROCLAIM_H
#define PROCLAIM_H

#include "election.h"
#include "kube/kube.h"
#include "process/loop.h"

/* Strings are borrowed. */
struct proclaim {
	const char *api_version, *kind; /* kind NULL: there is no object */
	const char *namespace_, *name;
	const char *identity;
	bool ends; /* it is given back */

	struct recorder *recorder; /* NULL: nothing was said yet */
};

void proclaim_leading(struct proclaim *p, struct loop *l, struct kube *k,
    const struct election *e);
/* Before election_release. */
void proclaim_stopped(struct proclaim *p, const struct election *e);
/* Before kube_free. */
void proclaim_release(struct proclaim *p);

#endif
