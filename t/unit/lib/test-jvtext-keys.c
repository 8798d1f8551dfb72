#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "json/jvtext.h"
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
	return is_text(jvtext_key(text), text) &&
	    is_text(jvtext_key(text), text);
}

TEST(lengths)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	bool all = true;

	for (size_t n = 0; n < sizeof(text); n++)
		all = gives(span_make(text, n)) && all;
	ok(all, "texts of all lengths");
	ok(is_text(jvtext_key(SPAN_NONE), span_str("")),
	    "no text is an empty one");
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
	jv a = jvtext_key(span_str("metadata")),
	   b = jvtext_key(span_str("metadata"));

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
		ok(is_text(jvtext_key(span_str("a\xff")),
		       span_str("a\xef\xbf\xbd")),
		    "bytes that are not UTF-8 are U+FFFD");
	ok(gives(span_str("a\xef\xbf\xbd")), "and that is another text");
}

/* Members with n keys, in another order than that of their bytes. */
static jv
object_of(int n)
{
	jv object = jv_object();

	for (int i = 0; i < n; i++)
		object = jv_object_set(
		    object, jv_string_fmt("k%03d", i * 7919 % n), jv_number(i));
	return object;
}

static bool
in_order(const struct jvtext_members *m)
{
	for (size_t i = 1; i < m->count; i++)
		if (span_cmp(m->items[i - 1].key, m->items[i].key) >= 0)
			return false;
	return true;
}

/* The members are those of the object. */
static bool
whole(const struct jvtext_members *m, jv object_peek)
{
	for (size_t i = 0; i < m->count; i++) {
		jv name = m->items[i].name;

		if (!span_eq(m->items[i].key, jvtext_span(name)) ||
		    !jv_equal(jv_copy(m->items[i].value),
			jv_object_get(jv_copy(object_peek), jv_copy(name))))
			return false;
	}
	return (int)m->count == jv_object_length(jv_copy(object_peek));
}

TEST(counts)
{
	static const int counts[] = {
	    0, 1, 2, 15, 16, 17, 31, 32, 33, 64, 65, 500};
	struct jvtext_members m;

	for (size_t i = 0; i < COUNT(counts); i++) {
		jv object = object_of(counts[i]);

		jvtext_members_init(&m, object, JVTEXT_SORTED);
		ok(whole(&m, object), "sorted: all members, each once");
		ok(in_order(&m), "by their keys");
		jvtext_members_release(&m);
		jvtext_members_init(&m, object, JVTEXT_KEPT);
		ok(whole(&m, object), "kept: all members, each once");
		jvtext_members_release(&m);
		jv_free(object);
	}
}

TEST(order)
{
	struct err err = ERR_INIT;
	jv object = jvtext_parse(
	    span_str("{\"b\":1,\"a.b\":2,\"\xc3\xa4\":3,\"a\":4,\"B\":5,"
		     "\"\":6,\"ab\":7}"),
	    &err);
	struct buf text = BUF_INIT;
	struct jvtext_members m;

	jvtext_members_init(&m, object, JVTEXT_SORTED);
	for (size_t i = 0; i < m.count; i++)
		buf_addf(&text, "%s=%g ", jv_string_value(m.items[i].name),
		    jv_number_value(m.items[i].value));
	is(buf_str(&text), "=6 B=5 a=4 a.b=2 ab=7 b=1 \xc3\xa4=3 ",
	    "in the order of bytes");
	jvtext_members_release(&m);
	buf_reset(&text);
	jvtext_members_init(&m, object, JVTEXT_KEPT);
	buf_addf(&text, "%s %s", jv_string_value(m.items[0].name),
	    jv_string_value(m.items[1].name));
	is(buf_str(&text), "b a.b", "or as they are");
	jvtext_members_release(&m);
	buf_release(&text);
	jv_free(object);
}
