/*
 * index: which objects belong to which primaries. Each object is linked into
 * buckets, by the names under which a primary looks for its objects; so the
 * primaries of an object, and the objects of a primary, are found without a
 * search (entry_objects).
 *
 * Related objects may also be named by a field of the primary (`map: {field:
 * PATH}`, perhaps with namespaceField). Each use of such a kind has a map from the names of objects, which
 * need not exist, to the primaries that name them.
 */
#ifndef INDEX_H
#define INDEX_H

#include "state/entry.h"

/* How the object names the primary, and the key of the bucket then. */
enum index_type {
	INDEX_OWNED = 'u',   /* by an owner reference: "UID\0NAMESPACE\0NAME" */
	INDEX_CLAIMED = 'c', /* by one that does not count: same key */
	/* By its marks: "ORIGIN\0NAMESPACE\0NAME", or PROOF_RETAINED as the
	 * origin. */
	INDEX_MARKED = 'm',
	INDEX_UNPROVEN = 'x', /* by marks without proof: "NAMESPACE\0NAME" */
	INDEX_MAPPED = 'k',   /* by a label or a jq map: "NAMESPACE\0NAME" */
	INDEX_PATCHED = 'p'   /* by patchmark.h: "NAMESPACE\0NAME" */
};

struct link {
	struct cache_object *object;
	struct use *use;
};

struct entry_bucket {
	struct entry *entry;
	struct link *links;
	uint32_t count, key_len;
	char key[]; /* an index_type, and the key */
};

/* Links an object of the store to its primaries, or removes the links; both
 * make these primaries dirty. */
void index_link(struct entries *es, struct cache_object *o);
void index_unlink(struct entries *es, struct cache_object *o);

/* May be NULL. */
struct entry_bucket *index_bucket(
    const struct entry *e, enum index_type type, struct span key);

void index_release(struct entry *e);

/* Reads again which objects the fields of p name. Call it when p has come,
 * changed, or (without an object) is gone. */
void index_read_names(struct primary *p);
/* Makes the primaries dirty that name this object of the use's kind. */
void index_dirty_named(
    struct entries *es, const struct use *u, const struct cache_object *o);
/* Appends the first name, "NAMESPACE/NAME", by which p means an object of the
 * use's kind where that is not watched; returns the number of such names. */
size_t index_unwatched(
    const struct primary *p, const struct use *u, struct buf *first);
/* Frees u->named. Call it at the end, after the primaries are freed. */
void index_release_named(struct use *u);

/* "NAMESPACE\0NAME" of the primary, borrowed from the bucket. */
struct span index_primary_key(const struct entry_bucket *b);
/* The primary of the bucket; NULL: it does not exist, or is another object. */
struct primary *index_primary(const struct entry_bucket *b);

#endif
