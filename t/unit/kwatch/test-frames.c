/* frames and list: splitting the bytes from the server. */
#include "frames.h"
#include "pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

static struct buf got;
static int stop;

static void
on_line(void *arg, struct span line, uint64_t length)
{
	(void)arg;
	if (length > 0)
		buf_addf(&got, "%d more: ", (int)(length - FRAMES_MAX));
	buf_addspan(&got, line.n > 1000 ? span_str("long") : line);
	buf_addc(&got, '|');
	if (span_is(line, "stop"))
		stop = 1;
}

static void
test_frames(void)
{
	static const char text[] = "one\ntwo\n\nthree\nfour";
	struct frames f = {.rest = BUF_INIT};

	for (size_t piece = 1; piece < sizeof(text); piece++) {
		buf_reset(&got);
		for (size_t at = 0; at < sizeof(text) - 1; at += piece) {
			size_t n = sizeof(text) - 1 - at;

			frames_add(&f,
			    span_make(text + at, n < piece ? n : piece),
			    on_line, NULL, &stop);
		}
		is(buf_str(&got), "one|two|three|", "pieces");
		frames_reset(&f);
	}
	buf_reset(&got);
	frames_add(&f, span_str("a\nstop\nb\n"), on_line, NULL, &stop);
	is(buf_str(&got), "a|stop|", "nothing after a stop");
	frames_release(&f);
}

#define HEAD "{\"type\":\"ADDED\",\"object\":{\"spec\":\""
#define TAIL "\",\"metadata\":{\"name\":\"n\"}}}"

/* A line of so many bytes more than there may be, and one behind it. */
static int
long_line(int more, const char *tail, size_t piece)
{
	struct frames f = {.rest = BUF_INIT};
	struct buf b = BUF_INIT;
	int rc = 0;

	stop = 0;
	buf_reset(&got);
	buf_adds(&b, HEAD);
	while (b.len < (size_t)(FRAMES_MAX + more) - strlen(tail))
		buf_addc(&b, 'x');
	buf_adds(&b, tail);
	buf_adds(&b, "\nnext\n");
	for (size_t at = 0; at < b.len && rc == 0; at += piece) {
		size_t n = b.len - at < piece ? b.len - at : piece;

		rc = frames_add(
		    &f, span_make(b.data + at, n), on_line, NULL, &stop);
	}
	buf_release(&b);
	frames_release(&f);
	return rc;
}

static void
test_long(void)
{
	static const size_t pieces[] = {65536, 1000003, SIZE_MAX / 2};

	for (size_t i = 0; i < 3; i++) {
		ok(long_line(0, TAIL, pieces[i]) == 0, "a line of the limit");
		is(buf_str(&got), "long|next|", "... comes whole");
		ok(long_line(1, TAIL, pieces[i]) == 0, "a byte more");
		is(buf_str(&got),
		    "1 more: {\"type\":\"ADDED\",\"object\":{\"metadata\":"
		    "{\"name\":\"n\"}}}|next|",
		    "... comes as its identity");
		ok(long_line(1, "\"}}", pieces[i]) == -1, "without one: -1");
		is(buf_str(&got), "", "... and nothing");
	}
	ok(FRAMES_MAX > 6 * 3 * 512 * 1024, "more than etcd takes as JSON");
}

static void
on_item(void *arg, const struct json_frame *item)
{
	(void)arg;
	buf_addf(&got, "%.*s|", SPAN_ARG(item->name));
}

static void
test_list(void)
{
	struct pages l = {.unpaged = false};
	struct buf path = BUF_INIT;

	buf_reset(&got);
	ok(pages_at_start(&l), "at the start");
	ok(pages_page(&l,
	       span_str("{\"metadata\":{\"continue\":\"a\\u002fb\","
			"\"resourceVersion\":\"7\"},\"items\":["
			"{\"metadata\":{\"name\":\"x\"}},"
			"{\"metadata\":{\"name\":\"y\"}}]}"),
	       on_item, NULL) == LIST_MORE,
	    "a page");
	is(buf_str(&got), "x|y|", "its items");
	buf_adds(&path, "/p");
	pages_query(&l, &path);
	is(buf_str(&path), "/p?limit=500&continue=a%2Fb", "the next page");
	ok(pages_page(&l,
	       span_str("{\"metadata\":{\"resourceVersion\":\"8\"},"
			"\"items\":null}"),
	       on_item, NULL) == LIST_WHOLE,
	    "the last page may be empty");
	ok(strcmp(buf_str(&l.version), "8") == 0, "its version");
	pages_expired(&l);
	buf_reset(&path);
	buf_adds(&path, "/p");
	pages_query(&l, &path);
	is(buf_str(&path), "/p", "expired: no pages");
	ok(pages_page(&l, span_str("[]"), on_item, NULL) == LIST_BAD,
	    "no list");
	ok(pages_page(&l, span_str("{\"metadata\":{},\"items\":[{\"a\":[}]}"),
	       on_item, NULL) == LIST_BAD,
	    "a broken item");
	pages_release(&l);
	buf_release(&path);
}

int
main(void)
{
	test_frames();
	test_long();
	test_list();
	buf_release(&got);
	return tap_done();
}
