/*
 * cutting: the commands of krecord that print a recording, or a part of it, as
 * plain lines: cat, cut, redact.
 */
#ifndef CUTTING_H
#define CUTTING_H

#include "base/err.h"
#include "conf/watches.h"
#include "emit.h"

struct cutting {
	const char *from, *to; /* RFC 3339; NULL: all */
	const char *object;    /* NULL: all */
};

/* All lines. -1 with err. */
int cutting_cat(struct emit_source *s, struct err *err);
/* The part; before the first line of it the state at that time, so that it
 * replays alone. */
int cutting_cut(
    struct emit_source *s, const struct cutting *c, struct err *err);
/* All lines, without secrets. w may be NULL. */
int cutting_redact(
    struct emit_source *s, const struct watches *w, struct err *err);

#endif
