#include "base/array.h"
#include "base/span.h"
#include "tap.h"

static const char *
text(struct span s)
{
	static char out[4][64];
	static int n;
	char *to = out[n++ % 4];

	if (s.p == NULL)
		return NULL;
	snprintf(to, sizeof(out[0]), "%.*s", (int)s.n, s.p);
	return to;
}

TEST(ends)
{
	struct span s = span_str("kpipe-x"), none = SPAN_NONE;

	ok(span_starts(s, "kpipe-") && span_starts(s, "") &&
		span_starts(s, "kpipe-x"),
	    "a text starts with a part of it, with nothing and with itself");
	ok(!span_starts(s, "pipe") && !span_starts(s, "kpipe-xy"),
	    "and not with another or a longer one");
	ok(span_ends(s, "-x") && !span_ends(s, "-") &&
		!span_ends(s, "kkpipe-x"),
	    "how a text ends");
	ok(span_starts(none, "") && !span_starts(none, "a") &&
		span_ends(none, "") && !span_ends(none, "a"),
	    "the absent text starts and ends with nothing");
	ok(span_take(&s, "kpipe-") && span_is(s, "x"), "a prefix is taken");
	ok(!span_take(&s, "y") && span_is(s, "x"), "another one stays");
	ok(span_is_caseless(span_str("ETag"), "etag") &&
		!span_is_caseless(span_str("ETag"), "eta") &&
		!span_is_caseless(none, "a"),
	    "upper and lower case are the same");
	ok(span_has_caseless(span_str("keep-alive, Upgrade"), "upgrade") &&
		span_has_caseless(span_str("UPGRADE"), "upgrade") &&
		!span_has_caseless(span_str("upgrad"), "upgrade") &&
		!span_has_caseless(none, "a"),
	    "... within a text, too");
}

TEST(cut)
{
	static const char *const want[] = {"a", "", "b", ""};
	struct span rest = span_str("a,,b,"), none = SPAN_NONE;
	size_t n = 0, good = 0;

	for (; rest.p != NULL && n < 9; n++)
		good += span_is(span_cut(&rest, ','), want[n % COUNT(want)]);
	ok(n == COUNT(want) && good == n, "every piece, also the empty ones");
	rest = span_str("abc");
	is(text(span_cut(&rest, ',')), "abc", "no separator: everything");
	ok(rest.p == NULL && rest.n == 0, "and nothing is left");
	rest = span_str("abc=");
	is(text(span_cut(&rest, '=')), "abc", "a separator at the end");
	is(text(rest), "", "leaves an empty text");
	ok(span_cut(&none, ',').p == NULL && none.p == NULL,
	    "the absent text has one absent piece");
}

TEST(find)
{
	struct span s = span_str("a/b/c");

	ok(span_find(s, '/') == s.p + 1 && span_find_last(s, '/') == s.p + 3,
	    "the first and the last one");
	ok(span_find(s, 'x') == NULL && span_find_last(s, 'x') == NULL &&
		span_find(span_make(s.p, 1), '/') == NULL &&
		span_find(SPAN_NONE, 'x') == NULL &&
		span_find_last(SPAN_NONE, 'x') == NULL,
	    "none in the text, in its part, in the absent one");
	is(text(span_skip(s, 2)), "b/c", "skip");
	ok(span_skip(SPAN_NONE, 0).p == NULL, "skip nothing of nothing");
}

TEST(trim)
{
	is(text(span_trim(span_str(" \t a b\r\n"), SPAN_BLANKS)), "a b",
	    "blanks at both ends go");
	is(text(span_trim(span_str(" a\r"), " ")), "a\r",
	    "but only those that are asked for");
	is(text(span_trim(span_str(" \t "), SPAN_BLANKS)), "", "all of it");
	is(text(span_trim_end(span_str(" a "), " ")), " a", "at the end");
	is(text(span_trim_start(span_str(" a "), " ")), "a ", "at the start");
	ok(span_trim(SPAN_NONE, " ").p == NULL, "nothing of nothing");
	ok(span_trim(span_make("\0a\0", 3), " ").n == 3,
	    "a NUL is not a blank, although it ends the set");
}

TEST(digits)
{
	uint64_t n = 7;

	ok(span_digits(span_str("123a4")) == 3 && span_digits(SPAN_NONE) == 0,
	    "digits at the start");
	ok(span_is_digits(span_str("0123")) && !span_is_digits(span_str("")) &&
		!span_is_digits(span_str("1 ")) &&
		!span_is_digits(span_str("-1")) &&
		!span_is_digits(span_str("/:")),
	    "nothing but digits");
	ok(span_number(span_str("18446744073709551615"), UINT64_MAX, &n) &&
		n == UINT64_MAX,
	    "the largest number");
	ok(!span_number(span_str("18446744073709551616"), UINT64_MAX, &n) &&
		!span_number(span_str("99999999999999999999"), UINT64_MAX, &n),
	    "larger numbers are refused");
	ok(span_number(span_str("255"), 255, &n) && n == 255 &&
		!span_number(span_str("256"), 255, &n) &&
		!span_number(span_str("260"), 255, &n) &&
		!span_number(span_str("9"), 8, &n) && n == 255,
	    "at most what the caller allows, else the number stays");
	ok(span_number(span_str("000"), 0, &n) && n == 0, "zeros");
	ok(!span_number(span_str(""), 9, &n) &&
		!span_number(SPAN_NONE, 9, &n) &&
		!span_number(span_str("+1"), 9, &n),
	    "no digits, no number");
}

/* Every byte, beside the lists of letters and digits. */
TEST(classes)
{
	static const char lower[] = "abcdefghijklmnopqrstuvwxyz";
	static const char others[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	size_t wrong = 0;

	for (int c = 0; c < 256; c++) {
		bool is_lower = span_is_among((char)c, lower);

		wrong += span_is_lower((char)c) != is_lower ||
		    span_is_alnum((char)c) !=
			(is_lower || span_is_among((char)c, others));
	}
	ok(wrong == 0, "lower case, letters and digits");
}

TEST(has)
{
	struct span s = span_str("aab ab");

	ok(span_has(s, "aab") && span_has(s, "ab") && span_has(s, "b a") &&
		span_has(s, "aab ab"),
	    "a text at the start, behind a part of it, and at the end");
	ok(!span_has(s, "aaa") && !span_has(s, "aab aba") &&
		!span_has(span_make(s.p, 5), "ab ab") &&
		!span_has(span_str(""), "a") && !span_has(SPAN_NONE, "a"),
	    "no further than the end");
}
