#include "program/jvwire.h"

#include <stdint.h>
#include <string.h>

#include "json/jvtext.h"

/* Roughly what libjq allocates for an object or an array, and for each
 * value. */
enum { OBJECT_MEMORY = 400, ARRAY_MEMORY = 128, VALUE_MEMORY = 24 };

struct budget {
	int values;    /* values that may still come */
	size_t memory; /* memory that they may still take */
};

static const struct budget most = {JVTEXT_BYTES_MAX / 2, JVWIRE_MEMORY_MAX};

/* Takes a value with this memory from the budget; false if it is exceeded. */
static bool
pay(struct budget *c, size_t memory)
{
	if (--c->values < 0 || memory > c->memory)
		return false;
	c->memory -= memory;
	return true;
}

/* ---- writing ---- */

struct wire_writer {
	struct buf *b;
	size_t most; /* bytes in b */
	struct budget left;
};

static void
add_number(struct buf *b, double d)
{
	char *at = buf_reserve(b, 1 + sizeof(d));

	at[0] = 'd';
	memcpy(at + 1, &d, sizeof(d));
	b->len += 1 + sizeof(d);
}

static void
add_count(struct buf *b, char type, uint32_t n)
{
	char *at = buf_reserve(b, 1 + sizeof(n));

	at[0] = type;
	memcpy(at + 1, &n, sizeof(n));
	b->len += 1 + sizeof(n);
}

static enum jvtext_size
add_text(struct wire_writer *w, jv string_peek)
{
	struct span s = jvtext_span(string_peek);

	if (s.n > w->most - w->b->len)
		return JVTEXT_LONG;
	add_count(w->b, 's', (uint32_t)s.n);
	buf_addspan(w->b, s);
	return JVTEXT_FITS;
}

static enum jvtext_size add_value(struct wire_writer *w, jv v, int deeper);

static enum jvtext_size
add_array(struct wire_writer *w, jv v, int deeper)
{
	int n = jv_array_length(jv_copy(v));
	enum jvtext_size size = JVTEXT_FITS;

	add_count(w->b, 'a', (uint32_t)n);
	for (int i = 0; i < n && size == JVTEXT_FITS; i++) {
		jv element = jv_array_get(jv_copy(v), i);

		size = add_value(w, element, deeper - 1);
		jv_free(element);
	}
	return size;
}

static enum jvtext_size
add_object(struct wire_writer *w, jv v, int deeper)
{
	enum jvtext_size size = JVTEXT_FITS;
	size_t start = w->b->len;
	uint32_t n = 0;

	/* libjq counts members as slowly as it gives them. */
	add_count(w->b, 'o', 0);
	jv_object_foreach(v, key, value)
	{
		n++;
		if (size == JVTEXT_FITS)
			size = add_text(w, key);
		if (size == JVTEXT_FITS)
			size = add_value(w, value, deeper - 1);
		jv_free(key);
		jv_free(value);
	}
	memcpy(w->b->data + start + 1, &n, sizeof(n));
	return size;
}

static enum jvtext_size
add_value(struct wire_writer *w, jv v, int deeper)
{
	jv_kind kind = jv_get_kind(v);
	bool holds = kind == JV_KIND_ARRAY || kind == JV_KIND_OBJECT;

	if (holds && deeper == 0)
		return JVTEXT_DEEP;
	if (!pay(&w->left,
		kind == JV_KIND_OBJECT	    ? OBJECT_MEMORY
		    : kind == JV_KIND_ARRAY ? ARRAY_MEMORY
					    : VALUE_MEMORY) ||
	    w->b->len >= w->most)
		return JVTEXT_LONG;
	switch (kind) {
	case JV_KIND_TRUE:
		buf_addc(w->b, 't');
		return JVTEXT_FITS;
	case JV_KIND_FALSE:
		buf_addc(w->b, 'f');
		return JVTEXT_FITS;
	case JV_KIND_NUMBER:
		add_number(w->b, jv_number_value(v));
		return JVTEXT_FITS;
	case JV_KIND_STRING:
		return add_text(w, v);
	case JV_KIND_ARRAY:
		return add_array(w, v, deeper);
	case JV_KIND_OBJECT:
		return add_object(w, v, deeper);
	default:
		buf_addc(w->b, 'n');
		return JVTEXT_FITS;
	}
}

enum jvtext_size
jvwire_add(struct buf *b, jv value_peek)
{
	size_t before = b->len;
	struct wire_writer w = {b, before + JVWIRE_BYTES_MAX, most};
	enum jvtext_size size = add_value(&w, value_peek, JVTEXT_DEPTH_MAX);

	if (size != JVTEXT_FITS)
		buf_truncate(b, before);
	return size;
}

/* ---- reading ---- */

struct reader {
	const char *p, *end;
	struct budget left;
};

static bool
take(struct reader *r, void *to, size_t n)
{
	if ((size_t)(r->end - r->p) < n)
		return false;
	memcpy(to, r->p, n);
	r->p += n;
	return true;
}

/* A count of things that take at least a byte each. */
static bool
take_count(struct reader *r, uint32_t *n)
{
	return take(r, n, sizeof(*n)) && *n <= (size_t)(r->end - r->p);
}

static jv
read_string(struct reader *r, jv (*make)(struct span text))
{
	uint32_t n;
	const char *at;

	if (!take_count(r, &n))
		return jv_invalid();
	at = r->p;
	r->p += n;
	return make(span_make(at, n));
}

static jv
new_string(struct span text)
{
	return jv_string_sized(text.p, (int)text.n);
}

static jv read_value(struct reader *r, int deeper);

static jv
read_array(struct reader *r, int deeper)
{
	uint32_t n;
	jv array;

	if (!take_count(r, &n) || n > (uint32_t)r->left.values)
		return jv_invalid();
	array = jv_array_sized(n > 0 ? (int)n : 1);
	for (uint32_t i = 0; i < n; i++) {
		jv element = read_value(r, deeper - 1);

		if (!jv_is_valid(element)) {
			jv_free(array);
			return element;
		}
		array = jv_array_append(array, element);
	}
	return array;
}

static jv
read_object(struct reader *r, int deeper)
{
	jv object, key, value;
	uint32_t n;
	char type;

	if (!take_count(r, &n))
		return jv_invalid();
	object = jv_object();
	for (uint32_t i = 0; i < n; i++) {
		key = take(r, &type, 1) && type == 's'
		    ? read_string(r, jvtext_key)
		    : jv_invalid();
		value =
		    jv_is_valid(key) ? read_value(r, deeper - 1) : jv_invalid();
		if (!jv_is_valid(value)) {
			jv_free(key);
			jv_free(object);
			return value;
		}
		object = jv_object_set(object, key, value);
	}
	return object;
}

static jv
read_value(struct reader *r, int deeper)
{
	char type;
	double d;

	if (!take(r, &type, 1) ||
	    ((type == 'a' || type == 'o') && deeper == 0) ||
	    !pay(&r->left,
		type == 'o'	  ? OBJECT_MEMORY
		    : type == 'a' ? ARRAY_MEMORY
				  : VALUE_MEMORY))
		return jv_invalid();
	switch (type) {
	case 'n':
		return jv_null();
	case 't':
		return jv_true();
	case 'f':
		return jv_false();
	case 'd':
		return take(r, &d, sizeof(d)) ? jv_number(d) : jv_invalid();
	case 's':
		return read_string(r, new_string);
	case 'a':
		return read_array(r, deeper);
	case 'o':
		return read_object(r, deeper);
	default:
		return jv_invalid();
	}
}

jv
jvwire_read(struct span bytes)
{
	struct reader r = {bytes.p, bytes.p + bytes.n, most};
	jv value = read_value(&r, JVTEXT_DEPTH_MAX);

	if (jv_is_valid(value) && r.p == r.end)
		return value;
	jv_free(value);
	return jv_invalid();
}
