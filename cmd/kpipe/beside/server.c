#include "beside/server.h"

#include <fcntl.h>
#include <unistd.h>

static void
close_fd(struct server *s)
{
	if (s->fd < 0)
		return;
	loop_unwatch(s->resident.loop, s->fd);
	close(s->fd);
	s->fd = -1;
	s->waiting = false;
}

static void
on_room(void *arg, int fd, int events)
{
	struct server *s = arg;

	(void)events;
	loop_unwatch(s->resident.loop, fd);
	s->waiting = false; /* server_tell goes on */
}

void
server_tell(struct server *s)
{
	if (s->fd < 0 || s->waiting)
		return;
	switch (board_write(&s->board, s->fd)) {
	case BOARD_WRITTEN:
		break;
	case BOARD_FULL:
		s->waiting = true;
		loop_watch(s->resident.loop, s->fd, LOOP_WRITE, on_room, s);
		break;
	case BOARD_FAILED: /* kpipe-http is ending */
		close_fd(s);
	}
}

/* The resident's functions know their owner: it is the first member. */
static int
start_http(struct resident *r, struct err *err)
{
	struct server *s = (struct server *)r;
	int fds[2];
	int result;

	if (stage_pipe(fds, err) != 0)
		return -1;
	result = stage_start(&r->stage, fds[0], s->null_fd, err);
	close(fds[0]);
	if (result != 0) {
		close(fds[1]);
		return -1;
	}
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	s->fd = fds[1];
	board_again(&s->board);
	return 0;
}

static void
stop_http(struct resident *r)
{
	close_fd((struct server *)r);
}

void
server_start(struct server *s)
{
	s->fd = -1;
	s->resident.needed = true;
	s->resident.launch = start_http;
	s->resident.on_stop = stop_http;
	resident_start(&s->resident);
}

void
server_release(struct server *s)
{
	if (s->resident.loop != NULL)
		close_fd(s);
	resident_release(&s->resident);
	board_release(&s->board);
}
