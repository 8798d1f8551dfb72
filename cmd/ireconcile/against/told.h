/*
 * told: the differences of a primary that were printed, so that each is printed
 * again only when it is another one, or is over.
 */
#ifndef TOLD_H
#define TOLD_H

#include "against/telling.h"

struct told_object;

struct told_list {
	struct told_object *objects; /* owned; by part, then by key */
	size_t count;
};

/* s is what differs now. Appends a line for each object that differs in another
 * way than was told, and for each that was told and agrees again. */
void told_update(struct told_list *t, const struct setdiff *s,
    enum telling_format format, const struct telling_about *about,
    struct buf *lines);
void told_release(struct told_list *t);

#endif
