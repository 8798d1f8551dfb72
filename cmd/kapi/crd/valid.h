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

/* Present, and not the zero value. */
bool valid_is_set(const struct node *n, const char *key);
struct span valid_path_child(
    struct causes *c, struct span base, const char *name);
/* base.key[name] */
struct span valid_path_entry(
    struct causes *c, struct span base, const char *key, struct span name);

/* valid_structure.c: a schema is structural. */
void valid_structure(
    struct causes *c, struct span path, const struct node *schema);
/* valid_default.c: its defaults fit it. */
void valid_defaults(
    struct causes *c, struct span path, const struct node *schema);
/* valid_schema.c: what OpenAPI v3 is restricted to. */
void valid_schema(
    struct causes *c, struct span path, const struct node *schema);

/* valid_parts.c: other parts of a version. */
void valid_subresources(
    struct causes *c, struct span path, const struct node *subresources);
void valid_columns(
    struct causes *c, struct span path, const struct node *columns);
void valid_selectable(struct causes *c, struct span path,
    const struct node *fields, const struct node *schema);
void valid_conversion(
    struct causes *c, struct span path, const struct node *conversion);

#endif
