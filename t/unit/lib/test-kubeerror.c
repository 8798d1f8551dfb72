/* kubeerror: the meaning of answers, and the part of them that may be shown. */
#include "kube/kubeerror.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "json/json.h"
#include "tap.h"

#define STATUS "{\"kind\":\"Status\"}"
#define CAUSES(list) ",\"details\":{\"causes\":[" list "]}"
#define CONFLICT                                                       \
	"Apply failed with 1 conflict: conflict with \"other\" using " \
	"apps/v1: .spec.replicas"
#define CONFLICT_MORE                                                         \
	CAUSES("{\"reason\":\"FieldManagerConflict\",\"message\":\"conflict " \
	       "with \\\"other\\\" using apps/v1\",\"field\":"                \
	       "\".spec.replicas\"}")
#define INVALID \
	"Secret \"x\" is invalid: data[k]: Invalid value: \"hunter2\": no"
#define INVALID_MORE                                                        \
	CAUSES("{\"reason\":\"FieldValueInvalid\",\"message\":"             \
	       "\"Invalid value: \\\"hunter2\\\"\",\"field\":\"data[k]\"}," \
	       "{\"reason\":\"FieldValueRequired\",\"message\":"            \
	       "\"Required value\",\"field\":\"type\"}")
#define TYPED "failed to create typed patch object (/x; /v1, Kind=Secret): "
#define WRONG_TYPE ".data.k: expected string, got "
#define CONVERTED                                                        \
	"failed to convert new object (/x; /v1, Kind=Secret) to proper " \
	"version: unable to convert unstructured object to /v1, Kind=Secret: "

/* A Status; more: members behind its reason and message, if it has them. */
static const char *
status(const char *reason, const char *message, const char *more)
{
	static struct buf b;

	buf_reset(&b);
	buf_adds(&b, "{\"kind\":\"Status\"");
	if (reason != NULL) {
		json_add_key(&b, "reason");
		json_add_str(&b, reason);
	}
	if (message != NULL) {
		json_add_key(&b, "message");
		json_add_str(&b, message);
	}
	buf_addf(&b, "%s}", more);
	return buf_str(&b);
}

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
		const char *body, *what;
	} t[] = {
	    {400, ERR_PERMANENT, STATUS, "400"},
	    {401, ERR_PERMANENT, "Unauthorized", "401"},
	    {403, ERR_PERMANENT, STATUS, "403"},
	    {404, ERR_GONE, "404 page not found\n", "404 of a path"},
	    {405, ERR_PERMANENT, "", "405"},
	    {409, ERR_CONFLICT,
		"{\"kind\":\"Status\",\"reason\":\"AlreadyExists\"}", "409"},
	    {410, ERR_GONE, "{\"kind\":\"Status\",\"reason\":\"Expired\"}",
		"410"},
	    {413, ERR_PERMANENT, "", "413"},
	    {415, ERR_PERMANENT, "", "415"},
	    {422, ERR_PERMANENT, STATUS, "422"},
	    {429, ERR_TRANSIENT, "too many", "429 as text"},
	    {500, ERR_TRANSIENT,
		"{\"kind\":\"Status\",\"reason\":\"InternalError\"}",
		"500 with a reason"},
	    {500, ERR_PERMANENT,
		"{\"kind\":\"Status\",\"message\":\"" TYPED WRONG_TYPE "&{}\"}",
		"500 of server-side apply"},
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

	parse(&e, 409, status("Conflict", CONFLICT, CONFLICT_MORE));
	ok(e.field_conflict, "a conflict of field managers");
	is(e.reason, "Conflict", "its reason");
	kube_error_copy(&copy, &e);
	kube_error_release(&e);
	ok(copy.causes != NULL && strstr(copy.causes, ".spec.replicas"),
	    "its causes, copied");
	kube_error_release(&copy);

	parse(&e, 403,
	    status("Forbidden", NULL,
		CAUSES("{\"reason\":\"NamespaceTerminating\",\"field\":"
		       "\"metadata.namespace\"}")));
	ok(e.namespace_terminating && e.kind == ERR_TRANSIENT,
	    "a terminating namespace");
	kube_error_release(&e);

	parse(&e, 404,
	    status("NotFound", NULL,
		",\"details\":{\"kind\":\"namespaces\",\"name\":\"x\"}"));
	ok(e.namespace_missing, "a missing namespace");
	ok(!kube_error_of_outage(&e), "... no outage");
	kube_error_release(&e);

	parse(&e, 504,
	    status("Timeout", NULL, ",\"details\":{\"retryAfterSeconds\":3}"));
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
	const char *body = status("Conflict", CONFLICT, CONFLICT_MORE);
	struct kube_error e;

	shows(409, body, "Deployment", CONFLICT);
	shows(409, body, "Secret",
	    "Conflict: .spec.replicas (conflict with \"other\" using "
	    "apps/v1)");
	body = status("Invalid", INVALID, INVALID_MORE);
	shows(422, body, "Deployment", INVALID);
	shows(422, body, "Secret",
	    "Invalid: data[k] (FieldValueInvalid), type (FieldValueRequired)");
	shows(500,
	    status(NULL,
		TYPED WRONG_TYPE "&value.valueUnstructured{Value:\"hunter2\"}",
		""),
	    "ConfigMap", TYPED ".data.k: expected string");
	shows(404, status("NotFound", "secrets \"x\" not found", ""), "Secret",
	    "secrets \"x\" not found");
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
		const char *reason, *message, *more, *want;
	} t[] = {
	    {422, "Invalid",
		"secrets \"x\" is forbidden: ValidatingAdmissionPolicy "
		"'hunter2hunter2' with binding 'team' denied request: bad "
		"hunter2hunter2, aHVudGVyMmh1bnRlcjI= or 17",
		CAUSES("{\"message\":\"x\"}"),
		"secrets \"x\" is forbidden: ValidatingAdmissionPolicy "
		"'hunter2hunter2' with binding 'team' denied request: bad "
		"..., ... or ..."},
	    {500, "InternalError",
		"Internal error occurred: failed calling webhook "
		"\"w.example.com\": failed to call webhook: timeout",
		"",
		"Internal error occurred: failed calling webhook "
		"\"w.example.com\": failed to call webhook: timeout"},
	    {400, "BadRequest",
		"admission webhook \"w\" denied the request: hunter2hunter2",
		"", "admission webhook \"w\" denied the request: ..."},
	    {400, "BadRequest", "cannot decode hunter", "", "BadRequest"},
	    {403, "Forbidden", "secrets \"x\" is forbidden: because 17", "",
		"secrets \"x\" is forbidden: because ..."},
	    {422, "Invalid", "Secret is invalid: data: hunter",
		CAUSES("{\"reason\":\"FieldValueInvalid\",\"field\":\"data\"}"),
		"Invalid: data (FieldValueInvalid)"},
	};
	const struct span object =
	    span_str("{\"data\":{\"a\":\"aHVudGVyMmh1bnRlcjI=\"},"
		     "\"stringData\":{\"b\":\"17\"}}");

	for (size_t i = 0; i <= COUNT(t); i++) {
		const char *want = i < COUNT(t) ? t[i].want : "HTTP status 502";
		struct buf b = BUF_INIT;
		struct kube_error e;

		if (i < COUNT(t))
			parse(&e, t[i].code,
			    status(t[i].reason, t[i].message, t[i].more));
		else
			parse(&e, 502, "value hunter");
		kube_error_public_of(&b, &e, span_str("Secret"), object);
		is(buf_str(&b), want, want);
		buf_release(&b);
		kube_error_release(&e);
	}
}

#define SUBDOMAIN                                                           \
	"a lowercase RFC 1123 subdomain must consist of lower case "        \
	"alphanumeric characters, '-' or '.', and must start and end with " \
	"an alphanumeric character"

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
		"Invalid value: \"Hunter2\": " SUBDOMAIN " (e.g. "
		"'example.com', regex used for validation is 'x')",
		"metadata.name", "FieldValueInvalid: " SUBDOMAIN},
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
		    ",\"details\":{\"causes\":[{\"reason\":\"%s\","
		    "\"field\":\"%s\"",
		    t[i].reason, t[i].field);
		json_add_key(&b, "message");
		json_add_str(&b, t[i].message);
		buf_adds(&b, "}]}");
		buf_addf(&want, "Invalid: %s (%s)", t[i].field, t[i].want);
		shows(422, status("Invalid", NULL, buf_str(&b)), "Secret",
		    buf_str(&want));
		buf_release(&b);
		buf_release(&want);
	}
}

TEST(space)
{
	static const char whole[] =
	    "secrets \"m\" is forbidden: unable to create new content in "
	    "namespace dying because it is being terminated";
	static const char *const cases[][2] = {
	    {"configmaps \"b9\" is forbidden: exceeded quota: q, requested: "
	     "count/configmaps=1, used: count/configmaps=6, limited: "
	     "count/configmaps=3",
		"configmaps \"b9\" is forbidden: exceeded quota: q, "
		"requested: count/configmaps=1, used: count/configmaps=6, "
		"limited: count/configmaps=3"},
	    {whole, whole},
	    {"secrets \"m\" is forbidden: exceeded quota: \"hunter2\"",
		"Forbidden"},
	    {"secrets \"m\" is forbidden: unable to create new content in "
	     "namespace a because it is being terminated: hunter2",
		"Forbidden"},
	    {"exceeded quota: q", "Forbidden"},
	};

	for (size_t i = 0; i < COUNT(cases); i++)
		shows(403, status("Forbidden", cases[i][0], ""), "ConfigMap",
		    cases[i][1]);
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

/* As recorded (t/unit/kapi/managed/steps.jsonl, t/3100-kapply.sh). */
TEST(types)
{
	static const char *const cases[][2] = {
	    {".data.a.b-c: expected string, got "
	     "&value.valueUnstructured{Value:\"hunter2\"}",
		".data.a.b-c: expected string"},
	    {".data: expected map, got &{hunter2}", ".data: expected map"},
	    {".immutable: expected boolean, got &{hunter2}",
		".immutable: expected boolean"},
	    {".x: expected numeric (int or float), got string",
		".x: expected numeric (int or float)"},
	    {".x: expected any scalar, got &{map[a:hunter2]}",
		".x: expected any scalar"},
	    {".metadata.finalizers: expected list, got &{x}",
		".metadata.finalizers: expected list"},
	    {"errors:\n  .data: expected map, got &{a}\n"
	     "  .metadata.labels: expected map, got &{b}",
		"errors: .data: expected map, ..."},
	    {"errors:\n  .dta: field not declared in schema\n"
	     "  .data.k: expected string, got &{hunter2}",
		"errors: .dta: field not declared in schema, ..."},
	    /* A value that looks like a message is not told. */
	    {".data: expected map, got &{.hunter2: expected string, got }",
		".data: expected map"},
	    {"errors:\n  .data: expected map, got &{x\n"
	     "  .hunter2: expected string, got }\n"
	     "  .kind: expected string, got &{}",
		"errors: .data: expected map, ..."},
	};
	struct buf message = BUF_INIT, want = BUF_INIT;

	for (size_t i = 0; i < COUNT(cases); i++) {
		buf_reset(&message);
		buf_reset(&want);
		buf_addf(&message, TYPED "%s", cases[i][0]);
		buf_addf(&want, TYPED "%s", cases[i][1]);
		shows(500, status(NULL, buf_str(&message), ""), "Secret",
		    buf_str(&want));
	}
	shows(500,
	    status(NULL,
		CONVERTED "error decoding from json: illegal base64 data at "
			  "input byte 5",
		""),
	    "Secret",
	    CONVERTED "error decoding from json: illegal base64 data");
	buf_release(&message);
	buf_release(&want);
}

/* Nor is a path told that may hold a value, nor what another server says. */
TEST(values)
{
	static const char *const hidden[] = {TYPED
	    ".a[=\"hunter2\"]: expected string, got &{}",
	    TYPED ".a[k=\"hunter2\"].b: expected map, got &{}",
	    TYPED ".a: duplicate entries for key [=\"hunter2\"]",
	    TYPED ".a: duplicate entries for key [=\".b: expected map, got \"]",
	    TYPED "errors:\n  .a: duplicate entries for key [=\"hunter2\"]\n"
		  "  " WRONG_TYPE "&{}",
	    TYPED ".data.hunter2 x: expected string, got &{}",
	    TYPED ".data.k: expected hunter2, got &{}",
	    TYPED ".data.k: expected string hunter2",
	    TYPED "hunter2: expected string, got &{}", TYPED,
	    "hunter2 " TYPED WRONG_TYPE "&{}",
	    "failed to create typed patch object (hunter2): .a: expected map, "
	    "got &{}",
	    CONVERTED "hunter2: illegal base64 data",
	    CONVERTED "error decoding from json: hunter2",
	    "hunter2: illegal base64 data at input byte 5"};
	static const char *const bad[] = {TYPED WRONG_TYPE "&{}",
	    CONVERTED "error decoding from json: illegal base64 data", ""};

	for (size_t i = 0; i < COUNT(hidden); i++)
		shows(500, status(NULL, hidden[i], ""), "Secret",
		    "HTTP status 500");
	for (size_t i = 0; i < COUNT(bad); i++)
		shows(400, status("BadRequest", bad[i], ""), "Secret",
		    "BadRequest");
	shows(500, status("InternalError", TYPED WRONG_TYPE "x", ""), "Secret",
	    "InternalError");
}

#define RIGHT                                                               \
	"User \"jo\" cannot patch resource \"things/status\" in API group " \
	"\"example.com\" in the namespace \"n\""

/* All but the second, the third and those with x as recorded. */
TEST(denied)
{
	static const struct {
		const char *message, *more, *want; /* "": no right */
	} t[] = {
	    {"things.example.com \"t\" is forbidden: " RIGHT, "", RIGHT},
	    {"things.example.com \"t\" is forbidden: " RIGHT,
		CAUSES("{\"reason\":\"x\"}"), ""},
	    {"things.example.com \"a \\\" b\" is forbidden: " RIGHT, "", RIGHT},
	    {"things.example.com is forbidden: " RIGHT ": RBAC:\n x", "",
		RIGHT ": RBAC: x"},
	    {"forbidden: User \"\" cannot get path \"/apis\"", "",
		"User \"\" cannot get path \"/apis\""},
	    {"admission webhook \"w\" denied the request: a is "
	     "forbidden: " RIGHT,
		"", ""},
	    {"things \"t\" is forbidden: ValidatingAdmissionPolicy 'p' with "
	     "binding 'b' denied request: " RIGHT,
		"", ""},
	    {"pods \"x\" is forbidden: exceeded quota: q, requested: pods=1, "
	     "used: pods=1, limited: pods=1",
		"", ""},
	    {"things \"x\" is forbidden: User \"jo\" is too small", "", ""},
	    {"things \"x is forbidden: User", "", ""},
	    {"things \"x\\", "", ""},
	    {" is forbidden: User \"jo\" cannot", "", ""},
	    {"", "", ""},
	};

	for (size_t i = 0; i < COUNT(t); i++) {
		bool denied = *t[i].want != '\0';
		struct kube_error e;
		struct buf b = BUF_INIT;

		parse(&e, 403, status("Forbidden", t[i].message, t[i].more));
		kube_error_denial(&b, &e);
		ok(e.denied == denied, denied ? t[i].want : t[i].message);
		is(buf_str(&b), t[i].want,
		    denied ? "... who lacks which" : "... no right");
		buf_release(&b);
		kube_error_release(&e);
	}
}
