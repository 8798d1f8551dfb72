/*
 * tables: types.txt and resources.txt, as they are in the repository, in the
 * program. t/schema/generate writes them; each says at its head how it is read.
 */
#ifndef TABLES_H
#define TABLES_H

#include "base/arena.h"
#include "base/span.h"

struct span tables_types(void);
struct span tables_resources(void);

/* The line at the start of *text, without its end; *text moves behind it.
 * SPAN_NONE at the end. */
struct span tables_line(struct span *text);
/* Like tables_line, up to the next tab of a line. */
struct span tables_cell(struct span *line);
/* Like tables_line, up to the next comma of a list. */
struct span tables_item(struct span *list);
/* All items of a list, in the arena; their number. */
size_t tables_list(
    struct arena *a, struct span list, const struct span **items);

#endif
