/*
 * arena: memory that lives as long as one piece of work (a request, a line)
 * and is freed as a whole. Nothing in it is freed alone.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

#include "base/span.h"

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first; owned */
	char *next;
	size_t left;
	size_t total; /* bytes handed out */
};

#define ARENA_INIT               \
	{                        \
		NULL, NULL, 0, 0 \
	}

void arena_release(struct arena *a); /* frees all, leaves an empty arena */
void arena_reset(struct arena *a);   /* frees all but one small block */

/* Aligned for any type, never NULL (see mem.h), not zeroed. */
void *arena_alloc(struct arena *a, size_t n);
void *arena_zalloc(struct arena *a, size_t n);
/* An array grown to count elements; the elements of p are copied. p may be
 * NULL. */
void *arena_grow(
    struct arena *a, void *p, size_t old, size_t count, size_t size);
/* Room for one more behind n elements, in an array that grew one by one from
 * nothing. It doubles, so that the old copies never take more memory than the
 * array. */
void *arena_more(struct arena *a, void *p, size_t n, size_t size);
/* Copies; text ends in a NUL that n does not count. */
struct span arena_span(struct arena *a, struct span text);
char *arena_str(struct arena *a, struct span text);
/* A copy with A to Z in lower case, and a NUL behind it. */
struct span arena_lower(struct arena *a, struct span text);
struct span arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
