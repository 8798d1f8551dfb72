#include "json/jvtext.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/mem.h"
#include "tap.h"

static jv
parse(const char *text)
{
	struct err err = ERR_INIT;

	return jvtext_parse(span_str(text), &err);
}

static const struct {
	const char *what, *in, *out;
} texts[] = {
    {"sorted keys", "{\"b\":1,\"a\":{\"d\":1,\"c\":2}}",
	"{\"a\":{\"c\":2,\"d\":1},\"b\":1}"},
    {"keys in byte order", "{\"a\":1,\"B\":2,\"a.b\":3,\"\xc3\xa4\":4}",
	"{\"B\":2,\"a\":1,\"a.b\":3,\"\xc3\xa4\":4}"},
    {"scalars", "[null,true,false,\"x\",0]", "[null,true,false,\"x\",0]"},
    {"empty", "[{},[]]", "[{},[]]"},
    {"large integers", "[9007199254740991,-9007199254740991]",
	"[9007199254740991,-9007199254740991]"},
    {"integers that libjq would print as 1e+15 or so",
	"[1e15,100000000000000,123456789012345]",
	"[1000000000000000,100000000000000,123456789012345]"},
    {"1.0 is an integer", "[1.0,-0]", "[1,0]"},
    {"fractions", "[0.1,1.5,-2.25,1e-7]", "[0.1,1.5,-2.25,1e-07]"},
    {"escapes", "\"\\\"\\\\\\n\\u0001\\u0000\"",
	"\"\\\"\\\\\\n\\u0001\\u0000\""},
    {"delete, non-ASCII", "\"\\u007f\xc3\xa4\xf0\x9f\x98\x80\"",
	"\"\x7f\xc3\xa4\xf0\x9f\x98\x80\""},
    {"many keys",
	"{\"r\":1,\"q\":1,\"p\":1,\"o\":1,\"n\":1,\"m\":1,\"l\":1,\"k\":1,"
	"\"j\":1,\"i\":1,\"h\":1,\"g\":1,\"f\":1,\"e\":1,\"d\":1,\"c\":1,"
	"\"b\":1,\"a\":1}",
	"{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,"
	"\"i\":1,\"j\":1,\"k\":1,\"l\":1,\"m\":1,\"n\":1,\"o\":1,\"p\":1,"
	"\"q\":1,\"r\":1}"},
};

static const struct {
	const char *what, *in, *message;
} refused[] = {
    {"beyond 2^53", "{\"a\":[0,{\"b\":9007199254740993}]}",
	".a[1].b is an integer beyond 2^53: digits would be lost"},
    {"2^53 may have been another", "9007199254740992",
	"the value is an integer beyond 2^53: digits would be lost"},
    {"a path with an odd key", "{\"a.b\":-1e17}",
	"[\"a.b\"] is an integer beyond 2^53: digits would be lost"},
    {"too large for a double", "[1e1000]", "[0] is not a finite number"},
};

TEST(texts)
{
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;
	jv value;

	for (size_t i = 0; i < COUNT(texts); i++) {
		value = parse(texts[i].in);
		buf_reset(&out);
		ok(jvtext_add(&out, value, &err) == 0, "prints");
		is(buf_str(&out), texts[i].out, texts[i].what);
		jv_free(value);
	}
	for (size_t i = 0; i < COUNT(refused); i++) {
		value = parse(refused[i].in);
		buf_reset(&out);
		buf_adds(&out, "before");
		ok(jvtext_add(&out, value, &err) == -1, refused[i].what);
		is(err.message, refused[i].message, "and says why");
		is(buf_str(&out), "before", "and prints nothing");
		jv_free(value);
	}
	buf_reset(&out);
	value = parse("{\"b\":1,\"a\":2}");
	jvtext_add_ordered(&out, value, JVTEXT_KEPT, &err);
	is(buf_str(&out), "{\"b\":1,\"a\":2}", "keys as they are");
	jv_free(value);
	buf_release(&out);
}

TEST(not_finite)
{
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;
	jv value = JV_ARRAY(jv_number(1), jv_number(0.0 / 0.0));

	ok(jvtext_add(&out, value, &err) == -1, "not a number");
	is(err.message, "[1] is not a finite number", "and says so");
	buf_release(&out);
	jv_free(value);
}

static void
nest(struct buf *b, int depth)
{
	buf_reset(b);
	for (int i = 0; i < depth; i++)
		buf_addc(b, '[');
	for (int i = 0; i < depth; i++)
		buf_addc(b, ']');
}

TEST(depth)
{
	struct err err = ERR_INIT;
	struct buf text = BUF_INIT;
	struct buf out = BUF_INIT;
	jv value;

	nest(&text, JVTEXT_DEPTH_MAX);
	value = jvtext_parse(buf_span(&text), &err);
	ok(jv_is_valid(value), "parses 256 levels");
	ok(jvtext_measure(value) == JVTEXT_FITS, "they fit");
	ok(jvtext_add(&out, value, &err) == 0, "and prints them");
	is(buf_str(&out), buf_str(&text), "as they were");
	value = JV_ARRAY(value);
	ok(jvtext_measure(value) == JVTEXT_DEEP, "257 do not");
	ok(jvtext_add(&out, value, &err) == -1, "are not printed");
	is(err.message, "a value is nested deeper than 256", "and it says so");
	for (int i = 0; i < 20; i++)
		value = JV_ARRAY(value);
	ok(jvtext_measure(value) == JVTEXT_DEEP, "nor do more");
	jv_free(value);
	nest(&text, 257);
	value = jvtext_parse(buf_span(&text), &err);
	ok(!jv_is_valid(value), "257 levels are not parsed");
	is(err.message, "not one JSON value, or nested deeper than 256",
	    "and it says so");
	nest(&text, 10000);
	value = jvtext_parse(buf_span(&text), &err);
	ok(!jv_is_valid(value), "nor 10,000");
	buf_release(&text);
	buf_release(&out);
}

/* A value whose parts are shared is small, and prints as huge text. */
TEST(size)
{
	struct err err = ERR_INIT;
	struct buf out = BUF_INIT;
	jv value = jv_string("0123456789");

	for (int i = 0; i < 60; i++)
		value = JV_ARRAY(jv_copy(value), value);
	ok(jvtext_add(&out, value, &err) == -1, "huge text is refused");
	is(err.message, "a value is longer than 16777216 bytes",
	    "and it says so");
	ok(jvtext_measure(value) == JVTEXT_LONG, "and measured to be so");
	jv_free(value);
	buf_release(&out);
}

TEST(bad_text)
{
	static const char *const bad[] = {"", " ", "{", "[1", "\"a", "{\"a\"}",
	    "1 2", "nul", "secret", "[1,]x", "\"\\ud800\"x"};
	struct err err;

	for (size_t i = 0; i < COUNT(bad); i++) {
		jv value = jvtext_parse(span_str(bad[i]), &err);

		ok(!jv_is_valid(value), bad[i]);
		is(err.message, "not one JSON value, or nested deeper than 256",
		    "the message holds nothing of it");
		jv_free(value);
	}
}

/* Every prefix of these texts, too, is read as libjq reads it. (libjq leaks a
 * string behind a value.) */
static const char *const odd[] = {
    " { \"a\" : [ 1 , -2 ,\t{ } , [ ] ] ,\r\n\"b\" : { \"c\" : null } } ",
    "{\"a\":1,\"b\":2,\"a\":3,\"\":4,\"c\":true,\"d\":false}",
    "[0,-0,01,-01,00,1.5,1.0,-1.25e-3,1E5,.5,1.,+1,123456789012345]",
    "[1234567890123456,0.1,100000000000001,1e-400,123456789012345.5]",
    "[1,01,-01,00,+1,.5,1.]", "[-]", "[1-2]", "[1x]", "[1[2]]",
    "[\"\\\"\\\\\\/\\n\\r\\t\\b\\f\",\"a\\nb\\tc\\\\\",\"\\\\\"]",
    "[\"\\u00e4\\ud83d\\ude00\\u0000\",\"\\n\\u000a\"]", "[\"\\x\"]",
    "{\"a\\nb\":\"\\ud800\",\"\\u0061\":1}",
    "[\"\xc3\xa4\xf0\x9f\x98\x80\",\"\xff\",\"a\xc3\",\"\xed\xa0\x80\"]",
    "[\"a\nb\x01\x7f\"]", "\"text\"", "null", "nullx", "[nullx]", "[nulll]",
    "[truefalse]", "[tru]", "true false", "nan", "[nan]", "[NaN]", "[Infinity]",
    "\xef\xbb\xbf[1]", "\xef\xbb\xbf", "[1,]", "[,1]", "[1 2]", "{\"a\":1,}",
    "{,}", "{\"a\" 1}", "{\"a\":}", "{a:1}", "{1:2}", "[1}", "{\"a\":1]",
    "[1]]", "[1] x", "]", "[\v1]", "# comment", "'a'", "{\"a\":'b'}", "\x1e[1]",
    "{\"a key that is longer than most of those that come again\":1}"};

static void
add_kept(struct buf *b, jv value)
{
	struct err err = ERR_INIT;

	buf_reset(b);
	if (!jv_is_valid(value))
		buf_adds(b, "(none)");
	else if (jvtext_add_ordered(b, value, JVTEXT_KEPT, &err) != 0)
		buf_adds(b, err.message);
	jv_free(value);
}

TEST(as_libjq)
{
	struct buf ours = BUF_INIT, theirs = BUF_INIT, what = BUF_INIT;
	struct err err = ERR_INIT;

	for (size_t i = 0; i < COUNT(odd); i++)
		for (size_t n = 0; n <= strlen(odd[i]); n++) {
			/* A copy with nothing readable behind it. */
			char *text = mem_dup(odd[i], n);

			add_kept(&ours, jvtext_parse(span_make(text, n), &err));
			add_kept(&theirs, jv_parse_sized(text, (int)n));
			if (strcmp(buf_str(&ours), buf_str(&theirs)) != 0)
				buf_addf(&what, "%s: %s not %s\n", text,
				    buf_str(&ours), buf_str(&theirs));
			free(text);
		}
	is(buf_str(&what), "", "all texts are read as libjq reads them");
	buf_release(&ours);
	buf_release(&theirs);
	buf_release(&what);
}

TEST(peek)
{
	jv value = parse("{\"a\":{\"b\":\"text\\u0000more\"},\"n\":1}");

	ok(span_eq(jvtext_span(jvtext_peek(jvtext_peek(value, "a"), "b")),
	       span_make("text\0more", 9)),
	    "a member of a member, NUL included");
	ok(!jv_is_valid(jvtext_peek(value, "x")), "no such member");
	ok(!jv_is_valid(jvtext_peek(jvtext_peek(value, "n"), "x")),
	    "no object");
	ok(!jv_is_valid(jvtext_peek(jvtext_peek(value, "x"), "x")),
	    "nothing of nothing");
	ok(jvtext_span(jvtext_peek(value, "n")).p == NULL, "no text");
	jv_free(value);
}
