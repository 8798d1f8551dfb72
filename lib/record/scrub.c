#include "record/scrub.h"

#include <string.h>

#include "base/utf8.h"
#include "json/json.h"
#include "value/base64.h"

/* Marks bytes of the text that are of a value. */
struct scrub {
	struct span text;
	bool marked[SCRUB_TEXT_MAX];
};

static bool
is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	    (c >= 'a' && c <= 'z') || c == '_' || (c & 0x80) != 0;
}

/* At its ends no word goes on. */
static bool
stands_alone(struct span text, size_t at, size_t n)
{
	return (at == 0 || !is_word(text.p[at - 1]) || !is_word(text.p[at])) &&
	    (at + n == text.n || !is_word(text.p[at + n]) ||
		!is_word(text.p[at + n - 1]));
}

static void
mark(struct scrub *s, size_t at, size_t n)
{
	memset(s->marked + at, true, n);
}

static void
mark_short(struct scrub *s, struct span value)
{
	for (size_t at = 0; at + value.n <= s->text.n; at++)
		if (memcmp(s->text.p + at, value.p, value.n) == 0 &&
		    stands_alone(s->text, at, value.n))
			mark(s, at, value.n);
}

static void
mark_value(struct scrub *s, struct span value)
{
	if (value.n == 0)
		return;
	if (value.n < SCRUB_RUN) {
		mark_short(s, value);
		return;
	}
	for (size_t at = 0; at + SCRUB_RUN <= s->text.n; at++)
		if (memmem(value.p, value.n, s->text.p + at, SCRUB_RUN) != NULL)
			mark(s, at, SCRUB_RUN);
}

/* In each way in which it may be written. raw: as JSON, with its quotes. */
static void
mark_forms(struct scrub *s, struct span raw)
{
	struct buf text = BUF_INIT, other = BUF_INIT;
	struct span value = json_string(raw, &text);

	mark_value(s, value);
	if (raw.n > 2)
		mark_value(s, span_make(raw.p + 1, raw.n - 2));
	if (base64_decode(value, BASE64_BLANKS, &other, NULL) == 0)
		mark_value(s, buf_span(&other));
	buf_reset(&other);
	base64_add(&other, value);
	mark_value(s, buf_span(&other));
	buf_release(&text);
	buf_release(&other);
}

static void
mark_all(struct scrub *s, struct span value)
{
	switch (json_type(value)) {
	case JSON_OBJECT:
		for (struct json_members m = json_members(value);
		     json_member(&m);)
			mark_all(s, m.value);
		break;
	case JSON_ARRAY:
		for (struct json_elements e = json_elements(value);
		     json_element(&e);)
			mark_all(s, e.value);
		break;
	case JSON_STRING:
		mark_forms(s, value);
		break;
	case JSON_NULL:
		break;
	default:
		mark_value(s, value);
	}
}

/* Members that every object has, and none of which is a secret. */
static bool
is_plain(struct span key)
{
	return span_is(key, "apiVersion") || span_is(key, "kind") ||
	    span_is(key, "metadata") || span_is(key, "type") ||
	    span_is(key, "immutable");
}

void
scrub_add(struct buf *b, struct span text, struct span object)
{
	struct scrub s = {.text = text};

	s.text.n = utf8_cut(text, SCRUB_TEXT_MAX);
	for (struct json_members m = json_members(object); json_member(&m);)
		if (!is_plain(m.key))
			mark_all(&s, m.value);
	for (size_t i = 0; i < s.text.n; i++) {
		if (!s.marked[i])
			buf_addc(b, s.text.p[i]);
		else if (i == 0 || !s.marked[i - 1])
			buf_adds(b, "...");
	}
	if (s.text.n < text.n)
		buf_adds(b, "...");
}
