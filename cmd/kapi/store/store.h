/*
 * store: all objects, in memory, with one counter of resource versions, and
 * for each collection the history that watches and exact lists are served
 * from. One thread: the next read sees every write.
 *
 * An object is kept as one compact JSON text in its storage version, with
 * apiVersion and kind as its first two members and everything in it that a
 * client sees (managedFields too). It never changes: a write makes another.
 */
#ifndef STORE_H
#define STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "base/text.h"
#include "tree/tree.h"
#include "process/loop.h"

struct store;
struct collection;

/* A version of an object; refcounted, shared with history. */
struct stored {
	size_t refs;
	struct text *json;
	uint64_t version; /* metadata.resourceVersion */
	/* Decoded, parts of key. namespace_ is "" where there is none. */
	struct span namespace_, name;
	struct span key;    /* NAMESPACE/NAME, or NAME */
	struct span uid;    /* into json, raw, without quotes; or none */
	struct span labels; /* into json: the raw object, or none */
	char key_bytes[];
};

enum change_type { CHANGE_ADDED, CHANGE_MODIFIED, CHANGE_DELETED };

/* A change of an object. */
struct store_change {
	enum change_type type;
	uint64_t version;
	struct stored *now;    /* DELETED: the last state, with the version
				 * of the deletion */
	struct stored *before; /* NULL when ADDED */
	uint64_t time;	       /* clock_ms */
	const void *by;	       /* see store_by; for hooks alone */
};

struct store *store_new(void);
void store_free(struct store *s);

struct collection *store_collection(
    struct store *s, struct span group, struct span plural);
uint64_t store_version(const struct store *s); /* last one used */
/* The version that the next write gets: put it into the object first. */
uint64_t store_next_version(const struct store *s);
/* The next write gets version + 1, whatever was written before. For --load,
 * which keeps versions: store_compact afterwards, and let none be lower then
 * than what is stored. */
void store_set_version(struct store *s, uint64_t version);

struct stored *store_get(
    const struct collection *c, struct span namespace_, struct span name);
size_t store_count(const struct collection *c);

/*
 * Writes: object holds metadata.resourceVersion = store_next_version. They
 * call the hooks of the collection, then those of all; a write made by a hook
 * is announced when all hooks have seen the first. store_delete takes the
 * object as its DELETED event shows it. What store_put returns is borrowed
 * until the next write (hooks' own do not count).
 */
struct stored *store_put(
    struct store *s, struct collection *c, const struct node *object);
void store_delete(
    struct store *s, struct collection *c, const struct node *object);

/* The request that writes from now on, for hooks; NULL: kapi itself. */
void store_by(struct store *s, const void *request);

/* Replaces the text of an object that is there and keeps its version; no hook
 * is called. For objects whose CRD changed: they read differently then. */
void store_amend(
    struct store *s, struct collection *c, const struct node *object);

/* Objects in order of their keys, within one namespace unless it is "" or
 * none. after_key: start behind this key, which need not be there (none: at
 * the first). Borrowed until the next write. NULL at the end. A walk is linear:
 * the place of the last answer is remembered. */
struct stored *store_next(
    const struct collection *c, struct span namespace_, struct span after_key);

/*
 * The collection as it was at version: an owned array of references, in order
 * of keys; free with store_release_all. NULL: history does not go back so far.
 */
struct stored **store_at(const struct collection *c, uint64_t version,
    struct span namespace_, size_t *count);
void store_release_all(struct stored **all, size_t count);
struct stored *store_ref(struct stored *o);
void store_unref(struct stored *o);

/* History: changes with a version above `since`, oldest first. -1: it does
 * not go back so far (410). */
int store_since(const struct collection *c, uint64_t since,
    const struct store_change **first, size_t *count);
/* The oldest version that store_since takes. */
uint64_t store_floor(const struct collection *c);
/* Forgets all history up to now (a fault for tests; also of --load). */
void store_compact(struct store *s);
/*
 * The history of a collection: all changes of the last STORE_HISTORY_MS, but no
 * more than STORE_HISTORY_MAX or STORE_HISTORY_BYTES of objects, and always the
 * last STORE_HISTORY. store_set_history sets a number of changes instead.
 */
enum {
	STORE_HISTORY = 1024,
	STORE_HISTORY_MAX = 100000,
	STORE_HISTORY_BYTES = 8 << 20,
	STORE_HISTORY_MS = 75000
};
void store_set_history(struct store *s, size_t changes);

/* Called for each change of the collection, or of all if c is NULL. */
typedef void store_fn(
    void *arg, struct collection *c, const struct store_change *);
struct store_hook {
	store_fn *fn;
	void *arg;
	struct store_hook *next; /* the store's */
};
void store_add_hook(struct store *s, struct collection *c,
    struct store_hook *hook); /* borrows hook */
void store_remove_hook(
    struct store *s, struct collection *c, struct store_hook *hook);

struct span store_collection_group(const struct collection *c);
struct span store_collection_plural(const struct collection *c);
/* for (c = NULL; (c = store_next_collection(s, c)) != NULL;) */
struct collection *store_next_collection(
    const struct store *s, const struct collection *c);

#endif
