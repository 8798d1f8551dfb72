/* sketch: what is kept of objects that are too long for a line. */
#include "record/sketch.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* The sketch, in pieces of so many bytes; "none": nothing is known. */
static char *
sketch(enum sketch_of of, struct span text, size_t piece)
{
	struct sketch s = {.length = 0};
	struct buf line = BUF_INIT;

	sketch_begin(&s, of);
	while (text.n > 0) {
		size_t n = text.n < piece ? text.n : piece;

		sketch_add(&s, span_make(text.p, n));
		text = span_skip(text, n);
	}
	if (sketch_end(&s, &line) != 0) {
		ok(line.len == 0, "nothing is appended");
		buf_adds(&line, "none");
	}
	sketch_release(&s);
	return buf_take(&line);
}

static void
sketch_is(
    enum sketch_of of, const char *text, const char *want, const char *what)
{
	char *whole = sketch(of, span_str(text), strlen(text) + 1);
	char *bytes = sketch(of, span_str(text), 1);

	is(whole, want, what);
	is(bytes, want, "... byte by byte");
	free(whole);
	free(bytes);
}

#define M "\"metadata\":{\"name\":\"n\"}"
#define OBJECT "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"," M "}"
#define LINE "{\"type\":\"ADDED\",\"object\":" OBJECT "}"

TEST(members)
{
	sketch_is(SKETCH_EVENT, LINE, LINE, "an identity is kept as it is");
	sketch_is(SKETCH_EVENT,
	    "{\"object\":{\"spec\":{\"a\":[1,{\"kind\":\"x\"}]}," M
	    ",\"kind\":\"Pod\",\"data\":\"}\",\"apiVersion\":\"v1\"},"
	    "\"type\":\"MODIFIED\"}",
	    "{\"type\":\"MODIFIED\",\"object\":{" M
	    ",\"kind\":\"Pod\",\"apiVersion\":\"v1\"}}",
	    "in any order, without the rest");
	sketch_is(SKETCH_EVENT,
	    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"labels\":{\"a\":"
	    "\"b\",\"c\":\"d\"},\"managedFields\":[{\"name\":\"x\"},[2]],"
	    "\"ownerReferences\":[{\"uid\":\"u\"},{}],\"name\":\"n\","
	    "\"uid\":\"u\",\"deletionTimestamp\":null,\"generation\":3}}}",
	    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"labels\":{\"a\":"
	    "\"b\",\"c\":\"d\"},\"ownerReferences\":[{\"uid\":\"u\"},{}],"
	    "\"name\":\"n\",\"uid\":\"u\",\"deletionTimestamp\":null,"
	    "\"generation\":3}}}",
	    "the metadata without managedFields");
	sketch_is(SKETCH_EVENT,
	    "{ \"type\" : \"ADDED\" ,\t\"object\" : { \"metadata\" : { "
	    "\"name\" : \"a \\\" } \\\\\" } , \"status\" : { \"x\" : \"y z\" } "
	    "} }",
	    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a \\\" } "
	    "\\\\\"},\"status\":{\"x\":\"y z\"}}}",
	    "blanks, escapes, and the status");
	sketch_is(SKETCH_EVENT,
	    "{\"type\":\"ADDED\",\"object\":{\"spec\":{" M "}," M
	    ",\"metadata\":{\"name\":\"other\"}}}",
	    "{\"type\":\"ADDED\",\"object\":{" M "}}",
	    "metadata elsewhere, or a second one, is not the object's");
	sketch_is(SKETCH_OBJECT, "{\"x\":[[]]," M ",\"kind\":\"Pod\"}",
	    "{\"type\":\"ADDED\",\"object\":{" M ",\"kind\":\"Pod\"}}",
	    "a bare object");
}

TEST(nothing)
{
	static const char *const bad[] = {"", "{}", "[]", "x", "}", LINE "}",
	    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{}}}",
	    "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\"}}",
	    "{\"object\":" OBJECT "}", "{\"type\":\"ADDED\"}",
	    "{\"type\":\"ADDED\",\"object\":[" OBJECT "]}",
	    "{\"type\":\"ADDED\",\"object\":{\"metadata\":[{\"name\":\"n\"}]}}",
	    "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":n}}}",
	    LINE LINE};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		sketch_is(SKETCH_EVENT, bad[i], "none", bad[i]);
	for (size_t n = 0; n < strlen(LINE); n++) {
		char *got = sketch(SKETCH_EVENT, span_make(LINE, n), 7);

		is(got, "none", "cut short");
		free(got);
	}
}

static void
fill(struct buf *b, const char *before, size_t n, const char *after)
{
	buf_reset(b);
	buf_adds(b, before);
	memset(buf_reserve(b, 2 * n), '[', n);
	memset(b->data + b->len + n, ']', n);
	b->len += 2 * n;
	buf_adds(b, after);
}

TEST(much)
{
	struct buf b = BUF_INIT;
	char *got;

	fill(&b, "{\"type\":\"ADDED\",\"object\":{\"spec\":", 3 * SKETCH_MAX,
	    "," M "}}");
	got = sketch(SKETCH_EVENT, buf_span(&b), 4096);
	is(got, "{\"type\":\"ADDED\",\"object\":{" M "}}",
	    "a spec of any length and depth");
	free(got);
	fill(&b, "{\"type\":\"ADDED\",\"object\":{\"status\":", SKETCH_MAX,
	    "," M "}}");
	got = sketch(SKETCH_EVENT, buf_span(&b), 4096);
	is(got, "{\"type\":\"ADDED\",\"object\":{" M "}}",
	    "a status that is too long is left out");
	free(got);
	fill(&b, "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"labels\":",
	    SKETCH_MAX, ",\"name\":\"n\"}}}");
	got = sketch(SKETCH_EVENT, buf_span(&b), 4096);
	is(got, "none", "without its labels an object is not known");
	free(got);
	buf_release(&b);
}
