#include "json/jvmembers.h"

#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "json/jvtext.h"
#include "tap.h"

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
in_order(const struct jvmembers *m)
{
	for (size_t i = 1; i < m->count; i++)
		if (span_cmp(m->items[i - 1].key, m->items[i].key) >= 0)
			return false;
	return true;
}

/* The members are those of the object. */
static bool
whole(const struct jvmembers *m, jv object_peek)
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
	struct jvmembers m;

	for (size_t i = 0; i < COUNT(counts); i++) {
		jv object = object_of(counts[i]);

		jvmembers_init(&m, object, JVMEMBERS_SORTED);
		ok(whole(&m, object), "sorted: all members, each once");
		ok(in_order(&m), "by their keys");
		jvmembers_release(&m);
		jvmembers_init(&m, object, JVMEMBERS_KEPT);
		ok(whole(&m, object), "kept: all members, each once");
		jvmembers_release(&m);
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
	struct jvmembers m;

	jvmembers_init(&m, object, JVMEMBERS_SORTED);
	for (size_t i = 0; i < m.count; i++)
		buf_addf(&text, "%s=%g ", jv_string_value(m.items[i].name),
		    jv_number_value(m.items[i].value));
	is(buf_str(&text), "=6 B=5 a=4 a.b=2 ab=7 b=1 \xc3\xa4=3 ",
	    "in the order of bytes");
	jvmembers_release(&m);
	buf_reset(&text);
	jvmembers_init(&m, object, JVMEMBERS_KEPT);
	buf_addf(&text, "%s %s", jv_string_value(m.items[0].name),
	    jv_string_value(m.items[1].name));
	is(buf_str(&text), "b a.b", "or as they are");
	jvmembers_release(&m);
	buf_release(&text);
	jv_free(object);
}
