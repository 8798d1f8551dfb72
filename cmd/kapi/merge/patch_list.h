/*
 * patch_list: how strategic merge patch merges lists and orders them; the
 * part of patch_strategic.c that knows lists.
 */
#ifndef PATCH_LIST_H
#define PATCH_LIST_H

#include <stdbool.h>

#include "base/arena.h"
#include "tree/tree.h"
#include "type/problem.h"
#include "type/schema.h"

struct merging {
	struct arena *arena;
	struct problem *problem; /* the first one; all work then ends */
};

/* Sets m->problem unless there is one; returns NULL. 500 without a reason:
 * an error that the server does not interpret. */
struct node *patch_fail(struct merging *m, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* "expected a []interface {}, but received a string" */
struct node *patch_fail_type(
    struct merging *m, const char *expected, const struct node *got);

/* The schema's rules for merging a list. */
struct list_rules {
	const struct schema *element;
	bool merge;	 /* else the patch's list takes the place of the old */
	struct span key; /* of its maps; none: a set of scalars */
};

/*
 * A list with the patch's items merged in; remove: the patch's items are taken
 * out instead ($deleteFromPrimitiveList). original may be changed. NULL with
 * m->problem.
 */
struct node *patch_list_merge(struct merging *m, const struct list_rules *rules,
    struct node *original, const struct node *patch, bool remove);

/*
 * $setElementOrder: checks patch (may be NULL) against order and puts merged
 * into that order, as far as the original list (may be NULL) leaves it.
 */
bool patch_list_check_order(struct merging *m, const struct list_rules *rules,
    const struct node *patch, const struct node *order);
struct node *patch_list_set_order(struct merging *m,
    const struct list_rules *rules, const struct node *merged,
    const struct node *order, const struct node *original,
    const struct node *patch);

/* Both are consumed: what a map of the original becomes (patch_strategic.c).
 * original may be NULL. */
struct node *patch_map_merge(struct merging *m, const struct schema *type,
    struct node *original, const struct node *patch);

#endif
