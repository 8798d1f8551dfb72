/*
 * encode: the opposite of decode: an object as Go's encoder writes it.
 */
#ifndef ENCODE_H
#define ENCODE_H

#include "base/arena.h"
#include "tree/tree.h"
#include "type/schema.h"

/*
 * Makes an object that was decoded, and may have changed, what Go's encoder
 * would write: "", 0, false, [] and {} go where they are omitempty; what is
 * always written (status: {}, containers: null, name: "") appears; members are
 * in Go's order. Call it before an object is stored or sent.
 */
void encode_builtin(
    struct arena *a, const struct schema *s, struct node *object);
/* The order in which Go writes the keys of a map. */
void encode_sort_keys(struct node *map);

#endif
