#include "guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process/clock.h"

/* Ctrl-C and the like are for others; no pipe of another process stays open. */
static void
leave_the_rest(int read_fd)
{
	sigset_t none;

	setpgid(0, 0);
	prctl(PR_SET_NAME, "kelect-guard");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(read_fd, 0);
	close_range(1, ~0u, 0);
}

static _Noreturn void
watch_over(pid_t group, int read_fd, _Atomic uint64_t *page)
{
	uint64_t until;

	leave_the_rest(read_fd);
	for (;;) {
		until = atomic_load(page);
		if (clock_boot_ns() >= until) {
			if (leash_lapse(page, until))
				break;
		} else if (clock_wait_fd(0, POLLIN,
			       until == LEASH_FOREVER ? CLOCK_NEVER
						      : until / 1000000 + 1)) {
			break;
		}
	}
	kill(-group, SIGKILL);
	_exit(0);
}

pid_t
guard_start(pid_t group, const struct leash_ends *ends, struct err *err)
{
	_Atomic uint64_t *page = leash_map(ends->page_fd, err);
	pid_t pid;

	if (page == NULL)
		return -1;
	pid = fork();
	if (pid == 0)
		watch_over(group, ends->read_fd, page);
	if (pid < 0)
		err_set(err, ERR_TRANSIENT, "cannot start a guard: %s",
		    strerror(errno));
	leash_unmap(page);
	return pid;
}

void
guard_end(pid_t guard)
{
	if (guard <= 0)
		return;
	kill(guard, SIGKILL);
	while (waitpid(guard, NULL, 0) < 0 && errno == EINTR)
		;
}
