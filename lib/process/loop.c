#include "process/loop.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "process/clock.h"
#include "process/log.h"

struct loop_source {
	loop_fd_fn *fn;
	void *arg;
	int events;
	bool active;
	bool always; /* a regular file */
	uint32_t serial;
};

struct loop {
	int epoll_fd;
	struct loop_source *sources; /* by fd */
	size_t source_cap;
	size_t always_count;
	uint32_t serial;
	struct heap timers;
	uint64_t timer_order;
	int signal_fd;
	sigset_t signals;
	struct {
		loop_signal_fn *fn;
		void *arg;
	} handlers[65];
	loop_fn *idle;
	void *idle_arg;
	struct {
		loop_fn *fn;
		void *arg;
		uint64_t ms;
		struct timer timer;
		bool due; /* something happened since it ran last */
	} follow;
	bool stopped;
};

/* Nothing works without the descriptor: exit as if memory were exhausted. */
static int
needed(int fd, const char *what)
{
	if (fd >= 0)
		return fd;
	log_fatal("cannot make %s: %s", what, strerror(errno));
	_exit(EXIT_TRANSIENT);
}

struct loop *
loop_new(void)
{
	struct loop *l = mem_zalloc(sizeof(*l));

	l->epoll_fd =
	    needed(epoll_create1(EPOLL_CLOEXEC), "an epoll descriptor");
	l->signal_fd = -1;
	sigemptyset(&l->signals);
	return l;
}

void
loop_free(struct loop *l)
{
	if (l == NULL)
		return;
	heap_release(&l->timers);
	if (l->signal_fd >= 0)
		close(l->signal_fd);
	if (l->epoll_fd >= 0)
		close(l->epoll_fd);
	free(l->sources);
	free(l);
}

static void
sources_fit(struct loop *l, int fd)
{
	size_t cap = l->source_cap ? l->source_cap : 16;

	while (cap <= (size_t)fd)
		cap *= 2;
	if (cap == l->source_cap)
		return;
	l->sources = mem_array(l->sources, cap, sizeof(*l->sources));
	for (size_t i = l->source_cap; i < cap; i++)
		l->sources[i] = (struct loop_source){0};
	l->source_cap = cap;
}

/* The descriptor would get no events, and no other place would report why. */
_Noreturn static void
cannot_wait(int fd)
{
	bool wrong = errno == EBADF || errno == EINVAL;

	log_fatal("cannot wait for descriptor %d: %s", fd, strerror(errno));
	_exit(wrong ? EXIT_PERMANENT : EXIT_TRANSIENT);
}

void
loop_watch(struct loop *l, int fd, int events, loop_fd_fn *fn, void *arg)
{
	struct epoll_event ev = {0};
	struct loop_source *s;

	sources_fit(l, fd);
	s = &l->sources[fd];
	ev.events = ((events & LOOP_READ) ? EPOLLIN : 0u) |
	    ((events & LOOP_WRITE) ? EPOLLOUT : 0u);
	/* The serial tells an event of a closed fd from its successor's. */
	if (!s->active)
		s->serial = ++l->serial;
	ev.data.u64 = (uint64_t)s->serial << 32 | (uint32_t)fd;
	if (!s->active || !s->always) {
		int op = s->active ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
		int rc = epoll_ctl(l->epoll_fd, op, fd, &ev);
		bool always = rc != 0 && errno == EPERM;

		if (rc != 0 && !always)
			cannot_wait(fd);
		if (always && !s->always)
			l->always_count++;
		s->always = always;
	}
	s->fn = fn;
	s->arg = arg;
	s->events = events;
	s->active = true;
}

void
loop_unwatch(struct loop *l, int fd)
{
	struct loop_source *s;

	if (fd < 0 || (size_t)fd >= l->source_cap || !l->sources[fd].active)
		return;
	s = &l->sources[fd];
	if (s->always)
		l->always_count--;
	else
		epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	*s = (struct loop_source){0};
}

static bool
timer_before(const void *x, const void *y)
{
	const struct timer *a = x, *b = y;

	return a->due_ms != b->due_ms ? a->due_ms < b->due_ms
				      : a->order < b->order;
}

void
loop_cancel(struct loop *l, struct timer *t)
{
	heap_del(&l->timers, t, timer_before);
}

void
loop_at(
    struct loop *l, struct timer *t, uint64_t due_ms, loop_fn *fn, void *arg)
{
	loop_cancel(l, t);
	t->due_ms = due_ms;
	t->fn = fn;
	t->arg = arg;
	t->order = ++l->timer_order;
	heap_put(&l->timers, t, timer_before);
}

void
loop_after(struct loop *l, struct timer *t, uint64_t ms, loop_fn *fn, void *arg)
{
	loop_at(l, t, clock_ms() + ms, fn, arg);
}

/* Whether one was due, other than that of loop_follow. */
static bool
run_due_timers(struct loop *l)
{
	uint64_t now = clock_ms();
	uint64_t newest = l->timer_order; /* newer timers wait a round */
	bool ran = false;
	struct timer *t;

	while ((t = heap_first(&l->timers)) != NULL && !l->stopped) {
		if (t->due_ms > now || t->order > newest)
			break;
		loop_cancel(l, t);
		ran = ran || t != &l->follow.timer;
		t->fn(t->arg);
	}
	return ran;
}

static void
read_signals(void *arg, int fd, int events)
{
	struct loop *l = arg;
	struct signalfd_siginfo si;

	(void)events;
	while (read(fd, &si, sizeof(si)) == (ssize_t)sizeof(si))
		if (si.ssi_signo < 65 && l->handlers[si.ssi_signo].fn != NULL)
			l->handlers[si.ssi_signo].fn(
			    l->handlers[si.ssi_signo].arg, (int)si.ssi_signo);
}

void
loop_signal(struct loop *l, int signo, loop_signal_fn *fn, void *arg)
{
	l->handlers[signo].fn = fn;
	l->handlers[signo].arg = arg;
	sigaddset(&l->signals, signo);
	sigprocmask(SIG_BLOCK, &l->signals, NULL);
	l->signal_fd = needed(
	    signalfd(l->signal_fd, &l->signals, SFD_NONBLOCK | SFD_CLOEXEC),
	    "a descriptor of signals");
	loop_watch(l, l->signal_fd, LOOP_READ, read_signals, l);
}

void
loop_idle(struct loop *l, loop_fn *fn, void *arg)
{
	l->idle = fn;
	l->idle_arg = arg;
}

static void
run_follow(void *arg)
{
	struct loop *l = arg;

	l->follow.due = false;
	l->follow.fn(l->follow.arg);
}

void
loop_follow(struct loop *l, uint64_t ms, loop_fn *fn, void *arg)
{
	loop_cancel(l, &l->follow.timer);
	l->follow.fn = fn;
	l->follow.arg = arg;
	l->follow.ms = ms;
	l->follow.due = true;
}

void
loop_follow_on(struct loop *l)
{
	l->follow.due = true;
}

static void
follow(struct loop *l)
{
	if (l->follow.fn != NULL && l->follow.due &&
	    !loop_timer_armed(&l->follow.timer))
		loop_after(l, &l->follow.timer, l->follow.ms, run_follow, l);
}

static void
dispatch(struct loop *l, const struct epoll_event *ev)
{
	int fd = (int)(uint32_t)ev->data.u64;
	uint32_t serial = (uint32_t)(ev->data.u64 >> 32);
	struct loop_source *s = &l->sources[fd];
	int events = 0;

	if (!s->active || s->serial != serial)
		return;
	if (ev->events & EPOLLIN)
		events |= LOOP_READ;
	if (ev->events & EPOLLOUT)
		events |= LOOP_WRITE;
	if (ev->events & (EPOLLHUP | EPOLLERR))
		events |= LOOP_HUP | (s->events & (LOOP_READ | LOOP_WRITE));
	s->fn(s->arg, fd, events);
}

static void
run_always_ready(struct loop *l)
{
	for (size_t fd = 0; fd < l->source_cap && l->always_count > 0; fd++) {
		struct loop_source *s = &l->sources[fd];

		if (s->active && s->always && s->events != 0) {
			s->fn(s->arg, (int)fd, s->events);
			if (l->stopped)
				break;
		}
	}
}

static bool
always_ready(const struct loop *l)
{
	for (size_t fd = 0; fd < l->source_cap && l->always_count > 0; fd++)
		if (l->sources[fd].active && l->sources[fd].always &&
		    l->sources[fd].events != 0)
			return true;
	return false;
}

static uint64_t
wait_until(const struct loop *l, int timeout_ms)
{
	const struct timer *first = heap_first(&l->timers);
	uint64_t until = first != NULL ? first->due_ms : CLOCK_NEVER, end;

	if (always_ready(l) || timeout_ms == 0)
		return 0;
	if (timeout_ms < 0)
		return until;
	end = clock_ms() + (uint64_t)timeout_ms;
	return end < until ? end : until;
}

void
loop_once(struct loop *l, int timeout_ms)
{
	struct epoll_event events[64];
	bool happened;
	int n;

	l->stopped = false;
	if (l->idle != NULL)
		l->idle(l->idle_arg);
	if (l->stopped)
		return;
	follow(l);
	n = clock_wait(l->epoll_fd, events, 64, wait_until(l, timeout_ms));
	happened = n > 0 || always_ready(l);
	for (int i = 0; i < n && !l->stopped; i++)
		dispatch(l, &events[i]);
	if (!l->stopped)
		run_always_ready(l);
	if (!l->stopped)
		happened = run_due_timers(l) || happened;
	/* fn is due even if it ran in this round: what follows is done in the
	 * next. */
	l->follow.due = l->follow.due || happened;
}

void
loop_run(struct loop *l)
{
	do
		loop_once(l, -1);
	while (!l->stopped);
}

void
loop_stop(struct loop *l)
{
	l->stopped = true;
}
