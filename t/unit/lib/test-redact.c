/* redact: what is hidden and what is not. */
#include "record/redact.h"

#include <stdlib.h>

#include "json/json.h"
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

static void
test_secret(void)
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

static void
test_paths(void)
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
static void
test_names(void)
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

static void
test_key(void)
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
static void
test_escapes(void)
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

int
main(void)
{
	redact = redact_new(NULL);
	test_secret();
	test_escapes();
	test_paths();
	test_names();
	test_key();
	redact_free(redact);
	return tap_done();
}
