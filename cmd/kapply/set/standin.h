/*
 * standin: items with digests in the place of values that were hidden, as
 * recordings have them (record/redacted.h). They are never written: the real
 * values would be lost.
 */
#ifndef STANDIN_H
#define STANDIN_H

#include <stdbool.h>

#include "base/buf.h"
#include "set/set.h"

/* Appends the path of the first one in the item's object, as far as it is plain
 * names. False: there is none. A digest that a program put into a text counts,
 * in any form (redacted_in). */
bool standin_find(struct buf *path, const struct item *i);

#endif
