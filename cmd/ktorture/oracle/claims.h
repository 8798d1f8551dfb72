/*
 * claims: a status that says Ready is true (invariant "claim").
 *
 * A status claims something if a condition such as Ready or Available is True,
 * or its phase is one that a clean record ends with, for the generation at hand
 * (observedGeneration). Then each object that clean records have for this
 * content of the primary's spec, from the same claim on until the spec changes,
 * must have been there at some moment since that generation was made: with what
 * the operator asked for in clean records, and with the status that it has there
 * (a claim is not false because something was damaged since then). What differs
 * between clean records, or within one, is not asked for, nor is the content of
 * kinds that a rule says vary, nor are objects whose name is made up.
 *
 * Nor may the operator make an object of that generation just behind the claim,
 * while nothing else happens: this holds for the clean record as well.
 *
 * Nor may one of its Deployments, StatefulSets, ReplicaSets, DaemonSets and Pods
 * be unavailable since the operator has written it.
 *
 * All this is not asked of a kind for which Ready does not wait, as a rule of
 * the scenario says: {"unready": "Deployment"}; nor must objects have been there
 * of a kind that varies as a whole: {"varies": ".", "kind": "Pod"}.
 *
 * A status that was meant for another object (another uid) must be corrected
 * within two minutes: the operator writes another one, or the same for this
 * object. (The server ignores the uid there. The request that corrects it may be
 * the one that a fault holds up.)
 */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct claims;

/* Borrows all three. */
struct claims *claims_new(
    const struct played *clean, const struct played *other, jv rules_peek);
void claims_free(struct claims *g);
void claims_check(
    const struct claims *g, const struct played *p, struct violations *f);

#endif
