#include "command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "process/clock.h"
#include "process/file.h"
#include "process/log.h"

enum { LOOK_MS = 100 };

/* ---- finding the program ---- */

int
command_find(struct command *c, struct err *err)
{
	const char *name = c->argv[0];

	if (strchr(name, '/') == NULL) {
		c->path = file_find_program(name);
		if (c->path != NULL)
			return 0;
		return err_set(err, ERR_PERMANENT,
		    "there is no \"%s\" in PATH to run", name);
	}
	if (file_check_program(name) != 0)
		return err_set(err, ERR_PERMANENT, "cannot run %s: %s", name,
		    strerror(errno));
	c->path = mem_strdup(name);
	return 0;
}

/* ---- its watchdog ---- */

/* A child that holds the fence beside the group, and kills the group when the
 * fence is out: a command need not look at it. */
static _Noreturn void
watch_over(pid_t group, int read_fd, _Atomic uint64_t *page)
{
	uint64_t until;
	sigset_t none;

	/* Ctrl-C and the like are for others; no pipe of another process stays
	 * open. */
	setpgid(0, 0);
	prctl(PR_SET_NAME, "kelect-watchdog");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(read_fd, 0);
	close_range(1, ~0u, 0);
	for (;;) {
		until = atomic_load(page);
		if (clock_boot_ns() >= until) {
			if (fence_lapse(page, until))
				break;
		} else if (clock_wait_fd(0, POLLIN,
			       until == FENCE_FOREVER ? CLOCK_NEVER
						      : until / 1000000 + 1)) {
			break;
		}
	}
	kill(-group, SIGKILL);
	_exit(0);
}

/* Returns the pid of the watchdog, or -1 with err. */
static pid_t
watchdog_start(pid_t group, const struct fence_ends *ends, struct err *err)
{
	_Atomic uint64_t *page = fence_map(ends->page_fd, err);
	pid_t pid;

	if (page == NULL)
		return -1;
	pid = fork();
	if (pid == 0)
		watch_over(group, ends->read_fd, page);
	if (pid < 0)
		err_set(err, ERR_TRANSIENT, "cannot start a watchdog: %s",
		    strerror(errno));
	fence_unmap(page);
	return pid;
}

static void
watchdog_end(pid_t watchdog)
{
	if (watchdog <= 0)
		return;
	kill(watchdog, SIGKILL);
	while (waitpid(watchdog, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- its end ---- */

static void
look(void *arg)
{
	struct command *c = arg;
	int status;
	pid_t pid;

	if (c->pid == 0 || c->over)
		return;
	/* All orphans of the group are ours (see command_start), so that
	 * zombies do not count as members. */
	while ((pid = waitpid(-c->pid, &status, WNOHANG)) > 0) {
		if (pid != c->pid)
			continue;
		c->reaped = true;
		c->code = WIFEXITED(status) ? WEXITSTATUS(status)
					    : 128 + WTERMSIG(status);
	}
	if (!c->reaped)
		return;
	if (kill(-c->pid, 0) != 0 && errno == ESRCH) {
		c->over = true;
		loop_cancel(c->loop, &c->timer);
		watchdog_end(c->watchdog);
		c->watchdog = 0;
		c->gone(c->arg);
	} else if (!c->told) {
		command_stop(c);
	}
}

static void
on_child(void *arg, int signo)
{
	(void)signo;
	look(arg);
}

static void
send_signal(struct command *c, int signo)
{
	c->told = true;
	kill(-c->pid, signo);
	kill(-c->pid, SIGCONT); /* a stopped process would not notice */
}

/* Not every end of a process gives us a SIGCHLD: look again. */
static void
look_again(void *arg)
{
	struct command *c = arg;

	look(c);
	if (!c->over)
		loop_after(c->loop, &c->timer, LOOK_MS, look_again, c);
}

static void
kill_now(void *arg)
{
	command_kill(arg);
}

void
command_stop(struct command *c)
{
	if (c->pid == 0 || c->over)
		return;
	send_signal(c, SIGTERM);
	loop_after(c->loop, &c->timer, c->grace_ms, kill_now, c);
}

void
command_kill(struct command *c)
{
	if (c->pid == 0 || c->over)
		return;
	send_signal(c, SIGKILL);
	loop_after(c->loop, &c->timer, LOOK_MS, look_again, c);
}

/* ---- its start ---- */

static _Noreturn void
become(
    const struct command *c, const struct fence_ends *ends, const int gate[2])
{
	struct buf env = BUF_INIT, old_env = BUF_INIT;
	sigset_t none;
	char byte;
	ssize_t n;

	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The parent writes a byte when the watchdog is there. */
	close(gate[1]);
	do
		n = read(gate[0], &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(EXIT_TRANSIENT);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	fence_env(&env, FENCE_ENV, ends->read_fd, ends->page_fd);
	fence_env(&old_env, FENCE_ENV_OLD, ends->read_fd, ends->page_fd);
	putenv(buf_take(&env));
	putenv(buf_take(&old_env));
	fence_inherit(ends);
	harden_give_back(&c->limits);
	execv(c->path, c->argv);
	log_fatal("cannot run %s: %s", c->path, strerror(errno));
	_exit(EXIT_PERMANENT);
}

/*
 * Nothing of the command runs before the watchdog does: a kill -9 of us in
 * between would leave what it has started meanwhile.
 */
static int
start_watched(struct command *c, const struct fence_ends *ends,
    const int gate[2], struct err *err)
{
	c->pid = fork();
	if (c->pid < 0) {
		c->pid = 0;
		return err_set(err, ERR_TRANSIENT, "cannot start %s: %s",
		    c->argv[0], strerror(errno));
	}
	if (c->pid == 0)
		become(c, ends, gate);
	setpgid(c->pid, c->pid); /* the child does it, too: no race */
	c->watchdog = watchdog_start(c->pid, ends, err);
	if (c->watchdog < 0)
		return -1;
	file_write(gate[1], span_make("", 1));
	return 0;
}

int
command_start(struct command *c, const struct fence_ends *ends, struct err *err)
{
	int gate[2], rc;

	loop_signal(c->loop, SIGCHLD, on_child, c);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (pipe2(gate, O_CLOEXEC) != 0)
		return err_set(err, ERR_TRANSIENT, "cannot make a pipe: %s",
		    strerror(errno));
	rc = start_watched(c, ends, gate, err);
	close(gate[0]);
	close(gate[1]);
	return rc;
}

void
command_release(struct command *c)
{
	if (c->pid != 0 && !c->over)
		kill(-c->pid, SIGKILL);
	watchdog_end(c->watchdog);
	free(c->path);
}
