/*
 * patches: patch_only: fields of objects that are not members. They are held
 * while they are desired and the object exists, and given back afterwards.
 * What is held is known by a mark on the object (patchmark.h).
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
 * A hash of o's labels, annotations, and what is outside of metadata and status:
 * of what may be held.
 */
uint64_t patches_state(const struct cache_object *o);

/* 0, or -1 with err: object has something that cannot be held. */
int patches_refuse(
    const struct desired_item *i, jv object_peek, struct err *err);

#endif
