/*
 * cut: what kwatch does with a stream of frames, without the network: splits
 * it into lines, finds the few fields, leaves managedFields out.
 */
// needs cmd/kwatch/frames.c
#include "../../cmd/kwatch/frames.h"

#include <unistd.h>

#include "json.h"

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

int
main(void)
{
	static char in[256 * 1024];
	struct frames frames = {BUF_INIT};
	int bad = 0;
	ssize_t n;

	while ((n = read(0, in, sizeof(in))) > 0) {
		if (frames_add(&frames, span_make(in, (size_t)n), on_line, &bad,
			&bad) != 0)
			return 1;
		if (out.len >= 65536 && flush() != 0)
			return 1;
	}
	frames_release(&frames);
	return flush() != 0 || bad;
}
