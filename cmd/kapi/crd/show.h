/*
 * show: parts of a definition as the API server's internal types print
 * them, which some messages quote.
 * Source: apiextensions-apiserver/pkg/apis/apiextensions/types*.go.
 */
#ifndef SHOW_H
#define SHOW_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"

/* A whole JSONSchemaProps. */
struct span show_schema(struct arena *a, const struct node *schema);
/* spec.versions: what all of them have in common has gone to spec, and is
 * null here. */
struct span show_versions(struct arena *a, const struct node *versions);
/* All versions have the same at key. */
bool show_versions_agree(const struct node *versions, const char *key);

#endif
