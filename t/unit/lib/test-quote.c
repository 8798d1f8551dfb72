#include "base/quote.h"

#include "base/array.h"
#include "tap.h"

static void
yaml(const char *json, const char *want, const char *what)
{
	struct buf b = BUF_INIT;

	quote_yaml(&b, span_str(json));
	is(buf_str(&b), want, what);
	buf_release(&b);
}

/* Text is skipped in eights: what is to be escaped is found at each place. */
TEST(yaml_anywhere)
{
	static const struct {
		const char *from, *to;
	} all[] = {{"\x7f", "\\u007f"}, {"\\/", "/"}, {"\xc2\x85", "\\u0085"},
	    {"~ [z", "~ [z"}};
	struct buf json = BUF_INIT, want = BUF_INIT, got = BUF_INIT;

	for (size_t i = 0; i < COUNT(all); i++) {
		for (int at = 0; at < 18; at++) {
			buf_addf(&json, "%.*s%s%.*s", at, "abcdefghijklmnopqr",
			    all[i].from, 18 - at, "]^[abcdefghijklmnop");
			buf_addf(&want, "%.*s%s%.*s", at, "abcdefghijklmnopqr",
			    all[i].to, 18 - at, "]^[abcdefghijklmnop");
		}
	}
	quote_yaml(&got, buf_span(&json));
	is(buf_str(&got), buf_str(&want), "wherever it stands");
	buf_release(&json);
	buf_release(&want);
	buf_release(&got);
}

TEST(quote)
{
	yaml("{\"a\":\"<\\n\\\\\\\"\\u00e4\"}",
	    "{\"a\":\"<\\n\\\\\\\"\\u00e4\"}", "what YAML knows stays");
	yaml("\"\\/a\\/\"", "\"/a/\"", "a slash");
	yaml("\"\\\\/\"", "\"\\\\/\"", "... behind a backslash");
	yaml("\"\\ud83d\\ude00\\uD83D\\uDE00\"",
	    "\"\xf0\x9f\x98\x80\xf0\x9f\x98\x80\"", "two halves");
	yaml("\"\\udbff\\udfff\"", "\"\xf4\x8f\xbf\xbf\"",
	    "... of the last character");
	yaml("\"\\ud83d\\u0041\\ude00\"", "\"\\ud83d\\u0041\\ude00\"",
	    "one half stays");
	yaml("\"\\ud83d\"", "\"\\ud83d\"", "... at the end, too");
	yaml("\"\x7f\xc2\x85\xe2\x80\xa8\xc3\xa4\"",
	    "\"\\u007f\\u0085\\u2028\xc3\xa4\"",
	    "what YAML does not print is escaped");
}
