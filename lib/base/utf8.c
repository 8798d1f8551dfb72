#include "base/utf8.h"

#include "base/array.h"

size_t
utf8_length(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t have = (size_t)(end - p), n;

	if (u[0] < 0x80)
		return 1;
	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 0;
	n = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (have < n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
	    (u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0;
	return n;
}

size_t
utf8_decode(const char *p, const char *end, uint32_t *c)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	const unsigned char *u = (const unsigned char *)p;
	size_t n = utf8_length(p, end);

	if (n == 0)
		return 0;
	*c = u[0] & first[n];
	for (size_t i = 1; i < n; i++)
		*c = *c << 6 | (u[i] & 0x3fu);
	return n;
}

char *
utf8_put(char *to, uint32_t c)
{
	if (c < 0x80) {
		*to++ = (char)c;
		return to;
	}
	if (c < 0x800) {
		*to++ = (char)(0xc0 | c >> 6);
	} else {
		if (c < 0x10000) {
			*to++ = (char)(0xe0 | c >> 12);
		} else {
			*to++ = (char)(0xf0 | c >> 18);
			*to++ = (char)(0x80 | (c >> 12 & 0x3f));
		}
		*to++ = (char)(0x80 | (c >> 6 & 0x3f));
	}
	*to++ = (char)(0x80 | (c & 0x3f));
	return to;
}

void
utf8_add(struct buf *b, uint32_t c)
{
	char bytes[4];

	buf_add(b, bytes, (size_t)(utf8_put(bytes, c) - bytes));
}

size_t
utf8_cut(struct span s, size_t max)
{
	size_t n = max;

	if (s.n <= max)
		return s.n;
	while (n > 0 && utf8_continues(s.p[n]))
		n--;
	return n;
}

struct span
utf8_skip_mark(struct span s)
{
	span_take(&s, "\xef\xbb\xbf");
	return s;
}

size_t
utf8_count(struct span s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += !utf8_continues(s.p[i]);
	return n;
}

/* The ranges of invisible characters, in order. */
static const struct {
	uint32_t first, last;
} hidden[] = {{0x0000, 0x001f}, {0x007f, 0x009f}, {0x00ad, 0x00ad},
    {0x034f, 0x034f}, {0x0600, 0x0605}, {0x061c, 0x061c}, {0x06dd, 0x06dd},
    {0x070f, 0x070f}, {0x0890, 0x0891}, {0x08e2, 0x08e2}, {0x115f, 0x1160},
    {0x17b4, 0x17b5}, {0x180b, 0x180f}, {0x200b, 0x200f}, {0x2028, 0x202e},
    {0x2060, 0x206f}, {0x3164, 0x3164}, {0xd800, 0xdfff}, {0xfdd0, 0xfdef},
    {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}, {0xffa0, 0xffa0}, {0xfff0, 0xfffb},
    {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f},
    {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
enum { HIDDEN = COUNT(hidden) };

bool
utf8_is_visible(uint32_t c)
{
	if (c < 0x7f)
		return c >= 0x20;
	/* The last two of each plane are not characters. */
	if (c > 0x10ffff || (c & 0xfffe) == 0xfffe)
		return false;
	for (size_t i = 0; i < HIDDEN && hidden[i].first <= c; i++)
		if (c <= hidden[i].last)
			return false;
	return true;
}
