// needs cmd/kapply/because.c cmd/kapply/fields.c
#include "because.h"

#include <stdlib.h>

#include "tap.h"

/* The words for a reason, with an object of that kind. */
static void
says(const char *kind, const char *because, const char *result,
    const char *want, const char *what)
{
	struct item i = {.because = span_str(because)};
	struct buf b = BUF_INIT;

	i.id.kind = span_str(kind);
	because_add(&b, &i, result);
	is(buf_str(&b), want, what);
	buf_release(&b);
}

static void
reasons(void)
{
	says("Pod", "", "configured", "", "no reason");
	says("Pod", "{}", "configured", "", "an empty one");
	says("Pod", "7", "configured", "", "one that is not an object");
	says("Pod", "{\"path\":\".a\",\"observed\":\"1\",\"wanted\":\"2\"}",
	    "configured", ".a 1, wanted 2", "values");
	says("Pod", "{\"path\":\".a\",\"observed\":\"1\"}", "configured",
	    ".a differs", "one value alone is not told");
	says("Pod", "{\"path\":\".a\",\"observed\":1,\"wanted\":2}",
	    "configured", ".a differs", "values that are not text");
	says("Secret", "{\"path\":\".a\",\"observed\":\"1\",\"wanted\":\"2\"}",
	    "configured", ".a differs", "no values of a Secret");
	says("ConfigMap",
	    "{\"path\":\".a\",\"observed\":\"1\",\"wanted\":\"2\"}",
	    "configured", ".a differs", "... nor of a ConfigMap");
	says("Pod", "{\"gone\":true}", "created", "it was deleted",
	    "an object that was there");
	says("Pod", "{\"gone\":true}", "configured", "",
	    "... and is there again");
}

static void
managers(void)
{
	static const char object[] =
	    "{\"spec\":{\"replicas\":5},\"metadata\":{\"managedFields\":["
	    "{\"manager\":\"scaler\",\"fieldsV1\":"
	    "{\"f:spec\":{\"f:replicas\":{}}}},"
	    "{\"manager\":\"ours\",\"fieldsV1\":"
	    "{\"f:spec\":{\"f:replicas\":{}}}}]}}";
	struct item i = {.because = span_str("{\"path\":\".spec.replicas\"}"),
	    .text = span_str("{\"spec\":{\"replicas\":3}}")};

	because_found(&i, span_str(object), span_str("ours"));
	is(i.by, "scaler", "the other manager of the field");
	free(i.by);
	i.by = NULL;
	i.text = span_str("{\"spec\":{\"replicas\":5}}");
	because_found(&i, span_str(object), span_str("ours"));
	ok(i.by == NULL, "nobody is blamed for what is as desired");
	i.because = SPAN_NONE;
	because_found(&i, span_str(object), span_str("ours"));
	ok(i.by == NULL, "... nor without a field");
}

static void
limit(void)
{
	struct because_looks looks = {0};
	int n = 0;

	while (n < 100 && because_may_look(&looks, 5000))
		n++;
	ok(n == 10, "ten looks");
	ok(!because_may_look(&looks, 5999), "... no more in that second");
	ok(because_may_look(&looks, 6000), "... but in the next one");
}

int
main(void)
{
	reasons();
	managers();
	limit();
	return tap_done();
}
