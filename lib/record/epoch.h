/*
 * epoch: since when the digests of a recording compare (record/redact.h). Lines
 * of one epoch have the same key: a new one begins with a segment that names
 * another key, or none (as an older krecord wrote them). Where there are no
 * segments, as in what kwatch wrote to a file, each run of kwatch has its own.
 */
#ifndef EPOCH_H
#define EPOCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"
#include "base/textlist.h"

/* Begins zeroed. */
struct epoch {
	uint32_t number;
	struct buf key;	       /* the key's name; empty: not known */
	bool segments;	       /* the recording has segments */
	struct textlist begun; /* kinds, in this run of kwatch */
};

/* A first line of a segment. */
void epoch_take(struct epoch *e, struct span segment);
/* The object of a bookmark. True: it begins a kind that was begun before, so kwatch
 * was started again, and what happened in between was not seen. A kind whose CRD
 * went away and came back begins again, too. */
bool epoch_begins_again(struct epoch *e, struct span object);
void epoch_release(struct epoch *e);

#endif
