/*
 * A clock that a test sets, preloaded into a tool: t/clock.sh. epoll_wait and
 * poll return when this clock has come to the end of the wait.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_AGAIN_MS = 20, SECOND_MS = 1000, MS_NS = 1000000 };

/* In milliseconds; each is written in one piece. */
struct page {
	int64_t wall_ahead, boot_ahead;
	int64_t still; /* both stand at this time; 0: they run */
};

static const volatile struct page *page = &(struct page){0};
static int64_t slower = 1; /* processor time counts slower by this factor */

/* Mapped, because in a sandbox no file can be read. */
__attribute__((constructor)) static void
start(void)
{
	int fd = open(getenv("CLOCK_PAGE"), O_RDONLY | O_CLOEXEC);
	void *p = mmap(NULL, sizeof(*page), PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		abort();
	page = p;
	close(fd);
	if (getenv("CLOCK_CPU_SLOWER") != NULL)
		slower = strtol(getenv("CLOCK_CPU_SLOWER"), NULL, 10);
}

static bool
is_of_processor(clockid_t id)
{
	return id < 0 || id == CLOCK_PROCESS_CPUTIME_ID ||
	    id == CLOCK_THREAD_CPUTIME_ID;
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	int rc = (int)syscall(SYS_clock_gettime, id, ts);
	int64_t ahead, ms;

	if (is_of_processor(id)) {
		int64_t ns =
		    (ts->tv_sec * INT64_C(1000000000) + ts->tv_nsec) / slower;

		ts->tv_sec = ns / 1000000000;
		ts->tv_nsec = ns % 1000000000;
		return rc;
	}
	if (id == CLOCK_REALTIME)
		ahead = page->wall_ahead;
	else if (id == CLOCK_BOOTTIME || id == CLOCK_MONOTONIC)
		ahead = page->boot_ahead;
	else
		return rc;
	if (page->still != 0) {
		ts->tv_sec = 0;
		ts->tv_nsec = 0;
	}
	ms = ts->tv_nsec / MS_NS + page->still + ahead;
	ts->tv_sec += ms / SECOND_MS;
	ts->tv_nsec = ts->tv_nsec % MS_NS + ms % SECOND_MS * MS_NS;
	return rc;
}

static int64_t
now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_BOOTTIME, &ts);
	return ts.tv_sec * (int64_t)SECOND_MS + ts.tv_nsec / MS_NS;
}

/* How long to wait now for a wait that ends then; negative: for ever. */
static int
piece(int64_t end)
{
	int64_t left = end < 0 ? LOOK_AGAIN_MS : end - now();

	return (int)(left < 0	       ? 0
		: left < LOOK_AGAIN_MS ? left
				       : LOOK_AGAIN_MS);
}

int
epoll_wait(int fd, struct epoll_event *events, int max, int timeout)
{
	int64_t end = timeout < 0 ? -1 : now() + timeout;
	int n;

	do
		n = (int)syscall(
		    SYS_epoll_pwait, fd, events, max, piece(end), NULL, 8);
	while (n == 0 && (end < 0 || now() < end));
	return n;
}

int
poll(struct pollfd *fds, nfds_t count, int timeout)
{
	int64_t end = timeout < 0 ? -1 : now() + timeout;
	int n;

	do {
		struct timespec ts = {.tv_nsec = piece(end) * (long)MS_NS};

		n = (int)syscall(SYS_ppoll, fds, count, &ts, NULL, 8);
	} while (n == 0 && (end < 0 || now() < end));
	return n;
}
