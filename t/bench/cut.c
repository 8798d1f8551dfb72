/*
 * cut: what kwatch does with a stream of frames, without the network: splits
 * it into lines, finds the few fields, leaves managedFields out.
 *
 *	cut <in >out
 *	cut ROUNDS <in	prints the rate in MB per second of CPU
 */
// needs cmd/kwatch/frames.c
#include "frames.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "json/json.h"

enum { PIECE = 64 * 1024 }; /* bytes of one read from a socket */

static struct buf out;

static int
flush(void)
{
	size_t done = 0;

	while (done < out.len) {
		ssize_t n = write(1, out.data + done, out.len - done);

		if (n < 0)
			return -1;
		done += (size_t)n;
	}
	buf_reset(&out);
	return 0;
}

static void
on_line(void *arg, struct span line)
{
	int *bad = arg;
	struct json_frame f;
	const char *p = line.p, *end = p + line.n;

	if (json_frame(line, &f) != 0 || f.uid.p == NULL) {
		*bad = 1;
		return;
	}
	if (f.managed_fields.p != NULL) {
		buf_add(&out, p, (size_t)(f.managed_fields.p - p));
		p = f.managed_fields.p + f.managed_fields.n;
	}
	buf_add(&out, p, (size_t)(end - p));
	buf_addc(&out, '\n');
}

/* Feeds text in pieces; the output stays in the buffer for flush, or is
 * dropped. */
static int
cut(struct span in, int (*full)(void))
{
	struct frames frames = {BUF_INIT};
	int bad = 0;

	for (size_t at = 0; at < in.n && !bad; at += PIECE) {
		size_t n = in.n - at < PIECE ? in.n - at : PIECE;

		if (frames_add(&frames, span_make(in.p + at, n), on_line, &bad,
			&bad) != 0 ||
		    full() != 0)
			bad = 1;
	}
	frames_release(&frames);
	return bad;
}

static int
drop(void)
{
	buf_reset(&out);
	return 0;
}

static double
cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int
main(int argc, char **argv)
{
	struct buf in = BUF_INIT;
	long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
	double begin;
	ssize_t n;

	while ((n = read(0, buf_reserve(&in, PIECE), PIECE)) > 0)
		in.len += (size_t)n;
	if (rounds == 0)
		return cut(buf_span(&in), flush);
	begin = cpu_seconds();
	for (long i = 0; i < rounds; i++)
		if (cut(buf_span(&in), drop) != 0)
			return 1;
	printf("%.0f\n",
	    (double)in.len * (double)rounds / 1e6 / (cpu_seconds() - begin));
	return 0;
}
