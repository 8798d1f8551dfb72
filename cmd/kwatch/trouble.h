/*
 * trouble: why a watch, or a whole kind, does not work, in words. Each sentence
 * is logged once. A trouble that only a person can mend counts against
 * readiness at once, others when they have lasted for a while.
 */
#ifndef TROUBLE_H
#define TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

enum trouble_kind {
	TROUBLE_PASSING, /* transient: counts after a while */
	TROUBLE_LASTING	 /* no rights, no such kind: counts at once */
};

enum { TROUBLE_PATIENCE_MS = 15000 };

/* Zeroed: none. */
struct trouble {
	char *text; /* owned; NULL: none */
	enum trouble_kind kind;
	uint64_t since_ms; /* the first of those without a pause */
};

/* Takes text; now_ms as of clock_ms(). Whether it says something new. */
bool trouble_set(
    struct trouble *t, enum trouble_kind kind, char *text, uint64_t now_ms);
/* Whether there was any. */
bool trouble_clear(struct trouble *t);

/* When it counts against readiness; 0: never, there is none. */
uint64_t trouble_due(const struct trouble *t);

#endif
