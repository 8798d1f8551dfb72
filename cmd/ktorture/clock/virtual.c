/*
 * Part of clock/page.h: a clock of its own for a tool, in place of clockwait.c of
 * lib/process, and of the C library's clock_gettime, which libcurl calls, too.
 * Without a page the clock is the machine's, and nothing here may wait.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/hash.h"
#include "clock/page.h"
#include "process/clock.h"

enum { TURNS = 16, FDS = 65536, SYN_SENT = 2, SYN_RECEIVED = 3, LISTENS = 10 };
static const int64_t ms = 1000000;

static struct clock_page *page;
static struct clock_slot *slot;
static pid_t slot_of;
static uint64_t draws;
/* Descriptors that the loop waits for, but those that are not TCP; some may be
 * closed. */
static bool watched[FDS];
static int watched_end;

static int64_t
awake_ns(void)
{
	return page->boot_ns - page->asleep_ns;
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	int64_t ns;

	if (page == NULL)
		return (int)syscall(SYS_clock_gettime, id, ts);
	if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE)
		ns = page->boot_ns + page->ahead_ns;
	else if (id == CLOCK_BOOTTIME)
		ns = page->boot_ns;
	else if (id == CLOCK_MONOTONIC || id == CLOCK_MONOTONIC_RAW ||
	    id == CLOCK_MONOTONIC_COARSE)
		ns = awake_ns();
	else /* processor time */
		return (int)syscall(SYS_clock_gettime, id, ts);
	*ts = (struct timespec){ns / 1000000000, ns % 1000000000};
	return 0;
}

/* Bytes that came by TCP are acknowledged at once, and not some 40 ms later: until then
 * its sender has bytes under way. False: it is not TCP. */
static bool
acknowledge(int fd)
{
	int on = 1;

	return setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on)) == 0;
}

static void
watch(int fd)
{
	if (fd < 0 || fd >= FDS)
		return;
	watched[fd] = true;
	if (watched_end <= fd)
		watched_end = fd + 1;
}

/* Of libcurl, too, which may read what it has not waited for. */
ssize_t
recv(int fd, void *data, size_t size, int flags)
{
	ssize_t n = recvfrom(fd, data, size, flags, NULL, NULL);

	if (n > 0 && acknowledge(fd))
		watch(fd);
	return n;
}

int
epoll_ctl(int epoll_fd, int op, int fd, struct epoll_event *event)
{
	if (op != EPOLL_CTL_DEL)
		watch(fd);
	else if (fd >= 0 && fd < FDS)
		watched[fd] = false;
	return (int)syscall(SYS_epoll_ctl, epoll_fd, op, fd, event);
}

/* In the parent, which works until then. */
static void
count_fork(void)
{
	page->forks++;
}

void
page_use(struct clock_page *p)
{
	page = p;
	pthread_atfork(NULL, count_fork, NULL);
}

static void
woken(int signo)
{
	(void)signo;
}

/* A process that was forked has another than its parent. */
static void
take_slot(void)
{
	struct sigaction wake = {.sa_handler = woken};
	sigset_t set;
	uint32_t n;

	if (slot_of == getpid())
		return;
	n = atomic_fetch_add(&page->used, 1);
	if (n >= CLOCK_SLOTS)
		abort();
	slot = &page->slots[n];
	draws = 0;
	/* A sandbox may refuse it. */
	if (prctl(PR_GET_NAME, slot->name) != 0)
		snprintf(slot->name, CLOCK_NAME, "%.15s",
		    program_invocation_short_name);
	/* Comes only while it waits. */
	sigemptyset(&set);
	sigaddset(&set, CLOCK_SIGNAL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	sigaction(CLOCK_SIGNAL, &wake, NULL);
	slot_of = getpid();
	slot->pid = slot_of;
}

static enum clock_flight
flight_of(const struct tcp_info *info)
{
	if (info->tcpi_state == LISTENS)
		return CLOCK_FLIGHT_NONE;
	if (info->tcpi_state == SYN_SENT || info->tcpi_state == SYN_RECEIVED ||
	    info->tcpi_unacked > 0)
		return CLOCK_FLIGHT_SENT;
	return info->tcpi_notsent_bytes > 0 ? CLOCK_FLIGHT_BLOCKED
					    : CLOCK_FLIGHT_NONE;
}

/* Whether bytes or a connection are on their way. What came is acknowledged at
 * once, so that the other side knows. */
static enum clock_flight
in_flight(void)
{
	enum clock_flight most = CLOCK_FLIGHT_NONE, flight;

	for (int fd = 0; fd < watched_end; fd++) {
		struct tcp_info info = {0};
		socklen_t n = sizeof(info);

		if (!watched[fd])
			continue;
		if (!acknowledge(fd)) {
			watched[fd] = false;
			continue;
		}
		if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0)
			continue;
		flight = flight_of(&info);
		if (flight > most)
			most = flight;
	}
	return most;
}

void
page_acknowledge(void)
{
	in_flight();
}

/* Says that it waits from now on; returns whether something is in flight, which
 * nobody is woken by. The mask is for the wait. */
static bool
begin(int64_t boot_ns, int64_t until_awake_ns, sigset_t *mask)
{
	sigprocmask(SIG_BLOCK, NULL, mask);
	sigdelset(mask, CLOCK_SIGNAL);
	/* The receiver may only have to be let run. */
	for (int turns = 0; turns < TURNS; turns++) {
		slot->in_flight = in_flight();
		if (slot->in_flight != CLOCK_FLIGHT_SENT)
			break;
		sched_yield();
	}
	slot->boot_ns = boot_ns;
	slot->awake_ns = until_awake_ns;
	slot->waits = 1;
	page->waits++;
	syscall(SYS_futex, &page->waits, FUTEX_WAKE, 1);
	return slot->in_flight != CLOCK_FLIGHT_NONE;
}

/* Bytes under way are looked at again when it waits again: until then only its
 * state counts, for a callback of its loop may hold it up for ever. */
static void
go_on(void)
{
	slot->waits = 0;
	slot->in_flight = CLOCK_FLIGHT_NONE;
}

/* By the machine's clock. */
static int
left_ms(uint64_t until_ms)
{
	uint64_t now = clock_ms();

	if (until_ms == CLOCK_NEVER)
		return -1;
	if (until_ms <= now)
		return 0;
	return until_ms - now < INT_MAX ? (int)(until_ms - now) : INT_MAX;
}

/* A suspended machine's time counts in long waits alone (lib/process). */
int
clock_wait(int epoll_fd, struct epoll_event *events, int max, uint64_t until_ms)
{
	uint64_t now = clock_ms();
	int64_t boot = CLOCK_NO_TIME, awake = CLOCK_NO_TIME;
	sigset_t mask;
	int n;

	if (until_ms <= now)
		return epoll_pwait(epoll_fd, events, max, 0, NULL);
	if (page == NULL) {
		/* Bytes are acknowledged at once: processes with a page
		 * wait for that. */
		in_flight();
		return epoll_pwait(
		    epoll_fd, events, max, left_ms(until_ms), NULL);
	}
	take_slot();
	if (until_ms - now < CLOCK_LONG_MS)
		awake = (int64_t)(until_ms * (uint64_t)ms - clock_boot_ns()) +
		    awake_ns();
	else if (until_ms != CLOCK_NEVER)
		boot = (int64_t)(until_ms * (uint64_t)ms);
	do {
		bool some = begin(boot, awake, &mask);

		n = epoll_pwait(epoll_fd, events, max, some ? 1 : -1, &mask);
		go_on();
	} while (n <= 0 && page->boot_ns < boot && awake_ns() < awake &&
	    (n == 0 || errno == EINTR));
	return n;
}

bool
clock_wait_fd(int fd, short events, uint64_t until_ms)
{
	static const struct timespec soon = {.tv_nsec = 1000000};
	int64_t end =
	    until_ms == CLOCK_NEVER ? CLOCK_NO_TIME : (int64_t)until_ms * ms;
	struct pollfd p = {.fd = fd, .events = events};
	sigset_t mask;
	int n = 0;

	if (page == NULL)
		return poll(&p, 1, left_ms(until_ms)) > 0;
	take_slot();
	while (n == 0 && page->boot_ns < end) {
		bool some = begin(end, CLOCK_NO_TIME, &mask);

		n = ppoll(&p, 1, some ? &soon : NULL, &mask);
		go_on();
	}
	return n > 0;
}

/* The same for the n-th process of a name that waits. */
uint64_t
clock_jitter(void)
{
	uint64_t x = 0;

	if (page == NULL) {
		if (getrandom(&x, sizeof(x), GRND_NONBLOCK) < 0)
			x = 0;
		return x;
	}
	x = page->seed;
	take_slot();
	for (int i = 0; i < CLOCK_NAME; i++)
		x = hash_mix(x + (unsigned char)slot->name[i]);
	for (const struct clock_slot *s = page->slots; s < slot; s++)
		if (strcmp(s->name, slot->name) == 0)
			x = hash_mix(x + 1);
	return hash_mix(x + ++draws * 0x9e3779b97f4a7c15);
}
