/* project: which fields are kept. */
#include "project.h"

#include "json/json.h"
#include "tap.h"

#define IDENTITY                                                          \
	"\"metadata\":{\"name\":\"n\",\"namespace\":\"s\",\"uid\":\"u\"," \
	"\"resourceVersion\":\"1\",\"generation\":2,"                     \
	"\"creationTimestamp\":\"c\",\"deletionTimestamp\":\"d\","        \
	"\"ownerReferences\":[{\"uid\":\"o\"}]"

#define MEMBER                                                   \
	"\"kpipe.dev/member\":\"y\",\"kpipe.dev/proof\":\"v1\"," \
	"\"kpipe.dev/retain\":\"true\",\"kpipe.dev/instance\":\"i\""

static const char pod[] =
    "{ \"kind\":\"Pod\",\"apiVersion\":\"v1\"," IDENTITY
    ",\"labels\":{\"a\":\"1\",\"b\":\"2\",\"kpipe.dev/part-of\":\"x\"},"
    "\"annotations\":{\"k\":\"v\"," MEMBER ",\"a.b/c\":\"z\"},"
    "\"managedFields\":[{}]},"
    "\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"},7],"
    "\"nodeName\":\"h\"},\"status\":{\"phase\":\"Running\",\"x\":null}}";

static void
cut_is(const char *const *paths, const char *want, const char *what)
{
	struct project *p = project_new();
	struct buf out = BUF_INIT;

	for (; *paths != NULL; paths++)
		project_add(p, *paths, NULL);
	project_cut(p, span_str("v1"), span_str("Pod"), span_str(pod), &out);
	is(buf_str(&out), want, what);
	ok(json_check(buf_span(&out), NULL) == 0, "and it is JSON");
	buf_release(&out);
	project_free(p);
}

#define HEAD "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"," IDENTITY
#define MARKS                                        \
	",\"labels\":{\"kpipe.dev/part-of\":\"x\"}," \
	"\"annotations\":{" MEMBER "}}"

TEST(cut)
{
	cut_is((const char *[]){NULL}, HEAD MARKS "}", "the identity");
	cut_is((const char *[]){"metadata.labels", "status.phase", NULL},
	    HEAD ",\"labels\":{\"a\":\"1\",\"b\":\"2\",\"kpipe.dev/part-of\":"
		 "\"x\"},\"annotations\":{" MEMBER "}},"
		 "\"status\":{\"phase\":\"Running\"}}",
	    "two paths");
	cut_is((const char *[]){"spec.containers[].image", "spec.none.x", NULL},
	    HEAD MARKS ",\"spec\":{\"containers\":[{\"image\":\"i\"},null]}}",
	    "elements of an array");
	cut_is((const char *[]){"status", "status.phase", "spec.nodeName.x",
		   "spec[].x", NULL},
	    HEAD MARKS
	    ",\"spec\":{},\"status\":{\"phase\":\"Running\",\"x\":null}}",
	    "the wider path wins; a path into a scalar finds nothing");
	cut_is((const char *[]){"metadata.annotations[\"a.b/c\"]", NULL},
	    HEAD ",\"labels\":{\"kpipe.dev/part-of\":\"x\"},"
		 "\"annotations\":{" MEMBER ",\"a.b/c\":"
		 "\"z\"}}}",
	    "a key with dots");
}

TEST(bad)
{
	static const char *const bad[] = {"", ".", "a.", ".a", "a..b", "[]",
	    "a[", "a[]b", "a]", "a[\"x\"", "a[\"\"]", "a[0]", NULL};
	struct project *p = project_new();
	struct err err = ERR_INIT;

	for (size_t i = 0; bad[i] != NULL; i++)
		ok(project_add(p, bad[i], &err) == -1, bad[i]);
	is(err.message, "bad field path \"a[0]\"", "the message names it");
	project_free(p);
}

TEST(label)
{
	struct project *p = project_new();
	struct buf out = BUF_INIT;

	project_add_label(p, "b");
	project_cut(p, span_str("v1"), span_str("Pod"), span_str(pod), &out);
	is(buf_str(&out),
	    HEAD ",\"labels\":{\"b\":\"2\",\"kpipe.dev/part-of\":\"x\"},"
		 "\"annotations\":{" MEMBER "}}}",
	    "a label that the mapping needs");
	buf_release(&out);
	project_free(p);
}
