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
#include "tree/tree.h"
#include "merge/fieldset.h"
#include "merge/managed.h"
#include "merge/shape.h"

struct managed_entry {
	/* The identity: for an Apply without the apiVersion. */
	struct span manager, api_version, subresource;
	bool applied;
	struct span time; /* none: no time */
	/* The stored entry; NULL where set or time are no longer these. */
	const struct node *stored;
	const struct node *fields; /* to be parsed when needed; or NULL */
	struct fieldset *set;
};

struct managed_entries {
	struct arena *arena;
	struct managed_entry *items;
	size_t n;
	const struct node *stored; /* all of them, if nothing changed */
};

/* Reads an array (NULL: none). own: the API server wrote it, so that sets are
 * parsed when they are asked for. */
enum entries_from { FROM_STORE, FROM_CLIENT };
int managed_entries_decode(struct managed_entries *e, struct arena *a,
    const struct node *array, enum entries_from from, struct err *err);
/* An array in the server's order; NULL if there are none. */
struct node *managed_entries_encode(struct managed_entries *e);

/* The set of an entry, adapted to the schema as it is now; s NULL: as it was
 * written. */
struct fieldset *managed_entry_set(
    struct managed_entries *e, struct managed_entry *x, const struct shape *s);
void managed_entry_set_fields(struct managed_entry *x, struct fieldset *set);
struct managed_entry *managed_entries_find(
    struct managed_entries *e, const struct managed_entry *who);
struct managed_entry *managed_entries_add(
    struct managed_entries *e, const struct managed_entry *who);
/* Drops entries whose set is empty or whose version is not served. */
void managed_entries_sweep(struct managed_entries *e);
/* Leaves at most ten entries that are not an Apply: the older ones become
 * one. */
void managed_entries_cap(struct managed_entries *e);
/* {"manager":"x","operation":"Update","apiVersion":"v1"}: sorts conflicts. */
struct span managed_entry_identity(
    struct arena *a, const struct managed_entry *x);

/* A write, between managed.c and managed_apply.c. */
struct managing {
	const struct managed_write *write;
	struct arena *arena;
	struct shape shape;
	struct managed_entries entries;
};
/* The writer, as an entry without fields. */
struct managed_entry managed_self(
    const struct managed_write *w, struct span manager, bool applied);
/* A new object of the kind before anything is set. */
struct node *managed_is_empty(
    const struct managed_write *w, const struct node *like);
/* Why object is not of the type of an entry's version, which may be another
 * than the request's; "": it is. */
struct span managed_misfit(const struct managing *m,
    const struct managed_entry *x, const struct node *object);
/* For all entries but one: the first misfit, and *which entry it is. */
struct span managed_misfit_any(struct managing *m,
    const struct managed_entry *except, const struct node *object,
    const struct managed_entry **which);
/* Before a write: why live is not of the type of an entry's version. Entries of
 * built-in versions that are not served own nothing from then on. */
struct span managed_reconcile_versions(
    struct managing *m, const struct node *live);
/* Tracks what an update changed: live to object, by manager (none: only takes
 * from others). -1: one of them does not fit the schema, or that of an entry's
 * version. */
int managed_track_update(struct managing *m, const struct node *live,
    const struct node *object, struct span manager);

/* The set without the fields that a write through this path resets. */
struct fieldset *managed_filter(
    const struct managed_write *w, struct fieldset *set);
/* The set without apiVersion, kind, metadata.name and the like. */
struct fieldset *managed_strip(struct arena *a, struct fieldset *set);

#endif
