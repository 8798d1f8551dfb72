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
	because_add(&b, NULL, &i, result);
	is(buf_str(&b), want, what);
	buf_release(&b);
}

static void
reasons(void)
{
	says("Pod", "", "configured", "", "no reason");
	says("Pod", "{}", "configured", "", "an empty one");
	says("Pod", "7", "configured", "", "one that is not an object");
	says("Pod",
	    "{\"differs\":[{\"path\":\".a\",\"observed\":\"1\",\"wanted\":"
	    "\"2\"}]}",
	    "configured", ".a 1, wanted 2", "values");
	says("Pod", "{\"differs\":[{\"path\":\".a\",\"observed\":\"1\"}]}",
	    "configured", ".a differs", "one value alone is not told");
	says("Pod",
	    "{\"differs\":[{\"path\":\".a\",\"observed\":1,\"wanted\":2}]}",
	    "configured", ".a differs", "values that are not text");
	says("Secret",
	    "{\"differs\":[{\"path\":\".a\",\"observed\":\"1\",\"wanted\":"
	    "\"2\"}]}",
	    "configured", ".a differs", "no values of a Secret");
	says("ConfigMap",
	    "{\"differs\":[{\"path\":\".a\",\"observed\":\"1\",\"wanted\":"
	    "\"2\"}]}",
	    "configured", ".a differs", "... nor of a ConfigMap");
	says("Pod",
	    "{\"differs\":[{\"path\":\".metadata.annotations[\\\"kpipe.dev/"
	    "patch-0a\\\"]\"}]}",
	    "configured", "fields were added or are no longer desired",
	    "the mark of fields that are held");
	says("Pod", "{\"gone\":true}", "created", "it was deleted",
	    "an object that was there");
	says("Pod", "{\"gone\":true}", "configured", "",
	    "... and is there again");
}

/* Events come in where no field says why. */
static void
events(void)
{
	struct set s = {.causes = span_str(
			    "[{\"timer\":\"requeue\"},{\"type\":\"MODIFIED\","
			    "\"apiVersion\":\"apps/v1\",\"kind\":"
			    "\"Deployment\",\"namespace\":\"ns\",\"name\":"
			    "\"d\",\"manager\":\"kubectl-edit\"}]")};
	struct item i = {.because = SPAN_NONE};
	struct buf b = BUF_INIT;

	because_add(&b, &s, &i, "created");
	is(buf_str(&b), "after MODIFIED Deployment.apps ns/d by kubectl-edit",
	    "the first event with an object");
	buf_reset(&b);
	because_add(&b, &s, &i, "failed");
	is(buf_str(&b), "", "a failure has its message");
	i.because = span_str("{\"differs\":[{\"path\":\".a\"}]}");
	because_add(&b, &s, &i, "configured");
	is(buf_str(&b), ".a differs", "a field says more");
	buf_reset(&b);
	s.causes = span_str("[{\"timer\":\"requeue\"}]");
	i.because = SPAN_NONE;
	because_add(&b, &s, &i, "deleted");
	is(buf_str(&b), "", "a timer says nothing");
	buf_release(&b);
}

static void
managers(void)
{
	static const char object[] =
	    "{\"spec\":{\"replicas\":5,\"list\":[{\"name\":\"a\"}]},"
	    "\"metadata\":{\"managedFields\":["
	    "{\"manager\":\"scaler\",\"fieldsV1\":"
	    "{\"f:spec\":{\"f:replicas\":{},\"f:list\":"
	    "{\"k:{\\\"name\\\":\\\"a\\\"}\":{\"f:name\":{}}}}}},"
	    "{\"manager\":\"ours\",\"fieldsV1\":"
	    "{\"f:spec\":{\"f:other\":{}}}}]}}";
	struct set away = {0},
		   *s = &(struct set){.causes = span_str("[{\"name\":\"x\"}]")};
	struct item i = {
	    .because = span_str("{\"differs\":[{\"path\":\".spec.replicas\"}],"
				"\"repair\":true}"),
	    .text = span_str("{\"spec\":{\"replicas\":3}}")};

	because_found(s, &i, span_str(object), span_str("ours"));
	is(i.by, "scaler", "the other manager of the field");
	free(i.by);
	i.by = NULL;
	i.because = span_str("{\"differs\":[{\"path\":\".spec.replicas\"}]}");
	because_found(s, &i, span_str(object), span_str("ours"));
	ok(i.by == NULL, "... only of a repair");
	because_found(&away, &i, span_str(object), span_str("ours"));
	is(i.by, "scaler", "... or where no event led to the line");
	free(i.by);
	i.by = NULL;
	because_found(&away, &i, span_str(object), span_str("scaler"));
	ok(i.by == NULL, "the only owner is ours");
	i.because = span_str("{\"differs\":[{\"path\":\".spec.list\"}]}");
	because_found(&away, &i, span_str(object), span_str("ours"));
	ok(i.by == NULL, "nobody is named for a part of a list");
	i.because = span_str(
	    "{\"differs\":[{\"path\":\".spec.replicas\"}],\"repair\":true}");
	i.text = span_str("{\"spec\":{\"replicas\":5}}");
	because_found(s, &i, span_str(object), span_str("ours"));
	ok(i.by == NULL, "nobody is blamed for what is as desired");
	i.because = SPAN_NONE;
	because_found(s, &i, span_str(object), span_str("ours"));
	ok(i.by == NULL, "... nor without a field");
}

/* Who set .stringData of item, in a live object of kind with data. */
static void
set_by(const char *kind, const char *item, const char *path, const char *want,
    const char *what)
{
	static const char live[] =
	    "\"data\":{\"k\":\"b3RoZXI=\",\"a.b\":\"b3RoZXI=\",\"both\":"
	    "\"\"},\"metadata\":{\"managedFields\":["
	    "{\"manager\":\"editor\",\"fieldsV1\":"
	    "{\"f:data\":{\"f:k\":{},\"f:a.b\":{},\"f:both\":{}}}},"
	    "{\"manager\":\"applier\",\"fieldsV1\":"
	    "{\"f:stringData\":{\"f:applied\":{},\"f:both\":{}}}}]}}";
	struct item i = {.text = span_str(item)};
	struct set set = {0}, *s = &set;
	struct buf because = BUF_INIT, object = BUF_INIT;

	buf_addf(
	    &object, "{\"apiVersion\":\"v1\",\"kind\":\"%s\",%s", kind, live);
	i.id.kind = span_str(kind);
	buf_addf(&because, "{\"differs\":[{\"path\":\"%s\"}],\"repair\":true}",
	    path);
	i.because = buf_span(&because);
	because_found(s, &i, buf_span(&object), span_str("ours"));
	is(i.by != NULL ? i.by : "", want, what);
	free(i.by);
	buf_release(&object);
	buf_release(&because);
}

static void
string_data(void)
{
	static const char item[] =
	    "{\"stringData\":{\"k\":\"mine\",\"a.b\":\"mine\",\"applied\":"
	    "\"mine\",\"both\":\"mine\",\"none\":\"mine\"}}";

	set_by("Secret", item, ".stringData.k", "editor",
	    "stringData of a Secret: the manager of data");
	set_by("Secret", item, ".stringData[\\\"a.b\\\"]", "editor",
	    "... a key in brackets");
	set_by("Secret", item, ".stringData.applied", "applier",
	    "... which another apply gave as stringData");
	set_by("Secret", item, ".stringData.both", "editor",
	    "... that of data first");
	set_by("Secret", item, ".stringData.none", "", "... without one");
	set_by("Secret", "{\"stringData\":{\"k\":\"other\"}}", ".stringData.k",
	    "", "... as desired again");
	set_by("Secret", item, ".stringDataX.k", "", "... not another field");
	set_by("ConfigMap", item, ".stringData.k", "", "... nor another kind");
}

/* The values in the message of a loop, of an item of that kind with that because. */
static void
loop_says(
    const char *kind, const char *because, const char *want, const char *what)
{
	struct item items[] = {{.op = OP_DELETE, .key = "Pod/ns/p"},
	    {.op = OP_APPLY, .key = "Pod/ns/q"},
	    {.op = OP_APPLY, .key = "Pod/ns/p", .because = span_str(because)}};
	struct item look = {
	    .op = OP_LOOK, .key = "Pod/ns/p", .text = span_str("\".a\"")};
	struct set s = {.items = items, .count = 3};
	struct buf b = BUF_INIT;

	items[2].id.kind = span_str(kind);
	because_add_values(&b, &s, &look);
	is(buf_str(&b), want, what);
	buf_release(&b);
}

static void
loops(void)
{
	static const char values[] = "{\"differs\":[{\"path\":\".a\","
				     "\"observed\":\"1\",\"wanted\":\"2\"}]}";
	struct item look = {.op = OP_LOOK, .key = "Pod/ns/p"};
	struct set s = {0};
	struct buf b = BUF_INIT;

	loop_says("Pod", values, " (1, wanted 2)", "the values of a loop");
	loop_says("Secret", values, "", "... not of a Secret");
	loop_says("Pod",
	    "{\"differs\":[{\"path\":\".b\",\"observed\":\"1\","
	    "\"wanted\":\"2\"}]}",
	    "", "... nor of another field");
	loop_says("Pod", "", "", "... nor without values");
	because_add_values(&b, &s, &look);
	is(buf_str(&b), "", "... nor of an item that is not applied");
	buf_release(&b);
}

static void
limit(void)
{
	struct because looks = {0};
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
	events();
	managers();
	string_data();
	loops();
	limit();
	return tap_done();
}
