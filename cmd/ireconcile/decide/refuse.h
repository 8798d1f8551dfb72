/*
 * refuse: items that a program must not desire: the primary itself; objects
 * that no watch would show, which could neither be repaired nor cleaned up;
 * numbers and the like where the server takes only texts, and texts where it
 * takes only base64 (Secret.data, ConfigMap.binaryData; as strict as
 * value/base64.h). Messages name fields and sorts, never a value.
 */
#ifndef REFUSE_H
#define REFUSE_H

#include <jv.h>

#include "decide/decide.h"
#include "state/entry.h"
#include "state/primary.h"

/* No kind in watches.yaml allows an item with these marks; always -1, with err:
 * it says what to write, and where. */
int refuse_kind(const struct entry *e, unsigned marks, struct span version,
    struct span kind, struct err *err);

/*
 * object (borrowed) is i, with its marks. 0, or -1 with err: its sentence names
 * the item, the rule and what to write instead.
 */
int refuse_item(const struct primary *p, const struct use *u,
    const struct desired_item *i, jv object_peek, struct err *err);

/* Like refuse_item for an item that holds fields, without its mark (patches.h). */
int refuse_patch(const struct primary *p, const struct desired_item *i,
    jv object_peek, struct err *err);

/* The first of these rules alone: it is the primary itself. */
int refuse_primary(
    const struct primary *p, const struct desired_item *i, struct err *err);

/*
 * Of an item that is retained, without marks: its kind must be one in
 * watches.yaml, so that the key of the proof is kept, and nothing may own it.
 */
int refuse_retained(const struct primary *p, const struct use *u,
    const struct desired_item *i, jv object_peek, struct err *err);

/* The observed object of a retained item still has the primary as an owner,
 * which another client wrote: an apply does not remove it. */
int refuse_owned(const struct primary *p, const struct desired_item *i,
    const struct cache_object *o, struct err *err);

/*
 * The same for the observed object: it is another primary, not a member of
 * ours, and the entry would adopt it, so that its users would lose their
 * fields.
 */
int refuse_adoption(
    const struct primary *p, const struct desired *set, struct err *err);

/*
 * Whether others are deleted with an object of this kind: with a Namespace all
 * that is in it, with a CustomResourceDefinition all objects of its kind.
 */
bool refuse_guards(const struct cache_kind *k);
/*
 * Whether d must not delete o, which is of such a kind: something of that is
 * desired, retained or another's (doc/protocol.md, "Lodgers"). Then d fails with
 * a sentence that names both and the remedy, and is made again soon. Only what
 * is observed is known: objects of the kinds, namespaces and selectors of
 * watches.yaml.
 */
bool refuse_deletion(struct decision *d, const struct cache_object *o);

/* An object that the primary sees, or itself, is too large to be read: 0, or -1
 * with err. Nothing can be decided then: it is there, but not known. */
int refuse_too_large(const struct primary *p, struct err *err);

#endif
