#include "process/harden.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/err.h"
#include "process/log.h"

#if defined(__SANITIZE_ADDRESS__)
/* The sanitizer's leak checker traces us from another process. */
enum { DUMPABLE = 1 };
#else
enum { DUMPABLE = 0 };
#endif

/* Opened for the other direction, so that every use of it fails, as before. */
static void
keep_standard_numbers(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		if (open("/dev/null", flags) == fd)
			continue;
		log_fatal("descriptor %d is closed, and /dev/null cannot be "
			  "opened instead: %s",
		    fd, strerror(errno));
		_exit(EXIT_TRANSIENT);
	}
}

void
harden_parent(struct rlimit *limits)
{
	struct rlimit none;

	keep_standard_numbers();
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

	keep_standard_numbers();
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_DUMPABLE, DUMPABLE, 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}
