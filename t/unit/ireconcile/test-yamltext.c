#include "program/yamltext.h"

#include "base/array.h"
#include "json/jvtext.h"
#include "tap.h"

static const struct {
	const char *what, *in, *out;
} texts[] = {
    {"scalars", "[null,true,false,-1.5,1e-07,9007199254740991,-0]",
	"- null\n- true\n- false\n- -1.5\n- 1e-07\n- 9007199254740991\n- 0\n"},
    {"a scalar alone", "\"x\"", "\"x\"\n"},
    {"nothing in it", "{\"a\":[],\"b\":{}}", "a: []\nb: {}\n"},
    {"sorted keys", "{\"b\":1,\"a.b\":2,\"\xc3\xa4\":3,\"a\":4,\"B\":5}",
	"B: 5\na: 4\na.b: 2\nb: 1\n\"\xc3\xa4\": 3\n"},
    {"containers in containers",
	"[[1,[2]],{\"a\":[{\"b\":1,\"c\":{\"d\":2}}]}]",
	"- - 1\n  - - 2\n- a:\n    - b: 1\n      c:\n        d: 2\n"},
    {"keys that mean something else",
	"{\"no\":1,\"Y\":1,\"NULL\":1,\"False\":1,\"nulls\":1,\"no_\":1}",
	"\"False\": 1\n\"NULL\": 1\n\"Y\": 1\n\"no\": 1\nno_: 1\nnulls: 1\n"},
    {"keys that begin or go on in another way",
	"{\"\":1,\"1\":1,\"-\":1,\"~\":1,\".a\":1,\"a~-1\":1,\"a "
	"b\":1,\"a:\":1,"
	"\"_\":1}",
	"\"\": 1\n\"-\": 1\n\".a\": 1\n\"1\": 1\n_: 1\n\"a b\": 1\n\"a:\": 1\n"
	"a~-1: 1\n\"~\": 1\n"},
    {"escapes", "\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f/\"",
	"\"\\\"\\\\\\b\\f\\n\\r\\t\\u0000\\u001f/\"\n"},
    {"characters that YAML does not print",
	"\"\\u007e\\u007f\\u0080\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff\"",
	"\"~\\u007f\\u0080\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff\"\n"},
    {"others stay", "\"\\u00a0\\u2027\\u202a\\ufffd\\ud83f\\udffe\"",
	"\"\xc2\xa0\xe2\x80\xa7\xe2\x80\xaa\xef\xbf\xbd\xf0\x9f\xbf\xbe\"\n"},
    {"such a key", "{\"a\\u0085\":1}", "\"a\\u0085\": 1\n"},
    {"a block", "\"a b\\n\\n  c~\\n\"", "|\n  a b\n\n    c~\n"},
    {"a block without a last line break", "\"a\\nb\"", "|-\n  a\n  b\n"},
    {"blocks in containers",
	"{\"a\":{\"b\":\"x\\n\\ny\"},\"c\":[\"x\\n\\ny\\n\"]}",
	"a:\n  b: |-\n    x\n  \n    y\nc:\n  - |\n      x\n    \n      y\n"},
    {"lines that cannot be a block",
	"[\"\",\"a\\n\",\"\\na\",\"a\\n\\n\",\" a\\nb\",\"a\\nb "
	"\",\"a\\tb\\nc\","
	"\"a\\n\\u007fb\",\"a\\n\xc3\xa4\\nb\",\"a\\r\\nb\",\"\\n\"]",
	"- \"\"\n- \"a\\n\"\n- \"\\na\"\n- \"a\\n\\n\"\n- \" a\\nb\"\n"
	"- \"a\\nb \"\n- \"a\\tb\\nc\"\n- \"a\\n\\u007fb\"\n"
	"- \"a\\n\xc3\xa4\\nb\"\n- \"a\\r\\nb\"\n- \"\\n\"\n"},
    {"the shortest block", "\"ab\\n\"", "|\n  ab\n"},
};

static void
test_texts(void)
{
	struct buf out = BUF_INIT;

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct err err = ERR_INIT;
		jv value = jvtext_parse(span_str(texts[i].in), &err);

		buf_reset(&out);
		if (yamltext_add(&out, value, &err) != 0)
			buf_adds(&out, err.message);
		is(buf_str(&out), texts[i].out, texts[i].what);
		jv_free(value);
	}
	buf_release(&out);
}

static void
test_refused(void)
{
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;
	jv value = jvtext_parse(
	    span_str("{\"a\":[1,9007199254740992],\"b\":1}"), &err);

	buf_adds(&out, "before");
	ok(yamltext_add(&out, value, &err) == -1, "beyond 2^53");
	is(err.message,
	    "the value is an integer beyond 2^53: digits would be lost",
	    "... the reason");
	is(buf_str(&out), "before", "... nothing is added");
	jv_free(value);
	buf_release(&out);
}

int
main(void)
{
	test_texts();
	test_refused();
	return tap_done();
}
