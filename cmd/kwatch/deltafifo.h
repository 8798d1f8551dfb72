/*
 * deltafifo: what the reader of standard output knows, and what it does not
 * know yet.
 *
 * There is an entry for each object that exists, or that exists as far as the
 * reader knows: its key, uid and resourceVersion, and the body only while the
 * reader has not taken it. The queue holds entries, not events: even with a
 * slow reader it has at most one for each object. A line is computed when it is
 * printed, from what the reader knows and what is true by then:
 *
 * 	knows	is	line
 * 	nothing	uid A	ADDED
 * 	uid A	uid A	MODIFIED
 * 	uid A	gone	DELETED
 * 	uid A	uid B	DELETED of A, ADDED of B
 * 	nothing	gone	DELETED (it came and went unread)
 *
 * If an object is deleted before the reader took its last state, that state is
 * kept, up to 1 MiB in all; beyond that its DELETED has only key and uid.
 */
#ifndef DELTAFIFO_H
#define DELTAFIFO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/span.h"
#include "pool.h"
#include "process/out.h"

struct deltafifo;

/* DELTAFIFO_OBJECTS: the objects of ADDED and MODIFIED, and no other line. */
enum deltafifo_form {
	DELTAFIFO_PLAIN,
	DELTAFIFO_TIMESTAMPS,
	DELTAFIFO_OBJECTS
};

/* The objects of one kind. Zero it, set the names, deltafifo_index_release
 * it. */
struct deltafifo_index {
	struct map entries;
	struct pool pool;		/* the entries and their ids */
	const char *api_version, *kind; /* borrowed: for lines made up */
};

struct deltafifo_entry;

struct deltafifo_counters {
	uint64_t events;    /* news about objects that came in */
	uint64_t lines;	    /* lines that went out */
	uint64_t coalesced; /* news that replaced unread news */
	uint64_t made_up;   /* DELETED found by comparing */
	uint64_t objects;   /* entries now */
};

struct deltafifo *deltafifo_new(struct out *out, enum deltafifo_form form);
/* call it before the indexes are released */
void deltafifo_free(struct deltafifo *f);
const struct deltafifo_counters *deltafifo_counters(const struct deltafifo *f);
/* Prints waiting lines while the reader takes them. */
void deltafifo_pump(struct deltafifo *f);
bool deltafifo_empty(const struct deltafifo *f);

/*
 * The entry "namespace/name", made if there is none; owner is the watch that
 * reports it, mark the number of its listing: see deltafifo_index_sweep.
 */
struct deltafifo_entry *deltafifo_entry(struct deltafifo *f,
    struct deltafifo_index *ix, struct span ns, struct span name,
    const void *owner, uint32_t mark);
/* Whether this version was printed already. */
bool deltafifo_entry_is(
    const struct deltafifo_entry *e, struct span uid, struct span version);

/* Whether an object of this uid is there, read or not. */
bool deltafifo_entry_lives(const struct deltafifo_entry *e, struct span uid);
/* Where its marks are kept (writers.h): from the pool of its index. */
struct writers **deltafifo_entry_writers(struct deltafifo_entry *e);

/* A version that came; the spans are borrowed for the call. */
struct deltafifo_version {
	struct span uid, version, body;
	struct span names; /* raw list of its writers; or empty */
	uint64_t length;   /* length of the object if body is only its identity,
			    * else 0: DELTAFIFO_OBJECTS has no line of an
			    * identity */
};
void deltafifo_put(struct deltafifo *f, struct deltafifo_entry *e,
    const struct deltafifo_version *v);
/* body: its last state, or SPAN_NONE: the line is made up. May free e. */
void deltafifo_delete(struct deltafifo *f, struct deltafifo_entry *e,
    struct span uid, struct span body);

/* Deletes the entries of the owner that do not carry the mark. owner NULL:
 * all entries. */
void deltafifo_index_sweep(struct deltafifo *f, struct deltafifo_index *ix,
    const void *owner, uint32_t mark);
/* Deletes the entries of the owner, behind all that waits. */
void deltafifo_index_leave(
    struct deltafifo *f, struct deltafifo_index *ix, const void *owner);
/* The news of e that wait, if there are any, wait behind all others. */
void deltafifo_last(struct deltafifo *f, struct deltafifo_entry *e);
void deltafifo_index_release(struct deltafifo_index *ix);
size_t deltafifo_index_count(const struct deltafifo_index *ix);
/* An object of this name, in any namespace. */
bool deltafifo_index_has(const struct deltafifo_index *ix, const char *name);

enum deltafifo_bookmark {
	DELTAFIFO_BEGIN,
	DELTAFIFO_LISTED,
	DELTAFIFO_ABSENT,
	DELTAFIFO_END
};
/* Queued behind all entries. The names of ix are borrowed; value: "true", or of
 * DELTAFIFO_LISTED the namespaces ("a,b"). */
void deltafifo_bookmark(struct deltafifo *f, const struct deltafifo_index *ix,
    enum deltafifo_bookmark which, const char *value);

#endif
