/*
 * told: the differences of a primary as output, lines of JSON or text
 * (doc/recording.md), and those that were printed, so that each is printed
 * again only when it is another one, or is over.
 */
#ifndef TOLD_H
#define TOLD_H

#include "against/setdiff.h"
#include "base/buf.h"

/* The primary that lines are about. */
struct told_about {
	const char *primary; /* key */
	struct span uid;     /* empty: not known */
	const char *time;    /* RFC 3339, or NULL */
};

enum told_format { TOLD_JSON, TOLD_TEXT };

struct told_object;

struct told_list {
	struct told_object *objects; /* owned; by part, then by key */
	size_t count;
};

/*
 * s is what differs now. Appends a line for each object that differs in another
 * way than was told, and for each that was told and agrees again; in a text
 * there is a line before them, with the primary.
 */
void told_update(struct told_list *t, const struct setdiff *s,
    enum told_format format, const struct told_about *about, struct buf *b);
/* The primary is gone: appends that, if anything was told of it. */
void told_gone(const struct told_list *t, enum told_format format,
    const struct told_about *about, struct buf *b);
void told_release(struct told_list *t);

#endif
