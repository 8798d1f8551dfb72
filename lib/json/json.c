#include "json/json.h"

#include <string.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "json/scan.h"

static inline bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static void
skip_space(struct span *t)
{
	while (t->n > 0 && is_space(*t->p)) {
		t->p++;
		t->n--;
	}
}

static void
advance(struct span *t, const char *to)
{
	t->n -= (size_t)(to - t->p);
	t->p = to;
}

/* Skips white space and c; false, and no further than the space, if another
 * byte is there. */
static bool
skip_byte(struct span *t, char c)
{
	skip_space(t);
	if (t->n == 0 || *t->p != c)
		return false;
	advance(t, t->p + 1);
	return true;
}

enum json_type
json_type(struct span value)
{
	if (value.n == 0)
		return JSON_INVALID;
	switch (value.p[0]) {
	case '{':
		return JSON_OBJECT;
	case '[':
		return JSON_ARRAY;
	case '"':
		return JSON_STRING;
	case 'n':
		return span_is(value, "null") ? JSON_NULL : JSON_INVALID;
	case 't':
		return span_is(value, "true") ? JSON_TRUE : JSON_INVALID;
	case 'f':
		return span_is(value, "false") ? JSON_FALSE : JSON_INVALID;
	default:
		return value.p[0] == '-' ||
			(value.p[0] >= '0' && value.p[0] <= '9')
		    ? JSON_NUMBER
		    : JSON_INVALID;
	}
}

static const char *
scalar_end(const char *p, const char *end)
{
	while (p < end && !is_space(*p) && strchr(",:]}\"[{", *p) == NULL)
		p++;
	return p;
}

struct span
json_value(struct span *text)
{
	const char *start, *stop, *end;

	skip_space(text);
	if (text->n == 0)
		return SPAN_NONE;
	start = text->p;
	end = start + text->n;
	if (*start == '{' || *start == '[') {
		stop = json_scan_container(start + 1, end);
	} else if (*start == '"') {
		stop = json_scan_string(start + 1, end);
		stop = stop == NULL ? NULL : stop + 1;
	} else {
		stop = scalar_end(start, end);
	}
	if (stop == NULL || stop == start)
		return SPAN_NONE;
	advance(text, stop);
	return span_make(start, (size_t)(stop - start));
}

struct json_members
json_members(struct span object)
{
	struct json_members m = {object, SPAN_NONE, SPAN_NONE};

	if (!skip_byte(&m.rest, '{'))
		m.rest = SPAN_NONE;
	return m;
}

bool
json_is_empty(struct span object)
{
	struct json_members m = json_members(object);

	return !json_member(&m);
}

/* Moves to the value of the next member. False: none follows, and the place
 * stays. */
static inline bool
next_key(struct json_members *m)
{
	struct span rest = m->rest;
	const char *close;

	if (m->value.p != NULL && !skip_byte(&rest, ','))
		return false;
	if (!skip_byte(&rest, '"'))
		return false;
	close = json_scan_string(rest.p, rest.p + rest.n);
	if (close == NULL)
		return false;
	m->key = span_make(rest.p, (size_t)(close - rest.p));
	advance(&rest, close + 1);
	if (!skip_byte(&rest, ':'))
		return false;
	m->rest = rest;
	return true;
}

bool
json_member(struct json_members *m)
{
	if (next_key(m)) {
		m->value = json_value(&m->rest);
		if (m->value.p != NULL)
			return true;
	}
	*m = (struct json_members){SPAN_NONE, SPAN_NONE, SPAN_NONE};
	return false;
}

struct json_elements
json_elements(struct span array)
{
	struct json_elements e = {array, SPAN_NONE};

	if (!skip_byte(&e.rest, '['))
		e.rest = SPAN_NONE;
	return e;
}

bool
json_element(struct json_elements *e)
{
	if (e->value.p != NULL && !skip_byte(&e->rest, ','))
		goto end;
	e->value = json_value(&e->rest);
	if (e->value.p != NULL)
		return true;
end:
	*e = (struct json_elements){SPAN_NONE, SPAN_NONE};
	return false;
}

struct span
json_get_raw(struct span object, struct span key)
{
	for (struct json_members m = json_members(object); json_member(&m);)
		if (span_eq(m.key, key))
			return m.value;
	return SPAN_NONE;
}

struct span
json_get(struct span object, const char *key)
{
	return json_get_raw(object, span_str(key));
}

struct span
json_path(struct span object, const char *dotted)
{
	while (object.p != NULL) {
		const char *dot = strchrnul(dotted, '.');

		object = json_get_raw(
		    object, span_make(dotted, (size_t)(dot - dotted)));
		if (*dot == '\0')
			return object;
		dotted = dot + 1;
	}
	return SPAN_NONE;
}

void
json_pick(struct span object, const char *const *keys, size_t count,
    struct span *found)
{
	struct json_members m = json_members(object);
	size_t missing = count;

	for (size_t n = 0; n < count; n++)
		found[n] = SPAN_NONE;
	while (missing > 0 && json_member(&m))
		for (size_t n = 0; n < count; n++) {
			/* The byte behind an empty key is its quote. */
			if (keys[n][0] != m.key.p[0] && m.key.n > 0)
				continue;
			if (found[n].p == NULL && span_is(m.key, keys[n])) {
				found[n] = m.value;
				missing--;
			}
		}
}

/* Four hex digits; -1 if they are not. */
static long
hex4(struct span s, size_t at)
{
	long n = 0;

	if (s.n < at + 4)
		return -1;
	for (size_t i = at; i < at + 4; i++) {
		char c = s.p[i], lower = (char)(c | 0x20);

		if (c >= '0' && c <= '9')
			n = n * 16 + (c - '0');
		else if (lower >= 'a' && lower <= 'f')
			n = n * 16 + (lower - 'a' + 10);
		else
			return -1;
	}
	return n;
}

/* s is behind "\u"; returns how many bytes it took. A lone half of a pair
 * becomes U+FFFD, as Go and jq have it. */
static size_t
unescape_u(struct span s, struct buf *b)
{
	long c = hex4(s, 0), low;

	if (c < 0)
		return 0;
	if (c < 0xd800 || c > 0xdfff) {
		utf8_add(b, (uint32_t)c);
		return 4;
	}
	if (c < 0xdc00 && s.n >= 10 && s.p[4] == '\\' && s.p[5] == 'u') {
		low = hex4(s, 6);
		if (low >= 0xdc00 && low <= 0xdfff) {
			utf8_add(b,
			    (uint32_t)(0x10000 + ((c - 0xd800) << 10) +
				(low - 0xdc00)));
			return 10;
		}
	}
	utf8_add(b, UTF8_REPLACEMENT);
	return 4;
}

static void
unescape(struct span s, struct buf *b)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";

	while (s.n > 0) {
		const char *bs = memchr(s.p, '\\', s.n), *at;
		char c;

		if (bs == NULL || bs + 1 == s.p + s.n) {
			buf_addspan(b, s);
			return;
		}
		buf_add(b, s.p, (size_t)(bs - s.p));
		c = bs[1];
		advance(&s, bs + 2);
		if (c == 'u')
			advance(&s, s.p + unescape_u(s, b));
		else if (c != '\0' && (at = strchr(from, c)) != NULL)
			buf_addc(b, to[at - from]);
		else
			buf_addc(b, c);
	}
}

/* s is behind a backslash. Appends the character that was meant, if it needs no
 * escape; returns how many bytes it took, 0: it stays. */
static size_t
take_needless(struct span s, struct buf *out)
{
	size_t n, before = out->len;
	uint32_t c = 0;

	if (s.n > 0 && *s.p == '/') {
		buf_addc(out, '/');
		return 1;
	}
	if (s.n == 0 || *s.p != 'u')
		return 0;
	n = unescape_u(span_skip(s, 1), out);
	if (n > 0)
		utf8_decode(out->data + before, out->data + out->len, &c);
	if (n > 0 && c != '"' && c != '\\' && c != UTF8_REPLACEMENT &&
	    utf8_is_visible(c))
		return n + 1;
	buf_truncate(out, before);
	return 0;
}

/* The next backslash with such an escape behind it, or the end. */
static const char *
find_escape(const char *p, const char *end)
{
	while (p < end && (p = memchr(p, '\\', (size_t)(end - p))) != NULL) {
		if (p + 1 < end && (p[1] == 'u' || p[1] == '/'))
			return p;
		p += p + 1 < end ? 2 : 1;
	}
	return end;
}

bool
json_plain(struct span text, struct buf *out)
{
	const char *p = text.p, *end = text.p + text.n, *at;
	size_t before = out->len;
	bool changed = false;

	while ((at = find_escape(p, end)) < end) {
		size_t n;

		buf_add(out, p, (size_t)(at - p));
		n = take_needless(
		    span_make(at + 1, (size_t)(end - at - 1)), out);
		changed = changed || n > 0;
		if (n == 0)
			buf_add(out, at, 2);
		p = n > 0 ? at + 1 + n : at + 2;
	}
	if (!changed) {
		buf_truncate(out, before);
		return false;
	}
	buf_add(out, p, (size_t)(end - p));
	return true;
}

struct span
json_raw_string(struct span value)
{
	if (json_type(value) != JSON_STRING || value.n < 2)
		return SPAN_NONE;
	return span_make(value.p + 1, value.n - 2);
}

struct span
json_string(struct span value, struct buf *scratch)
{
	size_t start = scratch->len;

	if (value.n < 2 || value.p[0] != '"')
		return SPAN_NONE;
	value = span_make(value.p + 1, value.n - 2);
	if (value.n == 0 || memchr(value.p, '\\', value.n) == NULL)
		return value;
	unescape(value, scratch);
	return span_make(scratch->data + start, scratch->len - start);
}

void
json_add_decoded(struct buf *b, struct span value)
{
	struct buf scratch = BUF_INIT;

	buf_addspan(b, json_string(value, &scratch));
	buf_release(&scratch);
}

struct span
json_name(struct span value, struct arena *names)
{
	struct span raw = json_raw_string(value);
	struct buf text = BUF_INIT;

	if (span_find(raw, '\\') == NULL)
		return raw;
	unescape(raw, &text);
	raw = arena_span(names, buf_span(&text));
	buf_release(&text);
	return raw;
}

/* ---- the frame of an object ---- */

/* The objects on the way are read member by member; what is not wanted in them
 * is skipped. Each function moves *text behind the object that it begins with,
 * and returns -1 if that is not one. */

/* The object that ends here, from its start on; SPAN_NONE if it does not. */
static struct span
close_object(struct span *text, struct json_members *m)
{
	const char *start;

	skip_space(text);
	start = text->p;
	if (!skip_byte(&m->rest, '}'))
		return SPAN_NONE;
	*text = m->rest;
	return span_make(start, (size_t)(m->rest.p - start));
}

static int
frame_metadata(struct span *text, struct json_frame *f)
{
	struct json_members m = json_members(*text);

	for (;;) {
		const char *member, *stop;

		skip_space(&m.rest);
		member = m.rest.p; /* the comma, or the key */
		if (!next_key(&m))
			break;
		m.value = json_value(&m.rest);
		if (m.value.p == NULL)
			return -1;
		if (span_is(m.key, "name")) {
			f->name = json_raw_string(m.value);
		} else if (span_is(m.key, "namespace")) {
			f->namespace_ = json_raw_string(m.value);
		} else if (span_is(m.key, "uid")) {
			f->uid = json_raw_string(m.value);
		} else if (span_is(m.key, "resourceVersion")) {
			f->resource_version = json_raw_string(m.value);
		} else if (span_is(m.key, "annotations")) {
			f->annotations = m.value;
		} else if (span_is(m.key, "managedFields")) {
			struct span rest = m.rest;

			stop = rest.p;
			if (*member != ',' && skip_byte(&rest, ','))
				stop = rest.p;
			f->managed_fields =
			    span_make(member, (size_t)(stop - member));
		}
	}
	f->metadata = close_object(text, &m);
	return f->metadata.p != NULL ? 0 : -1;
}

static int
frame_object(struct span *text, struct json_frame *f)
{
	struct json_members m = json_members(*text);

	while (next_key(&m)) {
		skip_space(&m.rest);
		if (span_is(m.key, "metadata") && span_starts(m.rest, "{")) {
			if (frame_metadata(&m.rest, f) != 0)
				return -1;
			m.value = f->metadata;
			continue;
		}
		m.value = json_value(&m.rest);
		if (m.value.p == NULL)
			return -1;
		if (span_is(m.key, "apiVersion"))
			f->api_version = json_raw_string(m.value);
		else if (span_is(m.key, "kind"))
			f->kind = json_raw_string(m.value);
	}
	f->object = close_object(text, &m);
	return f->object.p != NULL ? 0 : -1;
}

int
json_frame(struct span line, struct json_frame *f)
{
	struct json_members m = json_members(line);

	*f = (struct json_frame){0};
	while (next_key(&m)) {
		if (span_is(m.key, "object")) {
			if (frame_object(&m.rest, f) != 0)
				return -1;
			m.value = f->object;
			continue;
		}
		m.value = json_value(&m.rest);
		if (m.value.p == NULL)
			return -1;
		if (span_is(m.key, "type"))
			f->type = json_raw_string(m.value);
	}
	if (!skip_byte(&m.rest, '}'))
		return -1;
	skip_space(&m.rest);
	return m.rest.n == 0 && f->type.p != NULL && f->object.p != NULL ? 0
									 : -1;
}

int
json_object_frame(struct span object, struct json_frame *f)
{
	*f = (struct json_frame){0};
	if (frame_object(&object, f) != 0)
		return -1;
	skip_space(&object);
	return object.n == 0 ? 0 : -1;
}

static void
decode(struct span *text, struct arena *names)
{
	if (span_find(*text, '\\') != NULL)
		*text = json_name(span_make(text->p - 1, text->n + 2), names);
}

void
json_frame_names(struct json_frame *f, struct arena *names)
{
	decode(&f->namespace_, names);
	decode(&f->name, names);
	decode(&f->uid, names);
	decode(&f->resource_version, names);
}

/* ---- other questions ---- */

/* Whether the raw key is that name; an escape is longer than what it means. */
static bool
key_is(struct span key, struct span name)
{
	struct buf text = BUF_INIT;
	bool same;

	if (key.n <= name.n || span_find(key, '\\') == NULL)
		return span_eq(key, name) && span_find(key, '\\') == NULL;
	unescape(key, &text);
	same = span_eq(buf_span(&text), name);
	buf_release(&text);
	return same;
}

struct span
json_get_named(struct span object, struct span name)
{
	for (struct json_members m = json_members(object); json_member(&m);)
		if (key_is(m.key, name))
			return m.value;
	return SPAN_NONE;
}

bool
json_int(struct span value, int64_t *n)
{
	uint64_t sum = 0, most = INT64_MAX;
	bool negative = value.n > 0 && value.p[0] == '-';

	if (negative) {
		advance(&value, value.p + 1);
		most++;
	}
	if (value.n == 0 || value.n > 19)
		return false;
	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] < '0' || value.p[i] > '9')
			return false;
		sum = sum * 10 + (uint64_t)(value.p[i] - '0');
	}
	if (sum > most)
		return false;
	*n = (int64_t)(negative ? 0 - sum : sum);
	return true;
}

bool
json_is(struct span value, const char *text)
{
	struct buf scratch = BUF_INIT;
	struct span got = json_string(value, &scratch);
	bool same = got.p != NULL && span_is(got, text);

	buf_release(&scratch);
	return same;
}

struct span
json_find(struct span array, const char *key, const char *text)
{
	struct json_elements e = json_elements(array);

	while (json_element(&e))
		if (json_is(json_get(e.value, key), text))
			return e.value;
	return SPAN_NONE;
}

/* ---- writers ---- */

void
json_add_string(struct buf *b, struct span text)
{
	quote_json(b, text, QUOTE_LEAST);
}

void
json_add_str(struct buf *b, const char *text)
{
	json_add_string(b, span_str(text));
}

void
json_add_int(struct buf *b, int64_t n)
{
	char digits[20];
	size_t at = sizeof(digits);
	uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;

	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (n < 0)
		digits[--at] = '-';
	buf_add(b, digits + at, sizeof(digits) - at);
}

void
json_add_comma(struct buf *b)
{
	char last = b->len == 0 ? '[' : b->data[b->len - 1];

	if (last != '{' && last != '[')
		buf_addc(b, ',');
}

void
json_add_key(struct buf *b, const char *key)
{
	json_add_comma(b);
	buf_addc(b, '"');
	buf_adds(b, key);
	buf_adds(b, "\":");
}

void
json_add_text(struct buf *b, const char *key, struct span text)
{
	json_add_key(b, key);
	json_add_string(b, text);
}

void
json_add_raw_key(struct buf *b, struct span key)
{
	json_add_comma(b);
	buf_addc(b, '"');
	buf_addspan(b, key);
	buf_adds(b, "\":");
}

static void
add_members(struct buf *b, struct span object)
{
	buf_addc(b, '{');
	for (struct json_members m = json_members(object); json_member(&m);) {
		if (json_type(m.value) == JSON_NULL)
			continue;
		json_add_raw_key(b, m.key);
		json_add_compact(b, m.value);
	}
	buf_addc(b, '}');
}

void
json_add_compact(struct buf *b, struct span value)
{
	struct json_elements e;

	switch (json_type(value)) {
	case JSON_OBJECT:
		add_members(b, value);
		break;
	case JSON_ARRAY:
		buf_addc(b, '[');
		for (e = json_elements(value); json_element(&e);) {
			json_add_comma(b);
			json_add_compact(b, e.value);
		}
		buf_addc(b, ']');
		break;
	default:
		buf_addspan(b, value);
	}
}
