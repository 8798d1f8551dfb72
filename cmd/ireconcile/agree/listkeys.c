#include "agree/listkeys.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/jvtext.h"

static bool
add_scalar(struct buf *b, jv value)
{
	struct span s = jvtext_span(value);

	if (s.p != NULL) {
		buf_addspan(b, s);
		return true;
	}
	return jv_get_kind(value) == JV_KIND_NUMBER &&
	    jvtext_add(b, value, NULL) == 0;
}

static bool
add_key(struct buf *b, const struct apischema_list *how, jv element)
{
	if (how->type == LIST_SET)
		return add_scalar(b, element);
	if (jv_get_kind(element) != JV_KIND_OBJECT)
		return false;
	for (int i = 0; i < APISCHEMA_KEYS_MAX && how->keys[i]; i++) {
		const char *key = how->keys[i];
		jv value = jvtext_peek(element, key);

		if (i > 0)
			buf_addc(b, ',');
		buf_adds(b, key);
		buf_addc(b, '=');
		if (jv_is_valid(value) && jv_get_kind(value) != JV_KIND_NULL) {
			if (!add_scalar(b, value))
				return false;
		} else if (apischema_key_default(key) != NULL) {
			buf_adds(b, apischema_key_default(key));
		} else {
			return false;
		}
	}
	return true;
}

void
listkeys_init(
    struct listkeys *k, const struct apischema_list *how, jv array_peek)
{
	k->count = jv_array_length(jv_copy(array_peek));
	k->text = (struct buf)BUF_INIT;
	k->ends = mem_array(NULL, (size_t)k->count, sizeof(*k->ends));
	k->complete = true;
	for (int i = 0; i < k->count; i++) {
		jv element = jv_array_get(jv_copy(array_peek), i);
		size_t before = k->text.len;

		if (!add_key(&k->text, how, element)) {
			buf_truncate(&k->text, before);
			k->complete = false;
		}
		jv_free(element);
		k->ends[i] = k->text.len;
	}
}

void
listkeys_release(struct listkeys *k)
{
	buf_release(&k->text);
	free(k->ends);
}

struct span
listkeys_get(const struct listkeys *k, int i)
{
	size_t from = i > 0 ? k->ends[i - 1] : 0;

	if (k->text.data == NULL)
		return span_str("");
	return span_make(k->text.data + from, k->ends[i] - from);
}

int
listkeys_find(const struct listkeys *a, int i, const struct listkeys *b)
{
	struct span key = listkeys_get(a, i);
	int same = 0;

	for (int j = 0; j < i; j++)
		same += span_eq(listkeys_get(a, j), key);
	for (int j = 0; j < b->count; j++)
		if (span_eq(listkeys_get(b, j), key) && same-- == 0)
			return j;
	return -1;
}
