/* redact: what is hidden and what is not. */
#include "record/redact.h"

#include <stdlib.h>

#include "json/json.h"
#include "record/redacted.h"
#include "tap.h"
#include "value/base64.h"

static struct redact *redact;

static char *
run(const char *kind, const char *const *paths, const char *object)
{
	struct buf out = BUF_INIT;

	redact_object(redact, span_str(""), span_str(kind), paths,
	    span_str(object), &out);
	ok(json_check(buf_span(&out), NULL) == 0, "still JSON");
	return buf_take(&out);
}

static bool
same(const char *object, const char *a, const char *b)
{
	struct span o = span_str(object), x = json_path(o, a),
		    y = json_path(o, b);

	return x.p != NULL && span_eq(x, y);
}

TEST(secret)
{
	char *got = run("Secret", NULL,
	    "{\"kind\":\"Secret\",\"metadata\":{\"name\":\"n\"},\"data\":"
	    "{\"a\":\"aHVudGVyMg==\",\"b\":\"aHVudGVyMg==\",\"c\":\"eA==\"},"
	    "\"stringData\":{\"d\":\"hunter2\",\"e\":null},\"type\":"
	    "\"Opaque\"}");
	struct buf plain = BUF_INIT;

	ok(strstr(got, "hunter2") == NULL && strstr(got, "aHVu") == NULL,
	    "no value is left");
	ok(strstr(got, "\"type\":\"Opaque\"}") != NULL &&
		strstr(got, "{\"name\":\"n\"}") != NULL,
	    "the rest is");
	ok(same(got, "data.a", "data.b"), "equal values stay equal");
	ok(!same(got, "data.a", "data.c"), "others do not become equal");
	ok(base64_decode(
	       json_string(json_path(span_str(got), "data.a"), &plain),
	       BASE64_LINES, &plain, NULL) == 0,
	    "a value can be decoded");
	ok(json_is(json_path(span_str(got), "stringData.d"), buf_str(&plain)),
	    "... and is that of the same stringData");
	ok(json_is(json_path(span_str(got), "stringData.e"), "") == false &&
		span_is(json_path(span_str(got), "stringData.e"), "null"),
	    "null stays");
	buf_release(&plain);
	free(got);
}

TEST(paths)
{
	static const char *const paths[] = {"spec.list[].secret", "spec.all",
	    "data[\"a.b\"]", "spec.number", NULL};
	char *got = run("Thing", paths,
	    "{\"spec\":{\"list\":[{\"secret\":\"x\",\"name\":\"x\"},7],"
	    "\"all\":{\"p\":[\"x\",1]},\"number\":5,\"secret\":\"x\"},"
	    "\"data\":{\"a.b\":\"x\",\"a\":\"x\"},\"metadata\":{"
	    "\"annotations\":{"
	    "\"kubectl.kubernetes.io/last-applied-configuration\":\"x\","
	    "\"other\":\"x\"}}}");
	struct span all = json_path(span_str(got), "spec.all.p");

	ok(json_is(json_path(span_str(got), "spec.secret"), "x") &&
		json_is(json_path(span_str(got), "data.a"), "x") &&
		json_is(json_path(span_str(got), "metadata.annotations.other"),
		    "x"),
	    "what is not named stays");
	ok(strstr(got, "\"name\":\"x\"},7]") != NULL, "in lists, too");
	ok(strstr(got, "{\"secret\":\"x\"") == NULL, "named in lists");
	ok(!json_is(json_get(json_get(span_str(got), "data"), "a.b"), "x"),
	    "a key with dots");
	ok(all.n == 2 * 41 + 3, "everything below a path");
	ok(json_path(span_str(got), "spec.number").n == 41, "a number");
	ok(strstr(got, "last-applied-configuration\":\"x\"") == NULL,
	    "last-applied-configuration");
	free(got);
}

/* The whole name is compared. */
TEST(names)
{
	static const char *const paths[] = {
	    "spec.secret", "data[\"a.b\"]", "spec.l[].key", NULL};
	const char *object = "{\"spec\":{\"sec\":{\"ret\":\"x\"},"
			     "\"secre\":{\"t\":\"x\"},\"secrets\":\"x\","
			     "\"l\":[{\"k\":{\"ey\":\"x\"},\"keys\":\"x\"}]},"
			     "\"data\":{\"a.\":\"x\",\"a.bc\":\"x\","
			     "\"a\":{\"b\":\"x\"}}}";
	char *got = run("Thing", paths, object);

	is(got, object, "what begins as a name, or goes on behind it, stays");
	free(got);
}

TEST(key)
{
	const char *object = "{\"data\":{\"a\":\"x\"}}";
	char *first = run("Secret", NULL, object), *second;

	redact_free(redact);
	redact = redact_new(NULL);
	second = run("Secret", NULL, object);
	ok(strcmp(first, second) != 0, "another run has another key");
	free(first);
	free(second);
	first = run("ConfigMap", NULL, object);
	is(first, object, "a ConfigMap is not a Secret");
	free(first);
}

/* As API servers and others may spell keys. */
TEST(escapes)
{
	static const char *const paths[] = {"spec.a<b", NULL};
	char *got = run("Thing", paths,
	    "{\"spec\":{\"a\\u003cb\":\"hunter2\",\"a\\u003cc\":\"seen\"}}");

	ok(strstr(got, "hunter2") == NULL && strstr(got, "seen") != NULL,
	    "a key with an escape");
	free(got);
	got = run("Secret", NULL, "{\"d\\u0061ta\":{\"a\":\"hunter2\"}}");
	ok(strstr(got, "hunter2") == NULL, "... of a Secret");
	free(got);
}

/* The annotation, of a Secret with the value hunter22 and others. */
static void
annotation(const char *text, bool hidden, const char *name)
{
	struct buf object = BUF_INIT;
	char *got;

	buf_adds(&object, "{\"metadata\":{\"annotations\":{\"a/b\":");
	json_add_str(&object, text);
	buf_adds(&object,
	    ",\"kpipe.dev/x\":\"hunter22\"}},\"data\":"
	    "{\"a\":\"aHVudGVyMjI=\",\"b\":\"cHJvZA==\",\"c\":\"eA==\","
	    "\"d\":\"fn5+Pz8/Pj4+\"}}");
	got = run("Secret", NULL, buf_str(&object));
	ok((strstr(got, "\"a/b\":\"redacted-") != NULL) == hidden, name);
	ok(strstr(got, "\"kpipe.dev/x\":\"hunter22\"") != NULL,
	    "... ours stays");
	free(got);
	buf_release(&object);
}

/* In base64 the digits of a value differ by the number of bytes before it. */
TEST(offsets)
{
	static const char before[] = "user:";
	struct buf basic = BUF_INIT, plain = BUF_INIT;

	for (size_t n = 0; n < sizeof(before); n++) {
		for (int url = 0; url < 2; url++) {
			buf_reset(&plain);
			buf_addf(&plain, "%shunter22%s",
			    before + sizeof(before) - 1 - n, url ? "" : "@h");
			buf_reset(&basic);
			buf_adds(&basic, "Basic ");
			if (url)
				base64_add_url(&basic, buf_span(&plain));
			else
				base64_add(&basic, buf_span(&plain));
			annotation(buf_str(&basic), true, buf_str(&plain));
		}
		buf_reset(&plain);
		buf_addf(
		    &plain, "%sproduction", before + sizeof(before) - 1 - n);
		buf_reset(&basic);
		base64_add(&basic, buf_span(&plain));
		annotation(buf_str(&basic), false,
		    "a short value in base64 may be one by chance");
	}
	buf_release(&basic);
	buf_release(&plain);
}

TEST(annotations)
{
	static const char *const paths[] = {
	    "spec.password", "metadata.annotations[\"c/d\"]", NULL};
	char *got;

	annotation("ftp://u:hunter22@h", true, "a value in an annotation");
	annotation("{\"k\":\"aHVudGVyMjI=\"}", true, "... in base64");
	annotation("{\"k\":\"Zm9vOmh1bnR\\nlcjIy\"}", true,
	    "... in base64 in two lines of a JSON text");
	annotation("\n\n\n\ndTpodW50ZXIyMg==", true,
	    "... in base64 behind empty lines");
	annotation("\nabcaHVudGVyMjI=", true,
	    "... in base64 behind an empty line and other digits");
	annotation("fn5-Pz8_Pj4-", true, "... in base64 of URLs");
	annotation("aHVudGVyMjE=", false, "... but not another value");
	annotation("prod", true, "a short one alone");
	annotation("production", false, "... but not in another text");
	annotation("x", false, "... nor one that is too short");
	annotation("{\"kind\":\"Secret\",\"data\":{\"k\":\"b2xk\"}}", true,
	    "a manifest with an older value");
	annotation("H4sIAAAAAAAA", true, "a compressed one");
	annotation("{\"replicas\":3}", false, "JSON of another kind");
	got = run("ConfigMap", NULL,
	    "{\"metadata\":{\"annotations\":{\"a\":\"{\\\"spec\\\":1}\"}}}");
	ok(strstr(got, "redacted-") == NULL, "an object without such values");
	free(got);
	got = run("Thing", paths,
	    "{\"metadata\":{\"annotations\":{\"a\":\"is hunter22\",\"c/d\":"
	    "\"x\",\"e\":\"seen\"}},\"spec\":{\"password\":\"hunter22\"}}");
	ok(strstr(got, "hunter22") == NULL, "of fields that paths name");
	ok(strstr(got, "\"c/d\":\"redacted-") != NULL,
	    "an annotation that a path names");
	ok(strstr(got, "\"e\":\"seen\"") != NULL, "... and no other");
	free(got);
}

#define TEMPLATE                                                    \
	"{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{" \
	"\"annotations\":{\"a\":\"by "                              \
	"hunter22\"}},\"data\":{\"a\":\"aHVudGVyMjI=\"},"           \
	"\"stringData\":{\"b\":\"hunter22\"},\"type\":\"Opaque\"}"

static bool
is_hidden(const char *text)
{
	return strstr(text, "hunter22") == NULL &&
	    strstr(text, "aHVudGVyMjI") == NULL;
}

/* An object with this member: whether its values are hidden. */
static void
inside(const char *member, bool hidden, const char *name)
{
	struct buf object = BUF_INIT;
	char *got;

	buf_addf(&object,
	    "{\"apiVersion\":\"example.com/"
	    "v1\",\"kind\":\"Thing\",\"metadata\":"
	    "{\"annotations\":{\"x\":\"seen\"}},\"other\":[7,\"seen\"],%s}",
	    member);
	got = run("Thing", NULL, buf_str(&object));
	if (hidden)
		ok(is_hidden(got) && strstr(got, "[7,\"seen\"]") != NULL &&
			strstr(got, "{\"x\":\"seen\"}") != NULL,
		    name);
	else
		is(got, buf_str(&object), name);
	free(got);
	buf_release(&object);
}

/* member: a text as JSON writes it. */
static void
inside_text(const char *text, bool hidden, const char *name)
{
	struct buf member = BUF_INIT;

	buf_adds(&member, "\"text\":");
	json_add_str(&member, text);
	inside(buf_str(&member), hidden, name);
	buf_release(&member);
}

TEST(objects_inside)
{
	const char *object = "{\"spec\":{\"template\":" TEMPLATE
			     "},\"metadata\":{\"annotations\":{\"a\":"
			     "\"is hunter22\",\"b\":\"seen\"}}}";
	char *got = run("Thing", NULL, object), *alone, *again;
	struct span template = json_path(span_str(got), "spec.template");

	ok(is_hidden(got), "a Secret in a template is hidden");
	alone = run("Secret", NULL, TEMPLATE);
	ok(span_is(template, alone), "... as it is alone");
	ok(strstr(got, "\"b\":\"seen\"") != NULL &&
		strstr(got, "\"type\":\"Opaque\"") != NULL,
	    "... and nothing else");
	again = run("Thing", NULL, got);
	is(again, got, "what is a digest stays");
	free(again);
	free(alone);
	free(got);
	inside(
	    "\"objects\":[{\"kind\":\"Pod\"}," TEMPLATE "]", true, "in a list");
	inside("\"a\":{\"b\":[[{\"c\":" TEMPLATE "}]]}", true, "deeper");
	inside("\"status\":{\"last\" : {\"kind\" : \"Secret\" ,\"data\":"
	       "{\"a\":\"aHVudGVyMjI=\"}}}",
	    true, "with spaces, and without a version");
	inside("\"list\":{\"kind\":\"List\",\"items\":[" TEMPLATE "]}", true,
	    "in a List");
	inside("\"list\":{\"kind\":\"SecretList\",\"apiVersion\":\"v1\","
	       "\"items\":[{\"data\":{\"a\":\"aHVudGVyMjI=\"},\"stringData\":"
	       "{\"b\":\"hunter22\"}}]}",
	    true, "in a SecretList");
	inside(
	    "\"spec\":{\"kind\":\"Secret\",\"apiVersion\":\"example.com/v1\","
	    "\"data\":{\"a\":\"hunter22\"}}",
	    false, "a Secret of another group is another kind");
	inside(
	    "\"spec\":{\"kind\":\"SecretStore\",\"apiVersion\":\"v1\",\"data\":"
	    "{\"a\":\"hunter22\"}},\"data\":{\"kind\":\"hunter22\"}",
	    false, "... and so are others");
}

TEST(texts_inside)
{
	struct buf twice = BUF_INIT;

	inside_text(TEMPLATE, true, "the JSON of a Secret in a text");
	buf_addc(&twice, '[');
	json_add_str(&twice, TEMPLATE);
	buf_addc(&twice, ']');
	inside_text(buf_str(&twice), true, "... in a text in it");
	buf_release(&twice);
	inside_text("apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\n"
		    "stringData:\n  a: hunter22\n",
	    true, "the YAML of a Secret");
	inside_text("- data: {a: aHVudGVyMjI=}\n  kind: 'Secret'\n", true,
	    "... in a list");
	inside_text("kind: Secret\nmetadata:\n  name: hunter22\n", false,
	    "a reference to one");
	inside_text("kind: SecretStore\ndata:\n  name: hunter22\n", false,
	    "the YAML of another kind");
	inside_text("in the data of a Secret is hunter22", false, "prose");
}

#define DIGEST "redacted-0123456789abcdef0123456789abcd"

/* before, and the base64 of text. */
static char *
encoded(const char *before, const char *text)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, before);
	base64_add(&b, span_str(text));
	return buf_take(&b);
}

static void
found(const char *text, bool expected, const char *name)
{
	ok(redacted_in(span_str(text)) == expected, name);
}

static void
found_encoded(const char *before, const char *text, const char *name)
{
	char *b = encoded(before, text), *twice = encoded("", b);

	found(b, true, name);
	found(twice, true, "... twice");
	free(b);
	free(twice);
}

TEST(forms)
{
	char *b;

	found("{\"a\":\"x" DIGEST "y\"}", true, "a digest in a text");
	found("{\"a\":\"redacted-0123\"}", false, "one that is cut");
	found_encoded("", DIGEST, "in base64");
	found_encoded("", "u:" DIGEST "@h", "... behind two bytes");
	found_encoded("", "u" DIGEST, "... behind one");
	found_encoded("http://h/p/", "u:" DIGEST, "... behind what looks so");
	found_encoded(
	    "", "{\\\"auth\\\":\\\"" DIGEST "\\\"}", "... of JSON in a string");
	b = encoded("{\"a\":\"", "an account that has a name:" DIGEST);
	b[50] = '\\';
	b[51] = 'n';
	found(b, false, "with a digit lost");
	free(b);
	found("{\"a\":\"YW4gYWNjb3VudDpyZWRhY3RlZC0wMTIzNDU2Nzg5YWJjZ\\n"
	      "GVmMDEyMzQ1Njc4OWFiY2Q=\"}",
	    true, "in base64 of two lines");
	b = encoded(
	    "", "a certificate, or what else is as long as a digest is");
	found(b, false, "other base64");
	free(b);
}

int
main(void)
{
	redact = redact_new(NULL);
	tap_run();
	redact_free(redact);
	return tap_done();
}
