#include "process/harden.h"

#include <sys/prctl.h>

#if defined(__SANITIZE_ADDRESS__)
/* The sanitizer's leak checker traces us from another process. */
enum { DUMPABLE = 1 };
#else
enum { DUMPABLE = 0 };
#endif

void
harden_parent(struct rlimit *limits)
{
	struct rlimit none;

	*limits = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	getrlimit(RLIMIT_CORE, limits);
	/* The hard limit stays, or a process without root could not restore the
	 * limit. */
	none = (struct rlimit){0, limits->rlim_max};
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0);
}

void
harden_give_back(const struct rlimit *limits)
{
	setrlimit(RLIMIT_CORE, limits);
}

void
harden_process(void)
{
	static const struct rlimit none = {0, 0};

	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
