#include "process/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int
reopen(int fd)
{
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

void
out_init(struct out *o, struct loop *l, int fd)
{
	struct stat st;

	*o = (struct out){.loop = l, .fd = fd, .given_fd = fd};
	if (fstat(fd, &st) != 0 || S_ISREG(st.st_mode))
		return; /* never blocks; reopening would lose the offset */
	if ((S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)) &&
	    (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY) {
		int again = reopen(fd);

		if (again >= 0) {
			o->fd = again;
			return;
		}
	}
	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

void
out_release(struct out *o)
{
	if (o->waiting)
		loop_unwatch(o->loop, o->fd);
	if (o->fd != o->given_fd)
		close(o->fd);
	buf_release(&o->pending);
	o->waiting = false;
	o->fd = o->given_fd;
}

void
out_on_room(struct out *o, loop_fn *fn, void *arg)
{
	o->on_room = fn;
	o->on_room_arg = arg;
}

bool
out_full(const struct out *o)
{
	return o->failed || o->pending.len - o->written > OUT_FULL;
}

bool
out_empty(const struct out *o)
{
	return o->pending.len == o->written;
}

static void
writable(void *arg, int fd, int events)
{
	struct out *o = arg;
	bool was_full = out_full(o);

	(void)fd;
	(void)events;
	out_flush(o);
	if (was_full && !out_full(o) && o->on_room != NULL)
		o->on_room(o->on_room_arg);
}

static void
wait_for_room(struct out *o, bool wait)
{
	if (wait == o->waiting)
		return;
	o->waiting = wait;
	if (wait)
		loop_watch(o->loop, o->fd, LOOP_WRITE, writable, o);
	else
		loop_unwatch(o->loop, o->fd);
}

static int
fail(struct out *o)
{
	o->failed = true;
	err_set(&o->err, errno == EPIPE ? ERR_GONE : ERR_TRANSIENT,
	    errno == EPIPE ? "the reader of standard output is gone"
			   : "cannot write standard output: %s",
	    strerror(errno));
	o->written = o->pending.len = 0;
	wait_for_room(o, false);
	return -1;
}

int
out_flush(struct out *o)
{
	while (!o->failed && o->written < o->pending.len) {
		ssize_t n = write(o->fd, o->pending.data + o->written,
		    o->pending.len - o->written);

		if (n >= 0) {
			o->written += (size_t)n;
		} else if (errno == EAGAIN) {
			wait_for_room(o, true);
			return 0;
		} else if (errno != EINTR) {
			return fail(o);
		}
	}
	if (o->failed)
		return -1;
	o->written = o->pending.len = 0;
	wait_for_room(o, false);
	return 0;
}

int
out_drain(struct out *o)
{
	while (out_flush(o) == 0 && !out_empty(o)) {
		struct pollfd pfd = {o->fd, POLLOUT, 0};

		poll(&pfd, 1, -1);
	}
	return o->failed ? -1 : 0;
}

struct buf *
out_buf(struct out *o)
{
	if (o->written > OUT_FULL) {
		buf_consume(&o->pending, o->written);
		o->written = 0;
	}
	return &o->pending;
}

void
out_added(struct out *o)
{
	if (o->failed)
		o->written = o->pending.len = 0;
	else if (!o->waiting && o->pending.len - o->written >= OUT_FULL)
		out_flush(o);
}

void
out_line(struct out *o, struct span line)
{
	struct buf *b = out_buf(o);

	buf_addspan(b, line);
	buf_addc(b, '\n');
	out_added(o);
}
