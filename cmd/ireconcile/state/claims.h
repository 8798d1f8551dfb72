/*
 * claims: the items that lines asked to create, and the primaries that did. If
 * an object that is not theirs has the name, kapply fails, and tries again more
 * and more slowly. When that object is seen to go, they are evaluated: a line
 * then tells kapply to try at once.
 */
#ifndef CLAIMS_H
#define CLAIMS_H

#include "base/span.h"
#include "state/entry.h"

/* what: as in struct asked. Only "item KEY" is noted. */
void claims_add(struct primary *p, const char *what);
void claims_remove(struct primary *p, const char *what);

/* o, of this use, is gone: primaries that it was in the way of. */
void claims_vacate(
    struct entries *es, const struct use *u, const struct cache_object *o);

/* Frees what is left. */
void claims_release(struct entry *e);

#endif
