/* yaml: trees, lines, JSON, refusals. */
#include "conf/yaml.h"

#include <string.h>

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

static void
test_types(void)
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

static void
test_refusals(void)
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
static void
test_aliases(void)
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
static void
test_bomb(void)
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

static void
test_encodings(void)
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

static void
test_depth(void)
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

static void
test_lookup(void)
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

int
main(void)
{
	test_types();
	test_refusals();
	test_aliases();
	test_bomb();
	test_encodings();
	test_depth();
	test_lookup();
	return tap_done();
}
