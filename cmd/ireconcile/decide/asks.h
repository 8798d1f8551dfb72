/*
 * asks: what users ask of one primary, by its annotations.
 *
 *	kpipe.dev/paused: "true"		nothing is done for it
 *	reconcile.fluxcd.io/requestedAt: ANY	a new value: now, and all anew
 *	ansible.operator-sdk/reconcile-period: 30s, or in its newer spelling
 *		ansible.sdk.operatorframework.io/reconcile-period
 *
 * A value that means nothing is a Warning, and no reason to stop.
 */
#ifndef ASKS_H
#define ASKS_H

#include "decide/decide.h"

bool asks_paused(const struct primary *p);

/* Is there a request that was not there when this was last called? */
bool asks_again(struct primary *p);

/* How often it is evaluated at least, in milliseconds; 0: when it changes. */
uint64_t asks_period_ms(const struct primary *p);

/* d gets complaints, and an Event for each, about values that mean nothing. */
void asks_check(struct decision *d);

#endif
