/*
 * sketch: the identity of an object that is too long for a line, from its JSON
 * as it passes by: nothing of it is kept but apiVersion, kind, the metadata
 * without managedFields, and the status, all in the order in which they come.
 *
 *	sketch_begin(&s, SKETCH_EVENT);
 *	sketch_add(&s, piece) ...
 *	if (sketch_end(&s, &line) == 0) ... {"type":...,"object":{...}}
 *
 * The status is in it because a primary's is compared with the new one. It is
 * left out if there is no room; without room for the metadata nothing is known.
 */
#ifndef SKETCH_H
#define SKETCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/span.h"

enum sketch_of { SKETCH_EVENT, SKETCH_OBJECT };
/* Bytes that are kept. Annotations have 256 KiB, six times that as JSON. */
enum { SKETCH_MAX = 4 * 1024 * 1024, SKETCH_KEY_MAX = 32 };

struct sketch {
	uint64_t length; /* bytes that passed; 0: none */
	struct buf type, object;
	struct buf *to; /* gets the value, or NULL */
	size_t member;	/* where the member began in *to */
	/* Containers that are open, and how many of them, from the outermost,
	 * are the event, the object and its metadata. */
	size_t depth, path, top;
	char key[SKETCH_KEY_MAX]; /* the beginning of the text */
	size_t key_n;
	bool in_string, in_key, escaped, key_next, enters;
	bool has_metadata, whole, failed;
};

/* Zeroed memory is fine before. */
void sketch_begin(struct sketch *s, enum sketch_of of);
void sketch_add(struct sketch *s, struct span piece);
/* -1: not JSON as far as it was kept, or it has no identity. line: appended. */
int sketch_end(struct sketch *s, struct buf *line);
void sketch_release(struct sketch *s);

#endif
