#include "record/forms.h"

#include <string.h>

#include "base/buf.h"
#include "value/base64.h"

enum { DEPTH = 3 }; /* forms in one another */

struct search {
	forms_has *has;
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
forms_in(struct span text, size_t size, forms_has *has, const void *what)
{
	struct search s = {has, what, size / 3 * 4};

	return holds(&s, text, DEPTH);
}
