/* statusdiff: what differs between two statuses, in words. */
#include "record/statusdiff.h"

#include "tap.h"

static struct buf text;
static size_t count;
static bool partial;

/* At most four fields, with values of at most 12 bytes. */
static const char *
told(const char *before, const char *after)
{
	struct contrast c;

	contrast_init(&c, (struct contrast_limits){1, 12});
	c.partial = partial;
	buf_reset(&text);
	count = statusdiff_add(&text, &c, span_str(before), span_str(after), 4);
	ok(c.limits.fields == 1, "the limits of the caller stay");
	contrast_release(&c);
	return buf_str(&text);
}

TEST(words)
{
	is(told("{\"replicas\":2,\"phase\":\"Processing\"}",
	       "{\"replicas\":3,\"phase\":\"Available\"}"),
	    "phase Processing -> Available, replicas 2 -> 3",
	    "a word comes before a number");
	ok(count == 2, "they are counted");
	is(told(NULL, "{\"phase\":\"Processing\"}"), "phase Processing",
	    "the first status");
	is(told("{\"phase\":\"Gone\"}", "{}"), "phase Gone -> nothing",
	    "a field that is gone");
	is(told("{\"a\":{\"b\":\"x\"},\"c\":{\"l\":[1]}}",
	       "{\"a\":{\"b\":\"y\"},\"c\":{\"l\":[2]}}"),
	    "a.b x -> y, c.l[0] 1 -> 2", "fields below");
	is(told("{\"l\":[\"a\",\"b\",\"c\"],\"n\":1}",
	       "{\"l\":[\"b\",\"d\",\"a\"],\"n\":2}"),
	    "l -c +d, n 1 -> 2", "a list is told once");
	ok(count == 2, "and counted once");
	is(told("{\"l\":[1,2,3,4,5,6]}", "{\"l\":[6,5]}"), "l -1 -2 -3 -4",
	    "what is gone");
	is(told("{\"l\":[1,2,3,4,5,6]}", "{\"l\":[7]}"),
	    "l -1 -2 -3 -4 -(2 more) +7", "many");
	is(told("{\"l\":[]}", "{\"l\":[\"0123456789abcdef\"]}"),
	    "l +0123456789ab…", "an element is cut");
	is(told("{\"l\":[\"a\",\"b\"]}", "{\"l\":[\"b\",\"a\"]}"),
	    "l in another order", "an order");
	is(told("{\"phase\":\"two words\"}", "{\"phase\":\"a,b\"}"),
	    "phase \"two words\" -> \"a,b\"",
	    "what is not one word has quotes");
	is(told("{\"phase\":\"\"}", "{\"phase\":\"a\"}"), "phase \"\" -> a",
	    "and so has nothing");
	is(told("{\"phase\":\"a\"}", "{\"phase\":\"0123456789abcdef\"}"),
	    "phase a -> \"0123456789a…", "a value is cut");
	is(told("{\"a\":1}", "{\"a\":1}"), "", "the same");
	ok(count == 0, "nothing is counted");
	partial = true;
	is(told("{\"a\":1}", "{\"b\":1}"), "b 1",
	    "of a part, what it lacks does not go");
	partial = false;
}

#define CONDITION(status, reason, time)                             \
	"{\"conditions\":[{\"type\":\"Ready\",\"status\":\"" status \
	"\",\"reason\":\"" reason "\",\"lastTransitionTime\":\"" time "\"}]}"

TEST(conditions)
{
	is(told(
	       CONDITION("False", "Wait", "1"), CONDITION("True", "Done", "2")),
	    "Ready False -> True, Ready reason Wait -> Done",
	    "a condition has its type");
	is(told(CONDITION("True", "Done", "1"), CONDITION("True", "Done", "2")),
	    "", "its times are not told");
	ok(count == 0, "nor counted");
	is(told("{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}],"
		"\"phase\":\"Up\"}",
	       NULL),
	    "phase Up -> nothing, Ready True -> nothing",
	    "a phase is before it");
	is(told("{}", CONDITION("True", "Done", "2")),
	    "Ready True, Ready reason Done", "a new one");
	is(told("{\"observedGeneration\":1}", "{\"observedGeneration\":2}"), "",
	    "the generation is not told");
}

TEST(limits)
{
	is(told("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"phase\":\"x\"}",
	       "{\"a\":2,\"b\":2,\"c\":2,\"d\":2,\"e\":2,\"phase\":\"y\"}"),
	    "phase x -> y, a 1 -> 2, b 1 -> 2, c 1 -> 2 and 2 more",
	    "what is left out is counted");
	ok(count == 6, "all are counted");
	is(told("[1]", "7"), " [1] -> 7", "a status that is not an object");
	buf_release(&text);
}
