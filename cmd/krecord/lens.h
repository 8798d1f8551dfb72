/*
 * lens: the part of a recording that concerns one object (krecord cut
 * --object): its events; the sets in which it is the primary or an item, with
 * their results and statuses; and the events of everything in those sets, and
 * of what it owns. Lines that concern no object stay.
 *
 *	lens_look(l, line) of all lines; then lens_shows(l, line)
 */
#ifndef LENS_H
#define LENS_H

#include <stdbool.h>

#include "base/err.h"
#include "record/reading.h"

struct lens;

/* "Kind.group/namespace/name", also with the kind alone, or without a
 * namespace for an object of the cluster. NULL: it is not such a text. */
struct lens *lens_new(const char *object, struct err *err);
void lens_free(struct lens *l);
void lens_look(struct lens *l, const struct reading_line *line);
bool lens_shows(struct lens *l, const struct reading_line *line);
/* Whether anything of the object was seen. */
bool lens_found(const struct lens *l);

#endif
