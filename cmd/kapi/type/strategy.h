/*
 * strategy: the code for one kind: a row of data and functions for each
 * built-in kind, all of them in kinds/, and one for custom resources. Every
 * struct resource points to its own.
 *
 * A row names what its kind has. A member that is left out has the value that
 * most kinds need: the first value of an enum, no trait, no function, the name
 * and the age as columns.
 * Source: pkg/registry/<group>/<kind>/{strategy,storage/storage}.go.
 */
#ifndef STRATEGY_H
#define STRATEGY_H

#include <stdbool.h>

#include "base/arena.h"
#include "tree/tree.h"
#include "type/names.h"
#include "type/problem.h"
#include "type/resource.h"

struct cells;
struct buf;
struct decoding;
struct registry;
struct store;
struct warnings;
struct write;

enum trait {
	TRAIT_CREATE_ON_UPDATE = 1, /* PUT of an absent object creates it */
	TRAIT_NEEDS_VERSION = 4,    /* PUT must name the resourceVersion */
	TRAIT_RETURNS_DELETED = 8,  /* DELETE answers with the object */
	TRAIT_ORPHANS = 16,	    /* dependents stay unless told otherwise */
	TRAIT_NO_COLLECTION = 32,   /* no dependents at all: Events */
	/* An update checks metadata as a create, too. */
	TRAIT_VALIDATES_TWICE = 64,
	TRAIT_BRINGS_STATUS = 128,  /* a create may say what the status is */
	TRAIT_NAMES_REQUESTOR = 256 /* spec says who created it */
};

enum generation {
	GENERATION_NONE,
	GENERATION_ONCE,    /* always 1 */
	GENERATION_CHANGES, /* counts changes of the spec from 0: CSIDriver */
	GENERATION_SPEC, /* counts changes of what is not metadata or status */
	GENERATION_ANNOTATIONS /* and those of annotations */
};

enum deletion {
	DELETION_PLAIN,	    /* at once, or when no finalizer is left */
	DELETION_GRACEFUL,  /* Pods: after a period of grace */
	DELETION_NAMESPACE, /* in a phase; what it holds goes first */
	DELETION_DEFINITION /* a CRD: its objects go first */
};

/* How a create is answered for kinds whose objects are not stored. */
enum review {
	REVIEW_NONE,
	REVIEW_ACCESS,	    /* may a user do this? */
	REVIEW_SELF_ACCESS, /* may I? */
	REVIEW_RULES,	    /* the rules that count for me */
	REVIEW_TOKEN,	    /* the user of a token */
	REVIEW_SELF,	    /* the user that I am */
	REVIEW_BINDING	    /* no question: a Pod gets its node */
};

/* Where a field's value is in the JSON of an object, and the value of an
 * absent field. */
enum field_source {
	FIELD_TEXT, /* at path; absent: "" */
	FIELD_BOOL, /* absent: false */
	FIELD_INT,  /* absent: 0 */
	FIELD_ANY,  /* any value, as text, in a custom resource; absent: "" */
	FIELD_NAME,
	FIELD_NAMESPACE,
	FIELD_NONE,	   /* known, but always "" */
	FIELD_POD_IP,	   /* the first of status.podIPs */
	FIELD_EVENT_SOURCE /* source.component, else reportingComponent */
};

/* A field that fieldSelector= may select by. */
struct selectable {
	const char *label, *path;
	enum field_source source;
};

#define SELECTABLE_TEXT(label)           \
	{                                \
		label, label, FIELD_TEXT \
	}
#define SELECTABLE_NAME                         \
	{                                       \
		"metadata.name", "", FIELD_NAME \
	}
#define SELECTABLE_NAMESPACE                              \
	{                                                 \
		"metadata.namespace", "", FIELD_NAMESPACE \
	}
#define SELECTABLE_END                 \
	{                              \
		NULL, NULL, FIELD_NONE \
	}

/* Fields that no manager gets to own (in managedFields) by a write through this
 * path. Their values are not reset by it: " prepare" in rules.txt does that.
 * Source: GetResetFields of each strategy. */
struct reset {
	const char *subresource; /* "" is the main path */
	const char *paths[4];
};

#define RESET_END            \
	{                    \
		NULL,        \
		{            \
			NULL \
		}            \
	}

/* A write, as the steps of a strategy see it. */
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

/* Writes the cells of an object's row in a Table: all, in the order of its
 * columns, or the one of a column (reply/cells.h). */
typedef void cells_fn(struct cells *c);
/* ,"conditions":[...] of a row, or nothing. */
typedef void conditions_fn(struct buf *b, const struct node *object);

typedef struct problem *admit_fn(
    const struct change_of *x, const struct node *object);
/* Converts the object in place; added members are in the arena. */
typedef void convert_fn(struct arena *a, struct node *object);

/*
 * How objects are written and read, by where their kind comes from: one for
 * all built-in kinds (which call the functions of their own row), one for
 * definitions, one for custom resources. Writes call them in this order.
 */
struct steps {
	bool strategic; /* there are strategic merge patches of them */
	/* 403: every create is refused; or NULL: none is. */
	struct problem *(*refuse_create)(
	    struct arena *a, const struct resource *r, struct span name);
	/* apiVersion and kind are the resource's, or filled in. */
	struct problem *(*check_type)(
	    struct write *w, struct node *object, const struct decoding *how);
	/* Fields against the schema, then defaults. unknown NULL: what an
	 * apply made. strategic: what a strategic merge patch or an apply
	 * made, with the converter's words. A problem is a 400. */
	struct problem *(*decode)(struct arena *a, const struct resource *r,
	    struct node *object, struct warnings *unknown, bool strategic);
	prepare_fn *prepare;
	validate_fn *validate; /* all but metadata */
	void (*warn)(const struct change_of *x, const struct node *object,
	    struct warnings *w);
	admit_fn *admit; /* refuses because of other objects */
	/* Brings the object to the form in which answers show it. */
	void (*encode)(
	    struct arena *a, const struct resource *r, struct node *object);
	/* keep converts from the version of r to the one that is kept, read
	 * converts back. */
	void (*keep)(struct arena *a, const struct registry *g,
	    struct resource *r, struct node *object);
	void (*read)(
	    struct arena *a, const struct resource *r, struct node *object);
};

struct strategy {
	const char *plural; /* NULL: of custom resources */
	const struct steps *steps;
	enum name_rule names;
	unsigned traits;
	enum generation generation;
	const char *columns;		 /* see columns.h */
	cells_fn *cells;		 /* NULL: as columns say */
	const struct selectable *fields; /* up to SELECTABLE_END; NULL: the
					  * name and the namespace alone */
	const struct reset *resets;	 /* up to RESET_END; NULL: none */
	default_fn *defaults;
	prepare_fn *prepare;
	validate_fn *validate;
	enum deletion deletion;
	prepare_fn *prepare_status; /* on /status */
	validate_fn *validate_status;
	admit_fn *admit; /* writes of the object itself */
	/* Convert between the version that is kept and another one. */
	convert_fn *convert_to, *convert_from;
	enum review review;
	const char *deprecated;	    /* warning of every request */
	const char *orphan_warning; /* warning of a delete without a policy */
	conditions_fn *row_conditions;
	const char *fields_named; /* the kind, where a field is refused */
};

#endif
