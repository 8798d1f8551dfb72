/* Part of process/clock.h: waiting. */
#include <poll.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "process/clock.h"

static int
time_left(uint64_t until_ms)
{
	uint64_t now, left;

	if (until_ms == CLOCK_NEVER)
		return -1;
	now = clock_ms();
	left = until_ms > now ? until_ms - now : 0;
	if (left > 3600000)
		left = 3600000;
	/*
	 * Linux lets epoll_wait be late by a thousandth of its timeout, up to
	 * 100 ms (fs/select.c, select_estimate_accuracy; more for nice ones).
	 * So a long wait ends a little early, and a short one follows.
	 */
	if (left > 100)
		left -= left / 100;
	return (int)left;
}

/* Suspended time counts for timers alone; that is dear for what is ready. */
int
clock_wait(int epoll_fd, struct epoll_event *events, int max, uint64_t until_ms)
{
	int left = time_left(until_ms), n;

	if (left < CLOCK_LONG_MS)
		return epoll_wait(epoll_fd, events, max, left);
	n = epoll_wait(epoll_fd, events, max, 0);
	if (n != 0)
		return n;
	clock_wait_fd(epoll_fd, POLLIN, until_ms);
	return epoll_wait(epoll_fd, events, max, 0);
}

bool
clock_wait_fd(int fd, short events, uint64_t until_ms)
{
	struct itimerspec t = {.it_value = {(time_t)(until_ms / 1000),
				   (long)(until_ms % 1000) * 1000000}};
	struct pollfd p[2] = {{.fd = fd, .events = events},
	    {.fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC),
		.events = POLLIN}};
	int left = -1;

	if (p[1].fd < 0) /* no descriptor left: poll passes over this one */
		left = time_left(until_ms);
	else if (until_ms != CLOCK_NEVER)
		timerfd_settime(p[1].fd, TFD_TIMER_ABSTIME, &t, NULL);
	poll(p, 2, left);
	if (p[1].fd >= 0)
		close(p[1].fd);
	return p[0].revents != 0;
}

uint64_t
clock_jitter(void)
{
	uint64_t random = 0;

	/* A machine that has just started may have no random numbers yet: do
	 * not wait for them. */
	if (getrandom(&random, sizeof(random), GRND_NONBLOCK) < 0)
		return 0;
	return random;
}
