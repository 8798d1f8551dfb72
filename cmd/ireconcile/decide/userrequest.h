/*
 * userrequest: requests of users for one primary, by its annotations.
 *
 *	kpipe.dev/paused: "true"		nothing is done for it
 *	kpipe.dev/observe-only: "true"		... but its status: observeonly.h
 *	reconcile.fluxcd.io/requestedAt: ANY a new value: now, everything again
 *	 ansible.operator-sdk/reconcile-period: 30s, or in its newer spelling
 *		ansible.sdk.operatorframework.io/reconcile-period
 *
 * An invalid value gives a Warning, and is otherwise ignored.
 */
#ifndef USERREQUEST_H
#define USERREQUEST_H

#include "decide/decide.h"

bool userrequest_paused(const struct primary *p);
bool userrequest_observe_only(const struct primary *p);

/* Whether there is a request that is new since the last call. */
bool userrequest_again(struct primary *p);

/* The longest time between two evaluations, in milliseconds; 0: only changes
 * count. */
uint64_t userrequest_period_ms(const struct primary *p);

/* Adds a notice to d for each invalid value. */
void userrequest_check(struct decision *d);

#endif
