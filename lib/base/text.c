#include "base/text.h"

#include <stdlib.h>

#include "base/mem.h"

struct text *
text_make(struct span bytes)
{
	struct text *t = mem_alloc(sizeof(*t) + bytes.n + 1);

	t->refs = 1;
	t->n = bytes.n;
	if (bytes.n > 0)
		memcpy(t->p, bytes.p, bytes.n);
	t->p[bytes.n] = '\0';
	return t;
}

struct text *
text_ref(struct text *t)
{
	if (t != NULL)
		t->refs++;
	return t;
}

void
text_unref(struct text *t)
{
	if (t != NULL && --t->refs == 0)
		free(t);
}
