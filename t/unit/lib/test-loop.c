#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "process/clock.h"
#include "process/loop.h"
#include "process/out.h"
#include "tap.h"

static char trace[200];
static char first[] = "first ", late[] = "late ", never[] = "never ",
	    last[] = "stop", usr1[] = "usr1";
static struct loop *l;
static struct timer a, b, c;

static void
note_text(const char *text, size_t n)
{
	size_t len = strlen(trace);

	snprintf(trace + len, sizeof(trace) - len, "%.*s", (int)n, text);
}

static void
note(void *arg)
{
	note_text(arg, strlen(arg));
}

static void
stop(void *arg)
{
	note(arg);
	loop_stop(l);
}

static void
rearm(void *arg)
{
	note(arg);
	loop_cancel(l, &b);
	loop_after(l, &c, 1, stop, last);
}

TEST(timers)
{
	uint64_t now = clock_ms();

	trace[0] = '\0';
	loop_at(l, &c, now + 20, note, late);
	loop_at(l, &b, now + 5, note, never);
	loop_at(l, &a, now + 1, rearm, first);
	loop_run(l);
	is(trace, "first stop", "in order of time; cleared and moved ones not");
	ok(!loop_timer_armed(&a) && !loop_timer_armed(&b) &&
		!loop_timer_armed(&c),
	    "nothing stays armed");
}

/* A busy machine may be late, but not each time. */
TEST(precision)
{
	bool soon = false;

	for (int i = 0; i < 20 && !soon; i++) {
		uint64_t due = clock_ms() + 20;

		loop_at(l, &a, due, stop, last);
		loop_run(l);
		soon = clock_ms() < due + 500;
	}
	ok(soon, "a timer is in time");
}

static void
on_fd(void *arg, int fd, int events)
{
	char text[8];
	ssize_t n = read(fd, text, sizeof(text));

	(void)arg;
	if (n > 0) {
		note_text(text, (size_t)n);
	} else {
		note_text((events & LOOP_HUP) ? " hup" : " end", 4);
		loop_unwatch(l, fd);
		loop_stop(l);
	}
}

TEST(fds)
{
	char name[] = "/tmp/kpipe-loop-XXXXXX";
	int fds[2], file = mkstemp(name);

	trace[0] = '\0';
	ok(pipe(fds) == 0, "a pipe");
	loop_watch(l, fds[0], LOOP_READ, on_fd, NULL);
	ok(write(fds[1], "hello", 5) == 5, "a write");
	loop_once(l, 1000);
	is(trace, "hello", "a readable pipe is read");
	close(fds[1]);
	loop_run(l);
	is(trace, "hello hup", "and its end noticed");
	close(fds[0]);

	trace[0] = '\0';
	ok(write(file, "0123456789", 10) == 10, "a file");
	lseek(file, 0, SEEK_SET);
	loop_watch(l, file, LOOP_READ, on_fd, NULL);
	loop_run(l);
	is(trace, "0123456789 end", "a regular file is always readable");
	close(file);
	unlink(name);
}

/* ---- loop_follow ---- */

static int followed;

static void
follows(void *arg)
{
	(void)arg;
	followed++;
}

static void
follows_again(void *arg)
{
	(void)arg;
	if (++followed < 3)
		loop_follow_on(l);
}

static void
nothing(void *arg)
{
	(void)arg;
}

/* Rounds until the loop has nothing left to wake up for. */
static void
rest(void)
{
	for (int i = 0; i < 20; i++)
		loop_once(l, 5);
}

TEST(follow)
{
	int fds[2];

	followed = 0;
	loop_follow(l, 1, follows, NULL);
	rest();
	ok(followed == 1, "it follows the start");
	rest();
	ok(followed == 1, "while nothing happens it does not run");
	loop_at(l, &a, clock_ms() + 1, nothing, NULL);
	loop_at(l, &b, a.due_ms, nothing, NULL);
	rest();
	ok(followed == 2, "it follows timers, once");
	ok(pipe(fds) == 0 && write(fds[1], "x", 1) == 1, "a pipe");
	loop_watch(l, fds[0], LOOP_READ, on_fd, NULL);
	rest();
	ok(followed == 3, "it follows a descriptor");
	loop_unwatch(l, fds[0]);
	close(fds[0]);
	close(fds[1]);
	followed = 0;
	loop_follow(l, 1, follows_again, NULL);
	rest();
	ok(followed == 3, "it runs once more if it asks for that");
	loop_follow(l, 1, NULL, NULL);
	loop_after(l, &a, 1, nothing, NULL);
	rest();
	ok(followed == 3, "without a function it does nothing");
}

static void
on_signal(void *arg, int signo)
{
	(void)arg;
	if (signo == SIGUSR1)
		stop(usr1);
}

TEST(out)
{
	static char line[100001], got[400000];
	struct out o;
	int fds[2];
	size_t total = 0;
	ssize_t n;

	signal(SIGPIPE, SIG_IGN);
	ok(pipe(fds) == 0, "a pipe");
	out_init(&o, l, fds[1]);
	ok((fcntl(fds[1], F_GETFL) & O_NONBLOCK) == 0,
	    "other users of the pipe are not made non-blocking");
	memset(line, 'x', sizeof(line) - 1);
	out_line(&o, span_str(line));
	out_line(&o, span_str(line));
	ok(out_full(&o), "a slow reader fills it");
	while (total < 200002 && (n = read(fds[0], got + total, 8192)) > 0) {
		total += (size_t)n;
		loop_once(l, 0);
	}
	ok(total == 200002 && got[100000] == '\n' && got[200001] == '\n' &&
		got[99999] == 'x',
	    "every byte arrives, in lines");
	ok(out_empty(&o) && !out_full(&o), "and then it is empty");
	close(fds[0]);
	out_line(&o, span_str("x"));
	ok(out_flush(&o) == -1 && o.err.kind == ERR_GONE, "EPIPE is noticed");
	is(o.err.message, "the reader of standard output is gone", "and said");
	out_release(&o);
	close(fds[1]);
}

/* One descriptor is left: the loop takes it, and there is none for signals. */
static void
use_last_descriptor(void)
{
	static struct loop *other; /* not lost, as valgrind sees it */
	int next = dup(STDIN_FILENO);
	struct rlimit most;

	close(next);
	if (next < 0 || getrlimit(RLIMIT_NOFILE, &most) != 0)
		_exit(1);
	most.rlim_cur = (rlim_t)next + 1; /* valgrind keeps the other one */
	if (setrlimit(RLIMIT_NOFILE, &most) != 0)
		_exit(1);
	alarm(60);
	other = loop_new();
	loop_signal(other, SIGUSR2, on_signal, NULL);
	_exit(2);
}

TEST(descriptors)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0)
		use_last_descriptor();
	ok(waitpid(child, &status, 0) == child && WIFEXITED(status) &&
		WEXITSTATUS(status) == EXIT_TRANSIENT,
	    "without a descriptor for signals the process ends");
}

/* The text is in a file of that folder. */
static bool
any_says(const char *folder, const char *text)
{
	char command[200];

	snprintf(command, sizeof(command),
	    "cat %s/* 2>/dev/null | grep -q '%s'", folder, text);
	return system(command) == 0;
}

static _Noreturn void
wait_long(int fd)
{
	alarm(60);
	loop_free(l);
	l = loop_new();
	trace[0] = '\0';
	loop_watch(l, fd, LOOP_READ, on_fd, NULL);
	loop_after(l, &a, 3600000, stop, late);
	loop_run(l);
	_exit(strcmp(trace, " hup") != 0);
}

/* CLOCK_BOOTTIME is 7: see proc_pid_fdinfo(5). The timeouts of epoll_wait and
 * poll stand still with the machine. */
TEST(suspended)
{
	int end[2], status = -1;
	char folder[64];
	pid_t child;

	ok(pipe2(end, O_CLOEXEC) == 0, "a pipe");
	child = fork();
	if (child == 0) {
		close(end[1]);
		wait_long(end[0]);
	}
	snprintf(folder, sizeof(folder), "/proc/%d/fdinfo", (int)child);
	while (waitpid(child, &status, WNOHANG) == 0 &&
	    !any_says(folder, "^clockid: 7"))
		;
	ok(status == -1, "a long wait counts the time of a suspended machine");
	close(end[1]);
	ok(waitpid(child, &status, 0) == child && status == 0,
	    "... and ends when something happens");
	close(end[0]);
}

int
main(void)
{
	l = loop_new();
	tap_run();
	loop_signal(l, SIGUSR1, on_signal, NULL);
	trace[0] = '\0';
	kill(getpid(), SIGUSR1);
	loop_run(l);
	is(trace, "usr1", "a signal arrives in the loop");
	loop_free(l);
	return tap_done();
}
