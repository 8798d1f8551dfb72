/* frames and list: splitting the bytes from the server. */
// needs cmd/kwatch/frames.c cmd/kwatch/pages.c
#include "frames.h"
#include "pages.h"

#include <stdlib.h>

#include "tap.h"

static struct buf got;
static int stop;

static void
on_line(void *arg, struct span line)
{
	(void)arg;
	buf_addspan(&got, line);
	buf_addc(&got, '|');
	if (span_is(line, "stop"))
		stop = 1;
}

static void
test_frames(void)
{
	static const char text[] = "one\ntwo\n\nthree\nfour";
	struct frames f = {BUF_INIT};

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

static void
test_long(void)
{
	struct frames f = {BUF_INIT};
	struct buf piece = BUF_INIT;
	int r = 0;

	stop = 0;
	for (int i = 0; i < 1024 * 1024; i++)
		buf_addc(&piece, 'x');
	for (int i = 0; i < 16; i++)
		r |= frames_add(&f, buf_span(&piece), on_line, NULL, &stop);
	ok(r == 0, "16 MiB are allowed");
	ok(frames_add(&f, span_str("x"), on_line, NULL, &stop) == -1,
	    "a byte more is not");
	buf_release(&piece);
	frames_release(&f);
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
	ok(span_is(pages_version(&l), "8"), "its version");
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
