/*
 * fuzz-json: every reader of JSON text on text that is almost JSON.
 *
 *	fuzz-json [SECONDS [SEED]]
 *
 * Nothing reads outside the text (run it with ASan); what json_check accepts,
 * the cursor walks through and finds as long as it is; the frame scanner finds
 * what the cursor finds; a stream gives out only what json_check accepts,
 * however its input is cut into pieces; what a projection writes is JSON; so is
 * the sketch of an event, in pieces too, and its own sketch is the same.
 */
// needs cmd/kwatch/project.c t/fuzz/fuzz.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "fuzz.h"
#include "json/json.h"
#include "json/stream.h"
#include "project.h"
#include "record/sketch.h"

static void
walk(struct span value, struct buf *scratch)
{
	buf_reset(scratch);
	switch (json_type(value)) {
	case JSON_OBJECT:
		for (struct json_members m = json_members(value);
		     json_member(&m);)
			walk(m.value, scratch);
		break;
	case JSON_ARRAY:
		for (struct json_elements e = json_elements(value);
		     json_element(&e);)
			walk(e.value, scratch);
		break;
	case JSON_STRING: {
		struct span text = json_string(value, scratch);
		struct buf again = BUF_INIT;

		json_add_string(&again, text);
		fuzz_expect(json_check(buf_span(&again), NULL) == 0,
		    "a string that is written again is JSON");
		buf_release(&again);
		break;
	}
	default:
		break;
	}
}

static void
try_frame(struct span text, bool good)
{
	struct json_frame f;
	struct span object, metadata;

	if (json_frame(text, &f) != 0 || !good)
		return;
	/* If a key occurs twice, the two may take different values. */
	object = json_get(text, "object");
	metadata = json_get(object, "metadata");
	if (object.p == f.object.p)
		fuzz_expect(object.n == f.object.n, "the frame's object");
	if (metadata.p != NULL && metadata.p == f.metadata.p)
		fuzz_expect(metadata.n == f.metadata.n, "the frame's metadata");
	if (f.managed_fields.p != NULL) {
		struct buf cut = BUF_INIT;
		const char *end = f.managed_fields.p + f.managed_fields.n;

		buf_add(&cut, text.p, (size_t)(f.managed_fields.p - text.p));
		buf_add(&cut, end, (size_t)(text.p + text.n - end));
		fuzz_expect(json_check(buf_span(&cut), NULL) == 0,
		    "JSON without managedFields");
		buf_release(&cut);
	}
}

static void
try_project(struct span text)
{
	struct project *p = project_new();
	struct buf out = BUF_INIT;

	project_add(p, "spec.a[].b", NULL);
	project_add(p, "object.metadata", NULL);
	project_cut(p, span_str("v1"), span_str("Pod"), text, &out);
	fuzz_expect(
	    json_check(buf_span(&out), NULL) == 0, "a projection is JSON");
	buf_release(&out);
	project_free(p);
}

static int
sketch(struct span text, size_t piece, struct buf *line)
{
	struct sketch s = {.length = 0};
	int rc;

	sketch_begin(&s, SKETCH_EVENT);
	while (text.n > 0) {
		size_t n = text.n < piece ? text.n : piece;

		sketch_add(&s, span_make(text.p, n));
		text = span_skip(text, n);
	}
	rc = sketch_end(&s, line);
	sketch_release(&s);
	return rc;
}

static void
try_sketch(struct span text)
{
	struct buf whole = BUF_INIT, pieces = BUF_INIT, again = BUF_INIT;
	int rc = sketch(text, text.n + 1, &whole);

	fuzz_expect(sketch(text, 3, &pieces) == rc &&
		span_eq(buf_span(&whole), buf_span(&pieces)),
	    "a sketch of pieces");
	if (rc == 0) {
		fuzz_expect(json_check(buf_span(&whole), NULL) == 0,
		    "a sketch is JSON");
		fuzz_expect(sketch(buf_span(&whole), whole.len, &again) == 0 &&
			span_eq(buf_span(&whole), buf_span(&again)),
		    "a sketch of a sketch");
	} else {
		fuzz_expect(whole.len == 0, "no sketch, no text");
	}
	buf_release(&whole);
	buf_release(&pieces);
	buf_release(&again);
}

static uint64_t
digest(uint64_t d, struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		d = (d ^ (unsigned char)s.p[i]) * 1099511628211u;
	return d;
}

/* A digest of all documents and messages. */
static uint64_t
run_stream(struct span text, size_t piece)
{
	struct stream *s = stream_new();
	struct stream_doc doc;
	enum stream_result r;
	uint64_t d = 14695981039346656037u;

	for (size_t at = 0;;) {
		while ((r = stream_next(s, &doc)) == STREAM_DOC ||
		    r == STREAM_BAD) {
			if (r == STREAM_DOC)
				fuzz_expect(json_check(doc.text, NULL) == 0,
				    "a stream gives out JSON");
			d = digest(d,
			    r == STREAM_DOC ? doc.text
					    : span_str(doc.err.message));
		}
		if (r == STREAM_END)
			break;
		if (at == text.n) {
			stream_end(s);
		} else {
			size_t n = text.n - at < piece ? text.n - at : piece;

			stream_feed(s, span_make(text.p + at, n));
			at += n;
		}
	}
	stream_free(s);
	return d;
}

static void
try(struct span text)
{
	struct span rest = text;
	struct buf scratch = BUF_INIT;
	bool good = json_check(text, NULL) == 0;
	uint64_t whole;

	walk(json_value(&rest), &scratch);
	if (good) {
		while (rest.n > 0 && strchr(" \t\r\n", *rest.p) != NULL)
			rest = span_skip(rest, 1);
		fuzz_expect(rest.n == 0, "the cursor finds the end");
	}
	try_frame(text, good);
	try_sketch(text);
	if (good)
		try_project(text);
	whole = run_stream(text, text.n + 1);
	fuzz_expect(run_stream(text, 1) == whole, "pieces of one byte");
	fuzz_expect(run_stream(text, 7) == whole, "pieces of seven bytes");
	buf_release(&scratch);
}

static const char *const seeds[] = {
    "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\","
    "\"metadata\":{\"name\":\"a\",\"managedFields\":[{\"f:x\":{}}],\"uid\":"
    "\"u\"},\"spec\":{\"a\":[{\"b\":1},{\"c\":\"\\ud83d\\ude00\\n\\\\\"}]}}}",
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[{\"a\":1},{}]}\n"
    "{\"kind\":\"List\",\"items\":[]}\n[1,-2.5e3,true,null,\"\xc3\xa9\"]\n",
    "{\n  \"apiVersion\": \"v1\",\n  \"items\": [\n    {\"kind\": \"X\"}\n  "
    "],\n"
    "  \"kind\": \"List\"\n}\n{}\n",
    "{\"a\":\"0123456789012345678901234567890123456789012345678901234567890"
    "\\\"\"}\n{\"b\":[[[[[[{}]]]]]]}\n",
    NULL};

static const char *const words[] = {"{", "}", "[", "]", "\"", "\\", ",", ":",
    "\n", "\\u", "null", "\"metadata\":{", "\"managedFields\":[]",
    "\"kind\":", "\"items\":[", "\xff", "\xe2\x82", " ", "1",
    "{\"type\":\"X\",\"object\":", NULL};

int
main(int argc, char **argv)
{
	return fuzz_texts(argc, argv, seeds, words, try);
}
