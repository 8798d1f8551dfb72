#include "text/texts.h"

#include <stdlib.h>

int
texts_cmp(const void *x, const void *y)
{
	return span_cmp(*(const struct span *)x, *(const struct span *)y);
}

void
texts_sort(struct span *texts, size_t n)
{
	if (n > 1)
		qsort(texts, n, sizeof(*texts), texts_cmp);
}

bool
texts_have(const struct span *texts, size_t n, struct span text)
{
	for (size_t i = 0; i < n; i++)
		if (span_eq(texts[i], text))
			return true;
	return false;
}
