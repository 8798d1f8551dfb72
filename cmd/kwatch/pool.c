#include "pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { CHUNK = 16 * 1024 };

/* The size in steps; a piece has room for the address of the next unused
 * one. */
static size_t
steps(size_t n)
{
	return n == 0 ? 1 : (n + POOL_STEP - 1) / POOL_STEP;
}

static void *
next_of(const void *piece)
{
	void *next;

	memcpy(&next, piece, sizeof(next));
	return next;
}

static void
set_next(void *piece, void *next)
{
	memcpy(piece, &next, sizeof(next));
}

void
pool_release(struct pool *p)
{
	while (p->chunks != NULL) {
		void *next = next_of(p->chunks);

		free(p->chunks);
		p->chunks = next;
	}
	*p = (struct pool){0};
}

static void
grow(struct pool *p)
{
	char *chunk = mem_alloc(CHUNK);

	/* The end of the chunk before. */
	if (p->left > 0)
		pool_free(p, p->next, p->left);
	set_next(chunk, p->chunks);
	p->chunks = chunk;
	p->next = chunk + POOL_STEP;
	p->left = CHUNK - POOL_STEP;
}

void *
pool_zalloc(struct pool *p, size_t n)
{
	size_t k = steps(n);
	void *piece;

	if (n > POOL_MAX)
		return mem_zalloc(n);
	piece = p->unused[k];
	if (piece != NULL) {
		p->unused[k] = next_of(piece);
	} else {
		if (p->left < k * POOL_STEP)
			grow(p);
		piece = p->next;
		p->next += k * POOL_STEP;
		p->left -= k * POOL_STEP;
	}
	return memset(piece, 0, k * POOL_STEP);
}

void
pool_free(struct pool *p, void *piece, size_t n)
{
	if (piece == NULL)
		return;
	if (n > POOL_MAX) {
		free(piece);
		return;
	}
	set_next(piece, p->unused[steps(n)]);
	p->unused[steps(n)] = piece;
}
