/*
 * resultfd: result lines for a process that records them, beside what the tool
 * prints. A reader that is too slow misses lines, and gets a gap line in their
 * place; the tool never waits for it.
 */
#ifndef RESULTFD_H
#define RESULTFD_H

#include <stdbool.h>

#include "base/span.h"
#include "process/loop.h"
#include "process/out.h"

struct resultfd {
	struct out out;
	bool on;   /* there is a descriptor */
	bool lost; /* a line, since the last one that was written */
};

/* fd -1: there is none. */
void resultfd_init(struct resultfd *r, struct loop *l, int fd);
void resultfd_release(struct resultfd *r);
/* Writes a line, given without its newline. */
void resultfd_line(struct resultfd *r, struct span line);
/* Before each wait. */
void resultfd_flush(struct resultfd *r);

#endif
