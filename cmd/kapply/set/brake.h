/*
 * brake: too many deletions of members of living primaries within a minute are
 * more likely a mistake (in a program, in an input) than a wish. Then no more
 * of them are sent, until no set requests those that were held back.
 *
 * If one primary has made half of them or more, it is the one whose deletions
 * are held back, and the others go on as if it had made none. Else all are.
 *
 * No clock and no requests of its own.
 */
#ifndef BRAKE_H
#define BRAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

enum { BRAKE_MS = 60000, BRAKE_LIMIT_MAX = 100000 };

enum brake_scope {
	BRAKE_OFF,     /* the deletion may be sent */
	BRAKE_PRIMARY, /* deletions for the primary are held back */
	BRAKE_ALL      /* all deletions are held back */
};

struct brake_primary;
struct brake_deletion;

struct brake {
	size_t limit;		       /* per BRAKE_MS; 0: none */
	struct brake_deletion *passed; /* owned: a ring of `limit` */
	size_t first, count;	       /* part of the ring in BRAKE_MS */
	struct map primaries;	       /* by key, owned */
	size_t held_all;	       /* held back by BRAKE_ALL */
	size_t held;		       /* held back by both scopes */
};

void brake_init(struct brake *b, size_t limit);
void brake_release(struct brake *b);

/* Is a deletion for this primary (its key) held back as things are? */
enum brake_scope brake_is_on(
    const struct brake *b, const char *primary, uint64_t now_ms);
/* A deletion is to be sent now. BRAKE_OFF: it may, and is counted. */
enum brake_scope brake_pass(
    struct brake *b, const char *primary, uint64_t now_ms);

/* Another deletion is held back; true if it is the first of that scope. */
bool brake_hold(struct brake *b, const char *primary, enum brake_scope scope);
/* A deletion is not asked for any more; true if it was the last of its
 * scope. */
bool brake_let_go(struct brake *b, const char *primary, enum brake_scope scope);

#endif
