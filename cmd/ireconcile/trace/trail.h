/*
 * trail: where an evaluation was when it failed.
 *
 * The second evaluation, whose text has spots (language/spot.h), sends them
 * here. The last one is the place. The values at spots, which share their
 * memory with the input, lead back to a path in the input. No value is ever
 * shown: only keys, and of computed keys those that the program's text has.
 */
#ifndef TRAIL_H
#define TRAIL_H

#include <stdint.h>
#include <jv.h>

#include "base/buf.h"
#include "language/source.h"

/* The exit code of the worker when a traced call took too many steps. */
enum { TRAIL_TOO_LONG = 114 };

struct trail_value;

struct trail {
	const struct source *source; /* borrowed */
	struct trail_value **values; /* owned; by file, then by token */
	long last;		     /* number of a spot, -1: none */
	long author;		     /* the last outside of our library */
	jv input;		     /* owned: of the function */
	int64_t spent;		     /* on what it keeps */
};

void trail_init(struct trail *t, const struct source *source, jv input);
void trail_release(struct trail *t);

/* A request through `debug`. False: it is not from a spot. Borrows it. */
bool trail_note(struct trail *t, jv request);

/* Appends "FILE:LINE: FUNCTION: MESSAGE at PATH"; if there is no place,
 * "FUNCTION failed: MESSAGE". absent: members of the input that are not there
 * for this function, and are true instead; NULL-terminated. */
void trail_say(struct trail *t, const char *function, const char *message,
    const char *const *absent, struct buf *out);

#endif
