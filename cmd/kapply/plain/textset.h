/* textset: a set of texts, each kept once, as a copy. Zeroed memory is an
 * empty one. */
#ifndef TEXTSET_H
#define TEXTSET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"

struct textset {
	struct map map; /* of owned copies */
};

void textset_release(struct textset *s);
void textset_add(struct textset *s, struct span text);
bool textset_has(const struct textset *s, struct span text);
size_t textset_count(const struct textset *s);
/* In byte order; the array is returned owned, the texts are borrowed. */
struct span *textset_sorted(const struct textset *s);
/* Between a set and a comma list: texts are added; all but one are appended,
 * sorted. */
void textset_split(struct textset *s, struct span list);
void textset_join(const struct textset *s, struct span except, struct buf *b);

#endif
