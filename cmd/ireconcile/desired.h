/*
 * desired: what a primary's program wants, prepared for comparing and
 * printing, and remembered until its input changes.
 */
#ifndef DESIRED_H
#define DESIRED_H

#include "primary.h"
#include "view.h"

/*
 * Brings p->desired up to date. A program that fails leaves desired.failed
 * with desired.error. Returns true if the program was called.
 */
bool desired_update(struct primary *p, struct view *v);

/*
 * The items of `finalize` instead; not memoised. 0, or -1 with err. items is
 * taken.
 */
int desired_from_items(struct primary *p, const struct program_items *items,
    struct desired *d, struct err *err);

/* i->agrees and i->path for this object, unless they are that already. */
void item_compare(struct item *i, const struct object *o);

struct item *desired_find(const struct desired *d, const char *label);

#endif
