/*
 * notices: what is told from time to time beside decisions: marks that count
 * without a proof, for users who want to know when they can drop
 * --accept-unproven-marks; and worker processes that were killed, to kpipe.
 */
#ifndef NOTICES_H
#define NOTICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report/reportfd.h"

/* As they were told last. Zeroed memory: nothing was. */
struct notices {
	size_t unproven;
	bool said_unproven;
	uint64_t kills;
};

/* With that option, when everything was read, and after each change. */
void notices_unproven(struct notices *n, size_t count);
/* At any time. */
void notices_kills(struct notices *n, struct reportfd *report);

#endif
