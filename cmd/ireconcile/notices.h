/*
 * notices: what is told from time to time beside decisions: marks that count
 * without a proof, for users who want to know when they can drop
 * --accept-unproven-marks; objects that are too large to be read; and worker
 * processes that were killed, to kpipe.
 */
#ifndef NOTICES_H
#define NOTICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/reportfd.h"

struct cache;

/* As they were told last. Zeroed memory: nothing was. */
struct notices {
	size_t unproven;
	bool said_unproven;
	uint64_t kills;
	size_t *too_large; /* owned: of each kind */
};

/* With that option, when everything was read, and after each change. */
void notices_unproven(struct notices *n, size_t count);
/* Kinds with objects that are too large to be read: reasons for not being ready.
 * At any time. */
void notices_too_large(
    struct notices *n, const struct cache *store, struct reportfd *report);
void notices_release(struct notices *n);
/* At any time. */
void notices_kills(struct notices *n, struct reportfd *report);

#endif
