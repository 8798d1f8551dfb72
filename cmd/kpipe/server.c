#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/err.h"
#include "process/clock.h"
#include "process/log.h"

static void
close_fd(struct server *s)
{
	if (s->fd < 0)
		return;
	loop_unwatch(s->loop, s->fd);
	close(s->fd);
	s->fd = -1;
	s->waiting = false;
}

static void
on_room(void *arg, int fd, int events)
{
	struct server *s = arg;

	(void)events;
	loop_unwatch(s->loop, fd);
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
		loop_watch(s->loop, s->fd, LOOP_WRITE, on_room, s);
		break;
	case BOARD_FAILED: /* it is ending */
		close_fd(s);
	}
}

static void
take_line(void *arg, struct stage *stage, struct span line)
{
	struct server *s = arg;

	if (line.n > 0 || stage->ready)
		return;
	stage->ready = s->was_ready = true;
	oom_ready(s->oom);
	log_debug("%s is ready", stage->name);
}

static void
read_report(void *arg, int fd, int events)
{
	struct server *s = arg;

	(void)events;
	if (stage_read_report(&s->stage, take_line, s))
		return;
	loop_unwatch(s->loop, fd);
	stage_close_report(&s->stage);
}

static void start(void *arg);

static void
start_later(struct server *s)
{
	uint32_t random = 0;
	uint64_t delay;

	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	delay = restart_next(&s->backoff, clock_ms() - s->started_ms, random);
	log_warning("starting %s again in %llu.%llu s", s->stage.name,
	    (unsigned long long)delay / 1000,
	    (unsigned long long)delay % 1000 / 100);
	loop_after(s->loop, &s->timer, delay, start, s);
}

static void
start(void *arg)
{
	struct server *s = arg;
	struct err err = ERR_INIT;
	int fds[2];
	int result;

	s->started_ms = clock_ms();
	if (pipe2(fds, O_CLOEXEC) != 0) {
		log_error("cannot make a pipe: %s", strerror(errno));
		start_later(s);
		return;
	}
	result = stage_start(&s->stage, fds[0], s->null_fd, &err);
	close(fds[0]);
	if (result != 0) {
		close(fds[1]);
		log_error("%s", err.message);
		start_later(s);
		return;
	}
	fcntl(fds[1], F_SETFL, O_NONBLOCK);
	s->fd = fds[1];
	loop_watch(s->loop, s->stage.report_fd, LOOP_READ, read_report, s);
	board_again(&s->board);
}

void
server_start(struct server *s)
{
	s->fd = -1;
	loop_after(s->loop, &s->timer, 0, start, s);
}

/* It cannot be started, or not for long. */
static bool
is_hopeless(struct server *s)
{
	const struct stage *stage = &s->stage;

	if (stage->starved)
		return oom_judge(s->oom, stage, clock_ms() - s->started_ms) ==
		    OOM_GIVE_UP;
	return stage_exit_code(stage) == EXIT_PERMANENT && !s->was_ready;
}

void
server_take(struct server *s, int status)
{
	struct stage *stage = &s->stage;

	close_fd(s);
	if (stage->report_fd >= 0)
		read_report(s, stage->report_fd, LOOP_READ);
	if (stage->report_fd >= 0) {
		loop_unwatch(s->loop, stage->report_fd);
		stage_close_report(stage);
	}
	stage_ended(stage, status);
	if (s->ending) {
		loop_cancel(s->loop, &s->timer);
		s->on_end(s->arg);
		return;
	}
	oom_take(s->oom, stage);
	oom_log_end(s->oom, stage, LOG_ERROR);
	if (is_hopeless(s))
		s->on_refusal(s->arg);
	else
		start_later(s);
}

static void
kill_now(void *arg)
{
	struct server *s = arg;

	stage_kill(&s->stage, SIGKILL);
}

void
server_end(struct server *s)
{
	s->ending = true;
	loop_cancel(s->loop, &s->timer);
	if (s->stage.pid == 0) {
		s->on_end(s->arg);
		return;
	}
	stage_kill(&s->stage, SIGTERM);
	loop_after(s->loop, &s->timer, SERVER_END_MS, kill_now, s);
}

void
server_release(struct server *s)
{
	if (s->loop != NULL)
		close_fd(s);
	stage_release(&s->stage);
	board_release(&s->board);
}
