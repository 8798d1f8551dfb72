#include "pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "json/json.h"
#include "launch.h"
#include "process/clock.h"
#include "process/log.h"

/* ---- stages and their reports ---- */

static bool
path_running(const struct pipeline *p)
{
	for (size_t i = 0; i < pipeline_path(p); i++)
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
	if (p->phase != LIFECYCLE_RUNNING || !all_ready(p))
		return;
	log_info("ready");
	oom_ready(p->oom);
	if (p->on_ready != NULL)
		p->on_ready(p->arg);
	p->on_ready = NULL;
}

static void
lead_no_more(struct pipeline *p)
{
	if (p->rank == PIPELINE_LEADER)
		p->rank = PIPELINE_LED;
}

/* A line of a report; the one that says "ready" is empty. */
static void
take_line(void *arg, struct stage *s, struct span line)
{
	struct pipeline *p = arg;
	struct span worker = json_get(line, "worker");
	int64_t leading, kills, peak_kib;

	if (line.n == 0) {
		if (!s->ready)
			take_ready(p, s);
		return;
	}
	if (s == p->elect && p->rank != PIPELINE_DEPOSED &&
	    json_int(json_path(line, "counters.leading"), &leading)) {
		if (leading != 0)
			p->rank = PIPELINE_LEADER;
		else
			lead_no_more(p);
	}
	if (json_type(worker) != JSON_OBJECT) {
		if (p->pipestate != NULL)
			pipestate_report(p->pipestate, (size_t)(s - p->stages),
			    s->name, line);
	} else if (json_int(json_get(worker, "kills"), &kills) &&
	    json_int(json_get(worker, "peakKiB"), &peak_kib) &&
	    oom_take_worker(p->oom, s, kills, peak_kib)) {
		launch_tell(p);
	}
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

/* The word in the state line, which has fewer words than there are phases. */
static const char *
phase_name(const struct pipeline *p)
{
	switch (p->phase) {
	case LIFECYCLE_RUNNING:
	case LIFECYCLE_ONCE:
		return "running";
	case LIFECYCLE_WAITING:
		return "waiting";
	case LIFECYCLE_DRAINING:
	case LIFECYCLE_RETIRING:
		return "draining";
	case LIFECYCLE_ENDED:
		return p->end_code == 0 ? "draining" : "stopping";
	default:
		return "stopping";
	}
}

const char *
pipeline_status(const struct pipeline *p)
{
	if (p->phase != LIFECYCLE_RUNNING)
		return phase_name(p);
	if (!all_ready(p))
		return "starting";
	if (p->oom->reason.len > 0)
		return buf_str(&p->oom->reason);
	if (p->elect == NULL)
		return "ready";
	return p->rank == PIPELINE_LEADER ? "ready, leader" : "ready, standby";
}

void
pipeline_describe(const struct pipeline *p, struct buf *line)
{
	char started[CLOCK_RFC3339_MAX];

	clock_format_us(p->started_us, started);
	buf_addf(line,
	    "{\"tool\":\"kpipe\",\"started\":\"%s\",\"phase\":\"%s\"", started,
	    phase_name(p));
	if (p->elect != NULL)
		buf_addf(line, ",\"leader\":%s",
		    p->rank == PIPELINE_LEADER ? "true" : "false");
	if (p->oom->reason.len > 0) {
		json_add_text(line, "reason", buf_span(&p->oom->reason));
	}
	buf_adds(line, ",\"stages\":{");
	for (size_t i = 0; i < p->count; i++)
		stage_describe(&p->stages[i], line);
	buf_adds(line, "}}");
}

/* ---- why it stops ---- */

/* How likely it is that such an end was caused by another stage: less is
 * first. */
static int
rank(const struct stage *s)
{
	int code = stage_exit_code(s);

	if (s->role == STAGE_ELECTS || code == EXIT_PERMANENT ||
	    code == EXIT_BUG)
		return 0;
	if (WIFSIGNALED(s->status))
		return WTERMSIG(s->status) == SIGPIPE ? 4 : 0;
	/* A shell whose command dies of SIGPIPE ends with the code. */
	if (s->role == STAGE_FILTERS && code == 128 + SIGPIPE)
		return 4;
	switch (code) {
	case 0:
		return 3;
	case 1:
		return 2;
	default:
		return 1;
	}
}

/*
 * Whether a began, if both ended in the same way: the one seen first did. If both
 * were seen at once, the one further behind, for a closed pipe is met before that.
 * If both ended with 0, the one further in front, whichever was seen first, for
 * the kernel closes the pipe of a process before it says that the process ended;
 * but kwatch also ends with 0 when its reader is gone.
 */
static bool
is_before(const struct stage *a, const struct stage *b)
{
	bool behind = a > b;
	bool reads = a->role == STAGE_READS || b->role == STAGE_READS;

	if (a->status == 0 && b->status == 0 && !reads)
		return !behind;
	if (a->ended_at != b->ended_at)
		return a->ended_at < b->ended_at;
	if (a->status != 0 || b->status != 0)
		return behind;
	return b->role == STAGE_READS;
}

const struct stage *
pipeline_root_cause(const struct stage *stages, size_t count)
{
	const struct stage *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct stage *s = &stages[i];

		if (s->ended_at == 0 || s->told_to_end)
			continue;
		if (found == NULL || rank(s) < rank(found) ||
		    (rank(s) == rank(found) && is_before(s, found)))
			found = s;
	}
	return found;
}

/* Logs that s ended with 0. A stage behind a filter does that at the end of its
 * input: a filter that was still running then has closed its output. */
static void
log_early_end(const struct stage *stages, const struct stage *s)
{
	const struct stage *front = s > stages ? s - 1 : NULL;
	bool closed = front != NULL && front->role == STAGE_FILTERS &&
	    (front->ended_at == 0 || front->told_to_end);

	log_error("%s ended with exit code 0 without being told to%s%s%s",
	    s->name, closed ? ": " : "", closed ? front->name : "",
	    closed ? " closed its output" : "");
}

/*
 * The log message about a stage that ended through its own fault. 1 at the end
 * of the input is not one: something failed, and the stage has logged what.
 */
static enum log_level
end_level(const struct pipeline *p, const struct stage *s)
{
	bool closed_pipe =
	    WIFSIGNALED(s->status) && WTERMSIG(s->status) == SIGPIPE;
	bool drained =
	    p->phase == LIFECYCLE_DRAINING && stage_exit_code(s) == 1;

	return s->told_to_end || s->status == 0 || closed_pipe || drained
	    ? LOG_DEBUG
	    : LOG_ERROR;
}

static void
depose(struct pipeline *p)
{
	if (p->rank != PIPELINE_STANDBY)
		p->rank = PIPELINE_DEPOSED;
}

/* More ends may come: the cause is logged later. */
static bool
is_unexplained(const struct pipeline *p)
{
	return p->phase == LIFECYCLE_RUNNING || p->phase == LIFECYCLE_SETTLING;
}

/* Logs why the generation ends, and judges whether memory was out. A stage that
 * meets an end of file or a closed pipe may end with 0. */
static void
explain(struct pipeline *p)
{
	const struct stage *reason = pipeline_root_cause(p->stages, p->count);
	const struct stage *starved = NULL;

	if (reason != NULL && reason == p->elect)
		depose(p);
	for (size_t i = 0; i < p->count; i++) {
		const struct stage *s = &p->stages[i];

		if (s->ended_at > 0 && s->starved)
			starved = s;
		if (s == reason && s->status == 0)
			log_early_end(p->stages, s);
		else if (s->ended_at > 0)
			oom_log_end(
			    p->oom, s, s == reason ? LOG_ERROR : LOG_DEBUG);
	}
	/* A generation that began to write, or could have, has recorded the
	 * Event. */
	if (p->elect == NULL || p->rank != PIPELINE_STANDBY)
		oom_recorded(p->oom);
	if (starved != NULL && p->end_code == PIPELINE_NO_CODE &&
	    oom_judge(p->oom, starved, clock_ms() - p->started_ms) ==
		OOM_GIVE_UP)
		p->end_code = EXIT_PERMANENT;
}

/* ---- steps ---- */

static void happens(struct pipeline *p, enum lifecycle_event event);

static void
timeout(void *arg)
{
	happens(arg, LIFECYCLE_TIMEOUT);
}

static void
kill_path(struct pipeline *p)
{
	for (size_t i = 0; i < pipeline_path(p); i++)
		stage_kill(&p->stages[i], SIGKILL);
}

static void
log_overdue(const struct stage *s, int limit_ms)
{
	log_warning("%s (pid %ld) did not end in %d s: killed", s->name,
	    (long)s->pid, limit_ms / 1000);
}

/* A standby has nothing to finish, and its gate will not open. */
static void
drain(struct pipeline *p)
{
	struct buf line = BUF_INIT;

	pipeline_describe(p, &line);
	launch_state(p, buf_span(&line)); /* the last one that is recorded */
	buf_release(&line);
	if (p->elect != NULL && p->rank != PIPELINE_LEADER) {
		log_info("told to end");
		kill_path(p);
		return;
	}
	log_info("told to end: draining");
	launch_hang_up(p); /* ireconcile knows why its input ends */
	stage_kill(&p->stages[0], SIGTERM);
	loop_after(p->loop, &p->timer, PIPELINE_DRAIN_MS, timeout, p);
}

/*
 * A leader that lost the leadership is a standby again after the shortest
 * delay: the election prevents a quick loop.
 */
static void
wait_and_restart(struct pipeline *p)
{
	struct restart second = {.crashes = 1};
	uint64_t delay = stage_restart_ms(
	    p->rank == PIPELINE_DEPOSED ? &second : &p->backoff,
	    clock_ms() - p->started_ms, (uint32_t)clock_jitter());

	if (delay == 0)
		log_warning("starting the pipeline again");
	else
		log_warning("starting the pipeline again in %llu.%llu s",
		    (unsigned long long)delay / 1000,
		    (unsigned long long)delay % 1000 / 100);
	loop_after(p->loop, &p->timer, delay, timeout, p);
}

static bool
is_last(const struct pipeline *p)
{
	if (p->end_code != PIPELINE_NO_CODE || p->mode == PIPELINE_ONCE)
		return true;
	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].ended_at > 0 &&
		    stage_exit_code(&p->stages[i]) == EXIT_PERMANENT)
			return true;
	return false;
}

/* Stages have ended, or could not be started: finds the event for that. */
static enum lifecycle_event
what_is_left(const struct pipeline *p)
{
	bool elect_runs = p->elect != NULL && p->elect->pid != 0;

	if (path_running(p))
		return p->elect != NULL && !elect_runs ? LIFECYCLE_UNLED
						       : LIFECYCLE_LOST;
	if (elect_runs)
		return LIFECYCLE_PATH_END;
	return is_last(p) ? LIFECYCLE_LAST : LIFECYCLE_GONE;
}

static void
start(struct pipeline *p)
{
	struct err err = ERR_INIT;
	int result;

	if (p->mode == PIPELINE_ONCE)
		p->phase = LIFECYCLE_ONCE;
	p->rank = PIPELINE_STANDBY;
	p->ends = 0;
	for (size_t i = 0; i < p->count; i++) {
		p->stages[i].ended_at = 0;
		if (p->pipestate != NULL)
			pipestate_forget(p->pipestate, i);
	}
	p->started_ms = clock_ms();
	result = launch(p, &err);
	for (size_t i = 0; i < p->count; i++)
		if (p->stages[i].report_fd >= 0)
			loop_watch(p->loop, p->stages[i].report_fd, LOOP_READ,
			    read_report, p);
	if (result == 0)
		return;
	log_error("%s", err.message);
	happens(p, LIFECYCLE_FAILED);
	if (!path_running(p))
		happens(p, what_is_left(p));
}

static void
do_step(struct pipeline *p, enum lifecycle_step step)
{
	switch (step) {
	case LIFECYCLE_LAUNCH:
		start(p);
		break;
	case LIFECYCLE_FAIL:
		/* A pipeline with kelect fails at once, because kelect keeps
		 * the lease. */
		if (p->elect != NULL) {
			kill_path(p);
			break;
		}
		/* fallthrough */
	case LIFECYCLE_SETTLE:
		loop_after(p->loop, &p->timer, PIPELINE_SETTLE_MS, timeout, p);
		break;
	case LIFECYCLE_STOP:
	case LIFECYCLE_HALT:
	case LIFECYCLE_KILL:
		kill_path(p);
		break;
	case LIFECYCLE_OVERDUE:
		for (size_t i = 0; i < pipeline_path(p); i++)
			if (p->stages[i].pid != 0)
				log_overdue(&p->stages[i], PIPELINE_DRAIN_MS);
		kill_path(p);
		break;
	case LIFECYCLE_RELEASE:
	case LIFECYCLE_RETIRE:
		stage_kill(p->elect, SIGTERM);
		loop_after(p->loop, &p->timer, PIPELINE_RELEASE_MS, timeout, p);
		break;
	case LIFECYCLE_UNSEAT:
		log_overdue(p->elect, PIPELINE_RELEASE_MS);
		stage_kill(p->elect, SIGKILL);
		depose(p);
		break;
	case LIFECYCLE_CUT:
		stage_kill(p->elect, SIGKILL);
		break;
	case LIFECYCLE_DRAIN:
		drain(p);
		break;
	case LIFECYCLE_RESTART:
		wait_and_restart(p);
		break;
	case LIFECYCLE_END:
		loop_cancel(p->loop, &p->timer);
		p->on_end(p->arg);
		break;
	default: /* nothing is done */
		break;
	}
}

/* ---- events ---- */

static void
happens(struct pipeline *p, enum lifecycle_event event)
{
	enum lifecycle_step step = lifecycle_step(p->phase, event);
	bool ends_all = step == LIFECYCLE_STOP || step == LIFECYCLE_RELEASE ||
	    step == LIFECYCLE_RESTART || step == LIFECYCLE_END;

	if (step == LIFECYCLE_NEVER)
		log_error("bug: \"%s\" while %s", lifecycle_event_name(event),
		    lifecycle_phase_name(p->phase));
	if (ends_all && is_unexplained(p)) {
		explain(p);
		if (event == LIFECYCLE_GONE && is_last(p)) /* set by explain */
			step = lifecycle_step(p->phase, LIFECYCLE_LAST);
	}
	p->phase = lifecycle_next(p->phase, step);
	do_step(p, step);
}

void
pipeline_start(struct pipeline *p)
{
	p->phase = LIFECYCLE_WAITING;
	p->end_code = PIPELINE_NO_CODE;
	loop_after(p->loop, &p->timer, 0, timeout, p);
}

/* The order to end counts more than any other reason. */
void
pipeline_end(struct pipeline *p)
{
	enum lifecycle_event event =
	    p->end_code == 0 ? LIFECYCLE_AGAIN : LIFECYCLE_TOLD;

	p->end_code = 0;
	happens(p, event);
}

void
pipeline_give_up(struct pipeline *p, int code)
{
	if (p->end_code == PIPELINE_NO_CODE)
		p->end_code = code;
	happens(p, LIFECYCLE_GIVE_UP);
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
	if (!told)
		oom_take(p->oom, s);
	/* Stages that we did not tell to end are judged together: explain. */
	if (told || !is_unexplained(p))
		oom_log_end(p->oom, s, end_level(p, s));
	if (s == p->elect)
		lead_no_more(p);
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
	happens(p, what_is_left(p));
}

/* 100 before 101 before 111 before 1: the worst of the stages that ended
 * alone. Any other code is as 111. */
static int
worst_exit_code(const struct pipeline *p)
{
	static const int order[] = {
	    EXIT_PERMANENT, EXIT_BUG, EXIT_TRANSIENT, 1};
	size_t worst = 4;

	for (size_t i = 0; i < p->count; i++) {
		const struct stage *s = &p->stages[i];
		int code = s->ended_at > 0 ? stage_exit_code(s)
					   : EXIT_TRANSIENT; /* not started */
		size_t rank = code == 0 ? 4 : 2; /* killed; a filter's own */

		for (size_t j = 0; j < 4; j++)
			if (order[j] == code)
				rank = j;
		if (rank < worst)
			worst = rank;
	}
	return worst < 4 ? order[worst] : 0;
}

int
pipeline_exit_code(const struct pipeline *p)
{
	if (p->end_code != PIPELINE_NO_CODE)
		return p->end_code;
	return p->mode == PIPELINE_ONCE ? worst_exit_code(p) : EXIT_PERMANENT;
}
