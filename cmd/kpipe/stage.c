#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "buf.h"
#include "log.h"
#include "mem.h"

static bool
is_program(const char *path)
{
	return access(path, X_OK) == 0;
}

/* "dir/name", owned, if that can be run. */
static char *
try_dir(struct span dir, const char *name)
{
	struct buf b = BUF_INIT;
	char *path;

	buf_addspan(&b, dir.n > 0 ? dir : span_str("."));
	buf_addf(&b, "/%s", name);
	path = buf_take(&b);
	if (is_program(path))
		return path;
	free(path);
	return NULL;
}

static char *
find_beside_us(const char *name)
{
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));

	while (n > 0 && self[n - 1] != '/')
		n--;
	return n > 0 ? try_dir(span_make(self, (size_t)n - 1), name) : NULL;
}

static char *
find_in_path(const char *name)
{
	const char *p = getenv("PATH");
	char *found = NULL;

	while (found == NULL && p != NULL && *p != '\0') {
		size_t n = strcspn(p, ":");

		found = try_dir(span_make(p, n), name);
		p += n + (p[n] == ':');
	}
	return found;
}

int
stage_find(struct stage *s, const char *dir, struct err *err)
{
	free(s->path);
	s->path = NULL;
	if (dir != NULL) {
		s->path = try_dir(span_str(dir), s->name);
		if (s->path != NULL)
			return 0;
		return err_set(
		    err, ERR_PERMANENT, "there is no %s in %s", s->name, dir);
	}
	s->path = find_beside_us(s->name);
	if (s->path == NULL)
		s->path = find_in_path(s->name);
	if (s->path != NULL)
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "there is no %s, neither beside kpipe nor in PATH", s->name);
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
	    mem_array(s->args.items, s->args.count + 1, sizeof(*s->args.items));
	s->args.items[s->args.count++] = text;
}

static char **
make_argv(const struct stage *s)
{
	char **argv = mem_zalloc((s->args.count + 3) * sizeof(*argv));
	size_t n = 0;

	argv[n++] = (char *)s->name;
	for (size_t i = 0; i < s->args.count; i++)
		argv[n++] = (char *)s->args.items[i];
	return argv;
}

/*
 * Moves fds to 0, 1 and 3. All three are above 3 (kpipe keeps 0 to 3 taken),
 * so none is overwritten before it was moved.
 */
static int
move_fds(int in, int out, int report)
{
	return dup2(in, 0) < 0 || dup2(out, 1) < 0 ||
		dup2(report, STAGE_REPORT_FD) < 0
	    ? -1
	    : 0;
}

/* In the child. Never returns. */
static void
become(const struct stage *s, char **argv, pid_t parent, int in, int out,
    int report)
{
	extern char **environ;
	sigset_t none;

	/* A parent that died before the call sends nothing any more. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(111);
	setpgid(0, 0);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (move_fds(in, out, report) == 0)
		execve(s->path, argv, s->env != NULL ? s->env : environ);
	log_error("cannot run %s: %s", s->path, strerror(errno));
	_exit(
	    errno == ENOMEM || errno == EAGAIN || errno == ETXTBSY ? 111 : 100);
}

int
stage_start(struct stage *s, int in, int out, struct err *err)
{
	char **argv = make_argv(s);
	pid_t parent = getpid();
	int report[2];
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) != 0) {
		free(argv);
		return err_set(err, ERR_TRANSIENT, "cannot make a pipe: %s",
		    strerror(errno));
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
	/* Also here: a signal to the group must not come too early. */
	setpgid(pid, pid);
	fcntl(report[0], F_SETFL, O_NONBLOCK);
	s->pid = pid;
	s->report_fd = report[0];
	s->ready = s->told_to_end = false;
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
stage_ended(struct stage *s, int wait_status)
{
	s->exit_code = WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status)
						: WEXITSTATUS(wait_status);
	s->pid = 0;
	s->ready = false;
}

enum stage_report
stage_read_report(struct stage *s)
{
	bool was_ready = s->ready;
	char bytes[4096];
	ssize_t n;

	do {
		n = read(s->report_fd, bytes, sizeof(bytes));
		if (n > 0 && memchr(bytes, '\n', (size_t)n) != NULL)
			s->ready = true;
	} while (n > 0 || (n < 0 && errno == EINTR));
	if (s->ready && !was_ready)
		return STAGE_REPORT_READY; /* an end is seen again */
	return n == 0 ? STAGE_REPORT_END : STAGE_REPORT_NOTHING;
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
