#include "guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Milliseconds until the page says that the time is over, 0: it is. */
static int
time_left(const _Atomic uint64_t *page)
{
	uint64_t until = atomic_load(page), now = leash_now_ns();

	if (until == LEASH_FOREVER)
		return -1;
	if (now >= until)
		return 0;
	until = (until - now) / 1000000 + 1;
	return until < 3600000 ? (int)until : 3600000;
}

/* Ctrl-C and the like are for others; no descriptor of anybody's pipe stays. */
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
watch_over(pid_t group, int read_fd, const _Atomic uint64_t *page)
{
	struct pollfd p = {.fd = 0, .events = POLLIN};
	int left;

	leave_the_rest(read_fd);
	while ((left = time_left(page)) != 0 && poll(&p, 1, left) <= 0)
		;
	kill(-group, SIGKILL);
	_exit(0);
}

pid_t
guard_start(pid_t group, const struct leash_ends *ends, struct err *err)
{
	const _Atomic uint64_t *page = leash_map(ends->page_fd, err);
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
