/*
 * reel: the directory of a recording that is being written. A segment that has
 * an eighth of the size is followed by another one, which begins with the state
 * (census.h), taken from the segment before; the oldest are removed, so that
 * all of them stay below the size. Other files are left alone.
 *
 * If another process removes its segment, or all of the directory, the next one
 * begins with the state all the same. Several may write to one directory: each
 * takes a number that is free.
 *
 * A disk that is full, or a directory that cannot be written, is logged once.
 * Lines are lost until a new segment can be begun, which is tried from time to
 * time; that one has a gap line.
 */
#ifndef REEL_H
#define REEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"

struct reel;

enum { REEL_SIZE_MIN = 1024 * 1024, REEL_PARTS = 8 };

/* Called now and then while the state is written: to read what would be lost
 * otherwise. */
typedef void reel_busy_fn(void *arg);

struct reel_opts {
	const char *dir; /* borrowed; made if it is not there */
	uint64_t size;
	struct span facts; /* borrowed: segmentline.h */
	reel_busy_fn *busy;
	void *arg;
};

/* NULL only for what will never work: it is not a directory. */
struct reel *reel_new(const struct reel_opts *o, struct err *err);
/* Adds a line of the recording, without its newline. */
void reel_line(struct reel *s, struct span line);
/* Makes everything readable so far; tries again after a failure. */
void reel_flush(struct reel *s);
/* Nothing can be written now: reel_flush tries again. */
bool reel_fails(const struct reel *s);
/* Writes the end. */
void reel_free(struct reel *s);

#endif
