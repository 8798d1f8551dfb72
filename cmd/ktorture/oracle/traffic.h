/*
 * traffic: how much the operator asks of the server (invariants "requests",
 * "silence").
 *
 * - Over the whole record: a multiple of the clean one's, and a constant for the
 *   retries of a fault. A write without an answer counts as a request alone.
 * - Hot loops: in no three seconds more than many times the clean record's.
 * - In the second half of the time after the last change by another client:
 *   no changes beyond the clean record's, and few requests.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct traffic {
	size_t requests, writes; /* of the operator; writes changed something,
				  * or tried to */
	size_t changes;		 /* ... of objects, without Events and Leases */
	size_t peak;		 /* most requests in three seconds */
	int64_t peak_us;	 /* the last of them */
	size_t late_requests, late_changes;
	const struct played_change *late; /* the last of them, or NULL */
	int64_t slowest_us; /* the longest from a change by another client to
			     * a change by the operator, before the next one */
};

void traffic_count(struct traffic *t, const struct played *p);
/* clean: the one that has more of what counts. */
void traffic_check(const struct traffic *clean, const struct traffic *other,
    const struct played *p, struct violations *f);

#endif
