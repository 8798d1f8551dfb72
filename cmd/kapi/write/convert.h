/*
 * convert: an object as it is kept, as a version of its resource shows it, and
 * back. Versions of custom resources differ in apiVersion and pruning (crd.h),
 * those of built-in kinds in what is written here.
 */
#ifndef CONVERT_H
#define CONVERT_H

#include <stdbool.h>

#include "base/arena.h"
#include "json/tree.h"
#include "store/store.h"
#include "type/resource.h"

/* The stored object as a tree in the arena, in its storage version. */
struct node *convert_tree(struct arena *a, const struct stored *o);

/* The stored object as version r shows it (converted, apiVersion set). */
struct node *convert_read(
    struct arena *a, const struct resource *r, const struct stored *o);
/* True if that is the stored text, unchanged. */
bool convert_is_stored(const struct resource *r);

/* Versions of built-in kinds that differ in more than apiVersion. */
void convert_to(struct arena *a, const struct resource *to, struct node *o);
void convert_from(struct arena *a, const struct resource *from, struct node *o);

/*
 * HorizontalPodAutoscalers between what is kept (autoscaling/v2) and
 * autoscaling/v1: convert_scaler.c. In place; what is added is in the arena.
 */
void convert_scaler_to_v1(struct arena *a, struct node *o);
void convert_scaler_from_v1(struct arena *a, struct node *o);

#endif
