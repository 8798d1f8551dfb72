/*
 * rulepath: paths of fields in schemas, as rules (fieldPath) and selectable
 * fields have them: .spec.replicas, .params['a b'].
 * Source: ValidFieldPath of apiextensions-apiserver/pkg/apiserver/schema/cel/
 * validation.go.
 */
#ifndef RULEPATH_H
#define RULEPATH_H

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"

enum rulepath_brackets { RULEPATH_BRACKETS, RULEPATH_DOTS_ONLY };

/*
 * NULL: the path leads from schema to a field; else what is wrong. Where a
 * schema has properties, it has to be one of them; a map has each key. There
 * is no path into a list. *found, if not NULL: the schema there, or NULL where
 * a map has none.
 */
const char *rulepath_check(struct arena *a, struct span path,
    const struct node *schema, enum rulepath_brackets brackets,
    const struct node **found);

#endif
