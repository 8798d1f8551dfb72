/*
 * sink: what the reader of standard output knows, and what it does not know
 * yet.
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
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/span.h"
#include "pool.h"
#include "process/out.h"

struct sink;

/* SINK_OBJECTS: the objects of ADDED and MODIFIED, and no other line. */
enum sink_form { SINK_PLAIN, SINK_TIMESTAMPS, SINK_OBJECTS };

/* The objects of one kind. Zero it, set the names, sink_index_release it. */
struct sink_index {
	struct map entries;
	struct pool pool;		/* the entries and their ids */
	const char *api_version, *kind; /* borrowed: for lines made up */
};

struct sink_entry;

struct sink_counters {
	uint64_t events;    /* news about objects that came in */
	uint64_t lines;	    /* lines that went out */
	uint64_t coalesced; /* news that replaced unread news */
	uint64_t made_up;   /* DELETED found by comparing */
	uint64_t objects;   /* entries now */
};

struct sink *sink_new(struct out *out, enum sink_form form);
void sink_free(struct sink *s); /* call it before the indexes are released */
const struct sink_counters *sink_counters(const struct sink *s);
/* Prints waiting lines while the reader takes them. */
void sink_pump(struct sink *s);
bool sink_empty(const struct sink *s);

/*
 * The entry "namespace/name", made if there is none; owner is the watch that
 * reports it, mark the number of its listing: see sink_index_sweep.
 */
struct sink_entry *sink_entry(struct sink *s, struct sink_index *ix,
    struct span ns, struct span name, const void *owner, uint32_t mark);
/* Whether this version was printed already. */
bool sink_entry_is(
    const struct sink_entry *e, struct span uid, struct span version);

/* Whether an object of this uid is there, read or not. */
bool sink_entry_lives(const struct sink_entry *e, struct span uid);
/* Where its marks are kept (writers.h): from the pool of its index. */
struct writers **sink_entry_writers(struct sink_entry *e);

/* A version that came; the spans are borrowed for the call. */
struct sink_version {
	struct span uid, version, body;
	struct span names; /* raw list of its writers; or empty */
	uint64_t length;   /* length of the object if body is only its identity,
			    * else 0: SINK_OBJECTS has no line of an identity */
};
void sink_put(
    struct sink *s, struct sink_entry *e, const struct sink_version *v);
/* body: its last state, or SPAN_NONE: the line is made up. May free e. */
void sink_delete(
    struct sink *s, struct sink_entry *e, struct span uid, struct span body);

/* Deletes the entries of the owner that do not carry the mark. owner NULL:
 * all entries. */
void sink_index_sweep(
    struct sink *s, struct sink_index *ix, const void *owner, uint32_t mark);
void sink_index_release(struct sink_index *ix);
size_t sink_index_count(const struct sink_index *ix);
/* An object of this name, in any namespace. */
bool sink_index_has(const struct sink_index *ix, const char *name);

enum sink_bookmark { SINK_BEGIN, SINK_LISTED, SINK_ABSENT, SINK_END };
/* Queued behind all entries. The names of ix are borrowed; value: "true", or of
 * SINK_LISTED the namespaces ("a,b"). */
void sink_bookmark(struct sink *s, const struct sink_index *ix,
    enum sink_bookmark which, const char *value);

#endif
