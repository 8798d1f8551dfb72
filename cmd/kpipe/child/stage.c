#include "child/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/log.h"

int
stage_pipe(int fds[2], struct err *err)
{
	if (pipe2(fds, O_CLOEXEC) == 0)
		return 0;
	fds[0] = fds[1] = -1;
	return err_set(
	    err, ERR_TRANSIENT, "cannot make a pipe: %s", strerror(errno));
}

void
stage_arg(struct stage *s, const char *fmt, ...)
{
	char *text;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	text = mem_alloc((size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	s->args.items =
	    mem_grow(s->args.items, s->args.count, sizeof(*s->args.items));
	s->args.items[s->args.count++] = text;
}

static char **
make_argv(const struct stage *s)
{
	char **argv = mem_zalloc((s->args.count + 3) * sizeof(*argv));
	size_t n = 0;

	argv[n++] = (char *)(s->called != NULL ? s->called : s->name);
	for (size_t i = 0; i < s->args.count; i++)
		argv[n++] = (char *)s->args.items[i];
	return argv;
}

/*
 * Moves them to their places. All are above the last place (kpipe keeps the
 * numbers up to there taken), so none is overwritten before it was moved.
 */
static int
move_fds(const struct stage *s, int in, int out, int report)
{
	if (dup2(in, 0) < 0 || dup2(out, 1) < 0)
		return -1;
	if (s->role == STAGE_FILTERS)
		return 0;
	if (dup2(report, STAGE_REPORT_FD) < 0)
		return -1;
	for (size_t i = 0; i < s->extra_count; i++)
		if (dup2(s->extra[i], STAGE_EXTRA_FD + (int)i) < 0)
			return -1;
	return 0;
}

static void
run(const struct stage *s, char *const *argv)
{
	extern char **environ;
	char *const *env = s->env != NULL ? s->env : environ;

	if (s->fn != NULL)
		inside_run(&(struct inside_call){s->fn, s->name, argv, env,
		    STAGE_EXTRA_FD + (int)s->extra_count});
	execve(s->path, argv, env);
}

/*
 * Below all others: where memory or time is out, this one goes first. A process
 * without a dump may not write that, since its files in /proc are root's
 * (proc_pid(5)); that others may not trace it is restored at once.
 */
static void
step_back(void)
{
	int fd;

	prctl(PR_SET_DUMPABLE, 1);
	fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		if (write(fd, "1000", 4) != 4)
			log_debug("oom_score_adj: %s", strerror(errno));
		close(fd);
	}
	prctl(PR_SET_DUMPABLE, 0);
	if (setpriority(PRIO_PROCESS, 0, STAGE_NICE) != 0)
		log_debug("setpriority: %s", strerror(errno));
}

/* Runs in the child, and never returns. */
static void
become(const struct stage *s, char **argv, pid_t parent, int in, int out,
    int report)
{
	sigset_t none;

	/* If the parent died before the call, no signal comes. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_TRANSIENT);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (s->expendable)
		step_back();
	if (move_fds(s, in, out, report) == 0 &&
	    (s->folder == NULL || chdir(s->folder) == 0))
		run(s, argv);
	log_error("cannot run %s: %s", s->path, strerror(errno));
	_exit(errno == ENOMEM || errno == EAGAIN || errno == ETXTBSY
		? EXIT_TRANSIENT
		: EXIT_PERMANENT);
}

int
stage_start(struct stage *s, int in, int out, struct err *err)
{
	char **argv = make_argv(s);
	pid_t parent = getpid();
	int report[2];
	pid_t pid;

	if (stage_pipe(report, err) != 0) {
		free(argv);
		return -1;
	}
	pid = fork();
	if (pid == 0)
		become(s, argv, parent, in, out, report[1]);
	free(argv);
	close(report[1]);
	if (pid < 0) {
		close(report[0]);
		return err_set(err, ERR_TRANSIENT, "cannot start %s: %s",
		    s->name, strerror(errno));
	}
	/* The child does it as well. A signal to the group must not come before
	 * it. */
	setpgid(pid, pid);
	fcntl(report[0], F_SETFL, O_NONBLOCK);
	s->pid = pid;
	s->report_fd = report[0];
	s->ready = s->role == STAGE_FILTERS;
	s->told_to_end = s->cut = s->starved = false;
	s->line_len = 0;
	s->worker_kills = 0;
	s->starts++;
	return 0;
}

void
stage_kill(struct stage *s, int signo)
{
	if (s->pid == 0)
		return;
	s->told_to_end = true;
	if (kill(-s->pid, signo) != 0)
		kill(s->pid, signo);
}

void
stage_kill_helpers(const struct stage *s)
{
	kill(-s->pid, SIGKILL);
}

void
stage_ended(struct stage *s, int wait_status)
{
	s->status = wait_status;
	s->ended_pid = s->pid;
	s->pid = 0;
	s->ready = false;
}

void
stage_describe(const struct stage *s, struct buf *line)
{
	json_add_key(line, s->name);
	buf_addf(line, "{\"running\":%s,\"ready\":%s,\"starts\":%u",
	    s->pid != 0 ? "true" : "false", s->ready ? "true" : "false",
	    s->starts);
	if (s->oom_kills > 0)
		buf_addf(line, ",\"oomKills\":%u", s->oom_kills);
	buf_addc(line, '}');
}

int
stage_exit_code(const struct stage *s)
{
	return WIFSIGNALED(s->status) ? 128 + WTERMSIG(s->status)
				      : WEXITSTATUS(s->status);
}

uint64_t
stage_restart_ms(struct restart *b, uint64_t ran_ms, uint32_t random)
{
	uint64_t delay = RESTART_FIRST_MS;

	if (ran_ms >= RESTART_GOOD_RUN_MS)
		b->crashes = 0;
	if (b->crashes++ == 0)
		return 0;
	for (unsigned i = 2; i < b->crashes && delay < RESTART_MAX_MS; i++)
		delay *= 2;
	if (delay > RESTART_MAX_MS)
		delay = RESTART_MAX_MS;
	return delay + random % (delay / 4 + 1);
}

/* Keeps the beginning of a line; whole lines go to fn. */
static void
take_bytes(struct stage *s, struct span bytes, stage_line_fn *fn, void *arg)
{
	while (bytes.n > 0) {
		const char *end = span_find(bytes, '\n');
		size_t n = end != NULL ? (size_t)(end - bytes.p) : bytes.n;

		if (s->line_len + n > STAGE_LINE_MAX)
			s->cut = true;
		if (!s->cut) {
			memcpy(s->line + s->line_len, bytes.p, n);
			s->line_len += n;
		}
		if (end == NULL)
			return;
		if (s->cut)
			log_debug("a report of %s has more than %d bytes",
			    s->name, STAGE_LINE_MAX);
		else
			fn(arg, s, span_make(s->line, s->line_len));
		s->line_len = 0;
		s->cut = false;
		bytes = span_make(end + 1, bytes.n - n - 1);
	}
}

bool
stage_read_report(struct stage *s, stage_line_fn *fn, void *arg)
{
	char bytes[STAGE_LINE_MAX];
	ssize_t n;

	/* Reads no more than a pipe holds: other stages must be read, too. */
	for (int rounds = 0; rounds < 16; rounds++) {
		n = read(s->report_fd, bytes, sizeof(bytes));
		if (n > 0)
			take_bytes(s, span_make(bytes, (size_t)n), fn, arg);
		else if (n == 0 || errno != EINTR)
			return n != 0;
	}
	return true;
}

void
stage_close_report(struct stage *s)
{
	if (s->report_fd >= 0)
		close(s->report_fd);
	s->report_fd = -1;
}

void
stage_release(struct stage *s)
{
	stage_close_report(s);
	for (size_t i = 0; i < s->args.count; i++)
		free((void *)s->args.items[i]);
	free(s->args.items);
	free(s->path);
}
