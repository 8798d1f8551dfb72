/*
 * events: watch frames, bare objects and bookmarks, as changes of the store;
 * and which kinds are complete. See doc/protocol.md, "Event lines".
 */
#ifndef EVENTS_H
#define EVENTS_H

#include "base/err.h"
#include "base/span.h"
#include "state/entry.h"

/* A checked document. *time_us: its "time", or -1. -1 with err. */
int events_apply(struct entries *es, struct span text, struct err *err);
int64_t events_time(struct span text);

/* An entry whose kinds are now all complete, for the first time. */
struct entry *events_completed(struct entries *es);

/* Kinds that others lacks, and that were never announced and have no object,
 * are complete now; names gets their names, separated by commas. */
void events_assume(
    struct entries *es, const struct cache *others, struct buf *names);

/* The end of the input: returns the number of kinds that were begun and not
 * ended; names gets their names, separated by commas. */
size_t events_end(struct entries *es, struct buf *names);

#endif
