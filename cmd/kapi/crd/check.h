/*
 * check: a value against the rules of a schema, worded as the API server
 * does it.
 * Source: kube-openapi/pkg/validation/validate, apiextensions-apiserver/pkg/
 * apiserver/validation.
 */
#ifndef CHECK_H
#define CHECK_H

#include "base/span.h"
#include "crd/findings.h"
#include "crd/structural.h"
#include "tree/tree.h"
#include "type/problem.h"

/*
 * Base: the path of value, none for a whole object. old: what value replaces,
 * or NULL: what was wrong before and is unchanged is not an error (ratcheting).
 */
void crd_check(struct causes *c, const struct schema_rules *r, struct span base,
    const struct node *value, const struct node *old);

/* Structural validation, worded as the server does it. old (may be
 * NULL) for ratcheting. */
void check_valid(struct causes *c, const struct schema *s,
    const struct node *object, const struct node *old);

/*
 * lists.c: what the API server checks of an object beside its schema's
 * validation: list types, and resources that are embedded.
 * Source: apiextensions-apiserver/pkg/apiserver/schema/{listtype,objectmeta}.
 */
/* Items of sets and maps that are there twice. */
void crd_check_lists(
    struct causes *c, const struct schema *s, const struct node *object);
/* apiVersion, kind and metadata of embedded resources. */
void crd_check_embedded(
    struct causes *c, const struct schema *s, const struct node *object);

#endif
