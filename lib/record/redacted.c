#include "record/redacted.h"

#include <string.h>

#include "base/buf.h"
#include "value/base64.h"

static const char mark[] = "redacted-";
enum { MARK = sizeof(mark) - 1, NAME = 6, VALUE = 24 };

void
redacted_add(struct buf *b, struct span name, struct span value)
{
	buf_adds(b, mark);
	buf_add(b, name.p, NAME);
	buf_add(b, value.p, VALUE);
}

static bool
is_hex(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (memchr("0123456789abcdef", p[i], 16) == NULL)
			return false;
	return true;
}

struct span
redacted_find(struct span text)
{
	while (text.n >= REDACTED_SIZE) {
		const char *at = memmem(text.p, text.n, mark, MARK);

		if (at == NULL)
			break;
		text = span_skip(text, (size_t)(at - text.p));
		if (text.n >= REDACTED_SIZE && is_hex(at + MARK, NAME + VALUE))
			return span_make(at, REDACTED_SIZE);
		text = span_skip(text, MARK);
	}
	return SPAN_NONE;
}

struct span
redacted_of(struct span text, struct buf *scratch)
{
	if (text.n == REDACTED_SIZE)
		return redacted_find(text);
	if (text.n != REDACTED_SIZE / 3 * 4 ||
	    base64_decode(text, BASE64_LINES, scratch, NULL) != 0)
		return SPAN_NONE;
	return redacted_find(buf_span(scratch));
}

bool
redacted_compare(struct span a, struct span b)
{
	return a.n == REDACTED_SIZE && b.n == REDACTED_SIZE &&
	    memcmp(a.p, b.p, MARK + NAME) == 0;
}

/* ---- any form ---- */

enum { DEPTH = 3 }; /* forms in one another */

struct search {
	redacted_has *has;
	const void *what;
	size_t encoded; /* digits of base64 that it has, wherever it begins */
};

static bool holds(const struct search *s, struct span text, int depth);

static bool
is_encoded(char c)
{
	return span_is_alnum(c) || c == '+' || c == '/' || c == '-' ||
	    c == '_' || c == '\n' || c == '\r';
}

/* The digits of a run, without line breaks. */
static void
add_digits(struct span run, struct buf *digits)
{
	for (size_t i = 0; i < run.n; i++) {
		char c = run.p[i];

		if (c != '\n' && c != '\r')
			buf_addc(digits, c == '-' ? '+' : c == '_' ? '/' : c);
	}
}

/* Appends digits decoded; what is left of a group at their end counts. */
static void
decode(struct span digits, struct buf *plain)
{
	struct buf groups = BUF_INIT;

	buf_addspan(&groups, digits);
	if (groups.len % 4 == 1)
		buf_truncate(&groups, groups.len - 1);
	while (groups.len % 4 != 0)
		buf_addc(&groups, '=');
	base64_decode(buf_span(&groups), "", plain, NULL);
	buf_release(&groups);
}

/* Base64 may begin at any of the first four digits: what stands before it may
 * look like it. */
static bool
holds_encoded(const struct search *s, struct span run, int depth)
{
	struct buf digits = BUF_INIT;
	bool found = false;

	add_digits(run, &digits);
	for (size_t from = 0; from < 4 && from < digits.len && !found; from++) {
		struct buf plain = BUF_INIT;

		decode(span_skip(buf_span(&digits), from), &plain);
		found = holds(s, buf_span(&plain), depth - 1);
		buf_release(&plain);
	}
	buf_release(&digits);
	return found;
}

/* The next run of digits of base64 that is long enough, from *at, which moves
 * behind it; of the bytes outside of runs only every least-th is looked at. */
static struct span
next_run(struct span text, size_t least, size_t *at)
{
	size_t from = *at, end;

	while (from + least <= text.n) {
		for (end = from + least;
		     end > from && is_encoded(text.p[end - 1]);)
			end--;
		if (end == from)
			break;
		from = end;
	}
	if (from + least > text.n)
		return SPAN_NONE;
	for (end = from + least; end < text.n && is_encoded(text.p[end]);)
		end++;
	*at = end;
	return span_make(text.p + from, end - from);
}

/* Looks behind the escapes of a JSON text that base64 may have in it, or JSON in
 * JSON. */
static bool
holds_escaped(const struct search *s, struct span text, int depth)
{
	struct buf plain = BUF_INIT;
	bool found;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '\\' && i + 1 < text.n) {
			c = text.p[++i];
			c = c == 'n' ? '\n' : c == 'r' ? '\r' : c;
		}
		buf_addc(&plain, c);
	}
	found = holds(s, buf_span(&plain), depth - 1);
	buf_release(&plain);
	return found;
}

static bool
holds(const struct search *s, struct span text, int depth)
{
	bool found = s->has(text, s->what);
	struct span run;

	if (found || depth == 0 || text.n < s->encoded)
		return found;
	for (size_t at = 0;
	     !found && (run = next_run(text, s->encoded, &at)).n > 0;)
		found = holds_encoded(s, run, depth);
	return found ||
	    (memchr(text.p, '\\', text.n) != NULL &&
		holds_escaped(s, text, depth));
}

bool
redacted_search(
    struct span text, size_t size, redacted_has *has, const void *what)
{
	struct search s = {has, what, size / 3 * 4};

	return holds(&s, text, DEPTH);
}

static bool
has(struct span text, const void *nothing)
{
	(void)nothing;
	return redacted_find(text).n > 0;
}

bool
redacted_in(struct span text)
{
	return redacted_search(text, REDACTED_SIZE, has, NULL);
}
