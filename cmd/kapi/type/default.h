/*
 * default: fills in the defaults of a schema, of built-in types and of CRDs.
 */
#ifndef DEFAULT_H
#define DEFAULT_H

#include "base/arena.h"
#include "tree/tree.h"
#include "type/schema.h"

/* Fills in what is absent and has a default in the schema; a null on a
 * field that is not nullable is dropped first. */
void default_fill(struct arena *a, const struct schema *s, struct node *object);

#endif
