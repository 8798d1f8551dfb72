/* tree: parsing, editing, comparing, writing. */
#include "tree/tree.h"

#include "base/array.h"
#include "base/mem.h"
#include "base/text.h"
#include "tap.h"

static struct arena arena;

static const char *
again(const char *text)
{
	static struct buf out;
	struct err err = ERR_INIT;
	struct node *n =
	    tree_parse(&arena, span_str(text), TREE_LIMITS, NULL, &err);

	buf_reset(&out);
	if (n == NULL)
		return buf_adds(&out, err.message), buf_str(&out);
	tree_write(&out, n);
	return buf_str(&out);
}

static struct node *
parse(const char *text)
{
	return tree_parse(&arena, span_str(text), TREE_LIMITS, NULL, NULL);
}

static const char *
written(const struct node *n)
{
	static struct buf out;

	buf_reset(&out);
	tree_write(&out, n);
	return buf_str(&out);
}

TEST(texts)
{
	static const struct {
		const char *in, *out;
	} texts[] = {
	    {" {\"b\" : [1, -2.50e+3 ,true,false,null ] , \"a\":\"x\"} ",
		"{\"b\":[1,-2.50e+3,true,false,null],\"a\":\"x\"}"},
	    {"12345678901234567890123", "12345678901234567890123"},
	    {"\"a\\n\\\"\\\\\\/\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"",
		"\"a\\n\\\"\\\\/A\303\251\342\202\254\360\237\230\200\""},
	    {"\"\\ud800x\"", "\"\357\277\275x\""},
	    {"\"a\377b\"", "\"a\357\277\275b\""},
	    {"\"\\u0000\\u001f\"", "\"\\u0000\\u001f\""},
	    {"{\"a\":1,\"a\":2}", "{\"a\":2}"},
	    {"{}", "{}"},
	    {"[]", "[]"},
	    {"\"\"", "\"\""},
	    {"", "at byte 1: the text is cut short"},
	    {"{", "at byte 2: the text is cut short"},
	    {"{\"a\"", "at byte 5: the text is cut short"},
	    {"{\"a\":1,}", "at byte 8: unexpected byte"},
	    {"[1,]", "at byte 4: unexpected byte"},
	    {"[1 2]", "at byte 4: unexpected byte"},
	    {"01", "at byte 2: unexpected byte"},
	    {"1.", "at byte 3: the text is cut short"},
	    {"1e", "at byte 3: the text is cut short"},
	    {"-", "at byte 2: the text is cut short"},
	    {"tru", "at byte 1: unexpected byte"},
	    {"{} {}", "at byte 4: unexpected byte"},
	    {"\"a", "at byte 3: the text is cut short"},
	    {"\"\\x\"", "at byte 3: unknown escape"},
	    {"\"\\u00g0\"", "at byte 4: \\u needs four hex digits"},
	    {"\"a\tb\"", "at byte 3: control byte in a string"},
	    {"{a:1}", "at byte 2: unexpected byte"},
	};

	for (size_t i = 0; i < COUNT(texts); i++)
		is(again(texts[i].in), texts[i].out, texts[i].in);
}

TEST(limits)
{
	struct buf deep = BUF_INIT;
	struct span twice;
	struct err err;

	for (int i = 0; i < 1001; i++)
		buf_addc(&deep, '[');
	ok(tree_parse(&arena, buf_span(&deep), TREE_LIMITS, NULL, &err) == NULL,
	    "too deep");
	is(err.message, "at byte 1001: nested too deep", "... and says so");
	buf_release(&deep);
	tree_parse(&arena,
	    span_str("{\"a\":[{\"b\":{\"c\":1,\"c\":2,\"c\":3}}],\"a\":1}"),
	    TREE_LIMITS, &twice, NULL);
	is(arena_str(&arena, twice), "a[0].b.c", "the first duplicate");
	tree_parse(&arena, span_str("{\"a\":1}"), TREE_LIMITS, &twice, NULL);
	ok(twice.p == NULL, "no duplicate");
	ok(tree_parse(&arena, span_str("{\"a\":1,\"a\":2}"),
	       (struct tree_limits){10, false}, NULL, &err) == NULL,
	    "duplicates refused");
	is(err.message, "at byte 13: a key is given twice", "... and said");
}

TEST(changes)
{
	struct node *n = parse("{\"a\":1,\"b\":{\"c\":null},\"d\":[1,2]}");
	struct node *d = tree_get(n, "d");

	tree_put(&arena, n, "a", tree_str(&arena, "x\"y"));
	tree_put_first(&arena, n, "kind", tree_str(&arena, "K"));
	tree_put_first(&arena, n, "d", d);
	tree_put(
	    &arena, tree_make(&arena, n, "m"), "t", tree_bool(&arena, true));
	tree_put(&arena, tree_make(&arena, tree_get(n, "b"), "c"), "i",
	    tree_int(&arena, -7));
	tree_append(&arena, d, tree_null(&arena));
	tree_insert(&arena, d, 0, tree_int(&arena, 0));
	tree_remove_at(d, 1);
	ok(tree_remove(n, "zzz") == false, "nothing to remove");
	is(written(n),
	    "{\"d\":[0,2,null],\"kind\":\"K\",\"a\":\"x\\\"y\","
	    "\"b\":{\"c\":{\"i\":-7}},\"m\":{\"t\":true}}",
	    "changed");
	ok(tree_remove(n, "a"), "removed");
	tree_get(n, "b");
	n->members[0].value = NULL;
	n->members[3].value = NULL;
	tree_sweep(n);
	is(written(n), "{\"kind\":\"K\",\"b\":{\"c\":{\"i\":-7}}}", "swept");
	ok(tree_path(n, "b.c.i") != NULL && tree_path(n, "b.x.i") == NULL &&
		tree_path(n, "kind.x") == NULL,
	    "paths");
	ok(span_is(tree_path_text(n, "kind"), "K"), "text of a path");
}

TEST(many)
{
	struct node *n = tree_object(&arena), *c;
	bool all = true;

	for (int i = 0; i < 5000; i++)
		tree_set(&arena, n, arena_printf(&arena, "k%d", i),
		    tree_int(&arena, i));
	for (int i = 0; i < 5000; i += 2)
		tree_get_span(n, arena_printf(&arena, "k%d", i))->text =
		    span_str("1");
	ok(n->n == 5000, "no key is there twice");
	for (int i = 0; i < 5000; i++) {
		int64_t value;
		struct span key = arena_printf(&arena, "k%d", i);

		all &= tree_get_int(tree_get_span(n, key), &value) &&
		    value == (i % 2 == 0 ? 1 : i);
	}
	ok(all, "all found");
	ok(tree_get(n, "k5000") == NULL, "what is not there is not found");
	c = tree_clone(&arena, n);
	ok(tree_equal(c, n), "a clone is equal");
	tree_remove(n, "k7");
	ok(tree_get(n, "k7") == NULL && tree_get(n, "k4999") != NULL,
	    "removed, the others found");
	tree_put(&arena, n, "k7", tree_int(&arena, 7));
	ok(tree_equal(c, n) && n->n == 5000, "put back, in another place");
	tree_put(&arena, n, "k7", tree_int(&arena, 8));
	ok(!tree_equal(c, n), "one differs");
}

TEST(equal)
{
	static const struct {
		const char *x, *y;
		bool equal;
	} pairs[] = {
	    {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1.0}", true},
	    {"{\"a\":1}", "{\"a\":1,\"b\":null}", false},
	    {"[1,2]", "[2,1]", false},
	    {"1e2", "100", true},
	    {"9007199254740993", "9007199254740992", false},
	    {"\"1\"", "1", false},
	    {"null", "{}", false},
	};

	for (size_t i = 0; i < COUNT(pairs); i++)
		ok(tree_equal(parse(pairs[i].x), parse(pairs[i].y)) ==
			pairs[i].equal,
		    pairs[i].x);
}

static const char *
yaml(const char *text)
{
	static struct err err;
	struct node *n = tree_parse_yaml(&arena, span_str(text), NULL, &err);

	return n == NULL ? err.message : written(n);
}

/* The same JSON is read by libyaml if there is a line more. */
TEST(json_as_yaml)
{
	static const char *const same[] = {"{}", "{\"b\":1,\"a\":[2,{}]}",
	    "{\"a\":\"\\\"\\\\\\b\\f\\n\\r\\t\"}",
	    "{ \"a\" : null , \"b\":true}",
	    "{\"a\":[-0,1e3,1.50,12345678901234567890]}", "{\"a\":1,\"a\":2}",
	    "{\"a\":\"\\u00e9\"}", "{\"a\":\"\u00e9\"}", "{\"<<\":{\"x\":1}}",
	    "{\"\":\"# no\"}", "{\"a\":1} x", "{'a':1}", "{\"a\":\"\\x41\"}",
	    "{\"a\":010}", "{\"a\":yes}"};
	struct buf b = BUF_INIT, want = BUF_INIT, long_key = BUF_INIT;
	struct node *n;

	for (size_t i = 0; i < COUNT(same); i++) {
		buf_reset(&b);
		buf_addf(&b, "\n%s", same[i]);
		buf_reset(&want);
		buf_adds(&want, yaml(buf_str(&b)));
		/* Errors name the line. */
		if (buf_str(&want)[0] == '{')
			is(yaml(same[i]), buf_str(&want), same[i]);
		else
			ok(strncmp(yaml(same[i]), "yaml: ", 6) == 0, same[i]);
	}
	buf_addf(&long_key, "{\"%01100d\":1}", 0);
	ok(strncmp(yaml(buf_str(&long_key)), "yaml: ", 6) == 0,
	    "a key that is too long for YAML");
	buf_reset(&b);
	buf_addc(&b, '{');
	for (int i = 99; i >= 0; i--)
		buf_addf(&b, "%s\"k%d\":%d", i < 99 ? "," : "", i, i);
	buf_addc(&b, '}');
	for (int turn = 0; turn < 2; turn++) {
		bool found = true;
		int64_t v;

		n = tree_parse_yaml(&arena, buf_span(&b), NULL, NULL);
		for (int i = 0; i < 100; i++)
			found = found &&
			    tree_get_int(
				tree_get(n, arena_printf(&arena, "k%d", i).p),
				&v) &&
			    v == i;
		ok(found,
		    turn == 0 ? "members are found when sorted"
			      : "... by libyaml, too");
		buf_addc(&b, '\n');
	}
	buf_release(&b);
	buf_release(&want);
	buf_release(&long_key);
}

TEST(values)
{
	static char deep[400001];
	struct buf sorted = BUF_INIT;
	struct span twice;
	int64_t i;

	ok(tree_get_int(parse("3.0"), &i) && i == 3, "3.0 is an integer");
	ok(!tree_get_int(parse("3.5"), &i), "3.5 is not an integer");
	ok(!tree_get_int(parse("9223372036854775808"), &i),
	    "2^63 is not an int64");
	ok(tree_get_int(parse("-9223372036854775808"), &i) && i == INT64_MIN,
	    "-2^63 is an int64");
	ok(tree_empty(NULL) && tree_empty(parse("{}")) &&
		tree_empty(parse("\"\"")) && !tree_empty(parse("0")) &&
		!tree_empty(parse("false")),
	    "empty");
	tree_write_sorted(&sorted, parse("{\"b\":{\"z\":1,\"y\":2},\"a\":[]}"));
	is(buf_str(&sorted), "{\"a\":[],\"b\":{\"y\":2,\"z\":1}}", "sorted");
	buf_release(&sorted);
	is(written(tree_parse_yaml(
	       &arena, span_str("a: 1\nb: [x, 'true', true]\n"), NULL, NULL)),
	    "{\"a\":1,\"b\":[\"x\",\"true\",true]}", "YAML");
	is(yaml("a: &x {k: 1}\nb: *x\nc: [yes, no, ~, 010, 0x1F, 1_0, +.5, 1.,"
		"-3e2, .inf, 'on', 2026-01-02, 1e400x, -]\n"),
	    "{\"a\":{\"k\":1},\"b\":{\"k\":1},\"c\":[true,false,null,8,31,"
	    "\"1_0\",0.5,1,-3e2,\".inf\",\"on\",\"2026-01-02\",\"1e400x\","
	    "\"-\"]}",
	    "YAML 1.1, anchors");
	is(yaml("a: 1\n---\nb: 2\n"), "{\"a\":1}", "the first document");
	is(yaml(""), "null", "nothing");
	is(yaml("a: [1"), "yaml: line 2: did not find expected ',' or ']'",
	    "bad YAML");
	is(written(tree_parse_yaml(&arena,
	       span_str("a: 1\na: 2\nb: {c: 1,\n c: 2}\n"), &twice, NULL)),
	    "{\"a\":2,\"b\":{\"c\":2}}", "a key twice: the last counts");
	is(arena_str(&arena, twice),
	    "  line 2: key \"a\" already set in map\n"
	    "  line 4: key \"c\" already set in map",
	    "... and is told");
	is(yaml("[a]: 1\n"), "yaml: line 1: a key that is not a scalar",
	    "a key that is a list");
	is(yaml("a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,"
		"*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,"
		"*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,"
		"*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]\n"),
	    "yaml: line 1: document contains excessive aliasing",
	    "aliases that explode");
	memset(deep, '[', sizeof(deep) - 1);
	is(yaml(deep), "yaml: line 1: nested too deep", "brackets");
}

TEST(text)
{
	struct text *t = text_make(span_str("abc"));

	ok(text_ref(t) == t && t->refs == 2, "a reference");
	text_unref(t);
	is(t->p, "abc", "still there");
	text_unref(t);
	text_unref(NULL);
	ok(text_span(NULL).p == NULL, "no text");
}

int
main(void)
{
	tap_run();
	arena_reset(&arena);
	ok(arena.total == 0, "an arena that was emptied");
	arena_release(&arena);
	return tap_done();
}
