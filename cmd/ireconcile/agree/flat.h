/*
 * flat: JSON text as a list of its values, in the order of the text: one pass,
 * one allocation, and a walk that never reads a part twice.
 *
 * A value of an object or array is followed by what is in it, and knows what
 * comes behind that:
 *
 *	for (uint32_t k = i + 1; k < f.values[i].next; k = f.values[k + 1].next)
 *		... members: key k, value k + 1
 *	for (uint32_t k = i + 1; k < f.values[i].next; k = f.values[k].next)
 *		... elements
 */
#ifndef FLAT_H
#define FLAT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"
#include "json/json.h"

struct flat_value {
	const char *p; /* a string: between its quotes, escapes not resolved */
	uint32_t n;
	uint32_t next; /* the value behind it and all that is in it */
	enum json_type type;
	bool escaped; /* a string with a backslash */
};

struct flat {
	struct flat_value *values; /* owned; the first is the whole text */
	uint32_t count, room;
};

/* text is valid JSON (json_check), below 2 GiB, and outlives f. */
void flat_read(struct flat *f, struct span text);
void flat_release(struct flat *f);

static inline struct span
flat_span(const struct flat_value *v)
{
	return span_make(v->p, v->n);
}

/* An array without elements, or an object without members. */
static inline bool
flat_is_hollow(const struct flat *f, uint32_t i)
{
	return f->values[i].next == i + 1;
}

#endif
