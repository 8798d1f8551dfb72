/* yaml: trees, lines, JSON, refusals. */
#include "conf/yaml.h"

#include <string.h>

#include "conf/yamldocs.h"
#include "tap.h"

static void
json_is(const char *text, const char *want)
{
	struct err err = ERR_INIT;
	struct yaml *y = yaml_parse("f", text, strlen(text), &err);
	struct buf b = BUF_INIT;

	if (y != NULL)
		yaml_to_json(y, &b);
	else
		buf_adds(&b, err.message);
	is(buf_str(&b), want, want);
	buf_release(&b);
	yaml_tree_free(y);
}

TEST(types)
{
	json_is("[1, -2, +3, 007, 0x1F, 0o17, 1e3, .5, 5., -0.50, 1_0]",
	    "[1,-2,3,7,31,15,1e3,0.5,5,-0.50,\"1_0\"]");
	json_is("[0x, 0o8, 0x0x1, 0xffffffffffffffffff, 1e, 1.2.3, -, .]",
	    "[\"0x\",\"0o8\",\"0x0x1\",\"0xffffffffffffffffff\",\"1e\","
	    "\"1.2.3\",\"-\",\".\"]");
	json_is("[12345678901234567890123, .inf, .nan]",
	    "[12345678901234567890123,\".inf\",\".nan\"]");
	json_is("[true, False, yes, null, ~, , Null]",
	    "f:1: did not find expected node content while parsing a flow "
	    "node");
	json_is("[true, False, yes, null, ~, Null, '', 'null', \"1\"]",
	    "[true,false,\"yes\",null,null,null,\"\",\"null\",\"1\"]");
	json_is("a: |\n  1\n  2\nb: >\n  x\n  y\nc: !!str 5\nd:\n",
	    "{\"a\":\"1\\n2\\n\",\"b\":\"x y\\n\",\"c\":\"5\",\"d\":null}");
	json_is("{\"json\": [\"is\", {\"yaml\": true}], \"n\": 1.0}",
	    "{\"json\":[\"is\",{\"yaml\":true}],\"n\":1.0}");
	json_is("", "null");
	json_is("# only a comment\n", "null");
	json_is("1: a\ntrue: b\n", "{\"1\":\"a\",\"true\":\"b\"}");
}

TEST(refusals)
{
	json_is("a: 1\nb: 2\na: 3\n", "f:3: duplicate key \"a\"");
	json_is(
	    "a: 1\nb: *x\n", "f:2: this alias has no anchor, or is within it");
	json_is(
	    "a: &x [*x]\n", "f:1: this alias has no anchor, or is within it");
	json_is(
	    "a: 1\n<<: 5\n", "f:2: << needs a mapping, or a list of mappings");
	json_is("<<: [{a: 1}, b]\n",
	    "f:1: << needs a mapping, or a list of mappings");
	json_is("? &x [a]\n: b\n? *x\n: c\n",
	    "f:1: a key must be a text, not a mapping or list");
	json_is("a: &x [1]\n*x : c\n",
	    "f:2: a key must be a text, not a mapping or list");
	json_is("<<: {a: 1}\na: 2\na: 3\n", "f:3: duplicate key \"a\"");
	json_is("a: !!int x\n", "f:1: the text is not what its tag says");
	json_is("a: !!int 1.5\n", "f:1: the text is not what its tag says");
	json_is("a: !!bool 1\n", "f:1: the text is not what its tag says");
	json_is("a: !!null x\n", "f:1: the text is not what its tag says");
	json_is("a: !!binary $$\n", "f:1: !!binary holds what is not base64");
	json_is("a: !!binary /w==\n",
	    "f:1: !!binary holds bytes that are not UTF-8 text");
	json_is("a: 1\n---\nb: 2\n", "f:2: a second document is not supported");
	json_is("a: !!set {b}\n", "f:1: this tag is not supported");
	json_is("a: !foo {}\n", "f:1: this tag is not supported");
	json_is(
	    "? [a]\n: b\n", "f:1: a key must be a text, not a mapping or list");
	json_is("a: \"x\\0y\"\n", "f:1: a text holds NUL");
	json_is(
	    "a: b: c\n", "f:1: mapping values are not allowed in this context");
	json_is("a: [1, 2\nb: 3\n",
	    "f:2: did not find expected ',' or ']' while parsing a flow "
	    "sequence");
	json_is("a: \t\x01\n",
	    "f:1: control characters are not allowed "
	    "(byte 4)");
	json_is("a: \xff\n", "f:1: invalid leading UTF-8 octet (byte 3)");
	json_is(
	    "a: 1\nb: \xe9t\n", "f:2: invalid trailing UTF-8 octet (byte 9)");
}

/* As kubectl reads them: tried with it. */
TEST(aliases)
{
	json_is("a: &x 1\nb: *x\nc: &x 2\nd: *x\n",
	    "{\"a\":1,\"b\":1,\"c\":2,\"d\":2}");
	json_is("? &k key\n: 1\no: *k\n", "{\"key\":1,\"o\":\"key\"}");
	json_is("a: {<<: {x: 1, y: 2}, x: 3}\n", "{\"a\":{\"x\":3,\"y\":2}}");
	json_is("a: {x: 3, <<: {x: 1, y: 2}}\n", "{\"a\":{\"x\":1,\"y\":2}}");
	json_is(
	    "<<: [{a: 1, b: 1}, {a: 2, c: 2}]\n", "{\"a\":1,\"c\":2,\"b\":1}");
	json_is("\"<<\": {a: 1}\n", "{\"<<\":{\"a\":1}}");
	json_is("a: &x {b: [1, {c: d}]}\ne: {<<: *x, f: *x}\n",
	    "{\"a\":{\"b\":[1,{\"c\":\"d\"}]},\"e\":{\"b\":[1,{\"c\":"
	    "\"d\"}],\"f\":{\"b\":[1,{\"c\":\"d\"}]}}}");
	json_is("a: !!str 1\nb: !!binary aGk=\nc: !!int \"3\"\nd: !!bool yes\n"
		"e: !!null \"\"\nf: !!float 1_0.5\n",
	    "{\"a\":\"1\",\"b\":\"hi\",\"c\":3,\"d\":true,\"e\":null,\"f\":"
	    "10.5}");
}

/* Nine lines that stand for a billion. */
TEST(bomb)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "a0: &a0 [\"lol\"]\n");
	for (int i = 1; i < 10; i++) {
		buf_addf(&b, "a%d: &a%d [", i, i);
		for (int n = 0; n < 9; n++)
			buf_addf(&b, "%s*a%d", n > 0 ? "," : "", i - 1);
		buf_adds(&b, "]\n");
	}
	json_is(buf_str(&b), "f:7: aliases repeat too much");
	buf_release(&b);
}

static void
encoding_is(struct span text, const char *want)
{
	struct err err = ERR_INIT;
	struct yaml *y = yaml_parse("f", text.p, text.n, &err);

	is(y != NULL ? "(read)" : err.message, want, want);
	yaml_tree_free(y);
}

TEST(encodings)
{
	static const char utf16[] = "f:1: this is UTF-16: save the file as "
				    "UTF-8";

	json_is("\xef\xbb\xbf- a: 1\n  b: 2\n- 3\n", "[{\"a\":1,\"b\":2},3]");
	json_is("\xef\xbb\xbf", "null");
	json_is("\xef\xbb\xbf---\na: 1\n", "{\"a\":1}");
	encoding_is(span_make("\xff\xfe-\0", 4), utf16);
	encoding_is(span_make("\xfe\xff\0-", 4), utf16);
	encoding_is(span_make("-\0 \0", 4), utf16);
	encoding_is(span_make("\0-\0 ", 4), utf16);
}

TEST(depth)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	struct yaml *y;

	for (int i = 0; i < 100000; i++)
		buf_addc(&b, '[');
	y = yaml_parse("f", b.data, b.len, &err);
	ok(y == NULL, "100000 levels are refused");
	is(err.message, "f:1: nested too deep", "and it says so");
	buf_reset(&b);
	for (int i = 0; i < 100; i++)
		buf_addc(&b, '[');
	for (int i = 0; i < 100; i++)
		buf_addc(&b, ']');
	y = yaml_parse("f", b.data, b.len, &err);
	ok(y != NULL, "100 levels are not");
	yaml_tree_free(y);
	buf_release(&b);
}

TEST(lookup)
{
	const char *text = "a: 1\nlist:\n- x\n- y: {z: 'q'}\n";
	struct err err = ERR_INIT;
	struct yaml *y = yaml_parse("f", text, strlen(text), &err);
	struct yaml *list = yaml_get(y, "list");
	struct yaml *z;
	bool value;

	ok(list != NULL && list->count == 2, "a list of two");
	ok(list->line == 3 && list->values[1]->line == 4, "lines");
	z = yaml_get(yaml_get(list->values[1], "y"), "z");
	is(z->text, "q", "nested");
	ok(z->quoted && !list->values[0]->quoted, "quotes are remembered");
	ok(yaml_get(y, "b") == NULL && yaml_get(list, "a") == NULL &&
		yaml_get(NULL, "a") == NULL,
	    "what is not there");
	ok(!yaml_bool(z, &value) && !yaml_is_null(z), "a string is neither");
	yaml_tree_free(y);
	y = yaml_load("/nowhere/at/all.yaml", &err);
	is(err.message,
	    "cannot read /nowhere/at/all.yaml: No such file or directory",
	    "no file");
	ok(y == NULL && err.kind == ERR_PERMANENT, "is permanent");
	y = yaml_load("/", &err);
	is(err.message, "cannot read /: Is a directory", "a directory");
}

/* A document of a file, as kubectl reads it; what it says is from
 * sigs.k8s.io/yaml 1.6. */
static void
docs_are(const char *text, size_t n, const char *want, const char *what)
{
	struct err err = ERR_INIT;
	struct buf b = BUF_INIT;

	if (yamldocs_lines("f", span_make(text, n), &b, &err) != 0) {
		buf_reset(&b);
		buf_adds(&b, err.message);
	}
	is(buf_str(&b), want, what);
	buf_release(&b);
}

static void
doc_is(const char *text, const char *want)
{
	docs_are(text, strlen(text), want, want);
}

TEST(numbers)
{
	static const char *const endless[] = {".inf", ".Inf", ".INF", "+.inf",
	    "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF", ".nan", ".NaN",
	    ".NAN"};

	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		static const char *const forms[] = {
		    "a: %s\n", "a: !!float %s\n", "a: !!float \"%s\"\n"};
		struct buf text = BUF_INIT, want = BUF_INIT;
		const char *word = endless[i];
		const char *spelled = word[0] == '-'		      ? "-.inf"
		    : strchr(word, 'n') == word + 1 || word[1] == 'N' ? ".nan"
								      : ".inf";

		buf_addf(&want,
		    "f:1: a: %s is a number that JSON does not have: "
		    "write \"%s\" for the text",
		    spelled, spelled);
		for (size_t j = 0; j < 3; j++) {
			buf_reset(&text);
			buf_addf(&text, forms[j], word);
			doc_is(buf_str(&text), buf_str(&want));
		}
		buf_reset(&text);
		buf_reset(&want);
		buf_addf(&text, "%s: 1\n", word);
		buf_addf(&want, "{\"%s\":1}\n", spelled);
		doc_is(buf_str(&text), buf_str(&want));
		buf_release(&text);
		buf_release(&want);
	}
	doc_is("[\".inf\", '.nan', -.nan, .iNf, inf, nan, !!str .inf]",
	    "[\".inf\",\".nan\",\"-.nan\",\".iNf\",\"inf\",\"nan\","
	    "\".inf\"]\n");
	doc_is("[0644, 0o644, 0x1F, -0b11, 1_000, 0_7, 1__0, 08, 0o8]",
	    "[420,420,31,-3,1000,7,10,8,\"0o8\"]\n");
	doc_is("[._1, .5_0, 1._5, _1, 1_, 190:20:30, 1e, .e3, ., 1e400]",
	    "[\"._1\",\".5_0\",1.5,\"_1\",1,\"190:20:30\",\"1e\",\".e3\","
	    "\".\",\"1e400\"]\n");
	doc_is("[9223372036854775807, 18446744073709551615]",
	    "[9223372036854775807,18446744073709551615]\n");
	doc_is("-9223372036854775808: 1\n", "{\"-9223372036854775808\":1}\n");
	doc_is("9223372036854775808: 1\n",
	    "f:1: the key 9223372036854775808 is a number beyond 64 bits: "
	    "write \"9223372036854775808\"");
	doc_is("[2001-12-14, 2001-12-14T21:59:43Z]",
	    "[\"2001-12-14\",\"2001-12-14T21:59:43Z\"]\n");
}

TEST(tags)
{
	static const char wrong[] = "f:1: the text is not what its tag says";
	static const char *const refused[] = {"!!float .", "!!float 0x1.8p1",
	    "!!float 2001-12-14T21:59:43.10Z", "!!float .e3", "!!float ._1",
	    "!!float x", "!!int 1.5", "!!int x", "!!int \"\"", "!!int .inf",
	    "!!bool 1", "!!null x"};

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		doc_is(refused[i], wrong);
	doc_is("[!!int \"5\", !!float \"1.5\", !!float 2, !!bool \"true\"]",
	    "[5,1.5,2,true]\n");
}

TEST(files)
{
	static const char utf16[] = "\377\376a\0:\0 \0001\0";

	doc_is("a: &x 1\n---\nb: *x\n",
	    "f:3: this alias has no anchor, or is within it");
	doc_is("# a\n---\n# b\n---\n~\n---\n", "\n");
	/* kubectl takes the line before --- for a document, too. */
	doc_is("%YAML 1.1\n---\na: 1\n",
	    "f:2: did not find expected <document start>");
	doc_is("\357\273\277a: 1\r\n---\r\nb: |\r\n  x\r\n  y\r\n",
	    "{\"a\":1}\n{\"b\":\"x\\ny\\n\"}\n");
	doc_is("a: \377\n", "f:1: invalid leading UTF-8 octet (byte 3)");
	docs_are(utf16, sizeof(utf16) - 1,
	    "f:1: this is UTF-16: save the file as UTF-8", "UTF-16");
	doc_is("a: 1\n\tb: 2\n",
	    "f:2: found a tab character that violates indentation while "
	    "scanning a plain scalar");
}
