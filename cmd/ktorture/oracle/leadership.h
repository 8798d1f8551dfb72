/*
 * leadership: where a leader is elected, one instance works at a time.
 *
 * - No Lease is taken from a holder before its time is over, by the exact clock.
 * - After an instance has taken the Lease, and after it has given it back itself,
 *   no other instance changes anything: a request that came before, and that the
 *   server did later, is not its fault.
 * - When all is done, one of them leads.
 *
 * A record without an election has nothing of that. Whose a request is, is known by
 * the rest of its User-Agent, behind the name of the tool (instance.h).
 */
#ifndef LEADERSHIP_H
#define LEADERSHIP_H

#include <stdbool.h>

#include "oracle/played.h"
#include "oracle/violations.h"

/* Whether kelect asked for anything. */
bool leadership_elects(const struct played *p);
void leadership_check(const struct played *p, struct violations *f);

#endif
