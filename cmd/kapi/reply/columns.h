/*
 * columns: the columns of a resource's Table, and the cells of one object.
 * Descriptions of built-in columns are left out.
 *
 * Columns of a strategy: NAME[:TYPE][+][=SOURCE[?OTHERWISE]] each, with |
 * between them. TYPE is string if it is not given; + is priority 1: shown by -o
 * wide. Kinds without columns of their own have Name and Created At.
 *
 * Where a strategy has no function for the cells, SOURCE says what is in them,
 * and OTHERWISE is the text for an absent value:
 * - PATH: a text, or what the type says; a number is one in any column. An
 *   absent integer is 0, an absent boolean false.
 * - #PATH,...: how many items there are.
 * - a text with {PATH,OTHERWISE} in it.
 * - int:PATH, bool:PATH: in a column of another type.
 * - since:PATH (an age), seconds:PATH (a duration), labels:PATH, selector:PATH,
 *   list:PATH (texts), first:PATH (of a list), names:PATH and images:PATH (of
 *   containers), modes:PATH (of access), default:ANNOTATION,... (the name, and
 *   whether one of them makes it the default).
 * - WORD:ARGUMENT, of a kind of its own: the table in columns.c has the words.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "tree/tree.h"
#include "reply/cells.h"
#include "type/resource.h"

/* Cells of custom resources. */
cells_fn columns_custom_cells;

/* The strategy of Scale, which shows an object of another kind and is not kept
 * itself. */
extern const struct strategy columns_scale;

/* Append: the array of columnDefinitions; the array of cells; and, for pods
 * that are done, the row's conditions with their comma. */
void columns_add(struct buf *b, const struct resource *r);
void columns_add_cells(struct buf *b, struct arena *a, const struct resource *r,
    const struct node *object);
void columns_add_conditions(
    struct buf *b, const struct resource *r, const struct node *object);

#endif
