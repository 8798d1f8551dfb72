/*
 * naming: the related objects that primaries name in their fields (`map:
 * {field: PATH}`). Each use of such a kind has an index from the names of
 * objects to the primaries that name them; an object need not exist.
 */
#ifndef NAMING_H
#define NAMING_H

#include "state/entry.h"

/* Reads the names again: the primary came, changed, or (no object) is gone. */
void naming_update(struct primary *p);
/* Makes the primaries dirty that name this object of the use's kind. */
void naming_dirty(
    struct entries *es, const struct use *u, const struct cache_object *o);

/* for (size_t i = 0; (o = naming_next(p, u, &i)) != NULL;): the objects that
 * exist, in no order. */
struct cache_object *naming_next(
    const struct primary *p, const struct use *u, size_t *i);

/* At the end, after the primaries. */
void naming_release(struct use *u);

#endif
