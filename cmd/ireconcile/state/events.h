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

/* An entry whose kinds are all complete now, which it was not before. */
struct entry *events_completed(struct entries *es);

/* The end: returns the number of kinds that were announced and not ended;
 * names gets theirs, separated by commas. */
size_t events_end(struct entries *es, struct buf *names);

#endif
