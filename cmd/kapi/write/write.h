/*
 * write: one write to one object, from its decoded form to the store: what
 * rest.h promises, in steps that create, update, patch and subresources share.
 */
#ifndef WRITE_H
#define WRITE_H

#include <stdbool.h>

#include "base/arena.h"
#include "tree/tree.h"
#include "store/store.h"
#include "type/api.h"
#include "type/decode.h"
#include "type/problem.h"
#include "type/resource.h"
#include "type/strategy.h"

struct request;

struct write {
	struct api *api;
	struct arena *arena;
	struct resource *resource;
	struct span subresource;      /* "" on the main path */
	struct span namespace_, name; /* from the URL; a POST has no name */
	struct span manager;	      /* none: no managedFields entry */
	enum field_validation validation;
	struct warnings *warnings;
	bool force, dry_run;
	bool posted;	   /* a version that the object names is refused */
	bool internal;	   /* kapi's own: namespaces may be terminating */
	bool managed_done; /* managedFields are made already */
	/* Whether the client may write this object, beyond the request; live
	 * NULL: a create. NULL: it is not asked. */
	struct problem *(*guard)(struct request *r, const struct node *live,
	    const struct node *object);
	/* Whether the client may create, asked when a PUT or an apply does so.
	 * NULL: not asked. */
	struct problem *(*may_create)(struct request *r);
	struct request
	    *request; /* for guard and may_create; NULL: kapi itself */
	const struct node
	    *mutation; /* a merge patch before validation, or NULL */
	/* The result: *stored, or if it is NULL, *result. */
	struct stored *stored; /* borrowed; the object as it is kept */
	struct node *result;   /* the object to answer with */
	bool created, changed;
};

/* How decoding failed: a body (400) or the outcome of a patch (422, quoting
 * the text). */
struct decoding {
	struct span patched;	 /* none: a body */
	struct warnings *strict; /* found before (duplicates); may be NULL */
	bool strategic;		 /* outcome of a strategic merge patch */
};

/* apiVersion and kind against the resource's, fields against the schema,
 * defaults. Changes object. */
struct problem *write_decode(
    struct write *w, struct node *object, const struct decoding *how);
/* apiVersion and kind are right; unknown fields are added to strict. */
struct problem *write_decode_fields(
    struct write *w, struct node *object, struct warnings *strict);
/* Steps of struct strategy: only a built-in kind may leave them out. */
struct problem *write_check_builtin_type(
    struct write *w, struct node *object, const struct decoding *how);
struct problem *write_check_custom_type(
    struct write *w, struct node *object, const struct decoding *how);
/* metadata.namespace against the URL's, filled in where it is empty. */
struct problem *write_check_namespace(struct write *w, struct node *object);
/* metadata.name (and namespace) is the URL's. */
struct problem *write_check_name(struct write *w, const struct node *object);
/* Owners given twice are dropped, with a warning. mutated: the words of the
 * server for what it found after admission. */
void write_dedup_owners(struct write *w, struct node *object, bool mutated);

struct problem *write_create(struct write *w, struct node *object);
/* live is stored's tree in the version of w->resource. Neither is changed. */
struct problem *write_update(struct write *w, struct stored *stored,
    const struct node *live, struct node *object);
/* POST with a name that may be there already, PUT, apply: by what is there. */
struct problem *write_apply(struct write *w, const struct node *live,
    const struct node *applied, struct node **object);

/* Deletes the object from the store at once. */
void write_delete(struct write *w, struct stored *stored);
/* Stores object (in the version of w->resource), or only says what would be
 * stored, in a dry run. */
void write_put(struct write *w, struct node *object, const struct node *live);

struct managed_write;
/* The write for managed.h; borrows w. */
struct managed_write write_managed(const struct write *w);

/* Checks the namespace as admission does: NULL, a 404 if it does not exist, or
 * a 403 while it ends. */
struct problem *write_check_lifecycle(struct write *w);

#endif
