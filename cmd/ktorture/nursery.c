#include "nursery.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"

enum { ARGS = 16, TEXT = 4096, ENDED = 64 };

/* It is asked to fork, if there is a main. */
struct order {
	nursery_main *main;
	pid_t pid;
	int argc;
	char text[TEXT]; /* arguments, and a setting, each with its NUL */
};

struct answer {
	pid_t pid; /* 0: not yet */
	int status;
};

struct nursery {
	pid_t pid;
	int fd;
};

bool
nursery_settle(unsigned n)
{
	static cpu_set_t all; /* as it was the first time */
	cpu_set_t one;

	if (CPU_COUNT(&all) == 0 &&
	    sched_getaffinity(0, sizeof(all), &all) != 0)
		return false;
	n %= (unsigned)CPU_COUNT(&all);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && n-- == 0) {
			CPU_ZERO(&one);
			CPU_SET(cpu, &one);
			return sched_setaffinity(0, sizeof(one), &one) == 0;
		}
	return false;
}

/* ---- in the nursery ---- */

static void
become(const struct order *o, pid_t parent, void (*begin)(void *), void *arg)
{
	char *argv[ARGS + 1] = {NULL};
	const char *at = o->text;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setpgid(0, 0);
	for (int i = 0; i < o->argc; i++) {
		argv[i] = mem_strdup(at);
		at += strlen(at) + 1;
	}
	if (*at != '\0')
		putenv(mem_strdup(at));
	prctl(PR_SET_NAME, argv[0]);
	program_invocation_name = program_invocation_short_name = argv[0];
	begin(arg);
	exit(o->main(o->argc, argv));
}

/* Those that it has forked, and that have ended unasked. */
struct ended {
	struct answer all[ENDED];
	size_t count;
};

static void
reap(struct ended *e)
{
	struct answer a;

	while ((a.pid = waitpid(-1, &a.status, WNOHANG)) > 0)
		e->all[e->count++ % ENDED] = a;
}

static struct answer
find_ended(struct ended *e, pid_t pid)
{
	struct answer none = {0};

	for (size_t i = 0; i < COUNT(e->all); i++)
		if (e->all[i].pid == pid) {
			struct answer found = e->all[i];

			e->all[i].pid = 0;
			return found;
		}
	return none;
}

_Noreturn static void
serve(int fd, void (*begin)(void *), void *arg)
{
	struct ended ended = {.count = 0};
	struct order o;
	pid_t self = getpid();

	prctl(PR_SET_NAME, "ktorture-nursery");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	while (read(fd, &o, sizeof(o)) == (ssize_t)sizeof(o)) {
		struct answer a = {0};

		reap(&ended);
		if (o.main == NULL)
			a = find_ended(&ended, o.pid);
		if (o.main == NULL && a.pid == 0 && kill(o.pid, 0) != 0)
			a.pid = o.pid; /* long ago */
		if (o.main != NULL && (a.pid = fork()) == 0)
			become(&o, self, begin, arg);
		if (write(fd, &a, sizeof(a)) != (ssize_t)sizeof(a))
			break;
	}
	_exit(0);
}

/* ---- for others ---- */

struct nursery *
nursery_new(unsigned n, void (*begin)(void *arg), void *arg)
{
	struct nursery *new;
	pid_t parent = getpid(), pid;
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return NULL;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(1);
		close(fds[0]);
		nursery_settle(n);
		serve(fds[1], begin, arg);
	}
	close(fds[1]);
	if (pid < 0) {
		close(fds[0]);
		return NULL;
	}
	new = mem_zalloc(sizeof(*new));
	*new = (struct nursery){pid, fds[0]};
	return new;
}

void
nursery_free(struct nursery *n)
{
	kill(n->pid, SIGKILL);
	waitpid(n->pid, NULL, 0);
	close(n->fd);
	free(n);
}

static struct answer
ask(struct nursery *n, const struct order *o)
{
	struct answer a = {.pid = -1};

	if (write(n->fd, o, sizeof(*o)) != (ssize_t)sizeof(*o) ||
	    read(n->fd, &a, sizeof(a)) != (ssize_t)sizeof(a))
		a.pid = -1;
	return a;
}

static bool
add_text(struct order *o, size_t *used, const char *text)
{
	size_t size = strlen(text) + 1;

	if (*used + size >= sizeof(o->text))
		return false;
	memcpy(o->text + *used, text, size);
	*used += size;
	return true;
}

pid_t
nursery_fork(struct nursery *n, nursery_main *main, const char *const *argv,
    const char *setting)
{
	struct order o = {.main = main};
	size_t used = 0;
	bool fits = true;

	for (; fits && argv[o.argc] != NULL; o.argc++)
		fits = o.argc < ARGS && add_text(&o, &used, argv[o.argc]);
	if (setting != NULL)
		fits = fits && add_text(&o, &used, setting);
	if (fits)
		return ask(n, &o).pid;
	errno = E2BIG;
	return -1;
}

bool
nursery_has_ended(struct nursery *n, pid_t pid, int *status)
{
	struct order o = {.pid = pid};
	struct answer a = ask(n, &o);

	if (a.pid == pid)
		*status = a.status;
	return a.pid == pid;
}
