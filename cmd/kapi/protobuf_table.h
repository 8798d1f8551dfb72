/*
 * protobuf_table: protobuf.txt, in memory once somebody sends protobuf.
 */
#ifndef PROTOBUF_TABLE_H
#define PROTOBUF_TABLE_H

#include <stddef.h>

#include "span.h"

enum wire_kind {
	WIRE_STRING,
	WIRE_BYTES,
	WIRE_INT,
	WIRE_BOOL,
	WIRE_DOUBLE,
	WIRE_MESSAGE
};
enum wire_shape { SHAPE_ONE, SHAPE_LIST, SHAPE_MAP, SHAPE_INLINE };

struct wire_field {
	unsigned number;
	struct span name;
	enum wire_kind kind;
	enum wire_shape shape;
	struct span message; /* name of the type, of WIRE_MESSAGE */
};

struct wire_message {
	struct span name;
	const struct wire_field *fields; /* by number */
	size_t n;
};

/* "core.v1.Pod"; NULL if it is not there (or read by code). */
const struct wire_message *wire_message(struct span name);
const struct wire_field *wire_field(
    const struct wire_message *m, unsigned number);

#endif
