/*
 * valid: whether a definition may be stored. Paths are those of the API
 * server's internal type: what all versions have in common is at
 * spec.validation, spec.subresources and so on.
 * Source: apiextensions-apiserver/pkg/apis/apiextensions/validation,
 * pkg/apiserver/schema.
 */
#ifndef VALID_H
#define VALID_H

#include "base/span.h"
#include "crd/checked.h"
#include "tree/tree.h"

/* valid_structure.c: checks that a schema is structural. */
void valid_structure(const struct checked *schema);
/* Checks that the defaults of a schema fit it. */
void valid_defaults(const struct checked *schema);
/* valid_schema.c: checks that a schema uses only what CRDs allow of OpenAPI
 * v3. */
void valid_schema(const struct checked *schema);

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

/*
 * show.c: parts of a definition as the API server's internal types print them,
 * which some messages quote.
 * Source: apiextensions-apiserver/pkg/apis/apiextensions/types*.go.
 */
/* A whole JSONSchemaProps. */
struct span show_schema(struct arena *a, const struct node *schema);
/* spec.versions: what all of them have in common has gone to spec, and is
 * null here. */
struct span show_versions(struct arena *a, const struct node *versions);
/* All versions have the same at key. */
bool show_versions_agree(const struct node *versions, const char *key);

#endif
