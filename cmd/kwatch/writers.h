/*
 * writers: who made a change: --managers.
 *
 * The API server notes in metadata.managedFields which manager wrote which
 * fields, and when (k8s.io/apimachinery/pkg/util/managedfields, as a real server
 * shows it):
 *
 * - An update or an apply that changes something gives its own entry a new time,
 *   of seconds. What it took from others their entries lose, without a new time.
 * - A field that is removed is lost by the entry that owned it: nothing says
 *   who removed it, not even if that was its owner.
 * - Entries of the subresource scale have no time, and stay as they are when the
 *   same client scales again.
 * - A deletion, a finalizer that the server adds, and a write of the collector
 *   that only removes leave nothing.
 *
 * So each version of an object is compared with the one before. The writer is
 * the manager whose entry is new, has another time, or owns more. If there is
 * none, it is the one whose fields have other values now, because a manager owns
 * what it has changed: that is looked at where a time says nothing, for entries
 * without one and for the newest. Otherwise nobody is named.
 */
#ifndef WRITERS_H
#define WRITERS_H

#include "base/buf.h"
#include "base/span.h"
#include "json/json.h"
#include "pool.h"

/* The marks of a version: 16 bytes for each entry. */
struct writers;

/* How the version came to be known. */
enum writers_news {
	WRITERS_STATE,	 /* the object is there, perhaps for long */
	WRITERS_CREATED, /* the object was made just now */
	WRITERS_CHANGED	 /* next version after the one of *marks */
};

/* Appends who made this version, "a" or "a or b", as it stands between quotes;
 * or nothing. *marks, from the pool, NULL at first, are of it from now on. */
void writers_take(struct writers **marks, struct pool *pool,
    const struct json_frame *f, enum writers_news news, struct buf *names);
void writers_free(struct writers *marks, struct pool *pool);

/* Several versions become one change: adds those names to these. If one of both
 * is empty, it is not known who made all of it: empties names. */
void writers_unite(struct buf *names, struct span others);

#endif
