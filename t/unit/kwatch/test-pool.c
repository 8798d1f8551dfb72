/* A long random walk: no piece overlaps another, and what is freed is used
 * again. */
#include <stdint.h>
#include <string.h>

#include "pool.h"
#include "tap.h"

static unsigned seed = 9;

static unsigned
any(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

enum { PIECES = 400 };
static unsigned char *pieces[PIECES];
static size_t sizes[PIECES];

static bool
all_are(const unsigned char *p, size_t n, unsigned char what)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != what)
			return false;
	return true;
}

static size_t
chunks(const struct pool *p)
{
	size_t n = 0;

	for (void *c = p->chunks; c != NULL; n++)
		memcpy(&c, c, sizeof(c));
	return n;
}

int
main(void)
{
	struct pool p = {0};
	size_t bad = 0, early = 0;

	for (int i = 0; i < 200000; i++) {
		unsigned k = any(PIECES);
		unsigned char mark = (unsigned char)(k & 0xff);

		if (i == 20000)
			early = chunks(&p);
		if (pieces[k] != NULL) {
			bad += !all_are(pieces[k], sizes[k], mark);
			pool_free(&p, pieces[k], sizes[k]);
			pieces[k] = NULL;
			continue;
		}
		sizes[k] = any(10) == 0 ? any(2000) : any(100);
		pieces[k] = pool_zalloc(&p, sizes[k]);
		bad += (uintptr_t)pieces[k] % sizeof(void *) != 0 ||
		    !all_are(pieces[k], sizes[k], 0);
		memset(pieces[k], mark, sizes[k]);
	}
	ok(bad == 0, "pieces are zeroed, aligned and apart");
	ok(early > 1 && chunks(&p) < 3 * early, "freed ones are used again");
	for (int k = 0; k < PIECES; k++)
		if (sizes[k] > POOL_MAX)
			pool_free(&p, pieces[k], sizes[k]);
	pool_release(&p);
	ok(p.chunks == NULL, "the rest is freed as a whole");
	return tap_done();
}
