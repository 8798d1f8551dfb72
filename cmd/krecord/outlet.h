/*
 * outlet: where recorded lines go: to the segments of a directory, and to
 * descriptors on which they are live.
 */
#ifndef OUTLET_H
#define OUTLET_H

#include "live.h"
#include "record/reading.h"
#include "reel.h"

enum { OUTLET_WHOLE, OUTLET_FLOW, OUTLET_LIVES };

struct outlet {
	struct reel *reel;		 /* owned; NULL: none */
	struct live *live[OUTLET_LIVES]; /* owned; NULL: none */
};

/* One line of the recording, without its newline. */
void outlet_line(struct outlet *o, enum reading_kind kind, struct span line);
/* Some lines of that stream were lost. */
void outlet_gap(struct outlet *o, const char *stream);
/* Writes to the descriptors. */
void outlet_flush(struct outlet *o);
/* Writes the end of all. */
void outlet_release(struct outlet *o);

#endif
