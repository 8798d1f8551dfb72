#include "process/tee.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PIPE_SIZE = 1024 * 1024 };

void
tee_init(struct tee *t, int fd, const char *stream)
{
	*t = (struct tee){.fd = fd, .stream = stream};
	if (fd < 0)
		return;
	fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void
tee_release(struct tee *t)
{
	buf_release(&t->scratch);
}

size_t
tee_ahead(struct tee *t, int from, size_t most)
{
	ssize_t n;

	if (t->fd < 0 || t->lost)
		return 0;
	if (t->ahead > 0)
		return t->ahead;
	do
		n = tee(from, t->fd, most, SPLICE_F_NONBLOCK);
	while (n < 0 && errno == EINTR);
	/* The reader is gone, or this is not a pipe. */
	if (n < 0 && errno != EAGAIN)
		t->fd = -1;
	if (n > 0)
		t->ahead = (size_t)n;
	return t->ahead;
}

static bool
is_empty(int fd)
{
	int waiting = 0;

	return ioctl(fd, FIONREAD, &waiting) == 0 && waiting == 0;
}

/* Goes on at the first line that starts in bytes. An empty pipe takes all. */
static void
resume(struct tee *t, struct span bytes)
{
	const char *end = span_find(bytes, '\n');
	struct span rest;
	ssize_t n;

	if (end == NULL || !is_empty(t->fd))
		return;
	rest = span_skip(bytes, (size_t)(end + 1 - bytes.p));
	buf_reset(&t->scratch);
	buf_addf(&t->scratch, "\n{\"record\":\"gap\",\"stream\":\"%s\"}\n",
	    t->stream);
	buf_addspan(&t->scratch, rest);
	n = write(t->fd, t->scratch.data, t->scratch.len);
	t->lost = n != (ssize_t)t->scratch.len;
}

void
tee_read(struct tee *t, struct span bytes)
{
	if (t->fd < 0 || bytes.n == 0)
		return;
	if (t->ahead > 0) {
		t->ahead -= bytes.n < t->ahead ? bytes.n : t->ahead;
		return;
	}
	t->lost = true;
	resume(t, bytes);
}
