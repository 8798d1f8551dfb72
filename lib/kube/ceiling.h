/*
 * ceiling: how many writes a second a tool may do, whatever it is asked for.
 *
 * A bucket of CEILING_BURST_S seconds' writes, so that only what goes on and
 * on is ever held up. It counts who writes, to name the one that wrote most.
 * No clock of its own.
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

/* A write begins that is for `who`. */
void ceiling_write(struct ceiling *c, struct span who, uint64_t now_ms);

/* How long until the next may begin; 0: now. */
uint64_t ceiling_wait(struct ceiling *c, uint64_t now_ms);

/*
 * Something has to wait: true the first time, until the bucket was full again.
 * Then *most (borrowed) is who wrote most of *of writes, namely *count.
 */
struct ceiling_most {
	const char *who;
	uint64_t count, of;
};
bool ceiling_hold(
    struct ceiling *c, uint64_t wait_ms, struct ceiling_most *most);
/* That as a sentence, appended. */
void ceiling_tell(
    const struct ceiling *c, const struct ceiling_most *most, struct buf *b);

#endif
