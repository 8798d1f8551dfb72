/*
 * outlet: where recorded lines go: to the segments of a directory, to a
 * descriptor on which they are live, or to both.
 */
#ifndef OUTLET_H
#define OUTLET_H

#include "live.h"
#include "record/reading.h"
#include "reel.h"

struct outlet {
	struct reel *reel; /* owned; NULL: none */
	struct live *live; /* owned; NULL: none */
};

/* One line of the recording, without its newline. */
void outlet_line(struct outlet *o, enum reading_kind kind, struct span line);
/* Some lines of that stream were lost. */
void outlet_gap(struct outlet *o, const char *stream);
/* Writes the end of both. */
void outlet_release(struct outlet *o);

#endif
