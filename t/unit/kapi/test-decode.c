/* Objects as Go's decoder and encoder make them. What is expected was
 * recorded from a real API server. */
#include "base/array.h"
#include "type/decode.h"
#include "type/decode_text.h"

#include "trees.h"
#include "type/default.h"
#include "type/encode.h"

#define AS "as \"2006-01-02T15:04:05Z07:00\": cannot parse "

static const struct {
	const char *in, *out;
	bool micro;
} times[] = {
    {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z", false},
    {"2026-01-02T03:04:05.999Z", "2026-01-02T03:04:05Z", false},
    {"2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05Z", false},
    {"2024-02-29T23:30:00-01:00", "2024-03-01T00:30:00Z", false},
    {"2026-01-02T03:04:05.123456Z", "2026-01-02T03:04:05.123456Z", true},
    {"2026-01-02T03:04:05.123456+01:00", "2026-01-02T02:04:05.123456Z", true},
    {"x", "parsing time \"x\" " AS "\"x\" as \"2006\"", false},
    {"", "parsing time \"\" " AS "\"\" as \"2006\"", false},
    {"2026-1-02T03:04:05Z",
	"parsing time \"2026-1-02T03:04:05Z\" " AS
	"\"1-02T03:04:05Z\" as \"01\"",
	false},
    {"2026-01-02", "parsing time \"2026-01-02\" " AS "\"\" as \"T\"", false},
    {"2026-01-02T03:04:05",
	"parsing time \"2026-01-02T03:04:05\" " AS "\"\" as \"Z07:00\"", false},
    {"2026-13-02T03:04:05Z",
	"parsing time \"2026-13-02T03:04:05Z\": month out of range", false},
    {"2026-02-30T03:04:05Z",
	"parsing time \"2026-02-30T03:04:05Z\": day out of range", false},
    {"2026-02-03T03:04:05Zx",
	"parsing time \"2026-02-03T03:04:05Zx\": extra text: \"x\"", false},
    {"2026-01-02T03:04:05Z",
	"parsing time \"2026-01-02T03:04:05Z\" as "
	"\"2006-01-02T15:04:05.000000Z07:00\": cannot parse \"Z\" as "
	"\".000000\"",
	true},
};

TEST(times)
{
	for (size_t i = 0; i < COUNT(times); i++) {
		struct span result, error;
		int code = decode_time_canonical(&arena, span_str(times[i].in),
		    times[i].micro, &result, &error);

		is(arena_str(&arena, code < 0 ? error : result), times[i].out,
		    times[i].in);
	}
}

static const struct {
	const char *in, *out; /* NULL: illegal at */
	size_t at;
} base64s[] = {
    {"", "", 0},
    {"aGVsbG8=", "aGVsbG8=", 0},
    {"aGVs\nbG8=\n", "aGVsbG8=", 0},
    {"YR==", "YQ==", 0},
    {"aGVsbG8", NULL, 4},
    {"aGVs*G8=", NULL, 4},
    {"YQ=", NULL, 3},
    {"YQ=x", NULL, 2},
    {"YQ==YQ==", NULL, 4},
    {"Y===", NULL, 1},
    {"=", NULL, 0},
};

TEST(base64)
{
	for (size_t i = 0; i < COUNT(base64s); i++) {
		struct span result;
		size_t at = 99;
		int code = decode_base64_canonical(
		    &arena, span_str(base64s[i].in), &result, &at);

		is(code < 0 ? NULL : arena_str(&arena, result), base64s[i].out,
		    base64s[i].in);
		if (base64s[i].out == NULL)
			ok(at == base64s[i].at, "where");
	}
}

#define DEPLOYMENT "io.k8s.api.apps.v1.Deployment"
#define SERVICE "io.k8s.api.core.v1.Service"
#define POD "io.k8s.api.core.v1.Pod"
#define CRD                                                         \
	"io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1." \
	"CustomResourceDefinition"

static const struct {
	const char *what, *type, *in, *out, *unknown;
} objects[] = {
    {"zero values appear", DEPLOYMENT,
	"{\"kind\":\"Deployment\",\"spec\":{\"paused\":false,"
	"\"replicas\":0}}",
	"{\"kind\":\"Deployment\",\"metadata\":{},\"spec\":{\"replicas\":0,"
	"\"selector\":null,\"strategy\":{},\"template\":{\"metadata\":{},"
	"\"spec\":{\"containers\":null}}},\"status\":{}}",
	""},
    {"nulls and unknown fields go", SERVICE,
	"{\"foo\":1,\"metadata\":{\"labels\":{},\"x\":null},\"spec\":"
	"{\"ports\":[{\"port\":80,\"Port\":1},{\"port\":81,\"y\":{}}],"
	"\"type\":null}}",
	"{\"metadata\":{},\"spec\":{\"ports\":[{\"port\":80,"
	"\"targetPort\":0},{\"port\":81,\"targetPort\":0}]},"
	"\"status\":{\"loadBalancer\":{}}}",
	"unknown field \"foo\";unknown field \"metadata.x\";"
	"unknown field \"spec.ports[0].Port\";"
	"unknown field \"spec.ports[1].y\";"},
    {"canonical values", POD,
	"{\"metadata\":{\"creationTimestamp\":\"2026-01-01T00:00:00.5+01:00\""
	"},\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":"
	"{\"limits\":{\"cpu\":0.5,\"memory\":\"1024Mi\"}}}]}}",
	"{\"metadata\":{\"creationTimestamp\":\"2025-12-31T23:00:00Z\"},"
	"\"spec\":{\"containers\":[{\"name\":\"a\",\"resources\":{\"limits\":"
	"{\"cpu\":\"500m\",\"memory\":\"1Gi\"}}}]},\"status\":{}}",
	""},
    {"nulls in lists and maps", POD,
	"{\"metadata\":{\"labels\":{\"a\":null}},\"spec\":{\"containers\":"
	"[null]}}",
	"{\"metadata\":{\"labels\":{\"a\":\"\"}},\"spec\":{\"containers\":"
	"[{\"name\":\"\",\"resources\":{}}]},\"status\":{}}",
	""},
    {"a wrong type", DEPLOYMENT, "{\"spec\":{\"replicas\":\"3\"}}",
	"json: cannot unmarshal string into Go struct field "
	"DeploymentSpec.spec.replicas of type int32",
	NULL},
    {"a fraction", DEPLOYMENT, "{\"spec\":{\"replicas\":1.5}}",
	"json: cannot unmarshal number 1.5 into Go struct field "
	"DeploymentSpec.spec.replicas of type int32",
	NULL},
    {"too large", DEPLOYMENT, "{\"spec\":{\"replicas\":2147483648}}",
	"json: cannot unmarshal number 2147483648 into Go struct field "
	"DeploymentSpec.spec.replicas of type int32",
	NULL},
    {"no list", SERVICE, "{\"spec\":{\"ports\":{}}}",
	"json: cannot unmarshal object into Go struct field "
	"ServiceSpec.spec.ports of type []v1.ServicePort",
	NULL},
    {"no object in a list", SERVICE, "{\"spec\":{\"ports\":[1]}}",
	"json: cannot unmarshal number into Go struct field "
	"ServiceSpec.spec.ports of type v1.ServicePort",
	NULL},
    {"a named type", SERVICE, "{\"spec\":{\"ports\":[{\"protocol\":6}]}}",
	"json: cannot unmarshal number into Go struct field "
	"ServicePort.spec.ports.protocol of type v1.Protocol",
	NULL},
    {"no int, no string", SERVICE,
	"{\"spec\":{\"ports\":[{\"targetPort\":true}]}}",
	"json: cannot unmarshal bool into Go struct field "
	"ServicePort.spec.ports.targetPort of type int32",
	NULL},
    {"a number as a label", SERVICE, "{\"metadata\":{\"labels\":{\"a\":1}}}",
	"json: cannot unmarshal number into Go struct field "
	"ObjectMeta.metadata.labels of type string",
	NULL},
    {"no quantity", POD,
	"{\"spec\":{\"containers\":[{\"resources\":{\"limits\":"
	"{\"cpu\":\"x\"}}}]}}",
	"quantities must match the regular expression "
	"'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
	NULL},
    {"no time", POD, "{\"metadata\":{\"creationTimestamp\":\"x\"}}",
	"parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse "
	"\"x\" as \"2006\"",
	NULL},
    {"inside an embedded struct", POD,
	"{\"spec\":{\"volumes\":[{\"hostPath\":{\"path\":1}}]}}",
	"json: cannot unmarshal number into Go struct field "
	"HostPathVolumeSource.spec.volumes.VolumeSource.hostPath.path of "
	"type string",
	NULL},
    {"no base64", "io.k8s.api.core.v1.Secret", "{\"data\":{\"a\":\"*\"}}",
	"illegal base64 data at input byte 0", NULL},
    {"the first wrong type counts", SERVICE,
	"{\"spec\":{\"type\":1,\"clusterIP\":2}}",
	"json: cannot unmarshal number into Go struct field "
	"ServiceSpec.spec.type of type v1.ServiceType",
	NULL},
    {"a type that decodes itself comes first", SERVICE,
	"{\"spec\":{\"type\":1,\"ports\":[{\"targetPort\":[]}]}}",
	"json: cannot unmarshal array into Go struct field "
	"ServicePort.spec.ports.targetPort of type int32",
	NULL},
};

TEST(objects)
{
	for (size_t i = 0; i < COUNT(objects); i++) {
		const struct schema *s =
		    schema_builtin(span_str(objects[i].type));
		struct node *n = parse(objects[i].in);
		struct warnings w = {.arena = &arena};
		struct problem *p = decode_builtin(&arena, s, n, &w);
		struct buf b = BUF_INIT;

		if (p != NULL)
			buf_addspan(&b, p->message);
		else
			tree_write_sorted(&b, n);
		is(buf_str(&b), objects[i].out, objects[i].what);
		buf_reset(&b);
		for (size_t j = 0; j < w.n; j++)
			buf_addf(&b, "%.*s;", SPAN_ARG(w.items[j]));
		if (objects[i].unknown != NULL)
			is(buf_str(&b), objects[i].unknown, "unknown fields");
		buf_release(&b);
	}
}

static const struct {
	const char *in, *out;
} converted[] = {
    {"{\"spec\":{\"replicas\":\"3\"}}", "unrecognized type: int32"},
    {"{\"spec\":{\"replicas\":1.5}}", "cannot convert float64 to int32"},
    {"{\"spec\":{\"paused\":\"x\"}}", "unrecognized type: bool"},
    {"{\"spec\":{\"template\":{\"spec\":{\"nodeName\":true}}}}",
	"unrecognized type: string"},
    {"{\"spec\":{\"template\":{\"spec\":{\"nodeName\":5}}}}",
	"cannot convert int64 to string"},
    {"{\"spec\":{\"strategy\":\"x\"}}", "cannot restore struct from: string"},
    {"{\"spec\":{\"template\":[]}}", "cannot restore struct from: slice"},
    {"{\"metadata\":{\"labels\":\"x\"}}", "cannot restore map from string"},
    {"{\"metadata\":{\"labels\":{\"a\":1}}}", "cannot convert int64 to string"},
    {"{\"metadata\":{\"finalizers\":5}}", "cannot restore slice from int64"},
    {"{\"metadata\":{\"creationTimestamp\":1}}",
	"json: cannot unmarshal number into Go value of type string"},
    {"{\"spec\":{\"strategy\":{\"rollingUpdate\":{\"maxSurge\":true}}}}",
	"json: cannot unmarshal bool into Go value of type int32"},
    {"{\"spec\":{\"replicas\":3000000000}}", NULL},
    {"{\"spec\":{\"replicas\":3.0}}", NULL},
};

TEST(converted)
{
	const struct schema *s = schema_builtin(span_str(DEPLOYMENT));

	for (size_t i = 0; i < COUNT(converted); i++) {
		struct node *n = parse(converted[i].in);
		struct problem *p = decode_converted(&arena, s, n, NULL);

		is(p == NULL ? NULL : arena_str(&arena, p->message),
		    converted[i].out, converted[i].in);
	}
}

TEST(encode_again)
{
	const struct schema *s = schema_builtin(span_str(DEPLOYMENT));
	struct node *n =
	    parse("{\"spec\":{\"template\":{\"spec\":{\"containers\":[],"
		  "\"volumes\":[],\"nodeName\":\"\"}}}}");
	struct buf once = BUF_INIT, twice = BUF_INIT;

	encode_builtin(&arena, s, n);
	tree_write(&once, n);
	is(buf_str(&once),
	    "{\"metadata\":{},\"spec\":{\"selector\":null,\"template\":"
	    "{\"metadata\":{},\"spec\":{\"containers\":null}},"
	    "\"strategy\":{}},\"status\":{}}",
	    "encoded");
	encode_builtin(&arena, s, n);
	tree_write(&twice, n);
	is(buf_str(&twice), buf_str(&once), "and it stays so");
	buf_release(&once);
	buf_release(&twice);
}

TEST(strict)
{
	static const char text[] =
	    " {\"foo\":1,\"spec\":{\"ports\":[{\"port\":80,\"Port\":1},"
	    "{\"port\":81,\"y\":{},\"name\":\"b\",\"na\\u006de\":\"c\"}],"
	    "\"selector\":{\"a\":\"b\",\"a\":\"c\"},"
	    "\"x\":{\"z\":1,\"z\":2}},\"foo\":2}";
	const struct schema *s = schema_builtin(span_str(SERVICE));
	struct warnings typed = {.arena = &arena}, untyped = {.arena = &arena};
	struct buf b = BUF_INIT;

	decode_strict(&arena, s, span_str(text), &typed);
	for (size_t i = 0; i < typed.n; i++)
		buf_addf(&b, "%.*s;", SPAN_ARG(typed.items[i]));
	is(buf_str(&b),
	    "unknown field \"foo\";unknown field \"spec.ports[0].Port\";"
	    "unknown field \"spec.ports[1].y\";"
	    "duplicate field \"spec.ports[1].name\";"
	    "duplicate field \"spec.selector.a\";unknown field \"spec.x\";",
	    "duplicate and unknown fields in their order");
	buf_reset(&b);
	decode_strict(&arena, NULL, span_str(text), &untyped);
	for (size_t i = 0; i < untyped.n; i++)
		buf_addf(&b, "%.*s;", SPAN_ARG(untyped.items[i]));
	is(buf_str(&b),
	    "duplicate field \"spec.ports[1].name\";"
	    "duplicate field \"spec.selector.a\";duplicate field \"spec.x.z\";"
	    "duplicate field \"foo\";",
	    "without a type, duplicates");
	buf_release(&b);
}

TEST(rounding)
{
	const struct schema *s =
	    schema_builtin(span_str("io.k8s.api.core.v1.ResourceRequirements"));
	struct node *n =
	    parse("{\"limits\":{\"a\":\"100u\",\"b\":\"1n\",\"c\":\"1500m\","
		  "\"d\":\"1.0001Ki\",\"e\":\"1.500\",\"f\":\"-1500u\","
		  "\"g\":\"0.0001\",\"h\":\"1Gi\"}}");
	struct buf b = BUF_INIT;

	default_fill(&arena, s, n);
	tree_write(&b, n);
	is(buf_str(&b),
	    "{\"limits\":{\"a\":\"1m\",\"b\":\"1m\",\"c\":\"1500m\","
	    "\"d\":\"1024103m\",\"e\":\"1.500\",\"f\":\"-2m\","
	    "\"g\":\"1m\",\"h\":\"1Gi\"}}",
	    "amounts of resources are rounded up");
	buf_release(&b);
}

TEST(defaults)
{
	const struct schema *s = schema_builtin(span_str(SERVICE));
	struct node *n = parse("{\"spec\":{\"ports\":[{\"port\":1},{\"port\":2,"
			       "\"protocol\":\"UDP\"},{\"protocol\":\"\"}]}}");
	struct buf b = BUF_INIT;

	default_fill(&arena, s, n);
	tree_write(&b, n);
	is(buf_str(&b),
	    "{\"spec\":{\"ports\":[{\"port\":1,\"protocol\":\"TCP\"},"
	    "{\"port\":2,\"protocol\":\"UDP\"},{\"protocol\":\"TCP\"}]}}",
	    "defaults of the schema");
	buf_release(&b);
}

int
main(void)
{
	tap_run();
	arena_release(&arena);
	return tap_done();
}
