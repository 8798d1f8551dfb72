/*
 * recent: what was created for a primary just now. ireconcile may not have
 * observed it yet, and each of its lines has all that is outstanding: without
 * this memory each line that comes meanwhile, as for a new status, would have it
 * applied again.
 *
 * It ends after RECENT_MS, and does not count for a line with `again`, which
 * makes what has gone since. Nor is what is created at most once remembered,
 * because such a line says nothing of it: kapply reads the primary in any case.
 */
#ifndef RECENT_H
#define RECENT_H

#include <stdint.h>

#include "process/loop.h"
#include "set/set.h"

struct recent;

struct recent *recent_new(struct loop *l);
void recent_free(struct recent *r);

/* The item was accepted. */
void recent_add(
    struct recent *r, const struct set *s, const struct item *i, uint64_t now);
/* Takes a line: the items that were created just now, as it says, are done. */
void recent_line(struct recent *r, struct set *s, uint64_t now);

#endif
