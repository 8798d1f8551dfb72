#include "base/array.h"
#include "tap.h"
#include "value/base64.h"

/* RFC 4648, section 10; the rest is as Go's encoding/base64 does it. */
static const struct {
	const char *text, *bytes; /* NULL: not base64, with the error at */
	size_t at;
} texts[] = {
    {"", "", 0},
    {"Zg==", "f", 0},
    {"Zm8=", "fo", 0},
    {"Zm9v", "foo", 0},
    {"Zm9vYmFy", "foobar", 0},
    {"Zm9v\nYmFy\r\n", "foobar", 0},
    {"Zg\n=\n=\n", "f", 0},
    {"Zh==", "f", 0},
    {"Zm9vYg", NULL, 4},
    {"Zg=", NULL, 3},
    {"Zg=x", NULL, 2},
    {"Z", NULL, 0},
    {"Z===", NULL, 1},
    {"=", NULL, 0},
    {"Zm9v!", NULL, 4},
    {"Zm 9v", NULL, 2},
    {"Zg==Zg==", NULL, 4},
    {"Zg===", NULL, 4},
    {"-_--", NULL, 0},
};

TEST(texts)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct span text = span_str(texts[i].text);
		size_t at = 99;
		int code;

		buf_reset(&b);
		buf_adds(&b, "kept ");
		code = base64_decode(text, BASE64_LINES, &b, &at);
		if (texts[i].bytes != NULL) {
			ok(code == 0, texts[i].text);
			is(buf_str(&b) + 5, texts[i].bytes, "... stands for");
		} else {
			ok(code == -1 && at == texts[i].at, texts[i].text);
			is(buf_str(&b), "kept ", "... and nothing is added");
		}
	}
	buf_release(&b);
}

TEST(others)
{
	struct buf b = BUF_INIT;
	size_t at = 99;

	base64_add(&b, span_str("fo"));
	is(buf_str(&b), "Zm8=", "written");
	buf_reset(&b);
	ok(base64_decode(span_str("Zm\t9 v"), BASE64_BLANKS, &b, NULL) == 0,
	    "with blanks");
	is(buf_str(&b), "foo", "... that are passed over");
	buf_reset(&b);
	base64_add_url(&b, span_make("\xfb\xff\xfe\x01", 4));
	is(buf_str(&b), "-__-AQ", "that of URLs has no padding");
	buf_reset(&b);
	ok(base64_decode_url(span_str("-__-AQ"), &b, &at) == 0 &&
		span_eq(buf_span(&b), span_make("\xfb\xff\xfe\x01", 4)),
	    "... and is read");
	buf_reset(&b);
	ok(base64_decode_url(span_str("-_+-"), &b, &at) == -1 && at == 2 &&
		b.len == 0,
	    "... but not the other alphabet");
	ok(base64_decode_url(span_str("-__-A"), &b, &at) == -1 && at == 4 &&
		b.len == 0,
	    "... nor a single digit at the end");
	buf_release(&b);
}
