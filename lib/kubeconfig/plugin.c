#include "kubeconfig/plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "process/log.h"

enum { LOOK_MS = 20, SAY_MS = 5000 };

struct plugin {
	struct loop *loop;
	plugin_done_fn *done;
	void *arg;
	pid_t pid;
	int pid_fd; /* -1: this kernel has none, look now and then */
	int out_fd; /* -1 after its end */
	bool group; /* the process leads a group of its own */
	uint64_t timeout_ms;
	struct timer timer;
	struct timer look;
	struct timer say;
	char *command;
	struct buf output;
};

static void
release(struct plugin *p)
{
	loop_cancel(p->loop, &p->timer);
	loop_cancel(p->loop, &p->look);
	loop_cancel(p->loop, &p->say);
	free(p->command);
	if (p->pid_fd >= 0) {
		loop_unwatch(p->loop, p->pid_fd);
		close(p->pid_fd);
	}
	if (p->out_fd >= 0) {
		loop_unwatch(p->loop, p->out_fd);
		close(p->out_fd);
	}
	/* The output may hold a token. */
	buf_wipe(&p->output);
	free(p);
}

static void
kill_and_reap(struct plugin *p)
{
	kill(p->group ? -p->pid : p->pid, SIGKILL);
	while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void
finish(struct plugin *p, const struct err *err)
{
	p->done(p->arg, buf_span(&p->output), err);
	release(p);
}

static void
on_timeout(void *arg)
{
	struct plugin *p = arg;
	struct err err;

	kill_and_reap(p);
	err_set(&err, ERR_TRANSIENT, "did not end within %llu s",
	    (unsigned long long)p->timeout_ms / 1000);
	finish(p, &err);
}

/* All requests wait for the plugin. */
static void
say_waiting(void *arg)
{
	struct plugin *p = arg;

	log_warning("waiting for the exec plugin %s, for at most %llu s",
	    p->command, (unsigned long long)p->timeout_ms / 1000);
}

static void
read_output(struct plugin *p)
{
	while (p->out_fd >= 0 && p->output.len <= PLUGIN_OUTPUT_MAX) {
		ssize_t n =
		    read(p->out_fd, buf_reserve(&p->output, 4096), 4096);

		if (n > 0) {
			p->output.len += (size_t)n;
		} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
			loop_unwatch(p->loop, p->out_fd);
			close(p->out_fd);
			p->out_fd = -1;
		} else if (errno == EAGAIN) {
			return;
		}
	}
}

static void
on_output(void *arg, int fd, int events)
{
	struct plugin *p = arg;
	struct err err;

	(void)fd;
	(void)events;
	read_output(p);
	if (p->output.len <= PLUGIN_OUTPUT_MAX)
		return;
	kill_and_reap(p);
	err_set(&err, ERR_PERMANENT, "printed more than %d bytes",
	    PLUGIN_OUTPUT_MAX);
	finish(p, &err);
}

/* Children of the command may keep the pipe open: its own end counts. */
static void
check_exit(void *arg)
{
	struct plugin *p = arg;
	struct err err = ERR_INIT;
	int status = 0;

	if (waitpid(p->pid, &status, WNOHANG) == 0) {
		if (p->pid_fd < 0)
			loop_after(p->loop, &p->look, LOOK_MS, check_exit, p);
		return;
	}
	read_output(p);
	if (WIFSIGNALED(status))
		err_set(&err, ERR_TRANSIENT, "was killed by signal %d",
		    WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		err_set(&err, ERR_TRANSIENT, "failed with exit code %d",
		    WEXITSTATUS(status));
	else if (p->output.len > PLUGIN_OUTPUT_MAX)
		err_set(&err, ERR_PERMANENT, "printed more than %d bytes",
		    PLUGIN_OUTPUT_MAX);
	finish(p, err.kind != ERR_NONE ? &err : NULL);
}

static void
on_pid(void *arg, int fd, int events)
{
	(void)fd;
	(void)events;
	check_exit(arg);
}

static void
watch_exit(struct plugin *p)
{
	p->pid_fd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	if (p->pid_fd >= 0)
		loop_watch(p->loop, p->pid_fd, LOOP_READ, on_pid, p);
	else
		loop_after(p->loop, &p->look, LOOK_MS, check_exit, p);
}

/*
 * The file that the command means, appended to path; 0 or an errno. (What
 * posix_spawn says of a missing one depends on how it was built.)
 */
static int
find_command(const char *command, struct buf *path)
{
	const char *dirs = getenv("PATH");
	int error = ENOENT;

	if (strchr(command, '/') != NULL) {
		buf_adds(path, command);
		return access(command, X_OK) == 0 ? 0 : errno;
	}
	while (dirs != NULL && *dirs != '\0') {
		size_t n = strcspn(dirs, ":");

		buf_reset(path);
		buf_addf(path, "%.*s/%s", (int)n, dirs, command);
		if (n > 0 && access(buf_str(path), X_OK) == 0)
			return 0;
		if (n > 0 && errno == EACCES)
			error = EACCES;
		dirs += n + (dirs[n] == ':');
	}
	return error;
}

/* The loop blocks signals, and the tools ignore SIGPIPE: the plugin gets the
 * defaults. */
static int
spawn(const struct plugin_run *run, const char *path, int out_fd, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
	sigset_t set;
	int rc;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attr);
	posix_spawn_file_actions_adddup2(&actions, out_fd, 1);
	if (!run->interactive) {
		posix_spawn_file_actions_addopen(
		    &actions, 0, "/dev/null", O_RDONLY, 0);
		posix_spawnattr_setpgroup(&attr, 0);
		flags |= POSIX_SPAWN_SETPGROUP;
	}
	sigemptyset(&set);
	posix_spawnattr_setsigmask(&attr, &set);
	sigaddset(&set, SIGPIPE);
	posix_spawnattr_setsigdefault(&attr, &set);
	posix_spawnattr_setflags(&attr, flags);
	rc = posix_spawn(pid, path, &actions, &attr, run->argv, run->envp);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&actions);
	return rc;
}

struct plugin *
plugin_start(struct loop *l, const struct plugin_run *run, plugin_done_fn *done,
    void *arg, struct err *err)
{
	struct buf path = BUF_INIT;
	struct plugin *p;
	int fds[2] = {-1, -1};
	int rc = find_command(run->command, &path);
	pid_t pid;

	if (rc == 0)
		rc = pipe2(fds, O_CLOEXEC) == 0 ? 0 : errno;
	if (rc == 0) {
		rc = spawn(run, buf_str(&path), fds[1], &pid);
		close(fds[1]);
	}
	buf_release(&path);
	if (rc != 0) {
		if (fds[0] >= 0)
			close(fds[0]);
		err_set(
		    err, ERR_PERMANENT, "cannot be started: %s", strerror(rc));
		return NULL;
	}
	p = mem_zalloc(sizeof(*p));
	p->loop = l;
	p->done = done;
	p->arg = arg;
	p->pid = pid;
	p->group = !run->interactive;
	p->command = mem_strdup(run->command);
	p->timeout_ms = run->timeout_ms;
	p->out_fd = fds[0];
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	loop_watch(l, p->out_fd, LOOP_READ, on_output, p);
	watch_exit(p);
	loop_after(l, &p->timer, run->timeout_ms, on_timeout, p);
	loop_after(l, &p->say, SAY_MS, say_waiting, p);
	return p;
}

void
plugin_stop(struct plugin *p)
{
	if (p == NULL)
		return;
	kill_and_reap(p);
	release(p);
}
