/*
 * contrast: in which fields two versions of an object differ, for people.
 *
 * Elements of lists are told apart by name, type or key, if all have it, else
 * by their place: .status.conditions[type=Ready].status. Left out is what
 * changes with every write: metadata.resourceVersion, .generation and
 * .managedFields. Values are cut, and very long paths. Of the data and the
 * annotations of Secrets only the paths are told, and so of the annotation
 * last-applied-configuration, which repeats the object. (Annotations of kpipe
 * are told.)
 */
#ifndef CONTRAST_H
#define CONTRAST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"

struct contrast_limits {
	size_t fields; /* more are only counted */
	size_t value;  /* bytes of the JSON text of a value */
};

struct contrast {
	struct contrast_limits limits;
	bool secret; /* no values of data, stringData and annotations */
	/* The caller's: digests of the two objects are of different keys
	 * (record/redact.h), and tell nothing. */
	bool unlike;
	bool partial; /* the caller's: what only `from` has does not differ */
	/* Found: */
	struct buf fields;  /* elements [PATH, OLD, NEW]: strings that are JSON
			     * texts, null if absent, true if not told */
	struct buf heading; /* the most telling one, as text */
	size_t count;	    /* all fields that differ */
	bool spec, status, meta; /* parts with such a field */
	/* Private: */
	struct buf path;
	size_t steps; /* steps of searches */
	bool dull;    /* heading is of a field that says little */
};

/* Zeroed, but limits. */
void contrast_init(struct contrast *c, struct contrast_limits limits);
void contrast_release(struct contrast *c);
/* Finds the differences of two objects: replaces what was found before. */
void contrast_find(
    struct contrast *c, struct span from, struct span to, bool secret);

/* Appends the object as it may be told: without managedFields, and values of a
 * Secret. */
void contrast_add_object(struct buf *b, struct span object, bool secret);

#endif
