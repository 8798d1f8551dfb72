/*
 * patches: fields of objects that are not members (patch_only). Such fields are
 * held while they are desired and the object exists, and given back afterwards.
 * A mark on the object (patchmark.h) tells which primary holds fields of it.
 */
#ifndef PATCHES_H
#define PATCHES_H

#include <stdbool.h>
#include <stdint.h>

#include "decide/decide.h"

/* Points for all fields that are held and are not in the set; NULL: for all. */
void patches_give_back(struct decision *d, const struct desired *set);
/* Whether any are held. */
bool patches_any(const struct primary *p);
/* Whether the same fields of the point's object are held already. */
bool patches_is_held(const struct primary *p, const struct point *pt);

/*
 * A hash of the parts of o that may be held: labels, annotations, and
 * everything outside of metadata and status.
 */
uint64_t patches_state(const struct cache_object *o);

/* 0, or -1 with err: object has something that cannot be held. */
int patches_refuse(
    const struct desired_item *i, jv object_peek, struct err *err);

#endif
