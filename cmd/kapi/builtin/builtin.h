/*
 * builtin: what the API server does for kinds of its own in Go code: defaults,
 * validation, preparation of new objects, fields that cannot change.
 * Sources: pkg/apis/<group>/<version>/defaults.go, pkg/apis/<group>/
 * validation, pkg/registry/<group>/<kind>/strategy.go.
 */
#ifndef BUILTIN_H
#define BUILTIN_H

#include <stdbool.h>

#include "base/arena.h"
#include "json/tree.h"
#include "store/store.h"
#include "type/problem.h"
#include "type/resource.h"

/* Defaults that depend on values, or that OpenAPI does not tell. */
void builtin_default(
    struct arena *a, const struct resource *r, struct node *object);

/*
 * Strategy: before a create (live NULL) or an update, after defaults: drops
 * status on create, resets what a client may not set, keeps status on the main
 * path and everything else on /status. Sets metadata.generation. Addresses and
 * ports of Services come from here, too.
 */
void builtin_prepare(struct arena *a, const struct resource *r,
    struct store *store, struct span subresource, const struct node *live,
    struct node *object);

/* Everything that is wrong with object (live: what it replaces, or NULL),
 * metadata not included. */
void builtin_validate(struct causes *c, const struct resource *r,
    struct span subresource, const struct node *live,
    const struct node *object);

/* What is refused because of other objects (NULL: nothing), after validation:
 * an address or a port that is taken, a priority class that is not there. */
struct problem *builtin_admit(struct arena *a, const struct resource *r,
    struct store *store, struct span subresource, const struct node *live,
    const struct node *object);

#endif
