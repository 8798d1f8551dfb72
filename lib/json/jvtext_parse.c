/*
 * Part of json/jvtext.h. JSON text as libjq's values.
 *
 * Plain JSON is read here, in half the time that libjq takes. For all other
 * text libjq starts again from the beginning, and its verdict counts.
 */
#include <limits.h>
#include <string.h>

#include "json/jvtext.h"

enum {
	DEPTH_MOST = 200, /* well below what libjq refuses */
	DIGITS_MOST = 15  /* all integers with so many are exact doubles */
};

struct reader {
	const char *p, *end;
	struct buf scratch; /* a string without its escapes */
};

static bool
skip_space(struct reader *r)
{
	while (r->p < r->end &&
	    (*r->p == ' ' || *r->p == '\n' || *r->p == '\t' || *r->p == '\r'))
		r->p++;
	return r->p < r->end;
}

/* False: something else comes. */
static bool
take(struct reader *r, char c)
{
	if (!skip_space(r) || *r->p != c)
		return false;
	r->p++;
	return true;
}

static jv
read_word(struct reader *r, const char *word, jv value)
{
	size_t n = strlen(word);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, word, n) != 0)
		return jv_invalid();
	r->p += n;
	return value;
}

static bool
ends_token(char c)
{
	return memchr(" \n\t\r,]}", c, 7) != NULL;
}

/* Reads numbers other than short integers, as doubles, whatever libjq keeps. */
static jv
read_odd_number(struct reader *r)
{
	const char *start = r->p;
	jv number;
	double d;

	while (r->p < r->end && !ends_token(*r->p))
		r->p++;
	number = jv_parse_sized(start, (int)(r->p - start));
	if (jv_get_kind(number) != JV_KIND_NUMBER) {
		jv_free(number);
		return jv_invalid();
	}
	d = jv_number_value(number);
	jv_free(number);
	return jv_number(d);
}

static jv
read_number(struct reader *r)
{
	bool negative = *r->p == '-';
	const char *digits = r->p + negative, *p = digits;
	double d = 0;

	while (p < r->end && *p >= '0' && *p <= '9')
		d = d * 10 + (*p++ - '0');
	if (p == digits || p - digits > DIGITS_MOST ||
	    (p < r->end && !ends_token(*p)))
		return read_odd_number(r);
	r->p = p;
	return jv_number(negative ? -d : d);
}

/* The meaning of the character behind a backslash; 0: libjq decides. */
static char
unescaped(char c)
{
	static const char from[] = "\"\\/nrtbf", to[] = "\"\\/\n\r\t\b\f";
	const char *at = memchr(from, c, sizeof(from) - 1);

	return at != NULL ? to[at - from] : 0;
}

/* The plain characters of a string, up to a quote, a backslash, a control
 * character or the end. */
static struct span
take_plain(struct reader *r)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p != '"' && *r->p != '\\' &&
	    (unsigned char)*r->p >= ' ')
		r->p++;
	return span_make(start, (size_t)(r->p - start));
}

/* A string that begins with text, at the backslash behind it. */
static jv
read_escaped(struct reader *r, struct span text)
{
	struct buf *b = &r->scratch;

	buf_reset(b);
	buf_addspan(b, text);
	while (r->end - r->p >= 2 && *r->p == '\\') {
		char c = unescaped(r->p[1]);

		if (c == 0)
			return jv_invalid();
		buf_addc(b, c);
		r->p += 2;
		buf_addspan(b, take_plain(r));
	}
	if (r->p == r->end || *r->p != '"')
		return jv_invalid();
	r->p++;
	return jv_string_sized(b->data, (int)b->len);
}

/* Reads a string from behind its opening quote. */
static jv
read_string(struct reader *r, jv (*make)(struct span text))
{
	struct span text = take_plain(r);

	if (r->p == r->end || *r->p != '"')
		return read_escaped(r, text);
	r->p++;
	return make(text);
}

static jv
new_string(struct span text)
{
	return jv_string_sized(text.p, (int)text.n);
}

static jv read_value(struct reader *r, int depth);

/* Reads an array from behind its opening bracket. */
static jv
read_array(struct reader *r, int depth)
{
	jv array = jv_array();

	if (take(r, ']'))
		return array;
	for (;;) {
		jv element = read_value(r, depth + 1);

		if (!jv_is_valid(element))
			break;
		array = jv_array_append(array, element);
		if (take(r, ']'))
			return array;
		if (!take(r, ','))
			break;
	}
	jv_free(array);
	return jv_invalid();
}

static jv
read_object(struct reader *r, int depth)
{
	jv object = jv_object();

	if (take(r, '}'))
		return object;
	for (;;) {
		jv key =
		    take(r, '"') ? read_string(r, jvtext_key) : jv_invalid();
		jv value = jv_is_valid(key) && take(r, ':')
		    ? read_value(r, depth + 1)
		    : jv_invalid();

		if (!jv_is_valid(value)) {
			jv_free(key);
			break;
		}
		object = jv_object_set(object, key, value);
		if (take(r, '}'))
			return object;
		if (!take(r, ','))
			break;
	}
	jv_free(object);
	return jv_invalid();
}

/* jv_invalid(): libjq has to read it. */
static jv
read_value(struct reader *r, int depth)
{
	if (!skip_space(r) || depth > DEPTH_MOST)
		return jv_invalid();
	switch (*r->p) {
	case '{':
		r->p++;
		return read_object(r, depth);
	case '[':
		r->p++;
		return read_array(r, depth);
	case '"':
		r->p++;
		return read_string(r, new_string);
	case 'n':
		return read_word(r, "null", jv_null());
	case 't':
		return read_word(r, "true", jv_true());
	case 'f':
		return read_word(r, "false", jv_false());
	default:
		return *r->p == '-' || (*r->p >= '0' && *r->p <= '9')
		    ? read_number(r)
		    : jv_invalid();
	}
}

static jv
read_plain(struct span text)
{
	struct reader r = {text.p, text.p + text.n, BUF_INIT};
	jv value = read_value(&r, 0);

	buf_release(&r.scratch);
	if (!skip_space(&r))
		return value;
	jv_free(value);
	return jv_invalid();
}

/* ---- what libjq reads ---- */

/* Most texts have too few brackets to be nested too deep. */
static bool
may_be_deep(struct span text)
{
	size_t brackets = 0;

	for (size_t i = 0; i < text.n; i++)
		brackets += text.p[i] == '[' || text.p[i] == '{';
	return brackets > JVTEXT_DEPTH_MAX;
}

/* Since 1.7 libjq keeps the digits of a number that it parsed, and compares
 * and prints those. Older ones have no such function. */
extern int jv_number_has_literal(jv number) __attribute__((weak));

static bool
may_hold_literals(jv v)
{
	jv_kind kind = jv_get_kind(v);

	return kind == JV_KIND_NUMBER || kind == JV_KIND_ARRAY ||
	    kind == JV_KIND_OBJECT;
}

static jv without_literals(jv v);

static jv
array_without_literals(jv v)
{
	int n = jv_array_length(jv_copy(v));

	for (int i = 0; i < n; i++) {
		jv element = jv_array_get(jv_copy(v), i);

		if (!may_hold_literals(element)) {
			jv_free(element);
			continue;
		}
		/* The only reference is changed, not copied. */
		v = jv_array_set(v, i, jv_null());
		v = jv_array_set(v, i, without_literals(element));
	}
	return v;
}

static jv
object_without_literals(jv v)
{
	for (int i = jv_object_iter(v); jv_object_iter_valid(v, i);
	     i = jv_object_iter_next(v, i)) {
		jv value = jv_object_iter_value(v, i);
		jv key = jv_object_iter_key(v, i);

		if (!may_hold_literals(value)) {
			jv_free(value);
			jv_free(key);
			continue;
		}
		v = jv_object_set(v, jv_copy(key), jv_null());
		v = jv_object_set(v, key, without_literals(value));
	}
	return v;
}

static jv
without_literals(jv v)
{
	double d;

	switch (jv_get_kind(v)) {
	case JV_KIND_NUMBER:
		d = jv_number_value(v);
		jv_free(v);
		return jv_number(d);
	case JV_KIND_ARRAY:
		return array_without_literals(v);
	case JV_KIND_OBJECT:
		return object_without_literals(v);
	default:
		return v;
	}
}

jv
jvtext_parse(struct span text, struct err *err)
{
	jv value;

	if (text.n > INT_MAX) {
		err_set(err, ERR_PERMANENT, "JSON text is too long");
		return jv_invalid();
	}
	value = read_plain(text);
	if (jv_is_valid(value))
		return value;
	value = jv_parse_sized(text.p, (int)text.n);
	/* Newer versions of libjq parse deeper trees. */
	if (jv_is_valid(value) &&
	    (!may_be_deep(text) || jvtext_measure(value) != JVTEXT_DEEP))
		return jv_number_has_literal == NULL ? value
						     : without_literals(value);
	/* libjq's message quotes the text: it stays here. */
	jv_free(value);
	err_set(err, ERR_PERMANENT,
	    "not one JSON value, or nested deeper than %d", JVTEXT_DEPTH_MAX);
	return jv_invalid();
}
