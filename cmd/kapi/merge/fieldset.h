/*
 * fieldset: a set of paths of fields of an object, as managedFields names
 * them: a tree whose edges are a field's name, an item's keys, an item's value
 * or an index. A node that is in the set need not have children, and one with
 * children need not be in the set.
 * Source: structured-merge-diff/fieldpath.
 *
 * Sets live in an arena and share parts: a set that was given to one of the
 * operations must not be changed any more. NULL is the empty set, everywhere.
 */
#ifndef FIELDSET_H
#define FIELDSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "tree/tree.h"

/* In the order in which they sort. */
enum path_kind { PATH_FIELD, PATH_KEY, PATH_VALUE, PATH_INDEX };

struct fieldset_key {
	struct span name;
	const struct node *value;
};

struct fieldset_element {
	enum path_kind kind;
	uint32_t key_count;
	struct span text; /* in FieldsV1: f:name; none: not written yet */
	union {
		struct span name;		 /* PATH_FIELD */
		const struct fieldset_key *keys; /* PATH_KEY; sorted by name */
		const struct node *value;	 /* PATH_VALUE */
		int64_t index;			 /* PATH_INDEX */
	};
};

struct fieldset;
struct fieldset_item {
	struct fieldset_element path;
	bool member;		   /* the path itself is in the set */
	struct fieldset *children; /* NULL: none */
};

struct fieldset {
	struct fieldset_item *items; /* sorted by path, each path once */
	uint32_t n, max;
	bool unsorted; /* while it is made */
};

struct fieldset_element fieldset_element_field(struct span name);
struct fieldset_element fieldset_element_index(int64_t index);
int fieldset_element_cmp(
    const struct fieldset_element *x, const struct fieldset_element *y);
/* In the form of messages: .name [key="value"] [="value"] [0] */
void fieldset_element_print(struct buf *b, const struct fieldset_element *e);

/* Making: add in any order, then fieldset_done (NULL if it stayed empty). */
struct fieldset *fieldset_new(struct arena *a);
void fieldset_add(struct arena *a, struct fieldset *s,
    const struct fieldset_element *path, bool member,
    struct fieldset *children);
struct fieldset *fieldset_done(struct arena *a, struct fieldset *s);

/* A path of names with dots between them. */
struct fieldset *fieldset_of(struct arena *a, const char *dotted);
bool fieldset_has(const struct fieldset *s, const char *dotted);

const struct fieldset_item *fieldset_find(
    const struct fieldset *s, const struct fieldset_element *path);
bool fieldset_empty(const struct fieldset *s);
size_t fieldset_size(const struct fieldset *s);
bool fieldset_equal(const struct fieldset *x, const struct fieldset *y);
/* Nothing of x is missing in y. */
bool fieldset_within(const struct fieldset *x, const struct fieldset *y);

struct fieldset *fieldset_union(
    struct arena *a, struct fieldset *x, struct fieldset *y);
struct fieldset *fieldset_intersection(
    struct arena *a, const struct fieldset *x, const struct fieldset *y);
/* Path by path: a parent in y does not remove its children from x. */
struct fieldset *fieldset_difference(
    struct arena *a, struct fieldset *x, const struct fieldset *y);
/* A path in y also removes all paths below it. */
struct fieldset *fieldset_difference_recursive(
    struct arena *a, struct fieldset *x, const struct fieldset *y);

/* For each path: the members of one level before what is below it. */
typedef void fieldset_fn(void *arg, struct span path);
void fieldset_each(
    const struct fieldset *s, struct buf *scratch, fieldset_fn *fn, void *arg);

/* Reads FieldsV1; drops elements of unknown kinds. -1 with err: not valid. */
int fieldset_parse(struct arena *a, const struct node *fields,
    struct fieldset **set, struct err *err);
/* Sorted, like the server writes it. */
struct node *fieldset_node(struct arena *a, struct fieldset *s);

#endif
