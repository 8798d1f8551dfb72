/*
 * observeonly: a primary with the annotation kpipe.dev/observe-only: "true" is
 * decided about, and nothing of the decision is done but its status and Events.
 * What would be done is told, by an Event as well, so there is a new line, which
 * cancels the requests of earlier ones.
 */
#ifndef OBSERVEONLY_H
#define OBSERVEONLY_H

#include "decide/decide.h"

/* Withholds all points that d has so far, if the annotation says so. Call it
 * when the set was decided, and before the outcome, which sees them in
 * .outstanding. */
void observeonly_withhold(struct decision *d);
/* status (consumed) with the condition ObserveOnly, or without it. */
jv observeonly_condition(const struct decision *d, jv status);
void observeonly_release(struct decision *d);

#endif
