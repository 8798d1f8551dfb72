/*
 * pool: small pieces of memory that are many and live long, apart from the
 * heap: what lives shorter leaves no holes between them that nothing fits
 * into, and a piece has no header. Pieces above POOL_MAX bytes are from the
 * heap.
 */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

enum { POOL_STEP = 8, POOL_MAX = 512 };

/* Zero it; pool_release it. */
struct pool {
	void *chunks; /* each begins with the address of the next; owned */
	char *next;
	size_t left;
	void *unused[POOL_MAX / POOL_STEP + 1]; /* lists of pieces, by size */
};

/* Frees all pieces at once, but for those above POOL_MAX. */
void pool_release(struct pool *p);
/* Zeroed, aligned for a pointer. */
void *pool_zalloc(struct pool *p, size_t n);
/* n: as it was allocated. piece may be NULL. */
void pool_free(struct pool *p, void *piece, size_t n);

#endif
