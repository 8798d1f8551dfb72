/*
 * shapes: what a program reads of its input, as far as that is certain
 * (language/certain.h), with the shape of what has the member: the input
 * itself, an object of the API, its metadata.
 *
 * Followed are accesses by name (.primary.metadata, .["primary"]), elements
 * (.owned.Secret[]), {primary}, and variables that such a term is bound to once
 * in a definition: `. as $in`, `.primary as {metadata: $m}`.
 */
#ifndef SHAPES_H
#define SHAPES_H

#include <stdbool.h>

#include "base/span.h"
#include "language/certain.h"

enum shapes_type {
	SHAPE_ANY, /* nothing is known of it */
	SHAPE_INPUT,
	SHAPE_OWNED, /* has members by kind */
	SHAPE_RELATED,
	SHAPE_OPERATOR,
	SHAPE_OBJECTS,
	SHAPE_OBJECT,
	SHAPE_METADATA
};

struct shape_read {
	enum shapes_type of;
	struct span name;
	int line;
	/* The program says what happens without it: `?` or `//` follows, or
	 * it is in a pattern. */
	bool optional;
};

/* Not 0: that is returned, and nothing more is looked at. */
typedef int shapes_visit(void *arg, const struct shape_read *r);

/* Visits each read, in the order of the text. input: the shape of `.`. */
int shapes_walk(const struct certain *c, enum shapes_type input,
    shapes_visit *visit, void *arg);

#endif
