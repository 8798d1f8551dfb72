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
#include "tree/tree.h"
#include "store/store.h"
#include "type/problem.h"
#include "type/resource.h"
#include "type/strategy.h"

/* The steps of a write (see struct steps): what all built-in kinds share, and
 * then what the kind's own row says. */
struct problem *builtin_decode(struct arena *a, const struct resource *r,
    struct node *object, struct warnings *unknown, bool strategic);
/* Defaults that depend on values, or that OpenAPI does not tell. */
void builtin_default(
    struct arena *a, const struct resource *r, struct node *object);

/*
 * Strategy: before a create (live NULL) or an update, after defaults: drops
 * status on create, resets what a client may not set, keeps status on the main
 * path and everything else on /status. Sets metadata.generation. Addresses and
 * ports of Services come from here, too.
 */
prepare_fn builtin_prepare;

/* Adds all errors of object (live: the object that it replaces, or NULL),
 * except those of metadata. */
validate_fn builtin_validate;

/* A refusal because of other objects (NULL: none), after validation: an address
 * or a port that is taken, a priority class that does not exist. */
admit_fn builtin_admit;

void builtin_encode(
    struct arena *a, const struct resource *r, struct node *object);

/* ---- for the rules of kinds ---- */

/* The item i; NULL behind the last one, or if array is not an array. */
struct node *builtin_item(const struct node *array, size_t i);

/* Whether the member at key is the same in both. */
bool builtin_same_member(
    const struct node *x, const struct node *y, const char *key);
/* Sets the member of object to that of live, or removes it if live has none. */
void builtin_keep_member(struct arena *a, const struct node *live,
    struct node *object, const char *key);

#endif
