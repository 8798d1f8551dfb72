/*
 * brake: too many deletions of members of living primaries within a minute are
 * more likely a mistake (in a program, in an input) than a wish. Then no more
 * of them are sent, until nobody asks for those that were held back.
 *
 * No clock and no requests of its own.
 */
#ifndef BRAKE_H
#define BRAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BRAKE_MS = 60000, BRAKE_LIMIT_MAX = 100000 };

struct brake {
	size_t limit;	 /* per BRAKE_MS; 0: none */
	uint64_t *times; /* owned: of the last `limit` deletions, a ring */
	size_t count;	 /* of all */
	size_t held;	 /* deletions held back; the brake is on if > 0 */
};

void brake_init(struct brake *b, size_t limit);
void brake_release(struct brake *b);

/* A deletion is to be sent now. True: it may, and is counted. */
bool brake_pass(struct brake *b, uint64_t now_ms);

/* One more is held back; true if it is the first: the brake is on now. */
bool brake_hold(struct brake *b);
/* One is not asked for any more; true if it was the last: the brake is off. */
bool brake_let_go(struct brake *b);

#endif
