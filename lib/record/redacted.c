#include "record/redacted.h"

#include <string.h>

#include "record/forms.h"
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

static bool
has(struct span text, const void *nothing)
{
	(void)nothing;
	return redacted_find(text).n > 0;
}

bool
redacted_in(struct span text)
{
	return forms_in(text, REDACTED_SIZE, has, NULL);
}
