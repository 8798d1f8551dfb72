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

/* Whether no word goes on beyond either end. */
static bool
stands_alone(struct span text, size_t at, size_t n)
{
	return (at == 0 || !is_word(text.p[at - 1]) || !is_word(text.p[at])) &&
	    (at + n == text.n || !is_word(text.p[at + n]) ||
		!is_word(text.p[at + n - 1]));
}

/* A short value counts where it stands alone; of a longer one each run does. */
static void
mark_value(struct scrub *s, struct span value)
{
	size_t n = value.n < SCRUB_RUN ? value.n : SCRUB_RUN;

	if (n == 0)
		return;
	for (size_t at = 0; at + n <= s->text.n; at++) {
		const char *run = s->text.p + at;
		bool found = value.n < SCRUB_RUN
		    ? memcmp(run, value.p, n) == 0 &&
			stands_alone(s->text, at, n)
		    : memmem(value.p, value.n, run, n) != NULL;

		if (found)
			memset(s->marked + at, true, n);
	}
}

/* Marks a string in each way in which it may be written. raw: as JSON, with its
 * quotes. */
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

void
scrub_add(struct buf *b, struct span text, struct span object)
{
	struct scrub s = {.text = text};

	s.text.n = utf8_cut(text, SCRUB_TEXT_MAX);
	for (struct json_members m = json_members(object); json_member(&m);)
		/* Members of every object, none of which is a secret. */
		if (!span_is(m.key, "apiVersion") && !span_is(m.key, "kind") &&
		    !span_is(m.key, "metadata") && !span_is(m.key, "type") &&
		    !span_is(m.key, "immutable"))
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
