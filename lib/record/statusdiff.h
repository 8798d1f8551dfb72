/*
 * statusdiff: what differs between two statuses, in words, for one line:
 *
 *	phase Processing -> Available, Ready False -> True, replicas 2 -> 3
 *
 * First the phase, other words and conditions, then other fields, then reasons,
 * messages and times. A list of values is told by what went and what came
 * (pods -a +b). Not told is what changes whenever a status is looked at: times of
 * conditions, observedGeneration.
 */
#ifndef STATUSDIFF_H
#define STATUSDIFF_H

#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"
#include "record/contrast.h"

/*
 * before and after are values of .status; either may be absent. At most max
 * fields are told, with values cut to the limits of c, and then how many more
 * there are. c is used for the search, with what the caller has set in it; what it
 * had found is lost. Returns how many fields differ; 0: nothing is appended. The
 * text may have invisible characters.
 */
size_t statusdiff_add(struct buf *b, struct contrast *c, struct span before,
    struct span after, size_t max);

#endif
