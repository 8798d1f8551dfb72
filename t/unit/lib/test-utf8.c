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

int
main(void)
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
	add('a', "a");
	add(0x7f, "\x7f");
	add(0x80, "\xc2\x80");
	add(0x7ff, "\xdf\xbf");
	add(0x800, "\xe0\xa0\x80");
	add(0xffff, "\xef\xbf\xbf");
	add(0x10000, "\xf0\x90\x80\x80");
	add(0x10ffff, "\xf4\x8f\xbf\xbf");
	return tap_done();
}
