/*
 * Part of program/evaluator.h and program/program.h: the process that forks
 * workers, one at a time, and the system calls that each process keeps.
 */
#include "program/evaluator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/file.h"

/* ---- the system calls that each process keeps (sandbox.h) ----
 *
 * Everything must be open and loaded before: files, epoll, signalfd. */

/* Reads the time that an evaluation took in another process. */
static const struct sandbox_rule watch[] = {
    SANDBOX_ALLOW("clock_getres"), SANDBOX_END};

/* Moves to another processor, only the process itself. */
static const struct sandbox_rule move[] = {
    SANDBOX_WHERE("sched_setaffinity", 0, UINT64_C(0xffffffff), 0),
    SANDBOX_ALLOW("getcpu"), SANDBOX_END};

/* Lets krecord see what is read: lib/process/tee.h. */
static const struct sandbox_rule tap[] = {SANDBOX_ALLOW("tee"),
    SANDBOX_WHERE("ioctl", 1, UINT64_C(0xffffffff), FIONREAD), SANDBOX_END};

const struct sandbox_rule *const program_sandbox[] = {
    sandbox_compute, sandbox_descriptors, watch, move, tap, NULL};

/* For the fork server. Its filter is in force in the workers, too, besides
 * their own. */
static const struct sandbox_rule fork_and_wait[] = {
    SANDBOX_RULE("clone fork", SANDBOX_FORK),
    SANDBOX_RULE("clone3", SANDBOX_ABSENT),
    SANDBOX_ALLOW("wait4 kill tgkill getppid set_robust_list rseq"),
    SANDBOX_WHERE("prctl", 0, UINT64_C(0xffffffff), PR_SET_PDEATHSIG),
    SANDBOX_END};

static const struct sandbox_rule *const calls_forkserver[] = {sandbox_compute,
    sandbox_descriptors, sandbox_narrower, fork_and_wait, move, NULL};

static const struct sandbox_rule only_pipes[] = {
    SANDBOX_ALLOW("read write"), SANDBOX_END};

static const struct sandbox_rule *const calls_worker[] = {
    sandbox_compute, only_pipes, move, NULL};

/* ---- the process ---- */

/* The numbers of the three descriptors after all others are closed. */
enum { CONTROL = 3, REQUESTS, ANSWERS, CHILDREN };

/* The process ends if its parent ends in any way. */
static void
end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/* Tells the parent why, and ends. errno says it. */
_Noreturn static void
fail(int control)
{
	struct forkserver_report r = {
	    .says = FORKSERVER_FAILED, .status = errno};

	if (write(control, &r, sizeof(r)) < 0)
		_exit(0); /* the parent has ended */
	_exit(1);
}

/* Returns fd if it is valid; else ends the process. */
static int
needed(int fd, int control)
{
	if (fd < 0)
		fail(control);
	return fd;
}

/* No descriptor of the parent stays open: a pipe must end with its owner.
 * libjq's assertions may print values to stderr. */
static void
move_descriptors(const struct forkserver_conf *conf)
{
	int said = conf->control;
	int control = needed(fcntl(said, F_DUPFD, CHILDREN), said);
	int requests = needed(fcntl(conf->requests, F_DUPFD, CHILDREN), said);
	int answers = needed(fcntl(conf->answers, F_DUPFD, CHILDREN), said);
	int null = needed(open("/dev/null", O_RDWR), said);

	for (int fd = 0; fd <= (EVALUATOR_ASAN ? 1 : 2); fd++)
		dup2(null, fd);
	dup2(control, CONTROL);
	dup2(requests, REQUESTS);
	dup2(answers, ANSWERS);
	if (syscall(SYS_close_range, CHILDREN, ~0u, 0) == 0)
		return;
	for (int fd = CHILDREN; fd < 1024; fd++)
		close(fd);
}

/* A signal to the whole group is for the parent: its end is ours. */
static void
leave_signals(void)
{
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
}

static int
watch_children(void)
{
	sigset_t set;

	signal(SIGCHLD, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void
report(const struct forkserver_report *r)
{
	if (file_write(CONTROL, span_make((const char *)r, sizeof(*r))) != 0)
		_exit(0);
}

_Noreturn static void
become_worker(const struct forkserver_conf *conf, pid_t parent, size_t space)
{
	struct err err;

	end_with(parent);
	close(CONTROL);
	close(CHILDREN);
	if (sandbox_enter(calls_worker, conf->mode, &err) == SANDBOX_FAILED)
		_exit(WORKER_NO_SANDBOX);
	worker_run(REQUESTS, ANSWERS, space);
}

static pid_t
start_worker(const struct forkserver_conf *conf, size_t space)
{
	pid_t self = getpid(), pid = fork();

	if (pid == 0)
		become_worker(conf, self, space);
	if (pid < 0)
		fail(CONTROL);
	report(
	    &(struct forkserver_report){.says = FORKSERVER_FORKED, .pid = pid});
	return pid;
}

static int64_t
microseconds(struct timeval t)
{
	return t.tv_sec * INT64_C(1000000) + t.tv_usec;
}

/* Reports the end of the worker, if it has ended. */
static pid_t
look_at_worker(pid_t worker)
{
	struct forkserver_report r = {.says = FORKSERVER_ENDED, .pid = worker};
	struct signalfd_siginfo info;
	struct rusage used;
	int status;

	if (read(CHILDREN, &info, sizeof(info)) < 0 && errno != EINTR)
		_exit(1);
	if (worker <= 0 || wait4(worker, &status, WNOHANG, &used) != worker)
		return worker;
	r.status = status;
	r.peak_kib = (int32_t)used.ru_maxrss;
	r.cpu_us = microseconds(used.ru_utime) + microseconds(used.ru_stime);
	report(&r);
	return 0;
}

_Noreturn void
forkserver_run(const struct forkserver_conf *conf)
{
	struct pollfd fds[] = {{CONTROL, POLLIN, 0}, {CHILDREN, POLLIN, 0}};
	pid_t worker = 0;
	struct err err;
	int children;
	size_t space;

	end_with(conf->parent);
	move_descriptors(conf);
	leave_signals();
	children = watch_children();
	if (children != CHILDREN)
		fail(CONTROL);
	space = worker_prepare();
	if (sandbox_enter(calls_forkserver, conf->mode, &err) ==
	    SANDBOX_FAILED) {
		if (err.kind != ERR_TRANSIENT)
			_exit(WORKER_NO_SANDBOX);
		errno = ENOMEM;
		fail(CONTROL);
	}
	for (;;) {
		ssize_t n;
		char order;

		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents != 0)
			worker = look_at_worker(worker);
		if (fds[0].revents == 0)
			continue;
		do
			n = read(CONTROL, &order, 1);
		while (n < 0 && errno == EINTR);
		if (n != 1)
			_exit(0);
		if (order == FORKSERVER_FORK)
			worker = start_worker(conf, space);
		else if (worker > 0)
			kill(worker, SIGKILL);
	}
}
