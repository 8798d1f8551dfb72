/*
 * places: where events stand in the recording. A set names the events before it
 * by object and version; the sentence names their lines.
 *
 * Only the last PLACES_MAX events are remembered: those before a set are not
 * far from it, and a recording may be longer than memory.
 */
#ifndef PLACES_H
#define PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "value/objref.h"

enum { PLACES_MAX = 1 << 17 };

struct places_line {
	uint64_t event; /* a digest of object and version */
	size_t source;	/* the caller's number of the file */
	size_t line;	/* 0: none */
};

struct places {
	struct places_line *table; /* owned */
};

void places_init(struct places *p);
void places_release(struct places *p);

void places_put(struct places *p, const struct objref *o, struct span version,
    size_t source, size_t line);
/* NULL: forgotten, or not in the recording. */
const struct places_line *places_get(
    const struct places *p, const struct objref *o, struct span version);

#endif
