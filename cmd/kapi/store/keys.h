/*
 * keys: the objects of a collection in order of their keys (bytes, as etcd
 * orders them: "a-b/x" before "a/x"), in blocks of a few hundred, so that
 * neither a search nor an insert walks the collection. The store's own.
 */
#ifndef KEYS_H
#define KEYS_H

#include <stddef.h>

#include "base/span.h"

struct stored;
struct keys_block;

struct keys {
	struct keys_block **blocks; /* owned; none of them is empty */
	size_t block_count;
	size_t count; /* number of objects */
	/* The place where keys_next was last; {0, 0} is also a valid place. */
	size_t at_block, at_slot;
};

void keys_release(struct keys *k); /* unreferences every object */
struct stored *keys_find(
    const struct keys *k, struct span namespace_, struct span name);
/* Takes the reference o; returns the owned object it replaced, or NULL. */
struct stored *keys_put(struct keys *k, struct stored *o);
/* Removes the object with the key and returns it, owned; NULL if it is not
 * there. */
struct stored *keys_remove(struct keys *k, struct span key);
/* Like store_next. */
struct stored *keys_next(
    struct keys *k, struct span namespace_, struct span after_key);

#endif
