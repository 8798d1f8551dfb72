/*
 * pattern: regular expressions of schemas: RE2's, matched by PCRE2 with a
 * limit on its steps.
 */
#ifndef PATTERN_H
#define PATTERN_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/span.h"

struct pattern;

/* Compiled when first used, into the arena, which outlives it. */
struct pattern *pattern_make(struct arena *a, struct span text);
/* The error of Go's regexp.Compile, in the arena; none: it compiles. */
struct span pattern_error(struct arena *a, struct span text);
/* Unanchored. A pattern that does not compile matches nothing; one that
 * takes too many steps is matched in linear time instead. */
bool pattern_matches(const struct pattern *p, struct span text);

#endif
