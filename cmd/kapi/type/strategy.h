/*
 * strategy: what the server knows of one kind in code: one row of data and
 * functions for each built-in kind, all of them in kinds/, and one for custom
 * resources. Every struct resource points to its own.
 *
 * A row gives all of the first part, with the word for "nothing" where there
 * is nothing to say (test-kinds fails for one that is left out); the second
 * part is of few kinds, and left out by all others.
 * Source: pkg/registry/<group>/<kind>/{strategy,storage/storage}.go.
 */
#ifndef STRATEGY_H
#define STRATEGY_H

#include <stdbool.h>

#include "base/arena.h"
#include "json/tree.h"
#include "type/names.h"
#include "type/problem.h"
#include "type/resource.h"

struct store;

enum trait {
	TRAIT_NONE = 1,
	TRAIT_CREATE_ON_UPDATE = 2, /* PUT of an absent object creates it */
	TRAIT_NEEDS_VERSION = 4,    /* PUT must name the resourceVersion */
	TRAIT_RETURNS_DELETED = 8,  /* DELETE answers with the object */
	TRAIT_ORPHANS = 16,	    /* dependents stay unless told otherwise */
	TRAIT_NO_COLLECTION = 32,   /* no dependents at all: Events */
	TRAIT_VALIDATES_TWICE =
	    64 /* an update checks metadata as a create, too */
};

enum generation {
	GENERATION_NONE = 1,
	GENERATION_ONCE, /* 1, whatever changes */
	GENERATION_SPEC, /* counts changes of what is not metadata or status */
	GENERATION_ANNOTATIONS /* and those of annotations */
};

/* One write: what prepare and validate work on. */
struct change_of {
	struct arena *arena;
	const struct resource *resource;
	struct store *store;	 /* not of validate */
	struct span subresource; /* none: the object itself */
	const struct node *live; /* NULL: a create */
};

typedef void default_fn(struct arena *a, struct node *object);
typedef void prepare_fn(const struct change_of *x, struct node *object);
typedef void validate_fn(
    struct causes *c, const struct change_of *x, const struct node *object);

struct strategy {
	const char *plural; /* NULL: of custom resources */
	enum name_rule names;
	unsigned traits;
	enum generation generation;
	default_fn *defaults;
	prepare_fn *prepare;
	validate_fn *validate;

	/* Of few kinds; NULL: nothing. */
	prepare_fn *prepare_status; /* on /status */
	validate_fn *validate_status;
};

/* Where a kind has no such thing: do nothing. */
default_fn strategy_no_defaults;
prepare_fn strategy_no_preparation;
validate_fn strategy_no_rules;

#endif
