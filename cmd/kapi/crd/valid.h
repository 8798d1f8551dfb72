/*
 * valid: whether a definition may be stored. Paths are those of the API
 * server's internal type: what all versions have in common is at
 * spec.validation, spec.subresources and so on.
 * Source: apiextensions-apiserver/pkg/apis/apiextensions/validation,
 * pkg/apiserver/schema.
 */
#ifndef VALID_H
#define VALID_H

#include <stdbool.h>

#include "base/span.h"
#include "tree/tree.h"
#include "type/problem.h"

/* Whether the member is present and not a zero value. */
bool valid_is_set(const struct node *n, const char *key);
struct span valid_path_child(
    struct causes *c, struct span base, const char *name);
/* base.key[name] */
struct span valid_path_entry(
    struct causes *c, struct span base, const char *key, struct span name);

/* valid_structure.c: checks that a schema is structural. */
void valid_structure(
    struct causes *c, struct span path, const struct node *schema);
/* Checks that the defaults of a schema fit it. */
void valid_defaults(
    struct causes *c, struct span path, const struct node *schema);
/* valid_schema.c: checks that a schema uses only what CRDs allow of OpenAPI
 * v3. */
void valid_schema(
    struct causes *c, struct span path, const struct node *schema);

/*
 * Paths of fields in schemas, as rules (fieldPath) and selectable
 * fields have them: .spec.replicas, .params['a b'].
 * Source: ValidFieldPath of apiextensions-apiserver/pkg/apiserver/schema/cel/
 * validation.go.
 */
enum rulepath_brackets { RULEPATH_BRACKETS, RULEPATH_DOTS_ONLY };

/*
 * NULL: the path leads from schema to a field; else what is wrong. Where a
 * schema has properties, it has to be one of them; a map has each key. There
 * is no path into a list. *found, if not NULL: the schema there, or NULL where
 * a map has none.
 */
const char *valid_rulepath(struct arena *a, struct span path,
    const struct node *schema, enum rulepath_brackets brackets,
    const struct node **found);

#endif
