/*
 * late: what a fault has delayed is done soon after it (invariant "late").
 *
 * The tools do again what is open, sooner or later, so that most of what goes
 * wrong ends well. How long it may take is known: each kind of fault has a time
 * by which the operator has recovered from it (mishap.h), and the clock is
 * exact. From then on each change by the operator comes as soon behind what it
 * answers as in the clean records:
 *
 * - What it answers is the last change by anybody else; or the end of that time,
 *   if that is later. Of two faults the second begins when the first is over.
 * - In clean records the same change (of that object, to that content) has a
 *   longest time behind what it answers, also if the program has asked for it by
 *   a requeue. A change that is in none of them has the longest of all.
 * - What has a time of day, such as the run of a schedule, answers nothing: it
 *   is on time where the clean record has the same change.
 *
 * A rule of the scenario, {"patience": KIND, "ms": N}, gives the objects of a kind
 * more time, where the program waits in a case that clean records do not have.
 *
 * A fault of an event of a watch begins with that event, at which nothing is
 * recorded: each answer may take the time that it has.
 */
#ifndef LATE_H
#define LATE_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct late;

/* Borrows the rules. clean: begins at the time of day of those that are checked. */
struct late *late_new(
    const struct played *clean, const struct played *other, jv rules_peek);
void late_free(struct late *g);
void late_check(
    const struct late *g, const struct played *p, struct violations *f);

#endif
