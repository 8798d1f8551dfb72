/*
 * progress: how the statuses of a kind go on (invariant "claim"). It is learned
 * from clean records, and nothing in another record may go back:
 *
 * - A field phase, state or stage, or a condition that says how something ended
 *   (Complete, Failed, ...): where clean records lead from one value to another
 *   and never back, it does not go back.
 * - A time that clean records set once and never change (startTime) is not set
 *   again.
 * - An observedGeneration does not become less, nor more than there is.
 *
 * What a rule of the scenario names may go back: {"back": ".status.phase",
 * "kind": "At"}; a condition is named as ".status.Complete".
 *
 * All within one life of an object, and of statuses that were meant for it. An
 * old view that overwrites a newer one (a status that is not guarded) is seen
 * here.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct progress;

struct progress *progress_new(jv rules_peek);
void progress_free(struct progress *g);
/* p: a clean record; its texts are copied. */
void progress_learn(struct progress *g, const struct played *p);
void progress_check(
    const struct progress *g, const struct played *p, struct violations *f);

/* Whether the operator wrote the status of an object in this change. */
bool progress_is_written(const struct played_change *c);

#endif
