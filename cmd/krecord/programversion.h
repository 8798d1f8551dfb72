/*
 * programversion: which version of each program an operator runs, for the first line
 * of a segment.
 */
#ifndef PROGRAMVERSION_H
#define PROGRAMVERSION_H

#include "base/buf.h"
#include "conf/watches.h"

/*
 * Appends {"Kind.group": "FILE DIGEST"} of all entries: the first 16 hex digits
 * of the SHA-256 of the programs beside it (all *.jq of its folder, in the order of their
 * names), since it may include them; without a digest if they cannot be read.
 */
void programversion_add(struct buf *b, const struct watches *w);

#endif
