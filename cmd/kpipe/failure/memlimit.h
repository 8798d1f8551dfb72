/*
 * memlimit: the memory limit that kpipe and its stages share, which is that of
 * their cgroup, and how many of its processes the kernel has killed for memory
 * (Linux, Documentation/admin-guide/cgroup-v2.rst, memory.events; cgroup-v1/
 * memory.rst, memory.oom_control). The kernel counts a kill before the process
 * ends, so the count is there when the end is seen.
 */
#ifndef MEMLIMIT_H
#define MEMLIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

#define MEMLIMIT_ROOT "/sys/fs/cgroup"

struct memlimit {
	char *kills;	/* owned: the file with the count; NULL: not known */
	uint64_t bytes; /* 0: no limit, or none is known */
	uint64_t seen;	/* kills that were asked for, or came before */
};

/*
 * own: the text of /proc/self/cgroup; root: MEMLIMIT_ROOT, except in tests. In
 * a container the paths of `own` may be those of the host: then its cgroup is
 * what is mounted at root. Nothing found is not an error.
 */
void memlimit_find(struct memlimit *m, const char *root, struct span own);
void memlimit_release(struct memlimit *m);

/* Whether there were more kills than calls that returned true. */
bool memlimit_killed(struct memlimit *m);

#endif
