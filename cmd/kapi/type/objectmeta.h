/*
 * objectmeta: metadata of every object: names, labels, annotations, owner
 * references, finalizers; what cannot change; generateName.
 * Source: apimachinery/pkg/api/validation/objectmeta.go.
 */
#ifndef OBJECTMETA_H
#define OBJECTMETA_H

#include <stdbool.h>

#include "base/arena.h"
#include "tree/tree.h"
#include "type/names.h"
#include "type/problem.h"
#include "type/resource.h"

/* Drops what only the server sets: uid, creationTimestamp, deletion state. */
void objectmeta_wipe(struct node *object);
/* uid, creationTimestamp, the name if generateName asks. now: RFC 3339
 * seconds. */
void objectmeta_create(struct arena *a, const struct resource *r,
    struct node *object, struct span now);
struct span objectmeta_generate_name(struct arena *a, struct span base);
void objectmeta_validate(
    struct causes *c, const struct resource *r, const struct node *object);
/* Like objectmeta_validate, with rule for the name instead of the kind's. */
void objectmeta_validate_named(struct causes *c, const struct resource *r,
    const struct node *object, enum name_rule rule);
void objectmeta_validate_update(struct causes *c, const struct resource *r,
    const struct node *live, const struct node *object);

/* The annotations of metadata, or of a template's at field. */
void objectmeta_check_annotations(
    struct causes *c, struct span field, const struct node *annotations);

/* A random (version 4) UUID and the current time, in the arena. */
struct span objectmeta_uuid(struct arena *a);
struct span objectmeta_time_now(struct arena *a); /* 2026-01-02T03:04:05Z */
struct span objectmeta_time_now_micro(struct arena *a); /* ...05.000000Z */

#endif
