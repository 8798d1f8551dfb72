/*
 * inlet: one stream of lines that is recorded, from a descriptor: split into
 * lines, wrapped as the format wants, without secrets.
 */
#ifndef INLET_H
#define INLET_H

#include "base/buf.h"
#include "hide.h"
#include "outlet.h"
#include "record/reading.h"

struct inlet {
	const char *stream; /* its name in gap lines; borrowed */
	enum reading_kind kind;
	const char *tool; /* of results; or NULL */
	int fd;		  /* -1: there is none, or it has ended */
	struct buf in;	  /* what has come and is not recorded yet */
	bool skip;	  /* the rest of a line that is too long */
};

/* Reads once, at most so much that memory stays bounded. False: the end. */
bool inlet_read(struct inlet *t);
/* Records the whole lines that have come. */
void inlet_record(struct inlet *t, struct outlet *o, struct hide *h);
/* At the end: a line without its end is a gap. */
void inlet_end(struct inlet *t, struct outlet *o);
void inlet_release(struct inlet *t);

#endif
