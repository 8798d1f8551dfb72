/* kubeerror: the meaning of answers, and the part of them that may be shown. */
#include "kube/kubeerror.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "json/json.h"
#include "tap.h"

static const char conflict[] =
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
    "\"Failure\",\"message\":\"Apply failed with 1 conflict: conflict with "
    "\\\"other\\\" using apps/v1: .spec.replicas\",\"reason\":\"Conflict\","
    "\"details\":{\"causes\":[{\"reason\":\"FieldManagerConflict\",\"message\":"
    "\"conflict with \\\"other\\\" using apps/v1\",\"field\":"
    "\".spec.replicas\"}]},\"code\":409}";

static const char invalid[] =
    "{\"kind\":\"Status\",\"message\":\"Secret \\\"x\\\" is invalid: data[k]: "
    "Invalid value: \\\"hunter2\\\": no\",\"reason\":\"Invalid\",\"details\":"
    "{\"name\":\"x\",\"kind\":\"Secret\",\"causes\":[{\"reason\":"
    "\"FieldValueInvalid\",\"message\":\"Invalid value: \\\"hunter2\\\"\","
    "\"field\":\"data[k]\"},{\"reason\":\"FieldValueRequired\",\"message\":"
    "\"Required value\",\"field\":\"type\"}]},\"code\":422}";

static const char schema[] =
    "{\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"failed to "
    "create typed patch object (ns/x; /v1, Kind=ConfigMap): .data.k: expected "
    "string, got &value.valueUnstructured{Value:\\\"hunter2\\\"}\",\"code\":"
    "500}";

static void
parse(struct kube_error *e, int code, const char *body)
{
	kube_error_parse(e, code, span_str(body));
}

TEST(classes)
{
	static const struct {
		int code;
		enum err_kind kind;
		const char *body;
		const char *what;
	} t[] = {
	    {400, ERR_PERMANENT, "{\"kind\":\"Status\"}", "400"},
	    {401, ERR_PERMANENT, "Unauthorized", "401"},
	    {403, ERR_PERMANENT, "{\"kind\":\"Status\"}", "403"},
	    {404, ERR_GONE, "404 page not found\n", "404 of a path"},
	    {405, ERR_PERMANENT, "", "405"},
	    {409, ERR_CONFLICT,
		"{\"kind\":\"Status\",\"reason\":\"AlreadyExists\"}", "409"},
	    {410, ERR_GONE, "{\"kind\":\"Status\",\"reason\":\"Expired\"}",
		"410"},
	    {413, ERR_PERMANENT, "", "413"},
	    {415, ERR_PERMANENT, "", "415"},
	    {422, ERR_PERMANENT, invalid, "422"},
	    {429, ERR_TRANSIENT, "too many", "429 as text"},
	    {500, ERR_TRANSIENT,
		"{\"kind\":\"Status\",\"reason\":\"InternalError\"}",
		"500 with a reason"},
	    {500, ERR_PERMANENT, schema, "500 of server-side apply"},
	    {500, ERR_TRANSIENT, "oops", "500 of a proxy"},
	    {502, ERR_TRANSIENT, "<html>", "502"},
	    {503, ERR_TRANSIENT, "", "503"},
	    {0, ERR_GONE, "{\"kind\":\"Status\",\"code\":410}",
		"an ERROR event"},
	};

	for (size_t i = 0; i < COUNT(t); i++) {
		struct kube_error e;

		parse(&e, t[i].code, t[i].body);
		ok(e.kind == t[i].kind, t[i].what);
		kube_error_release(&e);
	}
}

TEST(flags)
{
	struct kube_error e, copy;

	parse(&e, 409, conflict);
	ok(e.field_conflict, "a conflict of field managers");
	is(e.reason, "Conflict", "its reason");
	kube_error_copy(&copy, &e);
	kube_error_release(&e);
	ok(copy.causes != NULL && strstr(copy.causes, ".spec.replicas"),
	    "its causes, copied");
	kube_error_release(&copy);

	parse(&e, 403,
	    "{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"details\":{"
	    "\"causes\":[{\"reason\":\"NamespaceTerminating\",\"field\":"
	    "\"metadata.namespace\"}]}}");
	ok(e.namespace_terminating && e.kind == ERR_TRANSIENT,
	    "a terminating namespace");
	kube_error_release(&e);

	parse(&e, 404,
	    "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"details\":{"
	    "\"kind\":\"namespaces\",\"name\":\"x\"}}");
	ok(e.namespace_missing, "a missing namespace");
	ok(!kube_error_of_outage(&e), "... no outage");
	kube_error_release(&e);

	parse(&e, 504,
	    "{\"kind\":\"Status\",\"reason\":\"Timeout\",\"details\":{"
	    "\"retryAfterSeconds\":3}}");
	ok(e.timed_out && e.retry_after_ms == 3000, "a timeout, retry after");
	ok(kube_error_of_outage(&e), "... an outage");
	kube_error_release(&e);
	parse(&e, 429, "x");
	ok(e.retry_after_ms == -1, "nothing said about when");
	ok(kube_error_of_outage(&e), "... an outage, too");
	kube_error_release(&e);
	parse(&e, 503, "");
	is(e.message, "HTTP status 503", "an empty body");
	kube_error_release(&e);
}

static void
shows(int code, const char *body, const char *kind, const char *want)
{
	struct kube_error e;
	struct buf b = BUF_INIT;

	parse(&e, code, body);
	kube_error_public(&b, &e, span_str(kind));
	is(buf_str(&b), want, want);
	buf_release(&b);
	kube_error_release(&e);
}

TEST(public)
{
	struct buf text = BUF_INIT, b = BUF_INIT;
	struct kube_error e;

	shows(409, conflict, "Deployment",
	    "Apply failed with 1 conflict: conflict with \"other\" using "
	    "apps/v1: .spec.replicas");
	shows(409, conflict, "Secret",
	    "Conflict: .spec.replicas (conflict with \"other\" using "
	    "apps/v1)");
	shows(422, invalid, "Deployment",
	    "Secret \"x\" is invalid: data[k]: Invalid value: \"hunter2\": "
	    "no");
	shows(422, invalid, "Secret",
	    "Invalid: data[k] (FieldValueInvalid), type (FieldValueRequired)");
	shows(500, schema, "ConfigMap",
	    "failed to create typed patch object (ns/x; /v1, Kind=ConfigMap): "
	    ".data.k: expected string");
	shows(404,
	    "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":"
	    "\"secrets \\\"x\\\" not found\"}",
	    "Secret", "secrets \"x\" not found");
	shows(400, " a\n\tb\x01\x7f c\n", "Pod", "a b\\x01\\x7f c");
	shows(403,
	    "a \x1b[31mb\xc2\x9b"
	    "1m \xe2\x80\xae"
	    "c \xff",
	    "Pod", "a \\x1b[31mb\\u009b1m \\u202ec \\xff");
	shows(502, "value hunter2", "Secret", "HTTP status 502");

	for (int i = 0; i < 600; i++)
		buf_adds(&text, "\xc3\xa9"); /* two bytes each */
	parse(&e, 400, buf_str(&text));
	buf_adds(&b, "before:");
	kube_error_public(&b, &e, span_str("Pod"));
	ok(b.len == 7 + 764 + 3 + 256,
	    "1024 bytes at most, no half characters");
	ok(strncmp(buf_str(&b) + 7 + 762, "\xc3\xa9...\xc3\xa9", 7) == 0,
	    "and dots in the middle");
	kube_error_release(&e);
	buf_release(&b);
	buf_release(&text);
}

/* As recorded of Kubernetes 1.36, but for those with hunter2. */
TEST(admission)
{
	static const struct {
		int code;
		const char *body, *want;
	} t[] = {
	    {422,
		"{\"kind\":\"Status\",\"reason\":\"Invalid\",\"message\":"
		"\"secrets \\\"x\\\" is forbidden: ValidatingAdmissionPolicy "
		"'hunter2hunter2' with binding 'team' denied request: bad "
		"hunter2hunter2, aHVudGVyMmh1bnRlcjI= or 17\",\"details\":{"
		"\"causes\":[{\"message\":\"x\"}]}}",
		"secrets \"x\" is forbidden: ValidatingAdmissionPolicy "
		"'hunter2hunter2' with binding 'team' denied request: bad "
		"..., ... or ..."},
	    {500,
		"{\"kind\":\"Status\",\"reason\":\"InternalError\","
		"\"message\":\"Internal error occurred: failed calling webhook "
		"\\\"w.example.com\\\": failed to call webhook: timeout\"}",
		"Internal error occurred: failed calling webhook "
		"\"w.example.com\": failed to call webhook: timeout"},
	    {400,
		"{\"kind\":\"Status\",\"reason\":\"BadRequest\",\"message\":"
		"\"admission webhook \\\"w\\\" denied the request: "
		"hunter2hunter2\"}",
		"admission webhook \"w\" denied the request: ..."},
	    {400,
		"{\"kind\":\"Status\",\"reason\":\"BadRequest\",\"message\":"
		"\"cannot decode hunter\"}",
		"BadRequest"},
	    {403,
		"{\"kind\":\"Status\",\"reason\":\"Forbidden\",\"message\":"
		"\"secrets \\\"x\\\" is forbidden: because 17\"}",
		"secrets \"x\" is forbidden: because ..."},
	    {422,
		"{\"kind\":\"Status\",\"reason\":\"Invalid\",\"message\":"
		"\"Secret is invalid: data: hunter\",\"details\":{\"causes\":[{"
		"\"reason\":\"FieldValueInvalid\",\"field\":\"data\"}]}}",
		"Invalid: data (FieldValueInvalid)"},
	    {502, "value hunter", "HTTP status 502"},
	};
	const struct span object =
	    span_str("{\"data\":{\"a\":\"aHVudGVyMmh1bnRlcjI=\"},"
		     "\"stringData\":{\"b\":\"17\"}}");

	for (size_t i = 0; i < COUNT(t); i++) {
		struct buf b = BUF_INIT;
		struct kube_error e;

		parse(&e, t[i].code, t[i].body);
		kube_error_public_of(&b, &e, span_str("Secret"), object);
		is(buf_str(&b), t[i].want, t[i].want);
		buf_release(&b);
		kube_error_release(&e);
	}
}

/* As recorded of Kubernetes 1.36, but for those of the words. */
TEST(sentences)
{
	static const struct {
		const char *reason, *message, *field, *want;
	} t[] = {
	    {"FieldValueInvalid",
		"Invalid value: \"hunter2\": must be no more than 63 bytes",
		"metadata.labels",
		"FieldValueInvalid: must be no more than 63 bytes"},
	    {"FieldValueInvalid",
		"Invalid value: \"Hunter2\": a lowercase RFC 1123 subdomain "
		"must consist of lower case alphanumeric characters, '-' or "
		"'.', and must start and end with an alphanumeric character "
		"(e.g. 'example.com', regex used for validation is 'x')",
		"metadata.name",
		"FieldValueInvalid: a lowercase RFC 1123 subdomain must "
		"consist of lower case alphanumeric characters, '-' or '.', "
		"and must start and end with an alphanumeric character"},
	    {"FieldValueTooLong",
		"Too long: may not be more than 1048576 bytes", "[]",
		"FieldValueTooLong: may not be more than 1048576 bytes"},
	    {"FieldValueForbidden",
		"Forbidden: field is immutable when `immutable` is set", "data",
		"FieldValueForbidden: field is immutable when `immutable` is "
		"set"},
	    {"FieldValueInvalid",
		"Invalid value: \"a\\\": field is immutable\": no", "type",
		"FieldValueInvalid"},
	    {"FieldValueInvalid",
		"Invalid value: \"a\": field is immutable: hunter2", "type",
		"FieldValueInvalid"},
	    {"FieldValueInvalid", "Invalid value: hunter2: field is immutable",
		"type", "FieldValueInvalid"},
	    {"FieldValueTooLong", "Too long: hunter2", "x",
		"FieldValueTooLong"},
	    {"FieldValueForbidden", "Forbidden", "x", "FieldValueForbidden"},
	};

	for (size_t i = 0; i < COUNT(t); i++) {
		struct buf b = BUF_INIT, want = BUF_INIT;

		buf_addf(&b,
		    "{\"kind\":\"Status\",\"reason\":\"Invalid\",\"details\":"
		    "{\"causes\":[{\"reason\":\"%s\",\"field\":\"%s\"",
		    t[i].reason, t[i].field);
		json_add_key(&b, "message");
		json_add_str(&b, t[i].message);
		buf_adds(&b, "}]}}");
		buf_addf(&want, "Invalid: %s (%s)", t[i].field, t[i].want);
		shows(422, buf_str(&b), "Secret", buf_str(&want));
		buf_release(&b);
		buf_release(&want);
	}
}

static void
forbids(const char *message, const char *want)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "{\"kind\":\"Status\",\"reason\":\"Forbidden\"");
	json_add_key(&b, "message");
	json_add_str(&b, message);
	buf_addc(&b, '}');
	shows(403, buf_str(&b), "ConfigMap", want);
	buf_release(&b);
}

TEST(space)
{
	static const char *const whole[] = {
	    "configmaps \"b9\" is forbidden: exceeded quota: q, requested: "
	    "count/configmaps=1, used: count/configmaps=6, limited: "
	    "count/configmaps=3",
	    "secrets \"m\" is forbidden: unable to create new content in "
	    "namespace dying because it is being terminated"};

	for (size_t i = 0; i < COUNT(whole); i++)
		forbids(whole[i], whole[i]);
	forbids("secrets \"m\" is forbidden: exceeded quota: \"hunter2\"",
	    "Forbidden");
	forbids("secrets \"m\" is forbidden: unable to create new content in "
		"namespace a because it is being terminated: hunter2",
	    "Forbidden");
	forbids("exceeded quota: q", "Forbidden");
}

/* The rule stands behind the value. */
TEST(long)
{
	struct buf text = BUF_INIT, b = BUF_INIT;
	struct kube_error e;

	buf_adds(&text, "spec.template: Invalid value: \"");
	for (int i = 0; i < 600; i++)
		buf_adds(&text, "xy");
	buf_adds(&text, "\": field is immutable");
	parse(&e, 422, buf_str(&text));
	kube_error_public(&b, &e, span_str("Job"));
	ok(b.len == 1024 && strstr(buf_str(&b), "spec.template: ") != NULL &&
		strstr(buf_str(&b), "...") != NULL &&
		strstr(buf_str(&b), "\": field is immutable") != NULL,
	    "a long value is cut, the sentence behind it is not");
	kube_error_release(&e);
	buf_release(&b);
	buf_release(&text);
}

#define TYPED "failed to create typed patch object (/x; /v1, Kind=Secret): "

#define CONVERTED                                                        \
	"failed to convert new object (/x; /v1, Kind=Secret) to proper " \
	"version: unable to convert unstructured object to /v1, Kind=Secret: "

static void
tells(int code, const char *message, const char *want)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "{\"kind\":\"Status\"");
	json_add_key(&b, "message");
	json_add_str(&b, message);
	if (code == 400)
		buf_adds(&b, ",\"reason\":\"BadRequest\"");
	buf_addc(&b, '}');
	shows(code, buf_str(&b), "Secret", want);
	buf_release(&b);
}

/* As recorded (t/unit/kapi/managed/steps.jsonl, t/3100-kapply.sh). */
TEST(types)
{
	tells(500,
	    TYPED ".data.a.b-c: expected string, got "
		  "&value.valueUnstructured{Value:\"hunter2\"}",
	    TYPED ".data.a.b-c: expected string");
	tells(500, TYPED ".data: expected map, got &{hunter2}",
	    TYPED ".data: expected map");
	tells(500, TYPED ".immutable: expected boolean, got &{hunter2}",
	    TYPED ".immutable: expected boolean");
	tells(500, TYPED ".x: expected numeric (int or float), got string",
	    TYPED ".x: expected numeric (int or float)");
	tells(500, TYPED ".x: expected any scalar, got &{map[a:hunter2]}",
	    TYPED ".x: expected any scalar");
	tells(500, TYPED ".metadata.finalizers: expected list, got &{x}",
	    TYPED ".metadata.finalizers: expected list");
	tells(500,
	    TYPED "errors:\n  .data: expected map, got &{a}\n"
		  "  .metadata.labels: expected map, got &{b}",
	    TYPED "errors: .data: expected map, ...");
	tells(500,
	    TYPED "errors:\n  .dta: field not declared in schema\n  .data.k: "
		  "expected string, got &{hunter2}",
	    TYPED "errors: .dta: field not declared in schema, ...");
	tells(500,
	    CONVERTED "error decoding from json: illegal base64 data at "
		      "input byte 5",
	    CONVERTED "error decoding from json: illegal base64 data");
}

/* A value that looks like a message is not told, nor is a path that may hold
 * one, nor what another server says. */
TEST(values)
{
	static const char plain[] = "HTTP status 500", bad[] = "BadRequest";

	tells(500,
	    TYPED ".data: expected map, got &{.hunter2: expected string, got }",
	    TYPED ".data: expected map");
	tells(500,
	    TYPED "errors:\n  .data: expected map, got &{x\n"
		  "  .hunter2: expected string, got }\n"
		  "  .kind: expected string, got &{}",
	    TYPED "errors: .data: expected map, ...");
	tells(500, TYPED ".a[=\"hunter2\"]: expected string, got &{}", plain);
	tells(500, TYPED ".a[k=\"hunter2\"].b: expected map, got &{}", plain);
	tells(500, TYPED ".a: duplicate entries for key [=\"hunter2\"]", plain);
	tells(500,
	    TYPED ".a: duplicate entries for key [=\".b: expected map, "
		  "got \"]",
	    plain);
	tells(500,
	    TYPED "errors:\n  .a: duplicate entries for key [=\"hunter2\"]\n  "
		  ".data.k: expected string, got &{}",
	    plain);
	tells(500, TYPED ".data.hunter2 x: expected string, got &{}", plain);
	tells(500, TYPED ".data.k: expected hunter2, got &{}", plain);
	tells(500, TYPED ".data.k: expected string hunter2", plain);
	tells(500, TYPED "hunter2: expected string, got &{}", plain);
	tells(500, TYPED, plain);
	tells(500, "hunter2 " TYPED ".data.k: expected string, got &{}", plain);
	tells(500,
	    "failed to create typed patch object (hunter2): .a: expected map, "
	    "got &{}",
	    plain);
	tells(400, TYPED ".data.k: expected string, got &{}", bad);
	tells(400, CONVERTED "error decoding from json: illegal base64 data",
	    bad);
	tells(500, CONVERTED "hunter2: illegal base64 data", plain);
	tells(500, CONVERTED "error decoding from json: hunter2", plain);
	tells(500, "hunter2: illegal base64 data at input byte 5", plain);
	tells(400, "", bad);
	shows(500,
	    "{\"kind\":\"Status\",\"reason\":\"InternalError\",\"message\":"
	    "\"failed to create typed patch object (/x; /v1, Kind=Secret): "
	    ".data.k: expected string, got x\"}",
	    "Secret", "InternalError");
}

static void
denied(const char *message, const char *more, const char *want)
{
	struct kube_error e;
	struct buf b = BUF_INIT, text = BUF_INIT;

	buf_adds(&b, "{\"kind\":\"Status\",\"reason\":\"Forbidden\"");
	json_add_key(&b, "message");
	json_add_str(&b, message);
	buf_addf(&b, "%s}", more);
	parse(&e, 403, buf_str(&b));
	kube_error_denial(&text, &e);
	ok(e.denied == (*want != '\0'), *want != '\0' ? want : message);
	is(buf_str(&text), want,
	    *want != '\0' ? "... who lacks which" : "... no right");
	buf_release(&b);
	buf_release(&text);
	kube_error_release(&e);
}

/* All but the second, the third and those with x as recorded. */
TEST(denied)
{
	static const char s[] =
	    "User \"jo\" cannot patch resource \"things/status\" in API "
	    "group \"example.com\" in the namespace \"n\"";
	struct buf b = BUF_INIT;

	buf_addf(&b, "things.example.com \"t\" is forbidden: %s", s);
	denied(buf_str(&b), "", s);
	denied(
	    buf_str(&b), ",\"details\":{\"causes\":[{\"reason\":\"x\"}]}", "");
	buf_reset(&b);
	buf_addf(&b, "things.example.com \"a \\\" b\" is forbidden: %s", s);
	denied(buf_str(&b), "", s);
	buf_reset(&b);
	buf_addf(&b, "things.example.com is forbidden: %s: RBAC:\n x", s);
	denied(buf_str(&b), "",
	    "User \"jo\" cannot patch resource \"things/status\" in API "
	    "group \"example.com\" in the namespace \"n\": RBAC: x");
	denied("forbidden: User \"\" cannot get path \"/apis\"", "",
	    "User \"\" cannot get path \"/apis\"");
	buf_reset(&b);
	buf_addf(&b,
	    "admission webhook \"w\" denied the request: a is "
	    "forbidden: %s",
	    s);
	denied(buf_str(&b), "", "");
	buf_reset(&b);
	buf_addf(&b,
	    "things \"t\" is forbidden: ValidatingAdmissionPolicy "
	    "'p' with binding 'b' denied request: %s",
	    s);
	denied(buf_str(&b), "", "");
	denied("pods \"x\" is forbidden: exceeded quota: q, requested: pods=1, "
	       "used: pods=1, limited: pods=1",
	    "", "");
	denied("things \"x\" is forbidden: User \"jo\" is too small", "", "");
	denied("things \"x is forbidden: User", "", "");
	denied("things \"x\\", "", "");
	denied(" is forbidden: User \"jo\" cannot", "", "");
	denied("", "", "");
	buf_release(&b);
}
