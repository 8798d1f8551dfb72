/*
 * live: the recording on a descriptor, for a process that reads it while it
 * goes on. The lines are those of a segment, and begin as one does: with its
 * first line and, if the reader wants it, the state. It begins again when
 * live_begin says so.
 *
 * Nothing waits for the reader. Lines wait in at most LIVE_MOST bytes; when
 * that is full they are dropped until all the others are written, then it
 * begins again, with a gap line. So a reader of the state knows in the end what
 * there is.
 *
 * A reader may find the beginning of a line that never ends, of a process that
 * was killed: each beginning has a newline before it.
 *
 * Memory: with the state, the last version of each object besides.
 */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/span.h"
#include "process/loop.h"
#include "record/reading.h"

struct live;

enum { LIVE_MOST = 8 * 1024 * 1024, LIVE_END_MS = 1000 };

/* The descriptor is that of this option. Borrows all. NULL: it is not open. */
struct live *live_new(struct loop *l, const char *option, int fd,
    bool with_state, struct span facts, struct err *err);
/* Takes a line without its newline; live_flush follows. */
void live_line(struct live *l, enum reading_kind kind, struct span line);
void live_flush(struct live *l);
/* A new reader: drops the lines that wait, and writes a beginning. */
void live_begin(struct live *l);
/* Writes what waits, for at most LIVE_END_MS. NULL is fine. */
void live_free(struct live *l);

#endif
