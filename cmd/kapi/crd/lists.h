/*
 * lists: what the API server checks of an object beside its schema's
 * validation: list types, and resources that are embedded.
 * Source: apiextensions-apiserver/pkg/apiserver/schema/{listtype,objectmeta}.
 */
#ifndef LISTS_H
#define LISTS_H

#include "tree/tree.h"
#include "type/problem.h"
#include "type/schema.h"

/* Items of sets and maps that are there twice. */
void crd_check_lists(
    struct causes *c, const struct schema *s, const struct node *object);
/* apiVersion, kind and metadata of embedded resources. */
void crd_check_embedded(
    struct causes *c, const struct schema *s, const struct node *object);

#endif
