/*
 * history: the newest lines of a page that is live, each ready to be sent as
 * one event (text/event-stream), with its number. Bounded: the oldest lines
 * give way.
 *
 *	id: 5f3a9c01-17     those of another process have other letters
 *	data: [1764255845123456,17,"spec",3,".spec.replicas 3 -> 5",{...}]
 */
#ifndef HISTORY_H
#define HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"
#include "base/text.h"
#include "track.h"

enum { HISTORY_LINES = 20000, HISTORY_BYTES = 16 * 1024 * 1024 };

struct history_line {
	struct text *event; /* owned */
	struct track *row;  /* for a row: its track, whose `kept` counts it */
};

struct history {
	size_t most_lines, most_bytes;
	uint32_t letters;
	struct history_line *lines; /* owned: a ring of most_lines */
	uint64_t first, next; /* numbers: of the oldest; behind the last */
	size_t bytes;
};

void history_init(struct history *h, size_t lines, size_t bytes);
void history_release(struct history *h);

/* line without a newline; row: see above, or NULL. Returns the event, borrowed
 * until the next call. */
struct text *history_add(
    struct history *h, struct span line, struct track *row);

/* The line with a number, which is at least h->first and below h->next. */
const struct history_line *history_get(const struct history *h, uint64_t n);

/*
 * id: as a client gives it back, the last that it got. *n becomes the number
 * behind it. False: it is not of this process, or what follows is not here.
 */
bool history_after(const struct history *h, struct span id, uint64_t *n);

#endif
