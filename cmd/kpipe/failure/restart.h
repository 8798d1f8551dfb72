/*
 * restart: when the pipeline starts again. At once after a first crash, then
 * after 1 s, doubling to 60 s, up to a quarter more by chance so that many
 * operators do not come back in step; a run of 5 minutes makes the next crash
 * a first one again.
 */
#ifndef RESTART_H
#define RESTART_H

#include <stdint.h>

enum {
	RESTART_FIRST_MS = 1000,
	RESTART_MAX_MS = 60000,
	RESTART_GOOD_RUN_MS = 300000
};

struct restart {
	unsigned crashes; /* since the last good run; zeroed: none */
};

/* After a crash that ended a run of ran_ms; random is any number. */
uint64_t restart_next(struct restart *b, uint64_t ran_ms, uint32_t random);

#endif
