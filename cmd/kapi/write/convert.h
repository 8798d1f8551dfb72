/*
 * convert: an object as it is kept, as a version of its resource shows it, and
 * back. Versions of custom resources differ in apiVersion and pruning (crd.h),
 * those of built-in kinds in what is written here.
 */
#ifndef CONVERT_H
#define CONVERT_H

#include <stdbool.h>

#include "base/arena.h"
#include "tree/tree.h"
#include "store/store.h"
#include "type/resource.h"
#include "type/strategy.h"

/* The stored object as a tree in the arena, in its storage version. */
struct node *convert_tree(struct arena *a, const struct stored *o);

/* The stored object as version r shows it (converted, apiVersion set). */
struct node *convert_read(
    struct arena *a, const struct resource *r, const struct stored *o);
/* True if convert_read gives the stored text, unchanged. */
bool convert_is_stored(const struct resource *r);

/* Steps of built-in kinds (see struct steps). */
void convert_builtin_read(
    struct arena *a, const struct resource *r, struct node *o);
void convert_builtin_keep(struct arena *a, const struct registry *g,
    struct resource *r, struct node *o);

/* Versions that differ in more than apiVersion: Events of events.k8s.io, which
 * are kept as those of the core group; autoscaling/v1, which is kept as v2. */
convert_fn convert_event_to, convert_event_from, convert_scaler_to_v1,
    convert_scaler_from_v1;

#endif
