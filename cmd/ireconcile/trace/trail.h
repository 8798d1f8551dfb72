/*
 * trail: finds where an evaluation was when it failed.
 *
 * A failed call is made once more, with a text that has spots
 * (language/spot.h). Each spot that is reached is sent here, and the last one
 * is the place of the error. The values at spots share their memory with the
 * input, and so lead back to a path in the input. No value is ever shown: only
 * keys, and of computed keys those that the program's text has.
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
	long last;		     /* number of the last spot; -1: none */
	long author;		     /* the last spot in the author's text */
	jv input;		     /* owned: input of the function */
	int64_t spent;		     /* cost of the values that are kept */
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
