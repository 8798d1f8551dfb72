/*
 * telling: differences of decisions as output: lines of JSON, or text
 * (doc/recording.md).
 */
#ifndef TELLING_H
#define TELLING_H

#include "against/setdiff.h"
#include "base/buf.h"

/* The primary that lines are about. */
struct telling_about {
	const char *primary; /* its key */
	struct span uid;     /* of it; empty: not known */
	const char *time;    /* RFC 3339, or NULL */
};

enum telling_format { TELLING_JSON, TELLING_TEXT };

/* All append whole lines, with their newlines. */

/* Before the first line about a primary; nothing in JSON. */
void telling_begin(struct buf *b, enum telling_format format,
    const struct telling_about *about);
void telling_object(struct buf *b, enum telling_format format,
    const struct telling_about *about, const struct setdiff_object *o);
/* The difference is over: both agree, or the primary is gone. */
void telling_agrees(struct buf *b, enum telling_format format,
    const struct telling_about *about, enum setdiff_part part,
    const char *object);
void telling_gone(struct buf *b, enum telling_format format,
    const struct telling_about *about);

#endif
