/*
 * desired: the items that a primary's program desires, prepared for comparing
 * and printing, and kept until its input changes.
 */
#ifndef DESIRED_H
#define DESIRED_H

#include "state/marks.h"
#include "state/primary.h"
#include "state/view.h"

/*
 * Brings p->desired up to date. A program that fails leaves desired.failed
 * with desired.error. Returns true if the program was called.
 */
bool desired_update(struct primary *p, struct view *v);

/*
 * Brings p->plan up to date: the value that the program computes once for all
 * its functions, which get it as `.plan`. The plan is computed just before
 * `desired`, from the same input, and is kept, as text, until that input
 * changes: so `status` sees the plan by which the items were made. -1 with err
 * if the program fails; then `.plan` is null. Without a function `plan`: 0.
 */
int desired_plan(struct primary *p, struct view *v, struct err *err);

/*
 * The items of `finalize`, in place of those of `desired`; not memoised. 0, or
 * -1 with err. items is taken.
 */
int desired_from_items(struct primary *p, const struct program_items *items,
    struct desired *d, struct err *err);

/* The decision is made: from now on only text is kept. */
void desired_drop_values(const struct desired *d);

/*
 * Compares i with this object, if i->memory is not up to date; first i->text
 * becomes what is desired of this object (see item_memory, immutable). If observed
 * is not NULL, *observed becomes the parsed object, owned, or jv_invalid() if
 * the object did not have to be parsed.
 */
void desired_compare(const struct primary *p, struct desired_item *i,
    const struct cache_object *o, jv *observed);
/* The object of that name is not a member yet, but may become one: i->text has
 * its immutable values. */
void desired_is_claimed(const struct primary *p, struct desired_item *i,
    const struct cache_object *o);
/* There is no member of that name: i->text is for a new one. */
void desired_is_absent(const struct primary *p, struct desired_item *i);

/* Whether a member that the item makes goes with its primary. */
enum marks_life desired_life(const struct desired_item *i);

struct desired_item *desired_find(const struct desired *d, const char *label);
/* Whether o has the name of an item that would be a member. set may be NULL. */
bool desired_has(const struct desired *set, const struct cache_object *o);

#endif
