#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

enum {
	ALIGN = 16,
	BLOCK_MIN = 4096,
	BLOCK_KEPT = 1 << 16,
	BLOCK_MAX = 1 << 20
};

struct arena_block {
	struct arena_block *older;
	size_t size; /* bytes of data */
	_Alignas(ALIGN) char data[];
};

void
arena_release(struct arena *a)
{
	while (a->blocks != NULL) {
		struct arena_block *b = a->blocks;

		a->blocks = b->older;
		free(b);
	}
	*a = (struct arena)ARENA_INIT;
}

void
arena_reset(struct arena *a)
{
	struct arena_block *first = a->blocks;

	while (first != NULL && first->older != NULL) {
		a->blocks = first->older;
		free(first);
		first = a->blocks;
	}
	if (first == NULL || first->size > BLOCK_KEPT) {
		arena_release(a);
		return;
	}
	a->next = first->data;
	a->left = first->size;
	a->total = 0;
}

/* Blocks double, so that a large document takes few of them. */
static void
add_block(struct arena *a, size_t n)
{
	size_t size = a->blocks == NULL ? BLOCK_MIN : a->blocks->size * 2;
	struct arena_block *b;

	if (size > BLOCK_MAX)
		size = BLOCK_MAX;
	if (size < n)
		size = n;
	b = mem_alloc(sizeof(*b) + size);
	b->older = a->blocks;
	b->size = size;
	a->blocks = b;
	a->next = b->data;
	a->left = size;
}

void *
arena_alloc(struct arena *a, size_t n)
{
	void *p;

	n = (n + ALIGN - 1) / ALIGN * ALIGN;
	if (a->left < n)
		add_block(a, n);
	p = a->next;
	a->next += n;
	a->left -= n;
	a->total += n;
	return p;
}

void *
arena_zalloc(struct arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

void *
arena_grow(struct arena *a, void *p, size_t old, size_t count, size_t size)
{
	void *q;

	if (count > SIZE_MAX / 2 / size)
		mem_alloc(SIZE_MAX); /* says that memory is out, and exits */
	q = arena_alloc(a, count * size);
	if (old > 0)
		memcpy(q, p, old * size);
	return q;
}

void *
arena_more(struct arena *a, void *p, size_t n, size_t size)
{
	enum { FIRST = 4 };

	if (n == 0)
		return arena_grow(a, NULL, 0, FIRST, size);
	/* Full at 4, 8, 16, ... */
	if (n < FIRST || (n & (n - 1)) != 0)
		return p;
	return arena_grow(a, p, n, 2 * n, size);
}

char *
arena_str(struct arena *a, struct span text)
{
	char *s = arena_alloc(a, text.n + 1);

	if (text.n > 0)
		memcpy(s, text.p, text.n);
	s[text.n] = '\0';
	return s;
}

struct span
arena_span(struct arena *a, struct span text)
{
	return span_make(arena_str(a, text), text.n);
}

struct span
arena_lower(struct arena *a, struct span text)
{
	char *s = arena_str(a, text);

	for (size_t i = 0; i < text.n; i++)
		if (s[i] >= 'A' && s[i] <= 'Z')
			s[i] = (char)(s[i] - 'A' + 'a');
	return span_make(s, text.n);
}

struct span
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list args, again;
	char *s;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	if (n < 0)
		n = 0;
	s = arena_alloc(a, (size_t)n + 1);
	vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	return span_make(s, (size_t)n);
}
