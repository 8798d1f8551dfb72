/*
 * segments: the files of a recording that is a directory.
 *
 * A segment is DIR/NNNNNNNN.jsonl.zst: eight digits, a sequence that grows.
 * Anything else in the directory is another program's, and left alone.
 */
#ifndef SEGMENTS_H
#define SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum { SEGMENT_NAME_SIZE = sizeof("00000000.jsonl.zst") };
enum { SEGMENT_SEQUENCE_MAX = 99999999 };

/* Writes the name of a segment, without its directory. */
void segments_name(uint64_t sequence, char name[SEGMENT_NAME_SIZE]);
/* Whether the name is one, and which. */
bool segments_sequence(const char *name, uint64_t *sequence);

struct segments {
	uint64_t *sequences; /* owned; the oldest first */
	size_t count;
};

/* Lists the segments of a directory. -1: it cannot be read; err names it. */
int segments_list(const char *dir, struct segments *s, struct err *err);
void segments_release(struct segments *s);

#endif
