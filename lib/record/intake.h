/*
 * intake: the lines of a recording as they come, from a descriptor that must
 * not be waited for. (record/reading.h waits.) Plain text only.
 */
#ifndef INTAKE_H
#define INTAKE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "record/reading.h"

/* bad: line->err says why it is not one. */
typedef void intake_fn(void *arg, const struct reading_line *line, bool bad);

struct intake {
	int fd;	       /* borrowed */
	intake_fn *fn; /* the line is borrowed, for the call */
	void *arg;
	struct buf in;	/* the begin of the next line */
	size_t number;	/* lines so far */
	bool skips;	/* the rest of a line that is too long */
	struct err err; /* intake_read: why it has ended, if by an error */
};

/* Reads once, gives out the lines that are whole. False: the end; a line
 * without its end is bad, and cut. */
bool intake_read(struct intake *t);
void intake_release(struct intake *t);

#endif
