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

/* No kind in watches.yaml allows an item with these marks: returns -1 with err,
 * which says what to write, and where. */
int refuse_kind(const struct entry *e, unsigned marks, struct span version,
    struct span kind, struct err *err);

/*
 * Checks an item; object (borrowed) is its value, with its marks. 0, or -1 with
 * err, which names the item, the rule and what to write instead.
 */
int refuse_item(const struct primary *p, const struct use *u,
    const struct desired_item *i, jv object_peek, struct err *err);

/* refuse_item for an item that holds fields (patches.h); object is without its
 * mark. */
int refuse_patch(const struct primary *p, const struct desired_item *i,
    jv object_peek, struct err *err);

/* Refuses an item that cannot have a controller reference (another namespace,
 * the cluster) where the entry has no marks: returns -1 with err, which says
 * what to write, and where. */
int refuse_unowned(
    const struct primary *p, const struct desired_item *i, struct err *err);

/* The first rule of refuse_item alone: the item is the primary itself. */
int refuse_primary(
    const struct primary *p, const struct desired_item *i, struct err *err);

/*
 * Checks an item that is retained; object is without its marks. Its kind must
 * be one in watches.yaml, so that the key of the proof is kept, and it must not
 * have an owner.
 */
int refuse_retained(const struct primary *p, const struct use *u,
    const struct desired_item *i, jv object_peek, struct err *err);

/* Refuses a retained item whose observed object has the primary as an owner
 * that another client wrote: an apply does not remove such an owner. */
int refuse_owned(const struct primary *p, const struct desired_item *i,
    const struct cache_object *o, struct err *err);

/*
 * Refuses an item whose observed object is another primary and not a member of
 * p: the entry would adopt that primary, and its users would lose their fields.
 */
int refuse_adoption(
    const struct primary *p, const struct desired *set, struct err *err);

/*
 * Whether other objects are deleted with an object of this kind: with a
 * Namespace all that is in it, with a CustomResourceDefinition all objects of
 * the kind that it defines.
 */
bool refuse_guards(const struct cache_kind *k);
/*
 * Whether d must not delete o, which is of a kind for which refuse_guards is
 * true: an object that would go with it is desired, retained or another
 * operator's (doc/protocol.md, "Contents of a Namespace"). Then d fails with a
 * sentence that names both objects and the remedy, and is made again soon. Only
 * observed objects count: of the kinds, namespaces and selectors of
 * watches.yaml.
 */
bool refuse_deletion(struct decision *d, const struct cache_object *o);

/* -1 with err if the primary, or an object that it sees, is too large to be
 * read: its content is not known, so nothing can be decided. Else 0. */
int refuse_too_large(const struct primary *p, struct err *err);

#endif
