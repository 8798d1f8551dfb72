/*
 * lock: leadership for life, the way of operator-lib's leader (v0.11): a
 * ConfigMap owned by the leader's Pod, which the garbage collector removes with
 * the Pod. Nothing is renewed or released; after a restart in the same Pod it
 * still leads.
 *
 * A standby that finds the lock taken looks at its owner: a Pod that was
 * evicted or preempted is deleted; one on a node that is not Ready, too, and
 * its lock with it. Everything else is waited for, 1 s doubling to 16 s.
 *
 * Stricter than operator-lib: owners are compared by uid, not by name (another
 * Pod of that name is not the leader), deletions name the uid they mean, and
 * the leader looks at its lock every 10 s: if it is gone or not ours, the
 * leadership is over.
 */
#ifndef LOCK_H
#define LOCK_H

#include "election.h"

/*
 * Borrows all; pod is ours, in the same namespace as the lock. NULL: we are
 * outside of a cluster, where no Pod could own one, and lead at once without a
 * lock, as operator-lib does; so does another instance.
 */
struct election *lock_new(
    const char *namespace_, const char *name, const char *pod);

#endif
