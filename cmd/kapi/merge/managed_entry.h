/*
 * managed_entry: the entries of metadata.managedFields while a write changes
 * them. For managed*.c alone.
 */
#ifndef MANAGED_ENTRY_H
#define MANAGED_ENTRY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "json/tree.h"
#include "merge/fieldset.h"
#include "merge/managed.h"
#include "merge/shape.h"

struct entry {
	/* Who: for an Apply without the apiVersion. */
	struct span manager, api_version, subresource;
	bool applied;
	struct span time; /* none: no time */
	/* As it is stored; NULL where set or time are no longer these. */
	const struct node *stored;
	const struct node *fields; /* to be parsed when needed; or NULL */
	struct fieldset *set;
};

struct entries {
	struct arena *arena;
	struct entry *items;
	size_t n, max;
	const struct node *stored; /* all of them, if nothing changed */
};

/* Reads an array (NULL: none). own: the API server wrote it, so that sets are
 * parsed when they are asked for. */
enum entries_from { FROM_STORE, FROM_CLIENT };
int entries_decode(struct entries *e, struct arena *a, const struct node *array,
    enum entries_from from, struct err *err);
/* An array in the server's order; NULL if there are none. */
struct node *entries_encode(struct entries *e);

/* By the schema as it is now; shape NULL: as it was written. */
struct fieldset *entry_set(
    struct entries *e, struct entry *x, const struct shape *s);
void entry_set_fields(struct entry *x, struct fieldset *set);
struct entry *entries_find(struct entries *e, const struct entry *who);
struct entry *entries_add(struct entries *e, const struct entry *who);
/* Those whose set is empty, and those of versions that are not served. */
void entries_sweep(struct entries *e);
/* At most ten that are no Apply: older ones become one. */
void entries_cap(struct entries *e);
/* {"manager":"x","operation":"Update","apiVersion":"v1"}: sorts conflicts. */
struct span entry_identity(struct arena *a, const struct entry *x);

/* One write, between managed.c and managed_apply.c. */
struct managing {
	const struct managed_write *write;
	struct arena *arena;
	struct shape shape;
	struct entries entries;
};
/* Who writes, as an entry without fields. */
struct entry managing_self(
    const struct managed_write *w, struct span manager, bool applied);
/* What a new object of the kind is before anything is set. */
struct node *managing_empty(
    const struct managed_write *w, const struct node *like);
/* Versions that are no longer served own nothing. */
void managing_drop_versions(struct managing *m);
/* Tracks what an update changed: live to object, by manager (none: only takes
 * from others). -1: one of them does not fit the schema. */
int managing_update(struct managing *m, const struct node *live,
    const struct node *object, struct span manager);

/* Fields that a write through this path resets, out of the set. */
struct fieldset *managed_filter(const struct managed_write *w,
    const struct node *object, struct fieldset *set);
/* Without apiVersion, kind, metadata.name and the like. */
struct fieldset *managed_strip(struct arena *a, struct fieldset *set);

#endif
