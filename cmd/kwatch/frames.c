#include "frames.h"

#include <string.h>

enum { KEEP = 256 * 1024 }; /* after a huge line the memory goes back */

void
frames_release(struct frames *f)
{
	buf_release(&f->rest);
	sketch_release(&f->sketch);
}

void
frames_reset(struct frames *f)
{
	if (f->rest.cap > KEEP)
		buf_release(&f->rest);
	buf_reset(&f->rest);
	if (f->sketch.length > 0)
		sketch_release(&f->sketch);
}

/* A piece of a line that is too long. */
static void
add_long(struct frames *f, struct span piece)
{
	if (f->sketch.length == 0) {
		sketch_begin(&f->sketch, SKETCH_EVENT);
		sketch_add(&f->sketch, buf_span(&f->rest));
		buf_release(&f->rest);
	}
	sketch_add(&f->sketch, piece);
}

static int
end_long(struct frames *f, frames_fn *fn, void *arg)
{
	struct buf line = BUF_INIT;
	int rc = sketch_end(&f->sketch, &line);

	if (rc == 0)
		fn(arg, buf_span(&line), f->sketch.length);
	buf_release(&line);
	return rc;
}

int
frames_add(struct frames *f, struct span bytes, frames_fn *fn, void *arg,
    const int *stop)
{
	const char *p = bytes.p, *end = p + bytes.n;

	while (p < end && *stop == 0) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		const char *to = newline != NULL ? newline : end;
		struct span line = span_make(p, (size_t)(to - p));

		if (f->sketch.length > 0 || f->rest.len + line.n > FRAMES_MAX)
			add_long(f, line);
		else if (newline == NULL || f->rest.len > 0)
			buf_addspan(&f->rest, line);
		if (newline == NULL)
			return 0;
		if (f->rest.len > 0)
			line = buf_span(&f->rest);
		if (f->sketch.length == 0 && line.n > 0)
			fn(arg, line, 0);
		else if (f->sketch.length > 0 && end_long(f, fn, arg) != 0)
			return -1;
		frames_reset(f);
		p = newline + 1;
	}
	return 0;
}
