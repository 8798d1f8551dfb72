#include "program/natives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "json/json.h"
#include "json/jvtext.h"
#include "program/yamltext.h"
#include "value/base64.h"
#include "value/digest.h"

enum { CONTAINS_DEPTH_MAX = 1000 };

jv
natives_refuse(jv x, const char *message)
{
	jv_free(x);
	return jv_invalid_with_msg(jv_string(message));
}

/* Consumes x. */
static jv
take_text(jv x, struct buf *text)
{
	jv result = jv_string_sized(text->data, (int)text->len);

	buf_release(text);
	jv_free(x);
	return result;
}

static jv
sha256(jv x)
{
	unsigned char digest[DIGEST_SIZE];
	struct buf hex = BUF_INIT;
	struct span s = jvtext_span(x);

	if (s.p == NULL)
		return natives_refuse(x, "sha256 takes a string");
	digest_sha256(s, digest);
	digest_add_hex(&hex, digest, sizeof(digest));
	return take_text(x, &hex);
}

/* Consumes x. rc: the result of appending x to text. */
static jv
take_printed(jv x, struct buf *text, int rc, const struct err *err)
{
	if (rc == 0)
		return take_text(x, text);
	buf_release(text);
	jv_free(x);
	return jv_invalid_with_msg(jv_string_fmt("tojson: %s", err->message));
}

static jv
tojson(jv x)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	int rc = jvtext_add_ordered(&text, x, JVTEXT_KEPT, &err);

	return take_printed(x, &text, rc, &err);
}

static jv
to_yaml(jv x)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	int rc = yamltext_add(&text, x, &err);

	return take_printed(x, &text, rc, &err);
}

/* JSON as in RFC 8259: no nan, no second value. */
static jv
fromjson(jv x)
{
	struct span s = jvtext_span(x);
	struct err err = ERR_INIT;
	jv value;

	if (s.p == NULL)
		return natives_refuse(x, "fromjson takes a string");
	if (json_check(s, &err) != 0)
		return natives_refuse(x, "fromjson: the text is not JSON");
	value = jvtext_parse(s, &err);
	if (!jv_is_valid(value)) {
		jv_free(value);
		return natives_refuse(x, "fromjson: the text is not JSON");
	}
	jv_free(x);
	return value;
}

static size_t
digits(struct span s, size_t at)
{
	size_t from = at;

	while (at < s.n && span_is_digit(s.p[at]))
		at++;
	return at - from;
}

/* A number as jq's own texts have it; zeros may lead. */
static bool
is_number(struct span s)
{
	size_t at = s.n > 0 && s.p[0] == '-';
	size_t whole = digits(s, at);
	size_t fraction = 0;

	at += whole;
	if (at < s.n && s.p[at] == '.') {
		fraction = digits(s, at + 1);
		at += 1 + fraction;
	}
	if (whole + fraction == 0)
		return false;
	if (at < s.n && (s.p[at] | 0x20) == 'e') {
		at++;
		at += at < s.n && (s.p[at] == '+' || s.p[at] == '-');
		if (digits(s, at) == 0)
			return false;
		at += digits(s, at);
	}
	return at == s.n;
}

static jv
tonumber(jv x)
{
	struct span s = jvtext_span(x);
	double value;

	if (s.p == NULL)
		return natives_refuse(x, "tonumber takes a number or a string");
	if (!is_number(s))
		return natives_refuse(x, "tonumber: the text is not a number");
	/* A string of libjq ends with a NUL. */
	value = strtod(s.p, NULL);
	jv_free(x);
	return jv_number(value);
}

static jv
uri(jv x)
{
	static const char hex[] = "0123456789ABCDEF";
	struct span s = jvtext_span(x);
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (span_is_alnum((char)c) ||
		    (c != '\0' && strchr("-_.~", c) != NULL))
			buf_addc(&out, (char)c);
		else
			buf_addf(&out, "%%%c%c", hex[c >> 4], hex[c & 15]);
	}
	return take_text(x, &out);
}

/* Padding may be missing. Bytes that are not UTF-8 become U+FFFD. */
static jv
base64d(jv x)
{
	struct span s = jvtext_span(x);
	struct buf padded = BUF_INIT;
	struct buf out = BUF_INIT;
	int rc;

	buf_addspan(&padded, s);
	while (padded.len % 4 != 0)
		buf_addc(&padded, '=');
	rc = base64_decode(buf_span(&padded), BASE64_BLANKS, &out, NULL);
	buf_release(&padded);
	if (s.n > 0 && rc != 0) {
		buf_release(&out);
		return natives_refuse(x, "@base64d: the text is not base64");
	}
	return take_text(x, &out);
}

static jv
implode(jv x)
{
	jv text = jv_string_empty(64);

	if (jv_get_kind(x) != JV_KIND_ARRAY) {
		jv_free(text);
		return natives_refuse(x, "implode takes an array");
	}
	jv_array_foreach(x, i, element)
	{
		double d = jv_get_kind(element) == JV_KIND_NUMBER
		    ? jv_number_value(element)
		    : -1;

		jv_free(element);
		if (!(d >= 0 && d <= 0x10ffff) || (d >= 0xd800 && d < 0xe000)) {
			jv_free(text);
			return natives_refuse(
			    x, "implode: an element is not a code point");
		}
		text = jv_string_append_codepoint(text, (uint32_t)d);
	}
	jv_free(x);
	return text;
}

/* [text, part]: where part begins in text, in code points. */
static jv
indices(jv x)
{
	jv text = jv_array_get(jv_copy(x), 0);
	jv part = jv_array_get(x, 1);
	struct span rest = jvtext_span(text);
	struct span what = jvtext_span(part);
	jv found = jv_array();
	int at = 0;

	while (what.n > 0 && rest.n >= what.n) {
		const char *p = memmem(rest.p, rest.n, what.p, what.n);

		if (p == NULL)
			break;
		at += (int)utf8_count(span_make(rest.p, (size_t)(p - rest.p)));
		found = jv_array_append(found, jv_number(at));
		/* Go on behind the first character of the match. */
		rest = span_make(p + 1, rest.n - (size_t)(p + 1 - rest.p));
		at++;
	}
	jv_free(text);
	jv_free(part);
	return found;
}

static bool contains(jv a, jv b, int depth);

static bool
contains_members(jv a, jv b, int depth)
{
	bool all = true;

	jv_object_foreach(b, key, value)
	{
		jv mine = all ? jv_object_get(jv_copy(a), jv_copy(key))
			      : jv_invalid();

		all = all && jv_is_valid(mine) && contains(mine, value, depth);
		jv_free(mine);
		jv_free(key);
		jv_free(value);
	}
	return all;
}

static bool
contains_elements(jv a, jv b, int depth)
{
	bool all = true;

	jv_array_foreach(b, i, wanted)
	{
		bool any = false;

		jv_array_foreach(a, j, element)
		{
			any = any || (all && contains(element, wanted, depth));
			jv_free(element);
		}
		all = all && any;
		jv_free(wanted);
	}
	return all;
}

/* Borrows both. A value that is nested too deep is not contained. */
static bool
contains(jv a, jv b, int depth)
{
	jv_kind kind = jv_get_kind(a);

	if (kind != jv_get_kind(b) || depth > CONTAINS_DEPTH_MAX)
		return false;
	if (kind == JV_KIND_OBJECT)
		return contains_members(a, b, depth + 1);
	if (kind == JV_KIND_ARRAY)
		return contains_elements(a, b, depth + 1);
	if (kind == JV_KIND_STRING) {
		struct span text = jvtext_span(a);
		struct span part = jvtext_span(b);

		return part.n == 0 ||
		    memmem(text.p, text.n, part.p, part.n) != NULL;
	}
	return jv_equal(jv_copy(a), jv_copy(b));
}

static bool
is_boolean(jv_kind kind)
{
	return kind == JV_KIND_TRUE || kind == JV_KIND_FALSE;
}

static jv
contains_call(jv x)
{
	jv a = jv_array_get(jv_copy(x), 0);
	jv b = jv_array_get(jv_copy(x), 1);
	jv_kind kind = jv_get_kind(a);
	bool alike = kind == jv_get_kind(b) ||
	    (is_boolean(kind) && is_boolean(jv_get_kind(b)));
	jv result = jv_bool(contains(a, b, 0));

	jv_free(a);
	jv_free(b);
	if (!alike)
		return natives_refuse(x, "contains: values of different types");
	jv_free(x);
	return result;
}

/* Bytes of the white space at p, 0: none there. U+0085, U+00A0 and on, too. */
static size_t
space_at(struct span s, size_t at)
{
	static const char *const wide[] = {"\xc2\x85", "\xc2\xa0",
	    "\xe1\x9a\x80", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xaf",
	    "\xe2\x81\x9f", "\xe3\x80\x80"};
	size_t left = s.n - at;
	const char *p = s.p + at;

	if (left > 0 && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
		return 1;
	for (size_t i = 0; i < COUNT(wide); i++)
		if (left >= strlen(wide[i]) &&
		    memcmp(p, wide[i], strlen(wide[i])) == 0)
			return strlen(wide[i]);
	/* U+2000 to U+200A */
	return left >= 3 && memcmp(p, "\xe2\x80", 2) == 0 &&
		(unsigned char)p[2] >= 0x80 && (unsigned char)p[2] <= 0x8a
	    ? 3
	    : 0;
}

static jv
trim(jv x, bool left, bool right)
{
	struct span s = jvtext_span(x);
	size_t from = 0;
	size_t to = s.n;
	jv result;

	if (s.p == NULL)
		return natives_refuse(x, "trim takes a string");
	while (left && from < s.n && space_at(s, from) > 0)
		from += space_at(s, from);
	while (right && to > from) {
		size_t n = 1;

		while (n < 3 && n < to - from && utf8_continues(s.p[to - n]))
			n++;
		if (space_at(span_make(s.p, to), to - n) != n)
			break;
		to -= n;
	}
	result = jv_string_sized(s.p + from, (int)(to - from));
	jv_free(x);
	return result;
}

static jv
trim_both(jv x)
{
	return trim(x, true, true);
}

static jv
trim_left(jv x)
{
	return trim(x, true, false);
}

static jv
trim_right(jv x)
{
	return trim(x, false, true);
}

static jv
wrong(jv x)
{
	return jv_invalid_with_msg(x);
}

static const struct native functions[] = {{"sha256", sha256},
    {"tojson", tojson}, {"to_yaml", to_yaml}, {"fromjson", fromjson},
    {"tonumber", tonumber}, {"uri", uri}, {"base64d", base64d},
    {"implode", implode}, {"indices", indices}, {"contains", contains_call},
    {"trim", trim_both}, {"ltrim", trim_left}, {"rtrim", trim_right},
    {"wrong", wrong}, {NULL, NULL}};

jv
natives_call(struct span name, jv x, const struct random_key *key)
{
	static const struct native *const tables[] = {functions,
	    amounts_natives, dates_natives, schedules_natives,
	    helmyaml_natives};

	if (span_is(name, "random"))
		return natives_random(x, key);
	if (span_is(name, "random_for"))
		return natives_random_for(x, key);
	for (size_t t = 0; t < COUNT(tables); t++)
		for (const struct native *n = tables[t]; n->name != NULL; n++)
			if (span_is(name, n->name))
				return n->function(x);
	return natives_refuse(x, "_call: no such function");
}

bool
natives_need_zones(struct span text)
{
	static const char call[] = "\"zoned_";

	return text.n > 0 &&
	    memmem(text.p, text.n, call, sizeof(call) - 1) != NULL;
}

jv
natives_error_text(jv x)
{
	/* An invalid value without a message is the end of the outputs. */
	if (jv_get_kind(x) == JV_KIND_NULL)
		return jv_string("null");
	/* Nor a value with a meaning for jq (break) or for us. */
	if (jv_get_kind(x) == JV_KIND_OBJECT &&
	    (jv_object_has(jv_copy(x), jv_string("__jq")) ||
		jv_object_has(jv_copy(x), jv_string_sized("\0later", 6)))) {
		jv_free(x);
		return jv_string("object");
	}
	return x;
}
