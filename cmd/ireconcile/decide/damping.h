/*
 * damping: keeps writes from going on without an end. Three causes make a write
 * follow from each write:
 *
 * 1. Loops: another field manager changes our repairs back. If one field of the
 * same desired content is repaired again and again, each time after it had
 * agreed, that is a loop. Each field is counted alone: repairs of different
 * fields are not a loop. Further repairs of that item are held back. The line
 * names the item and the path that differs, so that kapply finds the other
 * manager; the program sees both as .loops; and a status with conditions gets
 * one of type RepairLoop. A loop is over when the item was not changed back for
 * as long as it was held back, and for twice the time between two repairs.
 *
 * 2. Unsettled: the program makes the changes. A status that counts its own
 * writes, an item with the time in it, objects with ever new names, two programs
 * that answer each other: each write causes the next one, as fast as the API
 * server can. So each point of a primary has a budget: BUDGET to begin with,
 * REFILL a second. A change of a desired point costs OWN if nothing else changed
 * since the last one (the primary apart from its status, related objects, the
 * status of owned ones), else OTHERS: a hundred changes at once and one a second
 * for ever are fine, or 3000 and thirty a second while others make changes. (For
 * a set that is deleted and created again, thirty times at once are enough.) A
 * point without a budget is held back; the log, an Event and a condition
 * Unsettled name it by path and values. The hold is over when the point did not
 * change for as long as it was held back, or when the primary's users change the
 * primary.
 *
 * 3. Permadiffs: the API server or an admission webhook drops or rewrites what
 * is desired. Only the API server knows whether it accepted an apply, and it
 * tells kapply. So ireconcile learns it from the object: when the deadline of a
 * request has passed, the item is applied with the annotation
 * kpipe.dev/accepted, whose value is a code of the desired content and of the
 * observed differences. An apply that fails changes nothing. If the object
 * comes back with the code of exactly the differences that it has, those
 * differences stay: they are tolerated, and named in the log and in an Event.
 * The annotation remembers them as long as the desired content and these
 * differences are the same, whatever else changes. Every ten minutes the item
 * is applied again all the same, because the webhook that rewrote the field may
 * be gone. Another difference than these is drift: a new request at once. An
 * item that agreed, and has an old difference back, is repaired without the
 * code. generation tells the same: it counts the changes since the apply.
 *
 * A hold lasts 10 seconds, doubling to 10 minutes. The memory about an item of
 * this content is struct damping (state/primary.h); the budgets, which stay when
 * the content changes, are struct unsettled (state/said.h).
 *
 * Source of 3: server-side apply of Kubernetes writes all or nothing, so a new
 * annotation proves that the rest was accepted.
 */
#ifndef DAMPING_H
#define DAMPING_H

#include "decide/decide.h"

/* ---- a decision, from its begin to its line ---- */

/* A decision begins: ends the holds of unsettled points that are over. */
void damping_begin(struct decision *d);
/* A decision ends: plans the next look. */
void damping_end(struct decision *d);

/*
 * A line with this decision is about to be printed: counts repairs. Returns
 * the number of loops that are new; `what` gets a line for each.
 */
size_t damping_count_repairs(
    struct primary *p, struct decision *d, struct buf *what);
/*
 * A line with news is about to be printed: counts it. True if there is news
 * that the decision does not have; what gets a line for each point that is
 * found to be unsettled.
 */
bool damping_count_changes(
    struct primary *p, const struct decision *d, struct buf *what);
/* The line was printed, but is not yet remembered: begins the holds. */
void damping_hold(struct primary *p, struct decision *d);

/* Whether the hold lasts. */
bool damping_is_held(const struct hold *h, int64_t now_us);

/* status (consumed) with the conditions RepairLoop and Unsettled, or without
 * those that have no cause; returned owned. */
jv damping_conditions(const struct decision *d, jv status);
/* Notes each difference that stays, and each unsettled point. */
void damping_note(struct decision *d);

/* ---- loops ---- */

/* A patched item is looked at: repairs of another object do not count. object
 * may be NULL. */
void damping_meet(struct desired_item *i, const struct cache_object *object);
/* An item is compared: ends its loop, or plans the next look. */
void damping_watch(struct desired_item *i, struct decision *d);
/* Whether the repair of i is held back. */
bool damping_holds_repair(const struct desired_item *i, int64_t now_us);
/*
 * An object is replaced before any evaluation saw it: if it agreed, the request
 * was done, even if the new version does not agree.
 */
void damping_replaced(struct primary *p, const struct cache_object *o);

/* Whether another client has changed the object since the request: after the
 * request was done, or so that more is to be done now. */
bool damping_is_repair(const struct desired_item *i);

bool damping_any_loop(const struct decision *d);
/* [{item, path}], owned. */
jv damping_loops(const struct decision *d);
/* Appends reconcile.loops of the line: the loops that kapply can name. */
void damping_add_loops(struct buf *b, const struct decision *d);

/* ---- unsettled ---- */

/* Whether a change of this kind is held back. label: of the item, or NULL. */
bool damping_holds(
    struct decision *d, enum unsettled_what what, const char *label);
/* Whether the target is held back, so that its earlier request is not
 * cancelled. */
bool damping_holds_target(
    const struct primary *p, const struct target *t, int64_t now_us);
bool damping_any_unsettled(const struct decision *d);

/* ---- permadiff ---- */

/* Whether o agrees with i. Else the first path that differs is appended to
 * path, and all differences are kept in i. */
bool permadiff_compare(const struct primary *p, struct desired_item *i,
    const struct cache_object *o, jv desired_peek, jv observed_peek,
    struct buf *path);
/*
 * All of o agrees with i. Returns the path of an annotation that says which
 * differences stay, or NULL. That annotation has to go: else a new difference
 * in those fields would be taken for an old one.
 */
char *permadiff_agrees(const struct primary *p, struct desired_item *i,
    const struct cache_object *o);

/* Whether all differences are tolerated. */
bool permadiff_is_tolerated(const struct desired_item *i);
/* The deadline has passed: items that were requested are applied with the
 * code. */
void permadiff_try(struct primary *p, const struct decision *d);

/* The text of the point's item as the line has it, appended. */
void permadiff_add(
    struct buf *b, const struct primary *p, const struct point *pt);

/* Differences that are tolerated and were not told: a line for each item is
 * appended to what. Returns their number. */
size_t permadiff_tell(const struct decision *d, struct buf *what);
/* Notes each item with such differences. */
void permadiff_note(struct decision *d);

#endif
