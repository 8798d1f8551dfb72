/*
 * oracle: whether an operator did well in a play, by its record (played.h) and
 * those of two clean plays of the same scenario.
 *
 *	struct oracle *o = oracle_new(clean, other, rules);
 *	jv found = oracle_check(o, record);
 *
 * A violation is {"invariant": ..., "object": "Deployment default/a",
 * "text": ...}; the object is "" if it is the record as a whole. Invariants:
 *
 *	end		the objects at the end are those of the clean play
 *	twice		nothing is made twice
 *	foreign		nothing of others is changed or deleted
 *	silence		no writes once all is done
 *	requests	bounded, and no hot loop
 *	claim		no status says what is not, or goes back
 *	finalizer	none is gone before its work is done, nothing stays
 *	late		what a fault delayed is done soon after it
 *	secret		no value of a Secret is anywhere else
 *	crash		no stage ends by itself, or speaks of a bug
 *	author		the rules of the scenario
 *
 * Each module's header says more. No I/O, no clock: the same records give the
 * same list.
 *
 * Rules are of the scenario:
 *
 *	{"varies": ".spec.x", "kind": "Deployment"}	not compared at the end; "."
 *			is all of it, "*" any step of a path, no kind all kinds
 *	{"again": "Job"}	may be made twice
 *	{"unready": "Deployment"}	Ready does not wait for it
 *	{"back": ".status.phase", "kind": "At"}		may go back
 *	{"patience": "Job", "ms": 10000}	may be changed so much later
 *	{"always": NAME, "jq": TEXT}	true for the array of objects after each
 *			change
 *	{"history": NAME, "jq": TEXT}	true for the array of changes
 *
 * Others are ignored. What stands in the cluster before the first step should
 * be in a record as changes of "client".
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdbool.h>
#include <jv.h>

#include "base/buf.h"
#include "base/err.h"

struct oracle;

/* All are taken. NULL with err: a rule is wrong, and err names it. */
struct oracle *oracle_new(jv clean, jv other, jv rules, struct err *err);
void oracle_free(struct oracle *o);

/* The clean record of another scenario of the same operator, taken: how its
 * statuses go on, and what its finalizers clear away. What happens in one of
 * them may happen in all, so that none is found that is right. */
void oracle_learn(struct oracle *o, jv record);

/* The violations, owned; the record is taken. Also of the clean record. */
jv oracle_check(const struct oracle *o, jv record);

/* {"requests", "writes", "changes", "seconds"} of the operator in a record,
 * which is taken: seconds, the longest from a change by another client to the
 * last answer to it. */
jv oracle_counts(jv record);

/* Whether both objects have the same status, but for what differs in every
 * play. */
bool oracle_same_status(jv a_peek, jv b_peek);

/* Appends "invariant: object: text", without a newline. */
void oracle_add_line(struct buf *b, jv violation_peek);

#endif
