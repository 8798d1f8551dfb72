#include "sidecar/server.h"

#include <fcntl.h>
#include <unistd.h>

static void
close_fd(struct server *s)
{
	if (s->fd < 0)
		return;
	loop_unwatch(s->sidecar.loop, s->fd);
	close(s->fd);
	s->fd = -1;
	s->waiting = false;
}

static void
on_room(void *arg, int fd, int events)
{
	struct server *s = arg;

	(void)events;
	loop_unwatch(s->sidecar.loop, fd);
	s->waiting = false; /* server_tell goes on */
}

void
server_tell(struct server *s)
{
	if (s->fd < 0 || s->waiting)
		return;
	switch (pipestate_write(&s->pipestate, s->fd)) {
	case PIPESTATE_WRITTEN:
		break;
	case PIPESTATE_FULL:
		s->waiting = true;
		loop_watch(s->sidecar.loop, s->fd, LOOP_WRITE, on_room, s);
		break;
	case PIPESTATE_FAILED: /* kpipe-http is ending */
		close_fd(s);
	}
}

/* The sidecar's functions know their owner: it is the first member. */
static int
start_http(struct sidecar *r, struct err *err)
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
	pipestate_again(&s->pipestate);
	return 0;
}

static void
stop_http(struct sidecar *r)
{
	close_fd((struct server *)r);
}

void
server_start(struct server *s)
{
	s->fd = -1;
	s->sidecar.needed = true;
	s->sidecar.launch = start_http;
	s->sidecar.on_stop = stop_http;
	sidecar_start(&s->sidecar);
}

void
server_release(struct server *s)
{
	if (s->sidecar.loop != NULL)
		close_fd(s);
	sidecar_release(&s->sidecar);
	pipestate_release(&s->pipestate);
}
