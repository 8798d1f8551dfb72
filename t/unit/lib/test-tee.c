/* tee: another process sees what is read; a full pipe never holds it up. */
#include "process/tee.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "json/stream.h"
#include "tap.h"

enum { LINES = 4000 };

static int in[2], tap[2];

static void
open_pipes(void)
{
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(tap, O_CLOEXEC) != 0)
		exit(1);
	fcntl(in[1], F_SETPIPE_SZ, 1024 * 1024);
	fcntl(tap[0], F_SETFL, O_NONBLOCK);
}

static void
close_pipes(void)
{
	close(in[0]);
	if (in[1] >= 0)
		close(in[1]);
	close(tap[0]);
	close(tap[1]);
}

/* Puts lines {"n":FIRST} ... into the pipe that is read. */
static void
put(size_t first, size_t count)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < count; i++)
		buf_addf(&b, "{\"n\":%zu,\"pad\":\"%0100d\"}\n", first + i, 0);
	if (write(in[1], b.data, b.len) != (ssize_t)b.len)
		ok(false, "the pipe takes it");
	buf_release(&b);
}

/* Reads once; counts the documents that come. */
static size_t
take(struct stream *s)
{
	struct stream_doc doc;
	struct err err;
	size_t count = 0;

	if (stream_read(s, in[0], &err) < 0)
		ok(false, err.message);
	while (stream_next(s, &doc) == STREAM_DOC)
		count++;
	return count;
}

static void
drain(struct buf *b)
{
	ssize_t n;

	while ((n = read(tap[0], buf_reserve(b, 65536), 65536)) > 0)
		b->len += (size_t)n;
}

TEST(all)
{
	struct stream *s = stream_new();
	struct buf got = BUF_INIT, want = BUF_INIT;
	size_t count = 0;

	open_pipes();
	stream_tap(s, tap[1], "events");
	for (size_t i = 0; i < 100; i++) {
		put(i, 1);
		count += take(s);
		buf_addf(&want, "{\"n\":%zu,\"pad\":\"%0100d\"}\n", i, 0);
	}
	drain(&got);
	ok(count == 100, "everything is read");
	is(buf_str(&got), buf_str(&want), "... and the other one has it, too");
	close(in[1]);
	in[1] = -1;
	ok(take(s) == 0, "the end");
	buf_release(&got);
	buf_release(&want);
	stream_free(s);
	close_pipes();
}

/* Whole lines of got, which are in order; how many, and how many gaps. */
static void
count_lines(struct buf *got, size_t *lines, size_t *gaps, bool *ordered)
{
	struct span rest = buf_span(got);
	size_t last = 0;

	*lines = *gaps = 0;
	*ordered = true;
	while (rest.n > 0) {
		struct span line = span_cut(&rest, '\n');
		uint64_t n = 0;

		if (span_is(
			line, "{\"record\":\"gap\",\"stream\":\"events\"}")) {
			(*gaps)++;
			continue;
		}
		if (!span_ends(line, "\"}") || !span_take(&line, "{\"n\":"))
			continue;
		line.n = span_digits(line);
		if (!span_number(line, UINT64_MAX, &n) || (n != 0 && n <= last))
			*ordered = false;
		last = n;
		(*lines)++;
	}
}

TEST(full)
{
	struct stream *s = stream_new();
	struct buf got = BUF_INIT;
	size_t count = 0, lines, gaps, put_count = 0;
	bool ordered;

	open_pipes();
	stream_tap(s, tap[1], "events");
	fcntl(tap[1], F_SETPIPE_SZ, 65536);
	while (put_count < LINES) { /* far more than the tap takes */
		put(put_count, 400);
		put_count += 400;
		while (count < put_count)
			count += take(s);
	}
	ok(count == put_count, "nobody reads the tap: everything is read");
	drain(&got);
	count_lines(&got, &lines, &gaps, &ordered);
	ok(lines > 100 && lines < LINES && gaps == 0,
	    "... the tap has the beginning");
	put(put_count, 10);
	count += take(s);
	put(put_count + 10, 10);
	count += take(s);
	drain(&got);
	count_lines(&got, &lines, &gaps, &ordered);
	ok(gaps == 1, "when it is empty again it has a gap line");
	ok(ordered, "... and lines in order");
	ok(memmem(got.data, got.len, "{\"n\":4019,", 10) != NULL,
	    "... up to the last one");
	ok(memmem(got.data, got.len, "\n{\"n\":4001,", 11) != NULL,
	    "... from the first line that starts behind it");
	ok(count == put_count + 20, "everything was read");
	buf_release(&got);
	stream_free(s);
	close_pipes();
}

TEST(not_a_pipe)
{
	struct stream *s = stream_new();
	int file = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	struct tee t;

	open_pipes();
	tee_init(&t, tap[1], "events");
	ok(tee_ahead(&t, file, 100) == 0 && t.fd == -1,
	    "what is not a pipe is only read");
	tee_release(&t);
	close(file);
	stream_free(s);
	close_pipes();
}
