/*
 * pathexpr: paths of jsonpath and of --for=jsonpath: .a.b, .a[0], .a[-1],
 * .items[*], ['a.b'], .a\.b; and templates of them. Filters end the process, as
 * what is not here.
 */
#ifndef PATHEXPR_H
#define PATHEXPR_H

#include "tree/tree.h"

/* An array of what the path leads to; braces around it are ignored. */
struct node *pathexpr_select(
    struct arena *a, struct node *value, struct span path);
/* Appends all that, as text, with blanks between. */
void pathexpr_add(
    struct buf *b, struct arena *a, struct node *value, struct span path);
/* Appends a value as text: a string without its quotes. */
void pathexpr_add_text(struct buf *b, const struct node *value);
/* Appends a template: text {.path} {"\n"} {range .items[*]}...{end}. */
void pathexpr_add_template(
    struct buf *b, struct arena *a, struct node *value, struct span template);

#endif
