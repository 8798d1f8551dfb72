/*
 * findings: the failures that a check of a value found. Each branch of anyOf
 * and oneOf is checked separately, and the failures of the one that got
 * furthest are shown; so failures are kept until all branches are checked.
 */
#ifndef FINDINGS_H
#define FINDINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "crd/structural.h"
#include "tree/tree.h"
#include "type/problem.h"

/* Where a value is: on the stack of the walk, written when it is needed. */
struct findings_place {
	const struct findings_place *up; /* NULL: the root */
	enum { PLACE_PROPERTY, PLACE_KEY, PLACE_INDEX } kind;
	struct span name;
	size_t index;
};

enum failure_code {
	FAIL_INVALID,
	FAIL_TYPE,
	FAIL_REQUIRED,
	FAIL_ENUM,
	FAIL_TOO_LONG,
	FAIL_TOO_MANY,
	FAIL_UNNAMED /* about the whole: no path, no value */
};

struct failure {
	enum failure_code code;
	struct span name;	  /* path below the root */
	struct span message;	  /* also what makes two failures the same */
	const struct node *value; /* NULL: none, shown as "" */
	const struct schema_rules *rules; /* ENUM */
	int64_t actual, limit;
};

struct findings {
	struct arena *arena;
	struct failure *items;
	size_t n;
	size_t matched; /* how many checks went well */
};

struct span findings_place_text(
    struct arena *a, const struct findings_place *p);

void findings_add(struct findings *r, const struct failure *f);
void findings_merge(struct findings *r, const struct findings *other);
/* A value on the way down. */
struct findings_at {
	const struct schema_rules *rules;
	const struct findings_place *place;
	const struct node *value;
	const struct node *old; /* NULL: nothing to compare with */
};

/* "NAME in body WHAT"; valid until the next. */
struct failure *findings_failure(struct findings *out,
    const struct findings_at *at, enum failure_code code,
    const struct node *value, const char *what, ...)
    __attribute__((format(printf, 5, 6)));

/* Adds each failure once as a cause, with its path below base. */
void findings_causes(
    const struct findings *r, struct span base, struct causes *c);

#endif
