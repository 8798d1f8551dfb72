/*
 * marks: decide whether an object is a member of a primary (doc/protocol.md,
 * "Marks"): by a controller reference that Kubernetes itself would follow, with
 * a proof that we wrote it (proof.h) below a cluster-scoped primary; or, where
 * that is not possible, by a label and an annotation that names both, with a
 * proof. Without a key no proof is needed.
 */
#ifndef MARKS_H
#define MARKS_H

#include <stdbool.h>
#include <jv.h>

#include "base/buf.h"
#include "base/span.h"
#include "json/json.h"
#include "state/cache.h"
#include "state/entry.h"

/* Whether o is a member of primary, which belongs to e. */
bool marks_is_member(const struct entry *e, const struct cache_object *o,
    const struct cache_object *primary);

/*
 * Whether o has a controller reference to primary that does not count, because
 * it lacks the proof (marks_owner_counts).
 */
bool marks_is_claimant(const struct entry *e, const struct cache_object *o,
    const struct cache_object *primary);

/* Reads the instance, the proofs and retain from o into its members. Call it
 * first when an object comes. */
void marks_examine(const struct proof *proof, const struct instances *instances,
    struct cache_object *o);

/* "Kind.group" of the primary that the marks of o name, of any operator, proven
 * or not; within scratch. SPAN_NONE: it has no marks. */
struct span marks_named_kind(const struct cache_object *o, struct buf *scratch);

/* Whether this instance of the operator made o, as far as o tells. */
bool marks_is_ours(const struct entry *e, const struct cache_object *o);

/*
 * "ORIGIN\0NAMESPACE\0NAME" of the primary of e's kind that the marks of o
 * name, appended; false if they do not count.
 */
bool marks_key(
    struct buf *key, const struct entry *e, const struct cache_object *o);
/* Whether members go with their primary, or stay: then they become members of
 * the next primary of its name. */
enum marks_life { MARKS_USUAL, MARKS_RETAINED };
/* The key of the primary itself, as marks_key gives it for such members. */
void marks_primary_key(struct buf *key, const struct entry *e,
    const struct cache_object *primary, enum marks_life life);

/*
 * for (struct marks_owners i = marks_owners(o, MARKS_CONTROLLER);
 *     marks_owner(&i, e, o, &key);) ...
 *
 * key becomes "UID\0NAMESPACE\0NAME" of each primary of e's kind that owns o
 * as Kubernetes lets it, or of the one that controls it.
 */
enum marks_which { MARKS_CONTROLLER, MARKS_OWNERS };
struct marks_owners {
	struct json_elements refs;
	enum marks_which which;
};
struct marks_owners marks_owners(
    const struct cache_object *o, enum marks_which which);
bool marks_owner(struct marks_owners *i, const struct entry *e,
    const struct cache_object *o, struct buf *key);
/* The key of the primary itself, for owner references; false if it has no
 * uid. */
bool marks_owning_key(struct buf *key, const struct cache_object *primary);

/*
 * Whether a controller reference of o to a primary of e counts. A reference to
 * a cluster-scoped primary can be written by any user with rights in any
 * namespace, so it needs a proof, if there is a key.
 */
bool marks_owner_counts(const struct entry *e, const struct cache_object *o);

/* Whether only marks with a proof count, which are bound to an origin. */
bool marks_are_bound(const struct entry *e);

/*
 * The origin to which the marks of the primary's members are bound, borrowed;
 * empty if there is none.
 */
struct span marks_origin(
    const struct entry *e, const struct cache_object *primary);
/* Whether the origin of the primary differs from its uid. */
bool marks_has_origin(
    const struct entry *e, const struct cache_object *primary);
/* Whether the origin still has to be written to the primary. */
bool marks_need_origin(
    const struct entry *e, const struct cache_object *primary);

/*
 * Whether an instance has claimed the primary for a finalizer of e, the retired
 * ones included, that it has (proof.h); another one counts more than ours.
 * name, if not NULL, gets the instance's.
 */
enum marks_claim { MARKS_UNCLAIMED, MARKS_CLAIMED, MARKS_OTHERS };
enum marks_claim marks_claim(const struct entry *e,
    const struct cache_object *primary, struct buf *name);
/* Whether the instance that made o has claimed the primary for a finalizer that
 * is not one of e: it is another operator with this kind of primaries. */
bool marks_is_other_operators(const struct entry *e,
    const struct cache_object *o, const struct cache_object *primary);
/* Whether our claim, with our finalizer, still has to be written, or that of an
 * older version removed. */
bool marks_need_claim(
    const struct entry *e, const struct cache_object *primary);

/* The keys for random texts of this primary: of the operator's, for its key and
 * its origin; and for its kind and its namespace. */
void marks_random_key(struct random_key *key, const struct entry *e,
    const struct cache_object *primary);

/* Whether an object in namespace ns can have a controller reference to this
 * primary. */
bool marks_can_own(const struct cache_object *primary, struct span ns);

/*
 * item (consumed) with the mark of a member of primary; label is the item's
 * "Kind.group/namespace/name", ns its namespace. A retained item has no owner.
 * Returned owned.
 */
jv marks_add(jv item, const struct cache_object *primary, struct span ns,
    const char *label, enum marks_life life);
/* An item of marks_add with the name of our instance, and with the proof if it
 * has marks or its owner is cluster-scoped, and there is a key. */
jv marks_sign(jv item, const struct entry *e,
    const struct cache_object *primary, const char *label,
    enum marks_life life);

#endif
