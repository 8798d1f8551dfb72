#include "record/contrast.h"

#include "tap.h"

static struct contrast c;

/* The fields as they are in a page. */
static const char *
fields(const char *from, const char *to)
{
	contrast_find(&c, span_str(from), span_str(to), false);
	return buf_str(&c.fields);
}

static const char *
of_secret(const char *from, const char *to)
{
	contrast_find(&c, span_str(from), span_str(to), true);
	return buf_str(&c.fields);
}

static const char *
where(void)
{
	return c.spec ? "spec" : c.status ? "status" : c.meta ? "meta" : "";
}

TEST(fields)
{
	is(fields("{\"a\":1}", "{\"a\":1}"), "", "the same");
	is(fields("{\"a\":{\"b\":1}}", "{\"a\":{\"b\":2}}"),
	    "[\".a.b\",\"1\",\"2\"]", "a value");
	is(fields("{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"), "",
	    "another order");
	is(fields("{\"a\":1,\"b\":2}", "{\"c\":3,\"b\":2}"),
	    "[\".c\",null,\"3\"],[\".a\",\"1\",null]", "a new one, an old one");
	is(fields("{}", "{\"a\":{\"b\":1,\"c\":{}}}"),
	    "[\".a.b\",null,\"1\"],[\".a.c\",null,\"{}\"]",
	    "a new object is its members");
	is(fields("{\"a\":{\"b\":1}}", "{\"a\":[1]}"),
	    "[\".a\",\"{\\\"b\\\":1}\",\"[1]\"]", "another type");
	is(fields("{\"a\":{\"x.y/z\":1}}", "{\"a\":{\"x.y/z\":2}}"),
	    "[\".a[\\\"x.y/z\\\"]\",\"1\",\"2\"]", "a key with dots");
	is(fields("{\"metadata\":{\"resourceVersion\":\"1\",\"generation\":1,"
		  "\"managedFields\":[]}}",
	       "{\"metadata\":{\"resourceVersion\":\"2\",\"generation\":2,"
	       "\"managedFields\":[1]}}"),
	    "", "what changes each time");
}

TEST(lists)
{
	is(fields("{\"l\":[1,2]}", "{\"l\":[1,3,4]}"),
	    "[\".l[1]\",\"2\",\"3\"],[\".l[2]\",null,\"4\"]", "by place");
	is(fields("{\"l\":[{\"name\":\"a\",\"x\":1},{\"name\":\"b\",\"x\":1}]}",
	       "{\"l\":[{\"name\":\"b\",\"x\":2},{\"name\":\"a\",\"x\":1}]}"),
	    "[\".l[name=b].x\",\"1\",\"2\"]", "by name");
	is(fields("{\"l\":[{\"type\":\"R\",\"s\":1}]}",
	       "{\"l\":[{\"type\":\"S\",\"s\":1}]}"),
	    "[\".l[type=S].type\",null,\"\\\"S\\\"\"],"
	    "[\".l[type=S].s\",null,\"1\"],"
	    "[\".l[type=R].type\",\"\\\"R\\\"\",null],"
	    "[\".l[type=R].s\",\"1\",null]",
	    "one goes, one comes");
	is(fields(
	       "{\"l\":[{\"name\":\"a\"},1]}", "{\"l\":[{\"name\":\"b\"},1]}"),
	    "[\".l[0].name\",\"\\\"a\\\"\",\"\\\"b\\\"\"]",
	    "without a name each: by place");
}

TEST(where)
{
	fields("{\"status\":{\"n\":1},\"metadata\":{\"labels\":{}}}",
	    "{\"status\":{\"n\":2},\"metadata\":{\"labels\":{\"a\":\"b\"}}}");
	is(where(), "status", "status and metadata");
	fields("{\"status\":1,\"data\":1}", "{\"status\":2,\"data\":2}");
	is(where(), "spec", "all else is spec");
	fields("{\"metadata\":{\"a\":1}}", "{\"metadata\":{\"a\":2}}");
	is(where(), "meta", "metadata");
	fields("{\"status\":{\"t\":{\"lastTransitionTime\":1,\"n\":1}}}",
	    "{\"status\":{\"t\":{\"lastTransitionTime\":2,\"n\":2}}}");
	is(buf_str(&c.heading), ".status.t.n 1 -> 2",
	    "the heading is of what tells more than a time");
}

TEST(limits)
{
	struct contrast small;

	contrast_init(&small, (struct contrast_limits){2, 6});
	contrast_find(&small, span_str("{}"),
	    span_str("{\"a\":1,\"b\":2,\"c\":3}"), false);
	is(buf_str(&small.fields), "[\".a\",null,\"1\"],[\".b\",null,\"2\"]",
	    "no more than that");
	ok(small.count == 3, "... and all are counted");
	contrast_find(
	    &small, span_str("{}"), span_str("{\"a\":\"123ää\"}"), false);
	is(buf_str(&small.fields), "[\".a\",null,\"\\\"123ä…\"]",
	    "a long value is cut behind a character");
	contrast_find(&small, span_str("{\"a\":\"123456ää789\"}"),
	    span_str("{\"a\":\"123456ää78x0000000\"}"), false);
	is(buf_str(&small.fields), "[\".a\",\"…789\\\"\",\"…78x000…\"]",
	    "... one that begins like the other, from where they differ");
	contrast_find(&small, span_str("{\"a\":\"123456\"}"),
	    span_str("{\"a\":\"1x\"}"), false);
	is(buf_str(&small.fields), "[\".a\",\"\\\"12345…\",\"\\\"1x\\\"\"]",
	    "... and else its beginning is told");
	contrast_release(&small);
}

static const char *
whole(const char *object, bool secret)
{
	static struct buf b;

	buf_reset(&b);
	contrast_add_object(&b, span_str(object), secret);
	return buf_str(&b);
}

/* ["name":"1", ...] of n elements, in the other direction if step is -1. */
static void
add_list(struct buf *b, int n, int step, const char *value)
{
	buf_reset(b);
	buf_adds(b, "{\"l\":[");
	for (int i = 0; i < n; i++)
		buf_addf(b, "%s{\"name\":\"%d\",\"v\":%s}", i > 0 ? "," : "",
		    step > 0 ? i : n - 1 - i, i == n - 1 ? value : "1");
	buf_adds(b, "]}");
}

TEST(size)
{
	struct buf a = BUF_INIT, b = BUF_INIT;

	add_list(&a, 9000, 1, "1");
	add_list(&b, 9000, 1, "2");
	is(fields(buf_str(&a), buf_str(&b)),
	    "[\".l[name=8999].v\",\"1\",\"2\"]", "a long list");
	add_list(&b, 9000, -1, "1");
	fields(buf_str(&a), buf_str(&b));
	ok(c.count > 0, "a long one in another order is not searched wholly");
	buf_reset(&a);
	buf_adds(&a, "{\"");
	for (int i = 0; i < 3000; i++)
		buf_addc(&a, 'k');
	buf_adds(&a, "\":1}");
	fields("{}", buf_str(&a));
	ok(c.count == 1 && c.fields.len < 1100 && c.heading.len < 1100,
	    "a very long path is cut");
	buf_release(&a);
	buf_release(&b);
}

TEST(secrets)
{
	is(of_secret("{\"data\":{\"a\":\"x\"}}", "{\"data\":{\"a\":\"y\"}}"),
	    "[\".data.a\",true,true]", "a Secret's value");
	is(of_secret("{}", "{\"data\":{\"a\":\"x\"},\"stringData\":\"y\"}"),
	    "[\".data.a\",null,true],[\".stringData\",null,true]",
	    "... a new one");
	is(of_secret("{\"type\":\"a\"}", "{\"type\":\"b\"}"),
	    "[\".type\",\"\\\"a\\\"\",\"\\\"b\\\"\"]", "... its other fields");
	is(of_secret("{\"metadata\":{\"annotations\":{\"a\":\"x\",\"kpipe.dev/"
		     "a\":\"x\"}}}",
	       "{\"metadata\":{\"annotations\":{\"a\":\"y\",\"kpipe.dev/a\":"
	       "\"y\"}}}"),
	    "[\".metadata.annotations.a\",true,true],"
	    "[\".metadata.annotations[\\\"kpipe.dev/a\\\"]\",\"\\\"x\\\"\","
	    "\"\\\"y\\\"\"]",
	    "... its annotations may repeat them, but not ours");
	is(fields("{}",
	       "{\"metadata\":{\"annotations\":{\"kubectl.kubernetes.io/"
	       "last-applied-configuration\":\"x\"}}}"),
	    "[\".metadata.annotations[\\\"kubectl.kubernetes.io/"
	    "last-applied-configuration\\\"]\",null,true]",
	    "what was applied last");
	is(fields("{\"metadata\":{\"annotations\":null}}",
	       "{\"metadata\":{\"annotations\":{\"a\":\"x\"}}}"),
	    "[\".metadata.annotations\",true,true]",
	    "... nor is it told as a part of something");
	is(whole("{\"kind\":\"Secret\",\"data\":{\"a\":\"x\"},\"stringData\":1,"
		 "\"metadata\":{\"managedFields\":[1],\"annotations\":{"
		 "\"kubectl.kubernetes.io/last-applied-configuration\":\"x\","
		 "\"b\":\"c\"}}}",
	       true),
	    "{\"kind\":\"Secret\",\"data\":{\"a\":\"(not shown)\"},"
	    "\"stringData\":{},\"metadata\":{\"annotations\":{"
	    "\"kubectl.kubernetes.io/last-applied-configuration\":"
	    "\"(not shown)\",\"b\":\"(not shown)\"}}}",
	    "the whole of it");
	is(whole("{\"data\":{\"a\":\"x\"}}", false), "{\"data\":{\"a\":\"x\"}}",
	    "data of another kind");
}

int
main(void)
{
	contrast_init(&c, (struct contrast_limits){10, 100});
	tap_run();
	contrast_release(&c);
	return tap_done();
}
