#include "json/jvtext.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

/* ---- strings that are kept ---- */

/* Kept strings, and their longest text. */
enum { PLACES = 512, TEXT_MOST = 32 };

/* The place of a text; n > 0. */
struct place {
	size_t n;
	char text[TEXT_MOST];
	jv string;
};

/* A few bytes are enough. Texts that collide do no harm. */
static size_t
place_of(struct span text)
{
	uint64_t h = text.n;
	uint32_t first = 0, last = 0;

	if (text.n >= sizeof(first)) {
		memcpy(&first, text.p, sizeof(first));
		memcpy(&last, text.p + text.n - sizeof(last), sizeof(last));
		h += text.p[text.n / 2];
	} else {
		first = (unsigned char)text.p[0];
		last = (unsigned char)text.p[text.n - 1];
		h += (uint64_t)(unsigned char)text.p[text.n / 2] << 8;
	}
	h = (h << 32 ^ first ^ (uint64_t)last << 16) * 0x9e3779b97f4a7c15u;
	return h >> 55;
}

jv
jvtext_key(struct span text)
{
	static struct place places[PLACES];
	struct place *at;

	if (text.n == 0 || text.n > TEXT_MOST)
		return jv_string_sized(
		    text.p != NULL ? text.p : "", (int)text.n);
	at = &places[place_of(text)];
	if (at->n == text.n && memcmp(at->text, text.p, text.n) == 0)
		return jv_copy(at->string);
	if (at->n > 0)
		jv_free(at->string);
	at->string = jv_string_sized(text.p, (int)text.n);
	memcpy(at->text, text.p, text.n);
	at->n = text.n;
	return jv_copy(at->string);
}

/* ---- members ---- */

static int
member_cmp(const void *a, const void *b)
{
	return span_cmp(((const struct jvtext_member *)a)->key,
	    ((const struct jvtext_member *)b)->key);
}

/* Few, and often in order already. */
static void
sort_few(struct jvtext_member *items, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct jvtext_member m = items[i];
		size_t to = i;

		for (; to > 0 && span_cmp(items[to - 1].key, m.key) > 0; to--)
			items[to] = items[to - 1];
		items[to] = m;
	}
}

static void
add_member(struct jvtext_members *m, jv name, jv value)
{
	/* Counting the members first would cost as much as taking them. */
	if (m->count == JVTEXT_FEW) {
		m->items = mem_array(NULL, 2 * m->count, sizeof(*m->items));
		memcpy(m->items, m->few, sizeof(m->few));
	} else if (m->count > JVTEXT_FEW && (m->count & (m->count - 1)) == 0) {
		m->items = mem_array(m->items, 2 * m->count, sizeof(*m->items));
	}
	m->items[m->count++] =
	    (struct jvtext_member){jvtext_span(name), name, value};
}

void
jvtext_members_init(
    struct jvtext_members *m, jv object_peek, enum jvtext_order order)
{
	m->items = m->few;
	m->count = 0;
	jv_object_foreach(object_peek, name, value)
	{
		add_member(m, name, value);
	}
	if (order == JVTEXT_KEPT)
		return;
	if (m->count <= JVTEXT_FEW)
		sort_few(m->items, m->count);
	else
		qsort(m->items, m->count, sizeof(*m->items), member_cmp);
}

void
jvtext_members_release(struct jvtext_members *m)
{
	for (size_t i = 0; i < m->count; i++) {
		jv_free(m->items[i].name);
		jv_free(m->items[i].value);
	}
	if (m->items != m->few)
		free(m->items);
}

/* ---- printing ---- */

/* A level on the way down to the value being printed. */
struct step {
	const struct step *up;
	struct span key; /* p == NULL: index */
	int index;
};

struct text_writer {
	struct buf *out;
	struct err *err;
	enum jvtext_order order;
	size_t most; /* bytes in out */
};

static bool
plain_key(struct span key)
{
	if (key.n == 0)
		return false;
	for (size_t i = 0; i < key.n; i++) {
		char c = key.p[i];

		if (!span_is_alnum(c) && c != '_' && c != '-')
			return false;
	}
	return true;
}

void
jvtext_add_key(struct buf *b, struct span key)
{
	if (plain_key(key)) {
		buf_addc(b, '.');
		buf_addspan(b, key);
		return;
	}
	buf_addc(b, '[');
	json_add_string(b, key);
	buf_addc(b, ']');
}

void
jvtext_add_index(struct buf *b, int index)
{
	buf_addf(b, "[%d]", index);
}

static void
add_path(struct buf *b, const struct step *step)
{
	if (step == NULL)
		return;
	add_path(b, step->up);
	if (step->key.p != NULL)
		jvtext_add_key(b, step->key);
	else
		jvtext_add_index(b, step->index);
}

static int
refuse(struct text_writer *w, const struct step *step, const char *why)
{
	struct buf path = BUF_INIT;

	add_path(&path, step);
	err_set(w->err, ERR_PERMANENT, "%s %s",
	    path.len == 0 ? "the value" : buf_str(&path), why);
	buf_release(&path);
	return -1;
}

static int
add_number(struct text_writer *w, jv number, const struct step *step)
{
	double d = jv_number_value(number);
	char text[40];

	if (!isfinite(d))
		return refuse(w, step, "is not a finite number");
	if (d == trunc(d)) {
		if (fabs(d) > (double)JVTEXT_INT_MAX)
			return refuse(w, step,
			    "is an integer beyond 2^53: digits would be lost");
		json_add_int(w->out, (int64_t)d);
		return 0;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	buf_adds(w->out, text);
	return 0;
}

static int add_value(
    struct text_writer *w, jv v, const struct step *up, int depth);

static int
add_array(struct text_writer *w, jv v, const struct step *up, int depth)
{
	int n = jv_array_length(jv_copy(v));
	int rc = 0;

	buf_addc(w->out, '[');
	for (int i = 0; i < n && rc == 0; i++) {
		struct step step = {up, SPAN_NONE, i};
		jv element = jv_array_get(jv_copy(v), i);

		if (i > 0)
			buf_addc(w->out, ',');
		rc = add_value(w, element, &step, depth + 1);
		jv_free(element);
	}
	buf_addc(w->out, ']');
	return rc;
}

static int
add_object(struct text_writer *w, jv v, const struct step *up, int depth)
{
	struct jvtext_members m;
	int rc = 0;

	jvtext_members_init(&m, v, w->order);
	buf_addc(w->out, '{');
	for (size_t i = 0; i < m.count && rc == 0; i++) {
		struct step step = {up, m.items[i].key, 0};

		if (i > 0)
			buf_addc(w->out, ',');
		json_add_string(w->out, m.items[i].key);
		buf_addc(w->out, ':');
		rc = add_value(w, m.items[i].value, &step, depth + 1);
	}
	buf_addc(w->out, '}');
	jvtext_members_release(&m);
	return rc;
}

static int
add_value(struct text_writer *w, jv v, const struct step *up, int depth)
{
	if (w->out->len > w->most)
		return err_set(w->err, ERR_PERMANENT,
		    "a value is longer than %d bytes", JVTEXT_BYTES_MAX);
	switch (jv_get_kind(v)) {
	case JV_KIND_NULL:
		buf_adds(w->out, "null");
		return 0;
	case JV_KIND_FALSE:
		buf_adds(w->out, "false");
		return 0;
	case JV_KIND_TRUE:
		buf_adds(w->out, "true");
		return 0;
	case JV_KIND_NUMBER:
		return add_number(w, v, up);
	case JV_KIND_STRING:
		json_add_string(w->out, jvtext_span(v));
		return 0;
	case JV_KIND_ARRAY:
	case JV_KIND_OBJECT:
		if (depth >= JVTEXT_DEPTH_MAX) {
			err_set(w->err, ERR_PERMANENT,
			    "a value is nested deeper than %d",
			    JVTEXT_DEPTH_MAX);
			return -1;
		}
		return jv_get_kind(v) == JV_KIND_ARRAY
		    ? add_array(w, v, up, depth)
		    : add_object(w, v, up, depth);
	case JV_KIND_INVALID:
		break;
	}
	return err_set(w->err, ERR_BUG, "no value to print");
}

int
jvtext_add_ordered(
    struct buf *b, jv value_peek, enum jvtext_order order, struct err *err)
{
	size_t before = b->len;
	struct text_writer w = {b, err, order, before + JVTEXT_BYTES_MAX};

	if (add_value(&w, value_peek, NULL, 0) == 0)
		return 0;
	buf_truncate(b, before);
	return -1;
}

int
jvtext_add(struct buf *b, jv value_peek, struct err *err)
{
	return jvtext_add_ordered(b, value_peek, JVTEXT_SORTED, err);
}

jv
jvtext_peek(jv object_peek, const char *key)
{
	jv value;

	if (jv_get_kind(object_peek) != JV_KIND_OBJECT)
		return jv_invalid();
	/* The container keeps a reference of its own. */
	value = jv_object_get(jv_copy(object_peek), jvtext_key(span_str(key)));
	jv_free(value);
	return value;
}

struct span
jvtext_span(jv string_peek)
{
	if (jv_get_kind(string_peek) != JV_KIND_STRING)
		return SPAN_NONE;
	return span_make(jv_string_value(string_peek),
	    (size_t)jv_string_length_bytes(jv_copy(string_peek)));
}

const char *
jvtext_sort(jv value_peek)
{
	switch (jv_get_kind(value_peek)) {
	case JV_KIND_TRUE:
	case JV_KIND_FALSE:
		return "true or false";
	case JV_KIND_NUMBER:
		return "a number";
	case JV_KIND_STRING:
		return "a text";
	case JV_KIND_ARRAY:
		return "an array";
	case JV_KIND_OBJECT:
		return "an object";
	case JV_KIND_NULL:
	case JV_KIND_INVALID:
		break;
	}
	return "null";
}

/* Counts the values down from *left. */
static enum jvtext_size
measure(jv v, int deeper, int *left)
{
	enum jvtext_size size = JVTEXT_FITS;

	if (jv_get_kind(v) != JV_KIND_ARRAY && jv_get_kind(v) != JV_KIND_OBJECT)
		return --*left < 0 ? JVTEXT_LONG : JVTEXT_FITS;
	if (deeper == 0)
		return JVTEXT_DEEP;
	if (--*left < 0)
		return JVTEXT_LONG;
	if (jv_get_kind(v) == JV_KIND_ARRAY) {
		jv_array_foreach(v, i, element)
		{
			if (size == JVTEXT_FITS)
				size = measure(element, deeper - 1, left);
			jv_free(element);
		}
		return size;
	}
	jv_object_foreach(v, key, value)
	{
		if (size == JVTEXT_FITS)
			size = measure(value, deeper - 1, left);
		jv_free(key);
		jv_free(value);
	}
	return size;
}

enum jvtext_size
jvtext_measure(jv value_peek)
{
	/* Each value prints as two bytes or more, with what separates it. */
	int left = JVTEXT_BYTES_MAX / 2;

	return measure(value_peek, JVTEXT_DEPTH_MAX, &left);
}
