#include "agree/listkeys.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
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

enum reading { KEY_READ, KEY_ABSENT, KEY_UNSURE };

static enum reading
read_scalar(struct buf *b, const struct flat_value *v)
{
	int64_t n;

	if (v->type == JSON_STRING) {
		buf_addspan(b, flat_span(v));
		return v->escaped ? KEY_UNSURE : KEY_READ;
	}
	if (v->type != JSON_NUMBER)
		return KEY_ABSENT;
	/* Only a number with one possible spelling, such as 80, is sure. */
	if (v->n > 15 || *v->p == '-' || (*v->p == '0' && v->n > 1) ||
	    !json_int(flat_span(v), &n))
		return KEY_UNSURE;
	buf_addspan(b, flat_span(v));
	return KEY_READ;
}

/* Reads a member of value i that is the key of i, or a part of it. */
static enum reading
read_member(struct buf *b, const struct flat *f, uint32_t i, const char *key)
{
	const struct flat_value *v = f->values, *value = NULL;

	for (uint32_t k = i + 1; k < v[i].next; k = v[k + 1].next) {
		if (v[k].escaped)
			return KEY_UNSURE;
		if (span_is(flat_span(&v[k]), key))
			value = &v[k + 1];
	}
	if (value != NULL && value->type != JSON_NULL)
		return read_scalar(b, value);
	if (apischema_key_default(key) == NULL)
		return KEY_ABSENT;
	buf_adds(b, apischema_key_default(key));
	return KEY_READ;
}

static enum reading
read_key(struct buf *b, const struct apischema_list *how, const struct flat *f,
    uint32_t i)
{
	enum reading r = KEY_READ;

	if (how->type == LIST_SET)
		return read_scalar(b, &f->values[i]);
	if (f->values[i].type != JSON_OBJECT)
		return KEY_ABSENT;
	for (int j = 0; j < APISCHEMA_KEYS_MAX && how->keys[j]; j++) {
		if (j > 0)
			buf_addc(b, ',');
		buf_adds(b, how->keys[j]);
		buf_addc(b, '=');
		r = read_member(b, f, i, how->keys[j]);
		if (r != KEY_READ)
			break;
	}
	return r;
}

int
listkeys_read(struct listkeys *k, const struct apischema_list *how,
    const struct flat *f, uint32_t i)
{
	const struct flat_value *v = f->values;

	*k = (struct listkeys){.text = BUF_INIT, .complete = true};
	for (uint32_t j = i + 1; j < v[i].next; j = v[j].next) {
		size_t before = k->text.len;
		enum reading r = read_key(&k->text, how, f, j);

		if (r == KEY_UNSURE) {
			listkeys_release(k);
			return -1;
		}
		if (r == KEY_ABSENT) {
			buf_truncate(&k->text, before);
			k->complete = false;
		}
		k->ends = mem_grow(k->ends, (size_t)k->count, sizeof(*k->ends));
		k->ends[k->count++] = k->text.len;
	}
	return 0;
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
