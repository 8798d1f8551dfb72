#include "sidecar/sidecar.h"

#include <signal.h>

#include "process/clock.h"
#include "process/log.h"

static void
take_line(void *arg, struct stage *stage, struct span line)
{
	struct sidecar *r = arg;

	if (line.n > 0 && r->on_line != NULL)
		r->on_line(r, line);
	if (line.n > 0 || stage->ready)
		return;
	stage->ready = r->was_ready = true;
	if (r->needed)
		oom_ready(r->oom);
	if (r->on_ready != NULL)
		r->on_ready(r);
	log_debug("%s is ready", stage->name);
}

static void
close_report(struct sidecar *r)
{
	loop_unwatch(r->loop, r->stage.report_fd);
	stage_close_report(&r->stage);
}

static void
read_report(void *arg, int fd, int events)
{
	struct sidecar *r = arg;

	(void)fd;
	(void)events;
	if (!stage_read_report(&r->stage, take_line, r))
		close_report(r);
}

static void start(void *arg);

static void
start_later(struct sidecar *r)
{
	uint64_t delay = stage_restart_ms(
	    &r->backoff, clock_ms() - r->started_ms, (uint32_t)clock_jitter());

	log_warning("starting %s again in %llu.%llu s", r->stage.name,
	    (unsigned long long)delay / 1000,
	    (unsigned long long)delay % 1000 / 100);
	loop_after(r->loop, &r->timer, delay, start, r);
}

static void
start(void *arg)
{
	struct sidecar *r = arg;
	struct err err = ERR_INIT;

	if (r->is_busy != NULL && r->is_busy(r)) {
		loop_after(r->loop, &r->timer, SIDECAR_LOOK_MS, start, r);
		return;
	}
	r->started_ms = clock_ms();
	if (r->launch(r, &err) != 0) {
		log_error("%s", err.message);
		start_later(r);
		return;
	}
	loop_watch(r->loop, r->stage.report_fd, LOOP_READ, read_report, r);
}

void
sidecar_start(struct sidecar *r)
{
	loop_after(r->loop, &r->timer, 0, start, r);
}

/* A process that kpipe cannot do without cannot be started, or not for long. */
static bool
is_hopeless(struct sidecar *r)
{
	const struct stage *s = &r->stage;

	if (!r->needed)
		return false;
	if (s->starved)
		return oom_judge(r->oom, s, clock_ms() - r->started_ms) ==
		    OOM_GIVE_UP;
	return stage_exit_code(s) == EXIT_PERMANENT && !r->was_ready;
}

void
sidecar_take(struct sidecar *r, int status)
{
	struct stage *s = &r->stage;
	bool told = s->told_to_end;

	if (s->report_fd >= 0)
		read_report(r, s->report_fd, LOOP_READ);
	if (s->report_fd >= 0)
		close_report(r);
	stage_ended(s, status);
	if (r->on_stop != NULL)
		r->on_stop(r);
	if (r->ending) {
		loop_cancel(r->loop, &r->timer);
		r->on_end(r->arg);
		return;
	}
	if (!told)
		oom_take(r->oom, s);
	oom_log_end(r->oom, s, told ? LOG_DEBUG : LOG_ERROR);
	if (is_hopeless(r))
		r->on_refusal(r->arg);
	else
		start_later(r);
}

static void
kill_now(void *arg)
{
	struct sidecar *r = arg;

	stage_kill(&r->stage, SIGKILL);
}

void
sidecar_end(struct sidecar *r)
{
	r->ending = true;
	loop_cancel(r->loop, &r->timer);
	if (r->stage.pid == 0) {
		r->on_end(r->arg);
		return;
	}
	stage_kill(&r->stage, SIGTERM);
	loop_after(r->loop, &r->timer, SIDECAR_END_MS, kill_now, r);
}

void
sidecar_release(struct sidecar *r)
{
	stage_release(&r->stage);
}
