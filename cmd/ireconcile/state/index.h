/*
 * index: the buckets of entry.h. Part of entry.c, in a file of its own.
 */
#ifndef INDEX_H
#define INDEX_H

#include "state/entry.h"

/* Links an object of the store to its primaries, or removes the links; both
 * make these primaries dirty. */
void index_link(struct entries *es, struct cache_object *o);
void index_unlink(struct entries *es, struct cache_object *o);

/* key: as the type has it (entry.h). May be NULL. */
struct entry_bucket *index_bucket(
    const struct entry *e, char type, struct span key);

void index_release(struct entry *e);

/* "NAMESPACE\0NAME" of the primary; within the bucket. */
struct span index_primary_key(const struct entry_bucket *b);
/* The primary itself; NULL: it does not exist, or is another object. */
struct primary *index_primary(const struct entry_bucket *b);

#endif
