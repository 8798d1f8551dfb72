/*
 * emit: standard output of krecord, in large pieces; and the way through a
 * recording that its commands share.
 */
#ifndef EMIT_H
#define EMIT_H

#include "base/buf.h"
#include "base/err.h"
#include "record/reading.h"

struct emit {
	struct buf out;
	struct err err; /* kind other than NONE: nothing is written any more */
};

/* Appends the line, and a newline. */
void emit_line(struct emit *e, struct span line);
/* After appending to e->out: writes it, if it is much. */
void emit_added(struct emit *e);
/* Writes the rest. */
int emit_end(struct emit *e);
void emit_release(struct emit *e);

/* A recording: its files, directories, or standard input. */
struct emit_source {
	const char *const *paths;
	size_t count;
	/* How many bad lines and cut ends the last pass met; those that an
	 * earlier one logged are not logged again. */
	size_t bad, cuts, logged;
	bool lacks; /* what was asked for is not there */
	struct emit
	    *gaps; /* or NULL: gets a gap line where lines are missing */
};

/* Each line with its number among all. False: no more are wanted. */
typedef bool emit_fn(void *arg, const struct reading_line *line, size_t number);

/*
 * Reads all of it. What is bad is logged. -1 with err: it cannot be read to the
 * end. An end that is missing without a part of a line, as while the recording is
 * written, is a gap only if more follows.
 */
int emit_each(struct emit_source *s, emit_fn *fn, void *arg, struct err *err);

#endif
