/*
 * patchmark: the annotation on an object that is not a member but has fields
 * that a primary holds (patch_only). By it these fields are found again, to be
 * given back:
 *
 *	kpipe.dev/patch-<digest of the primary's key>:
 *		"<primary's key> <digest of the fields> <proof>"
 *
 * Each primary has an annotation of its own, so several may hold fields of one
 * object. The annotation does not prove membership: giving back removes only
 * the fields of the primary's own field manager (doc/protocol.md, "Marks"). The
 * proof, if there is a key, prevents that others keep an operator busy.
 *
 * The digest covers names and values of the fields. If the mark on the object
 * has the digest of the item, the primary held these fields before, and kapply
 * takes them back from another manager (with force); else it does not. With a
 * key the digest is an HMAC, which tells nothing of a Secret.
 */
#ifndef PATCHMARK_H
#define PATCHMARK_H

#include <stdbool.h>
#include <jv.h>

#include "base/buf.h"
#include "json/json.h"
#include "state/cache.h"
#include "state/entry.h"

/* The name of the annotation of primary, appended. */
void patchmark_name(struct buf *b, const struct cache_object *primary);

/* item (consumed) with the annotation; label is the item's. Returned owned. */
jv patchmark_add(jv item, const struct entry *e,
    const struct cache_object *primary, const char *label);

/*
 * for (i = patchmarks(o); patchmarks_next(&i, e, o, &key);) ...
 *
 * key becomes "NAMESPACE\0NAME" of each primary of e's kind that holds fields
 * of o.
 */
struct patchmarks {
	struct json_members members;
};
struct patchmarks patchmarks(const struct cache_object *o);
bool patchmarks_next(struct patchmarks *i, const struct entry *e,
    const struct cache_object *o, struct buf *key);

#endif
