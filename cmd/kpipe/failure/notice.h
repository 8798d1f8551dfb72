/*
 * notice: an Event that kpipe itself has to tell, as a line for kapply: a set
 * without items (doc/protocol.md). ireconcile passes it on (--lines-fd), so it
 * is recorded by the process that leads, and with its right to do so.
 */
#ifndef NOTICE_H
#define NOTICE_H

#include "base/buf.h"
#include "value/objref.h"

struct notice {
	struct objref about; /* api_version, kind and name at least */
	const char *type;    /* "Normal", "Warning" */
	const char *reason;  /* a single word */
	const char *message; /* without secrets */
	const char *manager; /* the field manager that says it */
};

/* Appends the line, without its newline. All are borrowed. */
void notice_add(struct buf *b, const struct notice *n);

#endif
