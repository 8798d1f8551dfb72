/*
 * timeline: rows as text for a terminal, one line each: time, sort, object,
 * what happened. What a terminal would obey is replaced by "?".
 */
#ifndef TIMELINE_H
#define TIMELINE_H

#include <stdbool.h>

#include "base/buf.h"
#include "viewrow.h"

enum timeline_colors { TIMELINE_PLAIN, TIMELINE_COLORS };

/* Appends the line, newline included. */
void timeline_add(
    struct buf *b, const struct viewrow *row, enum timeline_colors colors);

#endif
