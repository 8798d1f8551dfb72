/* json: the strict check, the cursor, the frame scanner, the writers. */
#include "json/json.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/scan.h"
#include "tap.h"

/* A copy without a spare byte, so that a memory checker sees each read too
 * far. */
static struct span
exact(const char *s, size_t n)
{
	char *p = mem_alloc(n ? n : 1);

	memcpy(p, s, n);
	return span_make(p, n);
}

static void
check(const char *text, size_t n, const char *want)
{
	struct err err = ERR_INIT;
	struct span t = exact(text, n);
	struct buf what = BUF_INIT;
	int r = json_check(t, &err);

	buf_adds(&what, "json_check ");
	json_add_string(&what, span_make(text, n < 40 ? n : 40));
	is(r == 0 ? "ok" : err.message, want, buf_str(&what));
	buf_release(&what);
	free((void *)t.p);
}

#define CHECK(text, want) check(text, sizeof(text) - 1, want)

TEST(check_good)
{
	CHECK("{}", "ok");
	CHECK(" [ ] \n", "ok");
	CHECK("0", "ok");
	CHECK("-0.5e+10", "ok");
	CHECK("\"\\u00e9\\n\\/\"", "ok");
	CHECK("\"\\ud83d\\ude00\"", "ok");
	CHECK("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "ok");
	CHECK("[1,2,{\"a\":[true,false,null]},\"]\"]", "ok");
	CHECK(
	    "{\"a\":{\"b\":[]},\"c\":\"0123456789012345678901234567\"}", "ok");
}

TEST(check_bad)
{
	CHECK("", "text is cut short at byte 1");
	CHECK("  ", "text is cut short at byte 3");
	CHECK("{\"a\":1", "text is cut short at byte 7");
	CHECK("{\"a\"", "text is cut short at byte 5");
	CHECK("[1,]", "unexpected byte at byte 4");
	CHECK("{\"a\":1,}", "unexpected byte at byte 8");
	CHECK("{,}", "unexpected byte at byte 2");
	CHECK("[1}", "unexpected byte at byte 3");
	CHECK("[1 2]", "unexpected byte at byte 4");
	CHECK("[{}{}]", "unexpected byte at byte 4");
	CHECK("{\"a\":1:2}", "unexpected byte at byte 7");
	CHECK("{\"a\":1]", "unexpected byte at byte 7");
	CHECK("]", "not JSON: unexpected byte at byte 1");
	CHECK("01", "text behind the value at byte 2");
	CHECK("+1", "not JSON: unexpected byte at byte 1");
	CHECK(".5", "not JSON: unexpected byte at byte 1");
	CHECK("1.", "text is cut short at byte 3");
	CHECK("1.x", "unexpected byte at byte 3");
	CHECK("1e", "text is cut short at byte 3");
	CHECK("-", "text is cut short at byte 2");
	CHECK("nul", "text is cut short at byte 4");
	CHECK("nulx", "unexpected byte at byte 4");
	CHECK("NaN", "not JSON: unexpected byte at byte 1");
	CHECK("truefalse", "text behind the value at byte 5");
	CHECK("{} {}", "text behind the value at byte 4");
	CHECK("{a:1}", "unexpected byte at byte 2");
	CHECK("{\"a\" 1}", "unexpected byte at byte 6");
	CHECK("\xef\xbb\xbf{}", "not JSON: unexpected byte at byte 1");
	CHECK("\"a\nb\"", "control character in a string at byte 3");
	CHECK("\"a\\x\"", "unknown escape at byte 3");
	CHECK("\"\\u12g4\"", "unexpected byte at byte 6");
	CHECK("\"\\u12", "text is cut short at byte 6");
	CHECK("\"\\", "text is cut short at byte 3");
	CHECK("\"\\ud800\"", "half of a surrogate pair at byte 2");
	CHECK("\"\\ud800\\u0041\"", "half of a surrogate pair at byte 2");
	CHECK("\"\\udc00\"", "half of a surrogate pair at byte 2");
	CHECK("\"abc", "text is cut short at byte 5");
}

TEST(check_bytes)
{
	CHECK("{\"a\":\"\0\"}", "NUL byte at byte 7");
	CHECK("{\0}", "NUL byte at byte 2");
	CHECK("{}\0", "NUL byte at byte 3");
	CHECK("\"\xff\"", "invalid UTF-8 at byte 2");
	CHECK("\"\x80\"", "invalid UTF-8 at byte 2");
	CHECK("\"\xc0\xaf\"", "invalid UTF-8 at byte 2");
	CHECK("\"\xe0\x80\x80\"", "invalid UTF-8 at byte 2");
	CHECK("\"\xed\xa0\x80\"", "invalid UTF-8 at byte 2");
	CHECK("\"\xf4\x90\x80\x80\"", "invalid UTF-8 at byte 2");
	CHECK("\"\xf0\x8f\xbf\xbf\"", "invalid UTF-8 at byte 2");
	CHECK("\"\xe2\x82", "invalid UTF-8 at byte 2");
	CHECK("\"0123456789abcdefg\xc3\"", "invalid UTF-8 at byte 19");
}

TEST(check_depth)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;

	for (int i = 0; i < 256; i++)
		buf_addc(&b, '[');
	for (int i = 0; i < 256; i++)
		buf_addc(&b, ']');
	ok(json_check(buf_span(&b), &err) == 0, "256 levels are allowed");
	buf_reset(&b);
	for (int i = 0; i < 10000; i++)
		buf_adds(&b, "{\"a\":");
	ok(json_check(buf_span(&b), &err) == -1, "10,000 levels are not");
	is(err.message, "nested deeper than 256 levels at byte 1281",
	    "and the message says where it was too deep");
	buf_release(&b);
}

static void
show_members(struct buf *b, struct span object)
{
	for (struct json_members m = json_members(object); json_member(&m);) {
		buf_addspan(b, m.key);
		buf_addc(b, '=');
		buf_addspan(b, m.value);
		buf_addc(b, ';');
	}
}

TEST(cursor)
{
	struct buf b = BUF_INIT;
	struct span text = span_str(" { \"a\" : [1, {\"x\":\"]}\"} ] "
				    ",\"b\\\"\":\"c,\\\\\", \"n\":-1e5}z");
	struct span v = json_value(&text);

	ok(v.n > 0 && text.n == 1 && *text.p == 'z', "a value and its rest");
	show_members(&b, v);
	is(buf_str(&b), "a=[1, {\"x\":\"]}\"} ];b\\\"=\"c,\\\\\";n=-1e5;",
	    "members of an object");
	buf_reset(&b);
	for (struct json_elements e = json_elements(json_get(v, "a"));
	     json_element(&e);) {
		buf_addspan(&b, e.value);
		buf_addc(&b, '|');
	}
	is(buf_str(&b), "1|{\"x\":\"]}\"}|", "elements of an array");
	buf_reset(&b);
	show_members(&b, span_str("[1]"));
	show_members(&b, span_str("{}"));
	show_members(&b, span_str("{\"a\":1"));
	show_members(&b, span_str("{\"a\""));
	show_members(&b, span_str("{\"a\":[1"));
	is(buf_str(&b), "a=1;", "no member if it does not exist");
	v = span_str("{\"metadata\":{\"a.b\":1,\"name\":\"n\"},\"metadat\":2}");
	ok(json_is(json_path(v, "metadata.name"), "n"), "json_path");
	ok(json_path(v, "metadata.none").p == NULL, "json_path, absent");
	ok(json_path(v, "metadat.name").p == NULL, "json_path in a number");
	ok(span_is(json_get(json_get(v, "metadata"), "a.b"), "1"),
	    "json_get takes a key with dots");
	buf_release(&b);
}

TEST(scalars)
{
	struct buf b = BUF_INIT;
	struct span v;
	int64_t n = 0;

	ok(json_type(span_str("null")) == JSON_NULL, "null");
	ok(json_type(span_str("nul")) == JSON_INVALID, "nul");
	ok(json_type(span_str("-1")) == JSON_NUMBER, "-1");
	ok(json_type(SPAN_NONE) == JSON_INVALID, "nothing");
	ok(json_int(span_str("9223372036854775807"), &n) && n == INT64_MAX,
	    "the largest integer");
	ok(json_int(span_str("-9223372036854775808"), &n) && n == INT64_MIN,
	    "the smallest integer");
	ok(!json_int(span_str("9223372036854775808"), &n), "one too large");
	ok(!json_int(span_str("1.5"), &n), "a fraction is not an integer");
	ok(!json_int(span_str("-"), &n), "a sign is not an integer");
	ok(span_is(json_string(span_str("\"abc\""), &b), "abc") && b.len == 0,
	    "a string without escapes is not copied");
	ok(span_is(
	       json_string(span_str("\"\\u00e9\\ud83d\\ude00\\n\\\"\\/\\u0041"
				    "\\ud800x\\u20ac\""),
		   &b),
	       "\xc3\xa9\xf0\x9f\x98\x80\n\"/A\xef\xbf\xbdx\xe2\x82\xac"),
	    "escapes");
	ok(json_string(span_str("\"\""), &b).p != NULL,
	    "an empty string is a string");
	ok(json_string(span_str("12"), &b).p == NULL,
	    "a number is not a string");
	ok(json_is(span_str("\"a\\u0062\""), "ab"), "json_is unescapes");
	v = span_str("[1,{\"t\":\"a\"},{\"t\":\"b\",\"n\":1},{\"t\":\"b\"}]");
	ok(json_get(json_find(v, "t", "b"), "n").p != NULL,
	    "json_find: the first one that has it");
	ok(json_find(v, "t", "c").p == NULL &&
		json_find(span_str("{}"), "t", "b").p == NULL,
	    "json_find: none");
	buf_release(&b);
}

TEST(writers)
{
	struct buf b = BUF_INIT;

	buf_addc(&b, '{');
	json_add_key(&b, "a");
	json_add_string(&b, span_make("\0\x1f\"\\\n\t\x7fz\xc3\xa9\xff", 11));
	json_add_key(&b, "b");
	json_add_int(&b, INT64_MIN);
	json_add_key(&b, "c");
	buf_addc(&b, '[');
	json_add_comma(&b);
	json_add_str(&b, "");
	json_add_comma(&b);
	json_add_str(&b, "[");
	buf_adds(&b, "]}");
	is(buf_str(&b),
	    "{\"a\":\"\\u0000\\u001f\\\"\\\\\\n\\t\x7fz\xc3\xa9\xef\xbf\xbd\","
	    "\"b\":-9223372036854775808,\"c\":[\"\",\"[\"]}",
	    "writers");
	ok(json_check(buf_span(&b), NULL) == 0, "what they write is JSON");
	buf_release(&b);
}

static void
frame_is(const char *line, const char *want)
{
	struct json_frame f;
	struct buf b = BUF_INIT;
	struct span t = exact(line, strlen(line));
	int r = json_frame(t, &f);

	buf_addf(&b, "%d %.*s %.*s %.*s %.*s/%.*s %.*s %.*s ", r,
	    SPAN_ARG(f.type), SPAN_ARG(f.api_version), SPAN_ARG(f.kind),
	    SPAN_ARG(f.namespace_), SPAN_ARG(f.name), SPAN_ARG(f.uid),
	    SPAN_ARG(f.resource_version));
	buf_addspan(&b, f.annotations);
	if (f.managed_fields.p != NULL) {
		buf_addc(&b, ' ');
		buf_add(&b, t.p, (size_t)(f.managed_fields.p - t.p));
		buf_add(&b, f.managed_fields.p + f.managed_fields.n,
		    t.n - (size_t)(f.managed_fields.p - t.p) -
			f.managed_fields.n);
	}
	is(buf_str(&b), want, line);
	buf_release(&b);
	free((void *)t.p);
}

TEST(frame)
{
	frame_is(
	    "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":"
	    "\"v1\",\"metadata\":{\"name\":\"n\",\"namespace\":\"s\",\"uid\":"
	    "\"u\",\"resourceVersion\":\"7\",\"managedFields\":[{\"f:a\":"
	    "{}}]},\"spec\":{\"metadata\":{\"name\":\"x\"}}}}\n",
	    "0 ADDED v1 Pod s/n u 7  {\"type\":\"ADDED\",\"object\":{\"kind\":"
	    "\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"n\","
	    "\"namespace\":\"s\",\"uid\":\"u\",\"resourceVersion\":\"7\"},"
	    "\"spec\":{\"metadata\":{\"name\":\"x\"}}}}\n");
	frame_is(
	    "{\"type\":\"X\",\"object\":{\"metadata\":{\"managedFields\":[],"
	    "\"annotations\":{\"a\":\"}\"}}}}",
	    "0 X   /   {\"a\":\"}\"} {\"type\":\"X\",\"object\":{\"metadata\":"
	    "{\"annotations\":{\"a\":\"}\"}}}}");
	frame_is(
	    "{\"type\":\"X\",\"object\":{\"metadata\":{\"managedFields\":[]}}}",
	    "0 X   /    {\"type\":\"X\",\"object\":{\"metadata\":{}}}");
	frame_is("{\"type\":\"X\"}", "-1 X   /   ");
	frame_is("{\"type\":\"X\",\"object\":{}} x", "-1 X   /   ");
	frame_is("{\"type\":\"X\",\"object\":{\"metadata\":{\"name\":\"a\"}}",
	    "-1 X   /a   ");
	frame_is("{\"object\":{\"kind\":\"K\"}}", "-1   K /   ");
	frame_is("", "-1    /   ");
	frame_is("{\"type\":\"X\",\"object\":{\"metadata\":null,\"kind\":3}}",
	    "0 X   /   ");
}

/* The simplest way to the same result. */
static const char *
slow_end(const char *p, const char *end)
{
	int depth = 1;
	bool inside = false;

	for (; p < end; p++) {
		if (inside && *p == '\\')
			p++;
		else if (*p == '"')
			inside = !inside;
		else if (!inside && strchr("{[", *p) != NULL && *p != 0)
			depth++;
		else if (!inside && strchr("}]", *p) != NULL && *p != 0 &&
		    --depth == 0)
			return p + 1;
	}
	return NULL;
}

TEST(scan)
{
	/* Backslashes only inside strings: outside they are not JSON. */
	static const char out[] = "{}[]{}[]::,,1\"\"\"",
			  in[] = "\\\\\\\"{}[]aaaaaaaa";
	int found = 0;
	bool same = true;
	unsigned seed = 1;

	for (int round = 0; round < 20000 && same; round++) {
		char text[300];
		size_t n = (size_t)(rand_r(&seed) % 300);
		bool inside = false;
		struct span t;

		for (size_t i = 0; i < n; i++) {
			const char *from = inside ? in : out;

			text[i] = from[(unsigned)rand_r(&seed) / 7 % 16];
			if (inside && text[i] == '\\' && i + 1 < n)
				text[++i] = "\\\"n"[rand_r(&seed) / 7 % 3];
			else if (text[i] == '"')
				inside = !inside;
		}
		t = exact(text, n);
		same =
		    json_scan_container(t.p, t.p + n) == slow_end(t.p, t.p + n);
		found += slow_end(t.p, t.p + n) != NULL;
		free((void *)t.p);
	}
	ok(same, "the bitmap scanner finds what the plain loop finds");
	ok(found > 5000 && found < 20000, "with an end and without one");
}

TEST(compact)
{
	struct buf b = BUF_INIT;

	json_add_compact(&b,
	    span_str("{\"a\\\"\": null, \"b\" :[null,{\"c\":null,\"d\":1}],"
		     "\"e\":{\"f\":null}, \"g\":\"null\"}"));
	is(buf_str(&b), "{\"b\":[null,{\"d\":1}],\"e\":{},\"g\":\"null\"}",
	    "members that are null are left out, elements are not");
	buf_reset(&b);
	json_add_compact(&b, span_str("[]"));
	json_add_compact(&b, SPAN_NONE);
	is(buf_str(&b), "[]", "an empty array, and nothing");
	buf_release(&b);
}

/* In an object of members a, b, "" and c, some of them twice, some escaped. */
TEST(pick)
{
	static const char *const keys[] = {"a", "b", "", "ab", "c"},
				 *const spelled[] = {
				     "a", "b", "", "ab", "\\u0061", "d"};
	int found = 0;
	bool same = true;
	unsigned seed = 1;

	for (int round = 0; round < 2000 && same; round++) {
		struct buf b = BUF_INIT;
		struct span got[5];

		buf_addc(&b, '{');
		for (int n = rand_r(&seed) / 7 % 8; n > 0; n--) {
			json_add_key(&b, spelled[rand_r(&seed) / 7 % 6]);
			json_add_int(&b, n);
		}
		buf_addc(&b, '}');
		json_pick(buf_span(&b), keys, 5, got);
		for (size_t k = 0; k < 5; k++) {
			struct span one = json_get(buf_span(&b), keys[k]);

			same = same && one.p == got[k].p && one.n == got[k].n;
			found += one.p != NULL;
		}
		buf_release(&b);
	}
	ok(same, "json_pick finds what json_get finds");
	ok(found > 2000 && found < 8000, "members that are there and not");
}

/* want NULL: there is nothing to change. */
static void
plain(const char *text, const char *want)
{
	struct span t = exact(text, strlen(text));
	struct buf out = BUF_INIT;

	buf_adds(&out, ">");
	ok(json_plain(t, &out) == (want != NULL), text);
	is(buf_str(&out) + 1, want != NULL ? want : "", "... its text");
	buf_release(&out);
	free((void *)t.p);
}

TEST(plain)
{
	plain("{\"a\":[1,\"b\"]}", NULL);
	plain("", NULL);
	plain("{\"k\\u0069nd\":\"S\\u0065cret\"}", "{\"kind\":\"Secret\"}");
	plain("\"a\\/b\\u002Fc\"", "\"a/b/c\"");
	plain("\"\\u00e9\\ud83d\\ude00\"", "\"\xc3\xa9\xf0\x9f\x98\x80\"");
	plain("\"\\u0022\\u005c\\u000a\\u202e\\u0000\\u007f\"", NULL);
	plain("\"\\\\u0065\\n\\\"\"", NULL);
	plain("\"\\\\\\u0065\\n\"", "\"\\\\e\\n\"");
	plain("\"\\ud83d\\u0065\"", "\"\\ud83de\"");
	plain("\"\\u00", NULL);
	plain("\"\\", NULL);
}

static void
name_is(const char *value, const char *want, size_t n)
{
	struct arena names = ARENA_INIT;
	struct span t = exact(value, strlen(value));
	struct span got = json_name(t, &names);

	ok(span_eq(got, span_make(want, n)), value);
	ok((got.p >= t.p && got.p <= t.p + t.n) == (names.total == 0),
	    "... borrowed, unless it had to be decoded");
	arena_release(&names);
	free((void *)t.p);
}

#define NAME(value, want) name_is(value, want, sizeof(want) - 1)

TEST(names)
{
	NAME("\"plain\"", "plain");
	NAME("\"\"", "");
	NAME("\"a\\u003cb\"", "a<b");
	NAME("\"\\\"\\\\\\/\\n\\u2028\"", "\"\\/\n\xe2\x80\xa8");
	NAME("\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80");
	NAME("\"\\ud83d\\u0041\"",
	    "\xef\xbf\xbd"
	    "A");
	NAME("\"a\\u0000b\"", "a\0b");
	ok(json_name(span_str("7"), NULL).p == NULL &&
		json_name(SPAN_NONE, NULL).p == NULL,
	    "what is not a string is not a name");
}

/* The member of an object of such keys that is found by the name. */
static void
named(const char *name, const char *want)
{
	struct span object = span_str("{\"a\\u003cb\":1,\"a\\\\\":2,"
				      "\"a\\\"\":3,\"plain\":4,"
				      "\"\\ud83d\\ude00\":5,\"u003c\":6}");
	struct span got = json_get_named(object, span_str(name));

	ok(span_is(got, want), name);
}

TEST(named)
{
	named("a<b", "1");
	named("a\\", "2");
	named("a\"", "3");
	named("plain", "4");
	named("\xf0\x9f\x98\x80", "5");
	named("u003c", "6");
	named("a\\u003cb", "");
	named("a\\\\", "");
	named("a\\\"", "");
}

TEST(frame_names)
{
	struct arena names = ARENA_INIT;
	struct json_frame f;
	struct span t =
	    span_str("{\"type\":\"ADDED\",\"object\":{\"metadata\":{"
		     "\"name\":\"a\\u003cb\",\"namespace\":\"n\\u0073\","
		     "\"uid\":\"\\u0075\",\"resourceVersion\":\"\\u0037\"}}}");

	ok(json_frame(t, &f) == 0, "a frame with escapes");
	json_frame_names(&f, &names);
	ok(span_is(f.name, "a<b") && span_is(f.namespace_, "ns") &&
		span_is(f.uid, "u") && span_is(f.resource_version, "7"),
	    "... its names are decoded");
	arena_release(&names);
}
