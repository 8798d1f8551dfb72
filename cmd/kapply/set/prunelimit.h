/*
 * prunelimit: too many deletions of members of living primaries within a minute
 * are more likely a mistake (in a program, in an input) than a wish. Then no
 * more of them are sent, until no set requests those that were held back.
 *
 * If one primary has made half of them or more, it is the one whose deletions
 * are held back, and the others go on as if it had made none. Else all are.
 *
 * No clock and no requests of its own.
 */
#ifndef PRUNELIMIT_H
#define PRUNELIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

enum { PRUNELIMIT_MS = 60000, PRUNELIMIT_MAX = 100000 };

enum prunelimit_scope {
	PRUNELIMIT_OFF,	    /* the deletion may be sent */
	PRUNELIMIT_PRIMARY, /* deletions for the primary are held back */
	PRUNELIMIT_ALL	    /* all deletions are held back */
};

struct prunelimit_primary;
struct prunelimit_deletion;

struct prunelimit {
	size_t limit;			    /* per PRUNELIMIT_MS; 0: none */
	struct prunelimit_deletion *passed; /* owned: a ring of `limit` */
	size_t first, count;  /* part of the ring in PRUNELIMIT_MS */
	struct map primaries; /* by key, owned */
	size_t held_all;      /* held back by PRUNELIMIT_ALL */
	size_t held;	      /* held back by both scopes */
};

void prunelimit_init(struct prunelimit *l, size_t limit);
void prunelimit_release(struct prunelimit *l);

/* Is a deletion for this primary (its key) held back as things are? */
enum prunelimit_scope prunelimit_is_on(
    const struct prunelimit *l, const char *primary, uint64_t now_ms);
/* A deletion is to be sent now. PRUNELIMIT_OFF: it may, and is counted. */
enum prunelimit_scope prunelimit_pass(
    struct prunelimit *l, const char *primary, uint64_t now_ms);

/* Another deletion is held back; true if it is the first of that scope. */
bool prunelimit_hold(
    struct prunelimit *l, const char *primary, enum prunelimit_scope scope);
/* A deletion is not asked for any more; true if it was the last of its
 * scope. */
bool prunelimit_let_go(
    struct prunelimit *l, const char *primary, enum prunelimit_scope scope);

#endif
