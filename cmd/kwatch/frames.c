#include "frames.h"

#include <string.h>

enum { KEEP = 256 * 1024 }; /* after a huge line the memory goes back */

void
frames_release(struct frames *f)
{
	buf_release(&f->rest);
}

void
frames_reset(struct frames *f)
{
	if (f->rest.cap > KEEP)
		buf_release(&f->rest);
	buf_reset(&f->rest);
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

		if (f->rest.len + line.n > FRAMES_MAX)
			return -1;
		if (f->rest.len > 0 || newline == NULL) {
			buf_addspan(&f->rest, line);
			line = buf_span(&f->rest);
		}
		if (newline == NULL)
			break;
		if (line.n > 0)
			fn(arg, line);
		frames_reset(f);
		p = newline + 1;
	}
	return 0;
}
