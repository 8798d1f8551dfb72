/*
 * resource: what the API serves, one entry for each group, version and
 * plural. The built-in ones come from resources.txt (t/schema writes it from
 * a real API server's discovery); those of CRDs come and go with them.
 *
 * Versions of one group and plural share a collection of the store; objects
 * are kept in the storage version.
 */
#ifndef RESOURCE_H
#define RESOURCE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "type/schema.h"

struct collection; /* store.h */
struct crd;	   /* crd.h */
struct strategy;   /* strategy.h */

enum verbs {
	VERB_GET = 1,
	VERB_LIST = 2,
	VERB_WATCH = 4,
	VERB_CREATE = 8,
	VERB_UPDATE = 16,
	VERB_PATCH = 32,
	VERB_DELETE = 64,
	VERB_DELETECOLLECTION = 128
};

struct subresource {
	struct span name;		  /* status, scale, ... */
	struct span group, version, kind; /* the kind in its bodies */
	unsigned verbs;
};

struct resource {
	struct span group, version;	 /* "" is the core group */
	const struct strategy *strategy; /* never NULL */
	struct span api_version;	 /* group/version, or version */
	struct span plural, singular, kind, list_kind;
	const struct span *short_names, *categories;
	size_t short_name_count, category_count;
	bool namespaced;
	unsigned verbs;
	const struct subresource *subresources;
	size_t subresource_count;
	/* NULL until first needed: every registry_ function that returns a
	 * resource has filled it in, for a built-in one. */
	const struct schema *schema;
	/* Built in: GROUP/VERSION in which the real server keeps the objects,
	 * which it may not serve; none if it keeps nothing. */
	struct span kept_as;
	bool storage;	/* objects are kept in this version */
	bool preferred; /* the preferred version of its group */
	bool removed;	/* the CRD changed or is gone: watches end */
	struct collection *collection; /* for all versions; owned by the store;
					* NULL: nothing is kept (reviews) */
	const struct crd *crd;	       /* NULL: built in */
	/* Whether /status exists, which decides what a PUT may change. */
	bool has_status;
};

struct registry;

/* find: the strategy of a built-in kind (kinds_find); NULL in tests of what
 * needs none. */
typedef const struct strategy *strategy_finder(
    struct span group, struct span plural);
struct registry *resource_registry_new(strategy_finder *find);
void resource_registry_free(struct registry *g);

/* NULL if not served. */
struct resource *resource_find(const struct registry *g, struct span group,
    struct span version, struct span plural);
/* By kind, with SPAN_NONE as version the preferred one, else any served one. */
struct resource *resource_find_kind(const struct registry *g, struct span group,
    struct span version, struct span kind);
/* The entry whose version is kept; for events.k8s.io, the core group's. */
struct resource *resource_storage(
    const struct registry *g, struct span group, struct span plural);
/* Like resource_storage: of the core group; of what is kept in c. */
struct resource *resource_core(const struct registry *g, const char *plural);
struct resource *resource_kept_in(
    const struct registry *g, const struct collection *c);
bool resource_has_group(const struct registry *g, struct span group);
/* The paths of such a group answer with a Status where those of others have
 * plain text. */
bool resource_group_is_builtin(const struct registry *g, struct span group);
bool resource_has_version(
    const struct registry *g, struct span group, struct span version);

/* Borrows r: one of a CRD lives in its struct crd (crd.h). Discovery documents
 * are made again after either. resource_remove sets r->removed. */
void resource_add(struct registry *g, struct resource *r);
void resource_remove(struct registry *g, struct resource *r);
/* Moves with every change; an ETag's basis. */
unsigned long resource_generation(const struct registry *g);

/* for (size_t i = 0; (r = resource_next(g, &i)) != NULL;): groups in the
 * server's order, their versions with the preferred first. */
struct resource *resource_next(const struct registry *g, size_t *i);

struct store;
/* Gives every built-in resource that can be listed its collection. Events of
 * events.k8s.io are kept with those of the core group. */
void resource_bind(struct registry *g, struct store *s);

/* "deployments.apps", or "pods" in the core group: for messages. */
struct span resource_name(struct arena *a, const struct resource *r);

#endif
