#include "pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "blame.h"
#include "json/json.h"
#include "launch.h"
#include "process/clock.h"
#include "process/log.h"

enum { EXIT_PERMANENT = 100, EXIT_BUG = 101, EXIT_TRANSIENT = 111 };

/* ---- what the stages are, and say ---- */

static bool
path_running(const struct pipeline *p)
{
	for (size_t i = 0; i < pipeline_path(p); i++)
		if (p->stages[i].pid != 0)
			return true;
	return false;
}

static bool
any_running(const struct pipeline *p)
{
	return path_running(p) || (p->elect != NULL && p->elect->pid != 0);
}

static bool
all_ready(const struct pipeline *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (!p->stages[i].ready)
			return false;
	return true;
}

struct stage *
pipeline_stage(struct pipeline *p, pid_t pid)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].pid == pid)
			return &p->stages[i];
	return NULL;
}

static void
take_ready(struct pipeline *p, struct stage *s)
{
	s->ready = true;
	log_debug("%s is ready", s->name);
	if (p->mode == PIPELINE_ONCE || p->phase != PIPELINE_RUNNING ||
	    !all_ready(p))
		return;
	log_info("ready");
	if (!p->was_ready && p->on_ready != NULL)
		p->on_ready(p->arg);
	p->was_ready = true;
}

static void
take_leading(struct pipeline *p, struct span line)
{
	int64_t leading;

	if (json_int(json_path(line, "counters.leading"), &leading))
		p->leader = leading != 0;
	if (p->leader)
		p->led = true;
}

static void
take_line(void *arg, struct stage *s, struct span line)
{
	struct pipeline *p = arg;

	if (line.n == 0) {
		if (!s->ready)
			take_ready(p, s);
		return;
	}
	if (s == p->elect)
		take_leading(p, line);
	if (p->board != NULL)
		board_report(p->board, (size_t)(s - p->stages), s->name, line);
}

static void
close_report(struct pipeline *p, struct stage *s)
{
	loop_unwatch(p->loop, s->report_fd);
	stage_close_report(s);
}

static void
read_report(void *arg, int fd, int events)
{
	struct pipeline *p = arg;

	(void)events;
	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].report_fd == fd) {
			if (!stage_read_report(&p->stages[i], take_line, p))
				close_report(p, &p->stages[i]);
			return;
		}
}

static const char *
phase_name(enum pipeline_phase phase)
{
	static const char *const names[] = {
	    "running", "stopping", "waiting", "draining"};

	return names[phase];
}

void
pipeline_describe(const struct pipeline *p, struct buf *line)
{
	buf_addf(
	    line, "{\"tool\":\"kpipe\",\"phase\":\"%s\"", phase_name(p->phase));
	if (p->elect != NULL)
		buf_addf(line, ",\"leader\":%s", p->leader ? "true" : "false");
	buf_adds(line, ",\"stages\":{");
	for (size_t i = 0; i < p->count; i++) {
		const struct stage *s = &p->stages[i];

		json_add_key(line, s->name);
		buf_addf(line, "{\"running\":%s,\"ready\":%s,\"starts\":%u}",
		    s->pid != 0 ? "true" : "false", s->ready ? "true" : "false",
		    s->starts);
	}
	buf_adds(line, "}}");
}

/* ---- why it stops ---- */

static void
log_end(const struct stage *s, enum log_level level)
{
	if (WIFSIGNALED(s->status))
		log_write(level, NULL, "%s (pid %ld) was killed by SIG%s",
		    s->name, (long)s->ended_pid,
		    sigabbrev_np(WTERMSIG(s->status)));
	else
		log_write(level, NULL, "%s (pid %ld) ended with exit code %d",
		    s->name, (long)s->ended_pid, stage_exit_code(s));
}

/* What is logged of the end of a stage that is nobody's fault but its own. */
static enum log_level
end_level(const struct stage *s)
{
	bool closed_pipe =
	    WIFSIGNALED(s->status) && WTERMSIG(s->status) == SIGPIPE;

	return s->told_to_end || s->status == 0 || closed_pipe ? LOG_DEBUG
							       : LOG_ERROR;
}

/* Whoever reads an end of file or a closed pipe may well end with 0. */
static void
explain(struct pipeline *p)
{
	const struct stage *reason = blame(p->stages, p->count);

	if (p->explained)
		return;
	p->explained = true;
	if (reason != NULL && reason == p->elect && p->led)
		p->deposed = true;
	for (size_t i = 0; i < p->count; i++) {
		const struct stage *s = &p->stages[i];

		if (s == reason && s->status == 0)
			log_error("%s ended with exit code 0, and nobody told "
				  "it to",
			    s->name);
		else if (s->ended_at > 0)
			log_end(s, s == reason ? LOG_ERROR : LOG_DEBUG);
	}
}

/* ---- stopping ---- */

static void start(void *arg);

static void
kill_path(struct pipeline *p)
{
	for (size_t i = 0; i < pipeline_path(p); i++)
		stage_kill(&p->stages[i], SIGKILL);
}

/*
 * Whoever has lost the leadership is a standby again after the shortest delay:
 * the election itself takes care that this does not become a quick loop.
 */
static uint64_t
choose_delay(struct pipeline *p, uint32_t random)
{
	struct restart second = {.crashes = 1};

	return restart_next(p->deposed ? &second : &p->backoff,
	    clock_ms() - p->started_ms, random);
}

static void
wait_and_restart(struct pipeline *p)
{
	uint32_t random = 0;
	uint64_t delay;

	/* Only spreads the load: no number at all would do, too. */
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	delay = choose_delay(p, random);
	if (delay == 0)
		log_warning("starting the pipeline again");
	else
		log_warning("starting the pipeline again in %llu.%llu s",
		    (unsigned long long)delay / 1000,
		    (unsigned long long)delay % 1000 / 100);
	p->phase = PIPELINE_WAITING;
	loop_after(p->loop, &p->timer, delay, start, p);
}

static bool
is_last(const struct pipeline *p)
{
	return p->permanent || p->told_to_end || p->given_up != 0 ||
	    p->mode == PIPELINE_ONCE;
}

static void
all_gone(struct pipeline *p)
{
	if (p->phase == PIPELINE_STOPPING)
		explain(p);
	if (!is_last(p)) {
		wait_and_restart(p);
		return;
	}
	loop_cancel(p->loop, &p->timer);
	p->on_end(p->arg);
}

static void
kill_elect(void *arg)
{
	struct pipeline *p = arg;

	log_warning("%s (pid %ld) did not end in %d s: killed", p->elect->name,
	    (long)p->elect->pid, PIPELINE_RELEASE_MS / 1000);
	stage_kill(p->elect, SIGKILL);
	p->deposed = p->led;
}

/* Goes on with stopping: the last is kelect, when no writer is left. */
static void
go_on(struct pipeline *p)
{
	if (path_running(p))
		return;
	if (!any_running(p)) {
		all_gone(p);
		return;
	}
	if (p->releasing)
		return;
	if (p->phase == PIPELINE_STOPPING)
		explain(p);
	p->releasing = true;
	stage_kill(p->elect, SIGTERM);
	loop_after(p->loop, &p->timer, PIPELINE_RELEASE_MS, kill_elect, p);
}

static void
kill_others(void *arg)
{
	struct pipeline *p = arg;

	explain(p);
	kill_path(p);
}

/*
 * One stage is gone or could not start: the others go, too. Without kelect
 * at once, for nobody keeps the lease any more.
 */
static void
stop_others(struct pipeline *p)
{
	p->phase = PIPELINE_STOPPING;
	if (p->elect != NULL && p->elect->pid == 0)
		kill_others(p);
	else if (path_running(p))
		loop_after(
		    p->loop, &p->timer, PIPELINE_SETTLE_MS, kill_others, p);
	go_on(p);
}

static void
drain_timeout(void *arg)
{
	struct pipeline *p = arg;

	for (size_t i = 0; i < pipeline_path(p); i++)
		if (p->stages[i].pid != 0)
			log_warning("%s (pid %ld) did not end in %d s: "
				    "killed",
			    p->stages[i].name, (long)p->stages[i].pid,
			    PIPELINE_DRAIN_MS / 1000);
	kill_path(p);
}

/* Whoever does not lead has nothing to finish, and no gate will open. */
static void
drain(struct pipeline *p)
{
	p->phase = PIPELINE_DRAINING;
	if (p->elect != NULL && !p->leader) {
		log_info("told to end");
		kill_path(p);
		return;
	}
	log_info("told to end: draining");
	stage_kill(&p->stages[0], SIGTERM);
	loop_after(p->loop, &p->timer, PIPELINE_DRAIN_MS, drain_timeout, p);
}

void
pipeline_end(struct pipeline *p)
{
	bool again = p->told_to_end;

	p->told_to_end = true;
	if (!any_running(p)) {
		all_gone(p);
	} else if (!path_running(p)) {
		if (again)
			stage_kill(p->elect, SIGKILL);
	} else if (again || p->mode == PIPELINE_ONCE) {
		kill_path(p);
	} else if (p->phase == PIPELINE_RUNNING) {
		drain(p);
	}
}

void
pipeline_give_up(struct pipeline *p, int code)
{
	if (p->given_up != 0)
		return;
	p->given_up = code;
	p->explained = true;
	if (p->phase == PIPELINE_RUNNING)
		p->phase = PIPELINE_STOPPING;
	kill_path(p);
	go_on(p);
}

/* ---- starting ---- */

static void
forget_last(struct pipeline *p)
{
	p->incomplete = p->explained = p->releasing = false;
	p->leader = p->led = p->deposed = false;
	p->ends = 0;
	for (size_t i = 0; i < p->count; i++) {
		p->stages[i].ended_at = 0;
		if (p->board != NULL)
			board_forget(p->board, i);
	}
}

static void
start(void *arg)
{
	struct pipeline *p = arg;
	struct err err = ERR_INIT;
	int result;

	p->phase = PIPELINE_RUNNING;
	forget_last(p);
	p->started_ms = clock_ms();
	result = launch(p, &err);
	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].report_fd >= 0)
			loop_watch(p->loop, p->stages[i].report_fd, LOOP_READ,
			    read_report, p);
	if (result == 0)
		return;
	log_error("%s", err.message);
	p->incomplete = p->explained = true;
	stop_others(p);
}

void
pipeline_start(struct pipeline *p)
{
	loop_after(p->loop, &p->timer, 0, start, p);
}

/* ---- ends ---- */

void
pipeline_take(struct pipeline *p, struct stage *s, int status)
{
	bool told = s->told_to_end;

	if (s->report_fd >= 0) {
		stage_read_report(s, take_line, p);
		close_report(p, s);
	}
	stage_ended(s, status);
	s->ended_at = p->ends + 1;
	if (stage_exit_code(s) == EXIT_PERMANENT)
		p->permanent = true;
	/* Who runs, and who was not told to, is judged together: explain. */
	if (told || p->explained || p->mode == PIPELINE_ONCE ||
	    p->phase == PIPELINE_DRAINING)
		log_end(s, end_level(s));
	if (s == p->elect)
		p->leader = false;
}

void
pipeline_settle(struct pipeline *p)
{
	bool ended = false;

	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].ended_at > p->ends)
			ended = true;
	if (!ended)
		return;
	p->ends++;
	if (p->phase == PIPELINE_RUNNING && p->mode == PIPELINE_SUPERVISE)
		stop_others(p);
	else if (p->phase == PIPELINE_STOPPING && p->elect != NULL &&
	    p->elect->pid == 0 && path_running(p))
		kill_others(p);
	else
		go_on(p);
}

/* 100 before 101 before 111 before 1: the worst of those that ended alone. */
static int
worst_exit_code(const struct pipeline *p)
{
	static const int order[] = {
	    EXIT_PERMANENT, EXIT_BUG, EXIT_TRANSIENT, 1};
	size_t worst = p->incomplete ? 2 : 4;

	for (size_t i = 0; i < p->count; i++) {
		int code = stage_exit_code(&p->stages[i]);
		size_t rank = 0;

		if (code >= 128)
			code = EXIT_TRANSIENT;
		while (rank < 4 && order[rank] != code)
			rank++;
		if (rank < worst)
			worst = rank;
	}
	return worst < 4 ? order[worst] : 0;
}

int
pipeline_exit_code(const struct pipeline *p)
{
	if (p->told_to_end)
		return 0;
	if (p->given_up != 0)
		return p->given_up;
	return p->mode == PIPELINE_ONCE ? worst_exit_code(p) : EXIT_PERMANENT;
}
