/*
 * lease: leadership by a Lease, exactly as in client-go's leaderelection
 * (v0.36), so that it can contend with any operator written in Go:
 *
 * - A candidate tries every retry period times 1 to 2.2. It waits until it has
 *   seen a record unchanged for as long as that record says, by its own clock;
 *   the times in the record are never compared with a clock.
 * - The leader replaces the record it wrote last (no GET) every retry period.
 * - It gives the Lease back by an empty holder and a duration of one second.
 *
 * Stricter than client-go in two ways: leadership ends renew_ms after the start
 * of the last renewal that worked (there it is a retry period later), and at
 * once when another holder is seen.
 */
#ifndef LEASE_H
#define LEASE_H

#include "election.h"

/* Strings are borrowed. */
struct lease_opts {
	const char *namespace_, *name;
	const char *identity; /* unique to this process */
	uint64_t duration_ms; /* whole seconds, as in a Lease */
	uint64_t renew_ms;
	uint64_t retry_ms;
};

/* Checks the rules of client-go for the three, and whole seconds. */
int lease_check_opts(const struct lease_opts *o, struct err *err);

/* Borrows o. */
struct election *lease_new(const struct lease_opts *o);

#endif
