#include "query.h"

struct query
query_open(struct span query)
{
	return (struct query){.rest = query};
}

void
query_close(struct query *q)
{
	buf_release(&q->key);
	buf_release(&q->value);
}

static int
hex(char c)
{
	if (span_is_digit(c))
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static void
decode(struct buf *b, struct span text)
{
	buf_reset(b);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '+') {
			c = ' ';
		} else if (c == '%' && i + 2 < text.n &&
		    hex(text.p[i + 1]) >= 0 && hex(text.p[i + 2]) >= 0) {
			c = (char)(hex(text.p[i + 1]) << 4 |
			    hex(text.p[i + 2]));
			i += 2;
		}
		buf_addc(b, c);
	}
}

bool
query_next(struct query *q)
{
	struct span value;

	while (q->rest.n > 0) {
		value = span_cut(&q->rest, '&');
		if (value.n == 0)
			continue;
		decode(&q->key, span_cut(&value, '='));
		decode(&q->value, value);
		return true;
	}
	return false;
}

void
query_quote(struct buf *b, struct span text)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '"' || c == '\\')
			buf_addf(b, "\\%c", c);
		else if (c < ' ' || c > '~')
			buf_addf(b, "\\x%02x", (unsigned char)c);
		else
			buf_addc(b, c);
	}
	buf_addc(b, '"');
}
