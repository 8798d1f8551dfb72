/*
 * census: which lines of a recording are the last word about each object, and
 * which kinds are complete. It holds keys and numbers of lines; the lines
 * themselves only if it is told to keep them.
 *
 *	first pass:  census_take(c, text, number) of every event
 *	             census_close(c)
 *	second pass: census_has(c, number): this line is part of the state
 *
 * The state is census_begins, those lines as ADDED (census_added), census_ends:
 * it replays alone. With CENSUS_LINES one pass is enough, and census_state has the
 * lines at any time.
 */
#ifndef CENSUS_H
#define CENSUS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/span.h"
#include "base/text.h"

struct census;

enum census_keeps { CENSUS_NUMBERS, CENSUS_LINES };

struct census *census_new(enum census_keeps keeps);
void census_free(struct census *c);

/* An event line; its number among all lines, which grows. */
void census_take(struct census *c, struct span text, size_t number);
void census_close(struct census *c);
bool census_has(const struct census *c, size_t number);

/* The bookmarks before and behind the objects, a line each. Of a kind that is
 * not complete there is no end. */
void census_begins(const struct census *c, struct span time, struct buf *out);
void census_ends(const struct census *c, struct span time, struct buf *out);
/* Appends the line with the type ADDED, without its manager, and a newline. */
void census_added(struct span text, struct buf *out);

/* The lines of all objects now, of CENSUS_LINES: a copy of references, which
 * stays as it is whatever the census takes. */
struct census_state {
	struct text **lines;
	size_t count, at;
};
struct census_state census_state(const struct census *c);
/* The next line, borrowed until the next call. */
bool census_state_next(struct census_state *s, struct span *line);
void census_state_release(struct census_state *s);

/* Appends "Kind.group N" of each kind of which there are objects, by name. */
void census_count(const struct census *c, struct buf *out);

#endif
