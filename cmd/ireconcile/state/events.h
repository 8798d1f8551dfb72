/*
 * events: reads watch frames, bare objects and bookmarks, makes the changes of
 * the store, and notes which kinds are complete. See doc/protocol.md, "Event
 * lines".
 */
#ifndef EVENTS_H
#define EVENTS_H

#include "base/err.h"
#include "base/span.h"
#include "state/entry.h"

/* The parts of a line of the input, borrowed from it; those that it does not
 * have are SPAN_NONE. */
struct event {
	struct span text;   /* the whole line */
	struct span type;   /* JSON; SPAN_NONE: the line is a bare object */
	struct span object; /* JSON */
	struct span manager, time; /* JSON; only in a frame */
	int64_t time_us;	   /* the time of the line, or -1 */
	bool too_large;
	bool is_record; /* a line of a recording, not an event: recordline.h */
};

/* text: a checked document. Errors in it are reported by events_apply. */
struct event events_parse(struct span text);
int events_apply(
    struct entries *es, const struct event *event, struct err *err);

/* The next entry whose kinds are now all complete, for the first time; NULL if
 * there is none. */
struct entry *events_completed(struct entries *es);

/* Kinds that others lacks, and that were never announced and have no object,
 * are complete now; names gets their names, separated by commas. */
void events_assume(
    struct entries *es, const struct cache *others, struct buf *names);

/* The end of the input: returns the number of kinds that were begun and not
 * ended; names gets their names, separated by commas. */
size_t events_end(struct entries *es, struct buf *names);

#endif
