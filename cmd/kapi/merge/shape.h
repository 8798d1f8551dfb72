/*
 * shape: a schema as server-side apply sees it: what a value may be (a map, a
 * list, a scalar: an untyped one may be any of them), and whether a map or
 * list is one value or many. Walks of objects by it: the set of an object's
 * fields, the difference of two, the merge of two, an object without a set of
 * fields.
 * Source: structured-merge-diff/typed, kube-openapi/pkg/schemaconv.
 */
#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "merge/fieldset.h"
#include "type/schema.h"

enum shape_kind {
	SHAPE_NONE,    /* not declared in the schema */
	SHAPE_UNTYPED, /* anything; maps and lists are one value */
	SHAPE_DEDUCED, /* anything; maps are many values, lists one */
	SHAPE_TYPED
};

struct shape {
	enum shape_kind kind;
	bool preserve; /* unknown fields here or above are kept */
	const struct schema *schema;
	const struct field *field; /* has the list type and such; or NULL */
};

enum atom { ATOM_NONE = 0, ATOM_SCALAR = 1, ATOM_LIST = 2, ATOM_MAP = 4 };

struct shape shape_of(const struct schema *s);
/* The atoms that value may be: its own if the shape allows that, else (absent,
 * null or wrong) all that the shape allows. */
unsigned shape_atoms(struct shape s, const struct node *value);
/* The atom that decides: a map before a scalar before a list. */
enum atom shape_pick(unsigned atoms);
/* True if value is absent, null, or of this atom and the type in the shape. */
bool shape_fits(struct shape s, enum atom atom, const struct node *value);
/* A map or list of this shape is one value. */
bool shape_atomic(struct shape s, enum atom atom);
enum list_type shape_list_type(struct shape s);
/* The shape of a map's member; *declared: it is one of the fields. */
struct shape shape_member(struct shape s, struct span name, bool *declared);
struct shape shape_item(struct shape s);
/* The path element of an item of a list that is not atomic; -1: *problem. */
int shape_item_path(struct arena *a, struct shape list, const struct node *item,
    struct fieldset_element *path, const char **problem);

/* Lists what does not fit the schema, in the arena: "", or one or several
 * lines ".spec.x: expected ...". */
enum shape_duplicates { DUPLICATES_REFUSED, DUPLICATES_ALLOWED };
struct span shape_check(struct arena *a, struct shape s,
    const struct node *value, enum shape_duplicates duplicates);

/* Every leaf field and item of value. */
struct fieldset *shape_set(
    struct arena *a, struct shape s, const struct node *value);

struct shape_difference {
	struct fieldset *removed, *modified, *added;
};
/* -1: one of them does not fit the schema; the result is incomplete. */
int shape_compare(struct arena *a, struct shape s, const struct node *from,
    const struct node *to, struct shape_difference *d);

/* Changes of over are taken into base; shares nodes with both. Lists keep
 * their order, or take over's where it has changes. Both fit the schema. */
struct node *shape_merge(struct arena *a, struct shape s,
    const struct node *base, const struct node *over);

/* value without the fields of the set; shares nodes. */
struct node *shape_without(struct arena *a, struct shape s,
    const struct node *value, const struct fieldset *set);

/* With the named fields of structs that have something below them. */
struct fieldset *shape_with_named(
    struct arena *a, struct shape s, struct fieldset *set);
/* The set after a change of the schema: a map or list that is one value by now
 * is in the set as a whole. */
struct fieldset *shape_reconcile(
    struct arena *a, struct shape s, struct fieldset *set);

/* The items of a list that is not atomic, found by their paths. */
struct shape_items {
	struct shape_entry {
		struct fieldset_element path;
		const struct node *value;
		uint32_t at;	     /* in the list */
		int32_t same;	     /* how many entries have this path */
	} * entries;		     /* in the list's order */
	struct shape_entry **sorted; /* by path, then by place */
	uint32_t n;
	bool bad; /* an item has no path, and was left out */
};
void shape_items(struct arena *a, struct shape list, const struct node *value,
    struct shape_items *items);
/* The first of that path, or NULL. */
struct shape_entry *shape_items_find(
    const struct shape_items *items, const struct fieldset_element *path);

#endif
