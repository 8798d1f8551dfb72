/*
 * live: the recording on a descriptor, for a process that shows it while it
 * goes on. The lines are those of a segment, and begin as one does: with its
 * first line and the state. It begins again when live_begin says so.
 *
 * Nothing waits for the reader. Lines wait in at most LIVE_MOST bytes; when
 * that is full they are dropped until all the others are written, then it
 * begins again, with a gap line. So the reader knows in the end what there is.
 *
 * A reader may find the beginning of a line that never ends, of a process that
 * was killed: each beginning has a newline before it.
 *
 * Memory: the last version of each object besides, which is the state.
 */
#ifndef LIVE_H
#define LIVE_H

#include "base/err.h"
#include "base/span.h"
#include "process/loop.h"
#include "record/reading.h"

struct live;

enum { LIVE_MOST = 8 * 1024 * 1024, LIVE_END_MS = 1000 };

/* Borrows the loop, the descriptor and programs. NULL: it is not open. */
struct live *live_new(
    struct loop *l, int fd, struct span programs, struct err *err);
/* One line, without its newline; live_flush follows. */
void live_line(struct live *l, enum reading_kind kind, struct span line);
void live_flush(struct live *l);
/* Another reader: nothing of what waits, but a beginning. */
void live_begin(struct live *l);
/* Writes what waits, for at most LIVE_END_MS. NULL is fine. */
void live_free(struct live *l);

#endif
