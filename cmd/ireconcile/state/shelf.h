/*
 * shelf: holds the texts of a kind, packed (base/pack.h) unless they are in
 * use.
 *
 * A text that is read is opened, and stays open, at the same place, until the
 * shelf rests: so a span of it is good until then. Texts that are new are
 * packed at the next rest. The caller lets a shelf rest between two pieces of
 * work, when it holds no span.
 */
#ifndef SHELF_H
#define SHELF_H

#include "base/pack.h"
#include "base/span.h"

/* Begin with a zeroed one, and end with shelf_drop. Its address must not change
 * while the text is open: see shelf_move. */
struct shelf_text {
	char *data; /* owned: packed; or the text, if packed_n is n; or NULL:
			* open, and not packed yet */
	uint32_t n; /* length of the text */
	uint32_t packed_n;
	uint32_t
	    open; /* place in shelf.open plus one; 0: the text is not open */
};

struct shelf_open {
	struct shelf_text *of;
	char *text; /* owned */
};

/* Begin with a zeroed one; shelf_release it when it has no texts any more. */
struct shelf {
	struct pack pack;
	struct shelf_open *open;
	size_t count, bytes; /* all that is open */
};

void shelf_release(struct shelf *s);

/* Puts text (taken, n bytes) into t, which is empty. */
void shelf_put(struct shelf *s, struct shelf_text *t, char *text, size_t n);
struct span shelf_read(struct shelf *s, struct shelf_text *t);
/* Leaves t empty. */
void shelf_drop(struct shelf *s, struct shelf_text *t);
/* Moves the text from `from`, which becomes empty, to `to`, which is empty. */
void shelf_move(
    struct shelf *s, struct shelf_text *to, struct shelf_text *from);

/* Packs and closes all. */
void shelf_rest(struct shelf *s);

#endif
