#include "plain/textset.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void
textset_release(struct textset *s)
{
	char *text;

	for (size_t i = 0; (text = map_next(&s->map, &i)) != NULL;)
		free(text);
	map_release(&s->map);
}

void
textset_add(struct textset *s, struct span text)
{
	char *copy;

	if (textset_has(s, text))
		return;
	copy = mem_dup(text.p, text.n);
	map_put(&s->map, span_make(copy, text.n), copy);
}

bool
textset_has(const struct textset *s, struct span text)
{
	return map_get(&s->map, text) != NULL;
}

size_t
textset_count(const struct textset *s)
{
	return s->map.count;
}

struct span *
textset_sorted(const struct textset *s)
{
	void **texts = map_sorted(&s->map);
	struct span *out = mem_array(NULL, s->map.count, sizeof(*out));

	for (size_t i = 0; i < s->map.count; i++)
		out[i] = span_str(texts[i]);
	free(texts);
	return out;
}

void
textset_split(struct textset *s, struct span list)
{
	while (list.n > 0) {
		struct span name = span_cut(&list, ',');

		if (name.n > 0)
			textset_add(s, name);
	}
}

void
textset_join(const struct textset *s, struct span except, struct buf *b)
{
	struct span *sorted = textset_sorted(s);
	size_t from = b->len;

	for (size_t i = 0; i < s->map.count; i++) {
		if (span_eq(sorted[i], except))
			continue;
		if (b->len > from)
			buf_addc(b, ',');
		buf_addspan(b, sorted[i]);
	}
	free(sorted);
}
