/*
 * crd_show: parts of a definition as the API server's internal types print
 * them, which some messages quote.
 * Source: apiextensions-apiserver/pkg/apis/apiextensions/types*.go.
 */
#ifndef CRD_SHOW_H
#define CRD_SHOW_H

#include <stdbool.h>

#include "arena.h"
#include "span.h"
#include "tree.h"

/* A whole JSONSchemaProps. */
struct span show_schema(struct arena *a, const struct node *schema);
/* spec.versions: what all of them have in common has gone to spec, and is
 * null here. */
struct span show_versions(struct arena *a, const struct node *versions);
/* All versions have the same at key. */
bool versions_agree(const struct node *versions, const char *key);

#endif
