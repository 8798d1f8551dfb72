#include "json/jvkey.h"

#include <string.h>

#include "tap.h"

static bool
is_text(jv string, struct span text)
{
	bool same = jv_get_kind(string) == JV_KIND_STRING &&
	    (size_t)jv_string_length_bytes(jv_copy(string)) == text.n &&
	    memcmp(jv_string_value(string), text.p, text.n) == 0;

	jv_free(string);
	return same;
}

static bool
gives(struct span text)
{
	return is_text(jvkey(text), text) && is_text(jvkey(text), text);
}

TEST(lengths)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	bool all = true;

	for (size_t n = 0; n < sizeof(text); n++)
		all = gives(span_make(text, n)) && all;
	ok(all, "texts of all lengths");
	ok(is_text(jvkey(SPAN_NONE), span_str("")), "no text is an empty one");
	ok(gives(span_make("a\0b", 3)), "NUL is a byte like others");
	ok(gives(span_make("a\0c", 3)), "and what follows counts");
}

/* More texts than places; many differ only in bytes that are not hashed. */
TEST(many)
{
	char text[24];
	bool all = true;

	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 5000; i++) {
			int n = snprintf(text, sizeof(text), "abcd%dabc---abcd",
			    round ? 4999 - i : i);

			all = gives(span_make(text, (size_t)n)) && all;
		}
	ok(all, "each text stays itself when another takes its place");
}

TEST(same)
{
	jv a = jvkey(span_str("metadata")), b = jvkey(span_str("metadata"));

	ok(jv_string_value(a) == jv_string_value(b), "one string for a text");
	jv_free(a);
	b = jv_string_append_str(b, "!");
	ok(is_text(b, span_str("metadata!")), "that is changed");
	ok(gives(span_str("metadata")), "does not change the one that is kept");
}

TEST(utf8)
{
	ok(gives(span_str("\xc3\xa4")), "characters beyond ASCII");
	for (int i = 0; i < 2; i++)
		ok(is_text(jvkey(span_str("a\xff")), span_str("a\xef\xbf\xbd")),
		    "bytes that are not UTF-8 are U+FFFD");
	ok(gives(span_str("a\xef\xbf\xbd")), "and that is another text");
}
