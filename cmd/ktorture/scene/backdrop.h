/*
 * cluster: what a cluster does beside its API server, played: the kubelet, the
 * controllers of workloads, of volumes and of load balancers. Changes go in,
 * steps come out; it keeps what it has seen. It has no clock, does no I/O, and
 * gives the same steps for the same changes.
 *
 *	struct backdrop *c = backdrop_new();
 *	steps = backdrop_observe(c, "ADDED", object, now_us);
 *	... do each of them as the client "cluster", afterMs later
 *	backdrop_free(c);
 *
 * What it plays, in short forms of pipeline/playground:
 * - a Pod runs and is ready after a second, and ends as podfate.h says; a Pod of a
 *   Job of which nothing is known succeeds after ten seconds. One that would be
 *   restarted is in CrashLoopBackOff. One that is deleted while it runs, and is
 *   held by a finalizer or has a node, fails after a second.
 * - Deployments own their Pods themselves, NAME-HASH-0, NAME-HASH-1, ..., with
 *   the hash of the template; of an older template they go when all of the new
 *   ones are ready, with Recreate before. ReplicaSets and
 *   ReplicationControllers have NAME-0, ...
 * - StatefulSets make Pods one after another (or Parallel), with claims; an
 *   older one is deleted when all are ready, the last one first.
 * - a DaemonSet has one Pod: there is one node.
 * - Jobs: parallelism, completions, backoffLimit, suspend.
 * - Claims are Bound, load balancers and Ingresses have an address, after a
 *   second.
 * A workload has BACKDROP_PODS_MAX Pods at most, whatever it asks for.
 *
 * Steps are those of scenario.h, and for the player: "afterMs"; "uid": the step
 * is void if the object has another uid by then; "gracePeriodSeconds" of a
 * delete. A step that is refused, or whose object is gone, is not a failure.
 */
#ifndef BACKDROP_H
#define BACKDROP_H

#include <stdint.h>
#include <jv.h>

enum { BACKDROP_PODS_MAX = 32 };

struct backdrop;

struct backdrop *backdrop_new(void);
void backdrop_free(struct backdrop *c);

/*
 * A change, in the order of resourceVersions: ADDED, MODIFIED or DELETED. Takes
 * object. now_us: the time of the change, microseconds since 1970. The steps in
 * a list, owned, in their order; few changes have any.
 */
jv backdrop_observe(
    struct backdrop *c, const char *type, jv object, int64_t now_us);

/* The server has refused a step: a Pod that was to be made is asked for again
 * with the next change of its workload. */
void backdrop_refused(struct backdrop *c, jv step_peek);

#endif
