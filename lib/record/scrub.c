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
mark_map(struct scrub *s, struct span map)
{
	if (json_type(map) != JSON_OBJECT)
		return;
	for (struct json_members m = json_members(map); json_member(&m);)
		if (json_type(m.value) == JSON_STRING)
			mark_forms(s, m.value);
		else if (json_type(m.value) != JSON_NULL)
			mark_value(s, m.value);
}

void
scrub_add(struct buf *b, struct span text, struct span object)
{
	struct scrub s = {.text = text};

	s.text.n = utf8_cut(text, SCRUB_TEXT_MAX);
	mark_map(&s, json_get(object, "data"));
	mark_map(&s, json_get(object, "stringData"));
	mark_map(&s, json_get(object, "binaryData"));
	for (size_t i = 0; i < s.text.n; i++) {
		if (!s.marked[i])
			buf_addc(b, s.text.p[i]);
		else if (i == 0 || !s.marked[i - 1])
			buf_adds(b, "...");
	}
	if (s.text.n < text.n)
		buf_adds(b, "...");
}
