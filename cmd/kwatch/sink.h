/*
 * sink: what the reader of standard output knows, and what it has yet to learn.
 *
 * One entry per object that exists or that the reader believes to exist: its
 * key, uid and resourceVersion, and the body only while the reader has not
 * taken it. The queue holds entries, not events: however slow the reader is,
 * it is as long as there are objects. What the reader gets is computed when
 * the line is printed, from what it knows and what is true by then:
 *
 * 	knows	is	line
 * 	nothing	uid A	ADDED
 * 	uid A	uid A	MODIFIED
 * 	uid A	gone	DELETED
 * 	uid A	uid B	DELETED of A, ADDED of B
 * 	nothing	gone	DELETED (it came and went unread)
 *
 * Of objects that are deleted before the reader took their last state, up to 1
 * MiB of such states is kept; beyond that their DELETED is made up, with key
 * and uid only.
 */
#ifndef SINK_H
#define SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/span.h"
#include "process/out.h"

struct sink;

/* The objects of one kind. Zero it, set the names, sink_index_release it. */
struct sink_index {
	struct map entries;
	const char *api_version, *kind; /* borrowed: for lines made up */
};

struct sink_entry;

struct sink_counters {
	uint64_t events;    /* news about objects that came in */
	uint64_t lines;	    /* that went out */
	uint64_t coalesced; /* news that replaced unread news */
	uint64_t made_up;   /* DELETED found by comparing */
	uint64_t objects;   /* entries now */
};

enum sink_time { SINK_PLAIN, SINK_TIMESTAMPS };

struct sink *sink_new(struct out *out, enum sink_time time);
void sink_free(struct sink *s); /* before the indexes */
const struct sink_counters *sink_counters(const struct sink *s);
/* Prints what waits, while the reader takes it. */
void sink_pump(struct sink *s);
bool sink_empty(const struct sink *s);

/*
 * The entry "namespace/name", made if there is none; owner is the watch that
 * tells of it, mark the number of its listing: see sink_index_sweep.
 */
struct sink_entry *sink_entry(struct sink *s, struct sink_index *ix,
    struct span ns, struct span name, const void *owner, uint32_t mark);
/* Whether just this version was told already. */
bool sink_entry_is(
    const struct sink_entry *e, struct span uid, struct span version);

void sink_put(struct sink *s, struct sink_entry *e, struct span uid,
    struct span version, struct span body);
/* body: its last state, or SPAN_NONE: the line is made up. May free e. */
void sink_delete(
    struct sink *s, struct sink_entry *e, struct span uid, struct span body);

/* Deletes the entries of the owner that do not carry the mark. owner NULL:
 * all entries. */
void sink_index_sweep(
    struct sink *s, struct sink_index *ix, const void *owner, uint32_t mark);
void sink_index_release(struct sink_index *ix);

enum sink_bookmark { SINK_BEGIN, SINK_END };
/* Behind everything that is queued already. Names borrowed. */
void sink_bookmark(struct sink *s, enum sink_bookmark which,
    const char *api_version, const char *kind);

#endif
