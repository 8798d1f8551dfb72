/*
 * ceiling: a limit of the writes per second of a tool.
 *
 * A bucket holds CEILING_BURST_S seconds' worth of writes, so that only lasting
 * load is ever held up. It counts writes by writer, to name the one that wrote
 * most. The caller passes the time.
 */
#ifndef CEILING_H
#define CEILING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/span.h"

enum { CEILING_DEFAULT = 500, CEILING_MAX = 1000000, CEILING_BURST_S = 20 };

struct ceiling {
	long limit;   /* a second; 0: none */
	int64_t left; /* thousandths of a write */
	uint64_t at_ms;
	bool hit;
	uint64_t held_ms;   /* in all */
	struct map writers; /* of struct ceiling_writer, owned: since from_ms */
	uint64_t from_ms, writes;
};

void ceiling_init(struct ceiling *c, long limit, uint64_t now_ms);
void ceiling_release(struct ceiling *c);

/* A write for `who` begins. */
void ceiling_write(struct ceiling *c, struct span who, uint64_t now_ms);

/* Time until the next write may begin; 0: now. */
uint64_t ceiling_wait(struct ceiling *c, uint64_t now_ms);

/*
 * A write has to wait. True the first time since the bucket was full; then
 * *most (borrowed) is the writer with the most writes, *count of *of.
 */
struct ceiling_most {
	const char *who;
	uint64_t count, of;
};
bool ceiling_hold(
    struct ceiling *c, uint64_t wait_ms, struct ceiling_most *most);
/* Appends that as a sentence. */
void ceiling_tell(
    const struct ceiling *c, const struct ceiling_most *most, struct buf *b);

#endif
