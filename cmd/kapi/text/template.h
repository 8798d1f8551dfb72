/*
 * template: JSON text with holes. ' stands for ", % for the next hole as a
 * string of JSON, @ for the next hole as it is. A comma at the start is left
 * out where there is nothing before.
 */
#ifndef TEMPLATE_H
#define TEMPLATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "tree/tree.h"

/* holes: as many as the text has; NULL if it has none. */
void template_add(struct buf *b, const char *text, const struct span *holes);
struct span template_span(
    struct arena *a, const char *text, const struct span *holes);
/* The value that the text is. */
struct node *template_tree(
    struct arena *a, const char *text, const struct span *holes);

#endif
