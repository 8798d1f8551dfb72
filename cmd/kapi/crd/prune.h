/*
 * prune: removes from an object what the schema of a CRD does not know. Source:
 * apiextensions-apiserver/pkg/apiserver/schema/{pruning,defaulting}.
 */
#ifndef PRUNE_H
#define PRUNE_H

#include <stdbool.h>

#include "base/span.h"
#include "tree/tree.h"
#include "type/decode.h"
#include "type/schema.h"

/* apiVersion, kind or metadata */
bool prune_is_meta_field(struct span key);
/* The schema of a member or an item; NULL: s does not know it, or is NULL. */
const struct schema *prune_member(const struct schema *s, struct span key);
const struct schema *prune_item(const struct schema *s);

/* Drops members that are null, may not be, and have no default. */
void prune_drop_nulls(const struct schema *s, struct node *n);

/* Removes what the schema does not know, noting each path. metadata is
 * decoded as ObjectMeta. */
void prune_object(struct arena *a, const struct schema *s, struct node *object,
    struct warnings *unknown);

#endif
