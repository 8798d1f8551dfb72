#include "base/utf8.h"

#include "tap.h"

static void
cut(const char *text, size_t max, size_t want)
{
	ok(utf8_cut(span_str(text), max) == want, text);
}

static void
add(uint32_t c, const char *want)
{
	struct buf b = BUF_INIT;

	utf8_add(&b, c);
	is(buf_str(&b), want, want);
	buf_release(&b);
}

/* Whether a whole text is one character. */
static void
whole(const char *text, uint32_t want)
{
	uint32_t c = 0;
	size_t n = strlen(text);

	ok(utf8_length(text, text + n) == n &&
		utf8_decode(text, text + n, &c) == n && c == want,
	    text);
}

static void
none(const char *text, const char *what)
{
	uint32_t c = 7;
	const char *end = text + strlen(text);

	ok(utf8_length(text, end) == 0 && utf8_decode(text, end, &c) == 0 &&
		c == 7,
	    what);
}

TEST(utf8)
{
	cut("", 0, 0);
	cut("abc", 3, 3);
	cut("abc", 4, 3);
	cut("abc", 2, 2);
	cut("a\xc3\xa4", 2, 1);
	cut("a\xc3\xa4", 3, 3);
	cut("\xe2\x82\xac", 2, 0);
	cut("x\xf0\x9f\x98\x80y", 4, 1);
	cut("x\xf0\x9f\x98\x80y", 5, 5);
	ok(utf8_count(span_str("a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80")) == 4,
	    "four characters");
	ok(utf8_count(SPAN_NONE) == 0, "none");
	ok(span_is(utf8_skip_mark(span_str("\xef\xbb\xbf"
					   "a")),
	       "a") &&
		span_is(utf8_skip_mark(span_str("\xef\xbb")), "\xef\xbb"),
	    "a byte order mark is skipped, and no part of it");
	ok(utf8_skip_mark(SPAN_NONE).p == NULL, "none");
	whole("\x01", 0x01);
	whole("\x7f", 0x7f);
	whole("\xc2\x80", 0x80);
	whole("\xdf\xbf", 0x7ff);
	whole("\xe0\xa0\x80", 0x800);
	whole("\xed\x9f\xbf", 0xd7ff);
	whole("\xee\x80\x80", 0xe000);
	whole("\xef\xbf\xbf", 0xffff);
	whole("\xf0\x90\x80\x80", 0x10000);
	whole("\xf4\x8f\xbf\xbf", 0x10ffff);
	none("\x80", "the first byte that only continues");
	none("\xbf\x80", "the last one");
	none("\xc1\xbf", "two bytes for one");
	none("\xe0\x9f\xbf", "three for two");
	none("\xf0\x8f\xbf\xbf", "four for three");
	none("\xed\xa0\x80", "a surrogate");
	none("\xf4\x90\x80\x80", "more than U+10ffff");
	none("\xf5\x80\x80\x80", "a byte that begins nothing");
	none("\xc2", "the second byte is missing");
	none("\xe2\x82", "the third");
	none("\xf0\x9f\x98", "the fourth");
	none("\xc2\x7f", "a second byte that does not continue");
	none("\xe2\x82\xc0", "a third one");
	add('a', "a");
	add(0x7f, "\x7f");
	add(0x80, "\xc2\x80");
	add(0x7ff, "\xdf\xbf");
	add(0x800, "\xe0\xa0\x80");
	add(0xffff, "\xef\xbf\xbf");
	add(0x10000, "\xf0\x90\x80\x80");
	add(0x10ffff, "\xf4\x8f\xbf\xbf");
}
