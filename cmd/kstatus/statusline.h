/*
 * statusline: a line of kstatus' input: identity and status of an object.
 */
#ifndef STATUSLINE_H
#define STATUSLINE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "value/objref.h"

/* One line; spans point into text or names. */
struct statusline {
	char *text;	    /* owned */
	struct arena names; /* decoded, where text has escapes */
	struct span object;
	struct objref id;
	struct span seen;  /* resourceVersion */
	bool confidential; /* no value of it is told */
};

/* The line, owned; NULL with err. */
struct statusline *statusline_parse(struct span text, struct err *err);
void statusline_free(struct statusline *l);

#endif
