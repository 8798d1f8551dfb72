/*
 * columns: what a Table of a resource has for columns, and the cells of one
 * object. Descriptions of built-in columns are left out. Cells of built-in
 * kinds are computed in cells*.c, as printers.go does it.
 */
#ifndef COLUMNS_H
#define COLUMNS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "json/tree.h"
#include "type/resource.h"

/* Append: the array of columnDefinitions; the array of cells; and, for pods
 * that are done, the row's conditions with their comma. */
void columns_add(struct buf *b, const struct resource *r);
void cells_add(struct buf *b, struct arena *a, const struct resource *r,
    const struct node *object);
void row_conditions_add(
    struct buf *b, const struct resource *r, const struct node *object);

#endif
