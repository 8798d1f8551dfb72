/*
 * texts: arrays of texts, and of anything that begins with a text.
 */
#ifndef TEXTS_H
#define TEXTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"

/* For qsort and bsearch: the order of the spans at the start of two elements.
 */
int texts_cmp(const void *x, const void *y);
void texts_sort(struct span *texts, size_t n);
bool texts_have(const struct span *texts, size_t n, struct span text);

#endif
