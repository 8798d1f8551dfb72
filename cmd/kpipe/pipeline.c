#include "pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"

enum { EXIT_PERMANENT = 100, EXIT_BUG = 101, EXIT_TRANSIENT = 111 };

static bool
any_running(const struct pipeline *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].pid != 0)
			return true;
	return false;
}

static bool
all_ready(const struct pipeline *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (!p->stages[i].ready)
			return false;
	return true;
}

static struct stage *
stage_of_report(struct pipeline *p, int fd)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].report_fd == fd)
			return &p->stages[i];
	return NULL;
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
	struct stage *s = stage_of_report(p, fd);

	(void)events;
	switch (stage_read_report(s)) {
	case STAGE_REPORT_NOTHING:
		return;
	case STAGE_REPORT_END:
		close_report(p, s);
		return;
	case STAGE_REPORT_READY:
		break;
	}
	log_debug("%s is ready", s->name);
	if (p->mode == PIPELINE_ONCE || p->phase != PIPELINE_RUNNING ||
	    !all_ready(p))
		return;
	log_info("ready");
	if (!p->was_ready && p->on_ready != NULL)
		p->on_ready(p->on_ready_arg);
	p->was_ready = true;
}

static void
kill_all(struct pipeline *p)
{
	for (size_t i = 0; i < p->count; i++)
		stage_kill(&p->stages[i], SIGKILL);
}

static void start(void *arg);

static void
wait_and_restart(struct pipeline *p)
{
	uint32_t random = 0;
	uint64_t delay;

	/* Only spreads the load: no number at all would do, too. */
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		random = 0;
	delay = backoff_next(&p->backoff, clock_ms() - p->started_ms, random);
	if (!p->explained && p->first != NULL)
		log_error("%s ended with exit code 0, and nobody told it to",
		    p->first);
	if (delay == 0)
		log_warning("starting the pipeline again");
	else
		log_warning("starting the pipeline again in %llu.%llu s",
		    (unsigned long long)delay / 1000,
		    (unsigned long long)delay % 1000 / 100);
	p->phase = PIPELINE_WAITING;
	timer_after(p->loop, &p->timer, delay, start, p);
}

/* Goes on when the last stage is gone. */
static void
all_gone(struct pipeline *p)
{
	if (p->phase == PIPELINE_STOPPING && !p->permanent && !p->told_to_end) {
		wait_and_restart(p);
		return;
	}
	timer_clear(p->loop, &p->timer);
	loop_stop(p->loop);
}

static void
kill_others(void *arg)
{
	kill_all(arg);
}

/* One stage is gone or could not start: the others go, too. */
static void
stop_others(struct pipeline *p)
{
	p->phase = PIPELINE_STOPPING;
	if (any_running(p))
		timer_after(
		    p->loop, &p->timer, PIPELINE_SETTLE_MS, kill_others, p);
	else
		all_gone(p);
}

static int
start_stages(struct pipeline *p, struct err *err)
{
	int in = p->null_fd;
	int result = 0;

	for (size_t i = 0; i < p->count && result == 0; i++) {
		bool last = i + 1 == p->count;
		int fds[2] = {-1, p->output_fd};

		if (!last && pipe2(fds, O_CLOEXEC) != 0) {
			result = err_set(err, ERR_TRANSIENT,
			    "cannot make a pipe: %s", strerror(errno));
			break;
		}
		result = stage_start(&p->stages[i], in, fds[1], err);
		if (result == 0)
			loop_watch(p->loop, p->stages[i].report_fd, LOOP_READ,
			    read_report, p);
		if (in != p->null_fd)
			close(in);
		if (!last)
			close(fds[1]);
		in = fds[0];
	}
	if (in >= 0 && in != p->null_fd)
		close(in);
	return result;
}

static void
start(void *arg)
{
	struct pipeline *p = arg;
	struct err err = ERR_INIT;

	p->phase = PIPELINE_RUNNING;
	p->incomplete = p->explained = false;
	p->first = NULL;
	p->started_ms = clock_ms();
	if (start_stages(p, &err) == 0)
		return;
	log_error("%s", err.message);
	p->incomplete = p->explained = true;
	stop_others(p);
}

void
pipeline_start(struct pipeline *p)
{
	timer_after(p->loop, &p->timer, 0, start, p);
}

/* Killed because the stage behind had ended: that one is the reason. */
static bool
met_closed_pipe(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;
}

/* Whoever reads an end of file or a closed pipe may well end with 0. */
static void
log_end(struct pipeline *p, const struct stage *s, pid_t pid, int status)
{
	enum log_level level = LOG_ERROR;

	if (s->told_to_end || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		level = LOG_DEBUG;
	else if (!met_closed_pipe(status))
		p->explained = true;
	if (WIFSIGNALED(status))
		log_write(level, NULL, "%s (pid %ld) was killed by SIG%s",
		    s->name, (long)pid, sigabbrev_np(WTERMSIG(status)));
	else
		log_write(level, NULL, "%s (pid %ld) ended with exit code %d",
		    s->name, (long)pid, WEXITSTATUS(status));
}

static void
take_end(struct pipeline *p, struct stage *s, int status)
{
	pid_t pid = s->pid;

	if (s->report_fd >= 0)
		close_report(p, s);
	stage_ended(s, status);
	if (p->first == NULL && !met_closed_pipe(status))
		p->first = s->name;
	log_end(p, s, pid, status);
	if (s->exit_code == EXIT_PERMANENT)
		p->permanent = true;
}

/*
 * What a stage has started must end with it. Its pid, and so the name of its
 * process group, stays taken until the zombie is reaped: only before that is
 * it certain whom the signal meets.
 */
static void
kill_helpers(const struct stage *s)
{
	kill(-s->pid, SIGKILL);
}

void
pipeline_reap(struct pipeline *p)
{
	bool ended = false;

	for (;;) {
		siginfo_t info = {0};
		int options = WEXITED | WNOHANG | WNOWAIT;
		struct stage *s = NULL;
		int status;

		if (waitid(P_ALL, 0, &info, options) != 0 || info.si_pid == 0)
			break;
		for (size_t i = 0; i < p->count; i++)
			if (p->stages[i].pid == info.si_pid)
				s = &p->stages[i];
		if (s != NULL)
			kill_helpers(s);
		if (waitpid(info.si_pid, &status, 0) == info.si_pid &&
		    s != NULL) {
			take_end(p, s, status);
			ended = true;
		}
	}
	if (!ended)
		return;
	if (p->phase == PIPELINE_RUNNING && p->mode == PIPELINE_SUPERVISE)
		stop_others(p);
	else if (!any_running(p))
		all_gone(p);
}

static void
drain_timeout(void *arg)
{
	struct pipeline *p = arg;

	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].pid != 0)
			log_warning("%s (pid %ld) did not end in %d s: "
				    "killed",
			    p->stages[i].name, (long)p->stages[i].pid,
			    PIPELINE_DRAIN_MS / 1000);
	kill_all(p);
}

void
pipeline_end(struct pipeline *p)
{
	bool again = p->told_to_end;

	p->told_to_end = true;
	if (!any_running(p)) {
		all_gone(p);
	} else if (again || p->mode == PIPELINE_ONCE) {
		kill_all(p);
	} else if (p->phase == PIPELINE_RUNNING) {
		log_info("told to end: draining");
		p->phase = PIPELINE_DRAINING;
		stage_kill(&p->stages[0], SIGTERM);
		timer_after(
		    p->loop, &p->timer, PIPELINE_DRAIN_MS, drain_timeout, p);
	}
}

/* 100 before 101 before 111 before 1: the worst of those that ended alone. */
static int
worst_exit_code(const struct pipeline *p)
{
	static const int order[] = {
	    EXIT_PERMANENT, EXIT_BUG, EXIT_TRANSIENT, 1};
	size_t worst = p->incomplete ? 2 : 4;

	for (size_t i = 0; i < p->count; i++) {
		int code = p->stages[i].exit_code;
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
	return p->mode == PIPELINE_ONCE ? worst_exit_code(p) : EXIT_PERMANENT;
}
