/*
 * epoch: since when the digests of a recording compare (record/redact.h). Lines
 * of one epoch have the same key: a new one begins with a segment that names
 * another key, or none (as an older krecord wrote them).
 */
#ifndef EPOCH_H
#define EPOCH_H

#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

/* Begins zeroed. */
struct epoch {
	uint32_t number;
	struct buf key; /* its name; empty: not known */
};

/* A first line of a segment. */
void epoch_take(struct epoch *e, struct span segment);
void epoch_release(struct epoch *e);

#endif
