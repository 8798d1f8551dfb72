/*
 * Processor time counts slower, by the factor in CPU_SLOWER: what may use a
 * second of it has so many. Preloaded into a tool: t/preload.sh.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int
clock_gettime(clockid_t id, struct timespec *ts)
{
	int rc = (int)syscall(SYS_clock_gettime, id, ts);
	const char *slower = getenv("CPU_SLOWER");
	long long ns;

	if (slower == NULL ||
	    (id >= 0 && id != CLOCK_PROCESS_CPUTIME_ID &&
		id != CLOCK_THREAD_CPUTIME_ID))
		return rc;
	ns = (ts->tv_sec * 1000000000LL + ts->tv_nsec) /
	    strtol(slower, NULL, 10);
	*ts = (struct timespec){ns / 1000000000, ns % 1000000000};
	return rc;
}
