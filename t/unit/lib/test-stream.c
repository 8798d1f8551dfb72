/* stream: framing, line numbers, Lists, limits. */
#include "json/stream.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "tap.h"

static void
show(struct buf *b, enum stream_result r, const struct stream_doc *doc)
{
	if (r == STREAM_BAD)
		buf_addf(b, "! %s\n", doc->err.message);
	else if (doc->text.n > 100)
		buf_addf(b, "%zu:%s %zu bytes\n", doc->line,
		    doc->item ? "item" : "", doc->text.n);
	else
		buf_addf(b, "%zu:%s %.*s\n", doc->line, doc->item ? "item" : "",
		    SPAN_ARG(doc->text));
}

/* The output if the input arrives in pieces of this size. */
static char *
run(struct span input, size_t piece)
{
	struct stream *s = stream_new();
	struct stream_doc doc;
	struct buf b = BUF_INIT;
	enum stream_result r;
	size_t at = 0;

	for (;;) {
		while (
		    (r = stream_next(s, &doc)) == STREAM_DOC || r == STREAM_BAD)
			show(&b, r, &doc);
		if (r == STREAM_END)
			break;
		if (at == input.n) {
			stream_end(s);
		} else {
			size_t n = input.n - at < piece ? input.n - at : piece;

			stream_feed(s, span_make(input.p + at, n));
			at += n;
		}
	}
	stream_free(s);
	return buf_take(&b);
}

static void
stream_is(struct span input, const char *want, const char *what)
{
	static const size_t pieces[] = {1, 2, 7, SIZE_MAX};
	bool same = true;
	char *got = NULL;

	for (size_t i = 0; i < 4 && same; i++) {
		free(got);
		got = run(input, pieces[i]);
		same = strcmp(got, want) == 0;
	}
	is(got, want, what);
	free(got);
}

#define STREAM_IS(text, want, what) \
	stream_is(span_make(text, sizeof(text) - 1), want, what)

TEST(lines)
{
	STREAM_IS("", "", "nothing");
	STREAM_IS("\n \n", "", "only empty lines");
	STREAM_IS("{\"a\":1}\n\n [2] \n3\n\"x\"",
	    "1: {\"a\":1}\n3: [2] \n4: 3\n5: \"x\"\n", "one document a line");
	STREAM_IS("{}\r\n{}\r\n", "1: {}\r\n2: {}\r\n", "carriage returns");
	STREAM_IS("{\"a\":1}\nnonsense\n{\"b\":\n{} {}\n{\"c\":3}\n",
	    "1: {\"a\":1}\n"
	    "! line 2: unexpected byte at byte 2\n"
	    "! line 3: text is cut short at byte 6\n"
	    "! line 4: text behind the value at byte 4\n"
	    "5: {\"c\":3}\n",
	    "a bad line is named and the next goes on");
	STREAM_IS("{\"a\":\"\xff\"}\n{\"a\":\"\0\"}\n{}\n",
	    "! line 1: invalid UTF-8 at byte 7\n"
	    "! line 2: NUL byte at byte 7\n"
	    "3: {}\n",
	    "a first line may be bad if its brackets match");
	STREAM_IS("{}\n{\"a\":1",
	    "1: {}\n! line 2: text is cut short at byte 7\n",
	    "a last line that is cut short");
	STREAM_IS("{}\n7", "1: {}\n2: 7\n", "a last line without its newline");
}

TEST(concatenated)
{
	STREAM_IS("{\n\"a\": \"}\\\"\"\n}\n[\n1\n]{\n}  \"\\\\\" 12 true",
	    "1: {\n\"a\": \"}\\\"\"\n}\n4: [\n1\n]\n6: {\n}\n7: \"\\\\\"\n"
	    "7: 12\n7: true\n",
	    "documents over several lines");
	STREAM_IS("{} {}\n{}\n", "1: {}\n1: {}\n2: {}\n", "two on a line");
	STREAM_IS("{\n}\n{x}\n{}\n",
	    "1: {\n}\n! line 3: unexpected byte at byte 2\n",
	    "an error ends the input");
	STREAM_IS("hello\n{}\n",
	    "! line 1: not JSON: unexpected byte at byte 1\n",
	    "text that is not JSON ends it, too");
	STREAM_IS("{\n}\n]\n{}",
	    "1: {\n}\n! line 3: not JSON: unexpected byte at byte 1\n",
	    "a bracket too many");
	STREAM_IS("{\n\"a\": [1,\n", "! line 1: text is cut short at byte 12\n",
	    "cut short");
}

TEST(lists)
{
	STREAM_IS("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},"
		  "\"items\":[{\"metadata\":{\"name\":\"a\"}},{},"
		  "{\"kind\":\"X\"},{\"apiVersion\":\"y\",\"kind\":\"Y\"}]}\n"
		  "{}\n",
	    "1:item {\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":"
	    "{\"name\":\"a\"}}\n"
	    "1:item {\"apiVersion\":\"v1\",\"kind\":\"Pod\"}\n"
	    "1:item {\"apiVersion\":\"v1\",\"kind\":\"X\"}\n"
	    "1:item {\"apiVersion\":\"y\",\"kind\":\"Y\"}\n"
	    "2: {}\n",
	    "items take the type of a typed List");
	STREAM_IS("{\n\"apiVersion\": \"v1\",\n\"items\": [\n{\n\"a\": 1\n},\n"
		  "{\"b\": 2}\n],\n\"kind\": \"List\"\n}\n",
	    "4:item {\n\"a\": 1\n}\n7:item {\"b\": 2}\n",
	    "a List over several lines; a plain one gives no type");
	STREAM_IS("{\"kind\":\"List\",\"items\":[]}\n", "", "an empty List");
	STREAM_IS("{\"kind\":\"List\",\"items\":[1],\"reconcile\":{}}\n",
	    "1: {\"kind\":\"List\",\"items\":[1],\"reconcile\":{}}\n",
	    "a desired set stays whole");
	STREAM_IS("{\"kind\":\"List\",\"items\":3}\n"
		  "{\"kind\":\"Pod\",\"items\":[]}\n",
	    "1: {\"kind\":\"List\",\"items\":3}\n"
	    "2: {\"kind\":\"Pod\",\"items\":[]}\n",
	    "what only looks like a List");
	STREAM_IS("{\"kind\":\"List\",\"items\":[{}}}\n{}\n",
	    "! line 1: unexpected byte at byte 27\n2: {}\n",
	    "nothing of a bad List is given out");
}

static void
add_many(struct buf *b, char c, size_t n)
{
	memset(buf_reserve(b, n), c, n);
	b->len += n;
}

/* A List of count items of almost 1 MiB each. */
static void
make_list(struct buf *b, const char *before, int count, const char *after)
{
	struct buf item = BUF_INIT;

	buf_adds(&item, "{\"a\":\"");
	for (int i = 0; i < 1024 * 1024 / 8; i++)
		buf_adds(&item, "[{\\\"12,");
	buf_adds(&item, "\"}");
	buf_adds(b, before);
	for (int i = 0; i < count; i++) {
		buf_adds(b, i > 0 ? "," : "");
		buf_addspan(b, buf_span(&item));
	}
	buf_adds(b, after);
	buf_release(&item);
}

static void
big_list(
    const char *before, const char *after, const char *want, const char *what)
{
	struct buf b = BUF_INIT;
	char *got;

	make_list(&b, before, 20, after);
	got = run(buf_span(&b), 65536);
	is(got, want, what);
	free(got);
	buf_release(&b);
}

#define TEN(line, size)                                                  \
	line ":item " size " bytes\n" line ":item " size " bytes\n" line \
	     ":item " size " bytes\n" line ":item " size " bytes\n" line \
	     ":item " size " bytes\n" line ":item " size " bytes\n" line \
	     ":item " size " bytes\n" line ":item " size " bytes\n" line \
	     ":item " size " bytes\n" line ":item " size " bytes\n"
#define TWENTY(line, size) TEN(line, size) TEN(line, size)

TEST(big_lists)
{
	big_list("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[",
	    "],\"x\":{}}\n{}\n", TWENTY("1", "917543") "2: {}\n",
	    "a List longer than a line may be");
	big_list("{\n\"apiVersion\" : \"v1\",\"items\" : [\n",
	    "],\n\"kind\":\"List\"}{}", TWENTY("3", "917512") "4: {}\n",
	    "the same over several lines");
	big_list("{\"kind\":\"List\",\"items\":[", "\n{\"b\":1}\n",
	    TWENTY("1", "917512") "! line 1: a List is cut short\n2: "
				  "{\"b\":1}\n",
	    "a long List that is cut short");
	big_list("{\"kind\":\"List\",\"items\":[", ",]}\n{\"b\":1}\n",
	    TWENTY("1",
		"917512") "! line 1: not JSON: unexpected byte at byte 1\n2: "
			  "{\"b\":1}\n",
	    "a long List with a comma too many");
	big_list("{\"kind\":\"List\",\"items\":[", "],}\n{\"b\":1}\n",
	    TWENTY("1", "917512") "! line 1: unexpected byte at byte 13\n2: "
				  "{\"b\":1}\n",
	    "a long List with a bad end");
	big_list("{\"kind\":\"Pod\",\"items\":[", "]}\n{\"b\":1}\n",
	    "! line 1: longer than 16 MiB\n2: {\"b\":1}\n",
	    "a long object that is not a List");
	big_list("{\"items\":[", "],\"kind\":\"Pod\"}\n{\"b\":1}\n",
	    TWENTY(
		"1", "917512") "! line 1: longer than 16 MiB and no List\n2: "
			       "{\"b\":1}\n",
	    "a long object that turns out not to be a List");
}

TEST(limit)
{
	struct buf b = BUF_INIT;
	char *got;

	buf_adds(&b, "{}\n\"");
	add_many(&b, 'x', STREAM_MAX - 2);
	buf_adds(&b, "\"\n\"");
	add_many(&b, 'x', STREAM_MAX - 1);
	buf_adds(&b, "\"\n{}\n");
	got = run(buf_span(&b), 65536);
	is(got,
	    "1: {}\n2: 16777216 bytes\n! line 3: longer than 16 MiB\n4: {}\n",
	    "a line of 16 MiB, and one of a byte more");
	free(got);
	got = run(buf_span(&b), SIZE_MAX);
	is(got,
	    "1: {}\n2: 16777216 bytes\n! line 3: longer than 16 MiB\n4: {}\n",
	    "the same in one piece");
	free(got);
	b.data[1] = '\n';
	b.data[2] = '}';
	got = run(buf_span(&b), 65536);
	is(got,
	    "1: {\n}\n2: 16777216 bytes\n! line 3: a document is longer than "
	    "16 MiB\n",
	    "concatenated");
	free(got);
	buf_reset(&b);
	for (int i = 0; i < 200000; i++)
		buf_adds(&b, "{\"kind\":\"List\",\"items\":[]}\n");
	got = run(buf_span(&b), SIZE_MAX);
	is(got, "", "200,000 empty Lists at once");
	free(got);
	buf_reset(&b);
	for (int i = 0; i < 10000; i++)
		buf_addc(&b, '[');
	buf_adds(&b, "\n{}\n");
	got = run(buf_span(&b), 512);
	is(got, "! line 1: nested deeper than 256 levels at byte 257\n",
	    "10,000 levels");
	free(got);
	buf_release(&b);
}
