/*
 * A C library of which one call fails, preloaded into a tool (t/below.sh):
 * number $FAIL_AT of the calls of one kind, and with $FAIL_EVER=1 those behind
 * it. 0: none, they are counted. Only calls that can fail so on Linux count: no
 * file has its connection reset, and nothing that blocks is to be tried again.
 *
 *	FAIL_CALL=read FAIL_ERROR=ECONNRESET FAIL_AT=3 FAIL_PAGE=FILE [FAIL_IN=NAME]
 *
 * FAIL_IN: in processes of that name, which is that of the program or what
 * prctl has set. FAIL_PAGE is two numbers of 64 bits: the calls so far, and
 * those that failed; all processes with the library count together, so that a
 * stage that is started again is not told the same once more.
 *
 * Calls inside the C library are not seen: of stdio neither reads nor writes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name)        \
	if (next == NULL) \
	(*(void **)&next = dlsym(RTLD_NEXT, name))

static const char *const kinds[] = {"memory", "read", "write", "connect",
    "socket", "accept", "epoll", "wait", "fork", "open", "pipe", "map"};
enum kind {
	MEMORY,
	READ,
	WRITE,
	CONNECT,
	SOCKET,
	ACCEPT,
	EPOLL,
	WAIT,
	FORK,
	OPEN,
	PIPE,
	MAP,
	NO_KIND
};

/* On which descriptors a read or a write may fail so. */
enum descriptors {
	ANY,
	SOCKETS,
	STREAMS, /* pipes and sockets */
	FILES,
	NONBLOCKING
};

static const struct failure {
	const char *name;
	int number;
	enum descriptors on;
} failures[] = {{"ENOMEM", ENOMEM, ANY}, {"EINTR", EINTR, ANY},
    {"EAGAIN", EAGAIN, NONBLOCKING}, {"ECONNRESET", ECONNRESET, SOCKETS},
    {"EPIPE", EPIPE, STREAMS}, {"EIO", EIO, FILES}, {"ENOSPC", ENOSPC, FILES},
    {"ECONNREFUSED", ECONNREFUSED, ANY}, {"ETIMEDOUT", ETIMEDOUT, ANY},
    {"ENETUNREACH", ENETUNREACH, ANY}, {"EADDRNOTAVAIL", EADDRNOTAVAIL, ANY},
    {"ECONNABORTED", ECONNABORTED, ANY}, {"EMFILE", EMFILE, ANY},
    {"ENFILE", ENFILE, ANY}, {"ENOBUFS", ENOBUFS, ANY}};

static struct {
	enum kind kind;
	struct failure failure;
	int64_t at;
	bool ever, here;
	char in[64]; /* a copy: a process may replace its environment */
	struct {
		_Atomic int64_t calls, failed;
	} * page;
} plan = {.kind = NO_KIND};

_Noreturn static void
wrong(const char *what)
{
	dprintf(2, "fail.c: %s\n", what);
	_exit(100);
}

static void
name_is(const char *name)
{
	plan.here = *plan.in == '\0' || strcmp(name, plan.in) == 0;
}

static void
begin(void)
{
	const char *call = getenv("FAIL_CALL"), *error = getenv("FAIL_ERROR");
	const char *at = getenv("FAIL_AT"), *name = getenv("FAIL_PAGE");
	enum kind kind = 0;
	size_t i = 0;
	void *page;
	int fd;

	if (call == NULL || error == NULL || at == NULL || name == NULL)
		return;
	while (kind < NO_KIND && strcmp(call, kinds[kind]) != 0)
		kind++;
	while (i < sizeof(failures) / sizeof(*failures) &&
	    strcmp(error, failures[i].name) != 0)
		i++;
	if (kind == NO_KIND || i == sizeof(failures) / sizeof(*failures))
		wrong("no such call or error");
	fd = open(name, O_RDWR | O_CLOEXEC);
	page = mmap(NULL, sizeof(*plan.page), PROT_READ | PROT_WRITE,
	    MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		wrong("no page");
	close(fd);
	plan.failure = failures[i];
	plan.at = strtoll(at, NULL, 10);
	plan.ever = getenv("FAIL_EVER") != NULL;
	if (getenv("FAIL_IN") != NULL)
		snprintf(plan.in, sizeof(plan.in), "%s", getenv("FAIL_IN"));
	plan.page = page;
	name_is(program_invocation_short_name);
	plan.kind = kind;
}

/* Counts from main on: before it, a virtual clock opens its page. */
static int (*tool_main)(int, char **, char **);

static int
counted_main(int argc, char **argv, char **env)
{
	begin();
	return tool_main(argc, argv, env);
}

int
__libc_start_main(int (*start)(int, char **, char **), int argc, char **argv,
    void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
    void *stack_end)
{
	static int (*next)(int (*)(int, char **, char **), int, char **,
	    void (*)(void), void (*)(void), void (*)(void), void *);

	NEXT("__libc_start_main");
	tool_main = start;
	return next(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

/* Whether the failure is one of this descriptor. */
static bool
concerns(int fd)
{
	int saved = errno, flags = fcntl(fd, F_GETFL);
	struct stat st = {0};
	bool yes = false;

	if (plan.failure.on == NONBLOCKING)
		yes = flags >= 0 && (flags & O_NONBLOCK) != 0;
	else if (fstat(fd, &st) == 0 && plan.failure.on == SOCKETS)
		yes = S_ISSOCK(st.st_mode);
	else if (plan.failure.on == STREAMS)
		yes = S_ISSOCK(st.st_mode) || S_ISFIFO(st.st_mode);
	else if (plan.failure.on == FILES)
		yes = S_ISREG(st.st_mode);
	errno = saved;
	return yes;
}

/* fd: of a read or write, otherwise -1. With errno, if it fails. */
static bool
fails(enum kind kind, int fd)
{
	int64_t n;

	if (kind != plan.kind || !plan.here)
		return false;
	if (fd >= 0 && plan.failure.on != ANY && !concerns(fd))
		return false;
	n = atomic_fetch_add(&plan.page->calls, 1) + 1;
	if (plan.at == 0 || n < plan.at || (n > plan.at && !plan.ever))
		return false;
	atomic_fetch_add(&plan.page->failed, 1);
	errno = plan.failure.number;
	return true;
}

int
prctl(int option, ...)
{
	static int (*next)(
	    int, unsigned long, unsigned long, unsigned long, unsigned long);
	unsigned long a[4];
	va_list rest;

	NEXT("prctl");
	va_start(rest, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(rest, unsigned long);
	va_end(rest);
	if (option == PR_SET_NAME)
		name_is((const char *)a[0]);
	return next(option, a[0], a[1], a[2], a[3]);
}

/* ---- memory ---- */

void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);

/* By the function that calls. libseccomp crashes without memory: so the tools
 * look for some before they call it. */
static bool
memory_fails(const void *caller)
{
	Dl_info info;
	int saved = errno;

	if (plan.kind != MEMORY || !plan.here)
		return false;
	if (dladdr(caller, &info) != 0 &&
	    strstr(info.dli_fname, "/libseccomp.") != NULL) {
		errno = saved;
		return false;
	}
	errno = saved;
	return fails(MEMORY, -1);
}
#define MEMORY_FAILS memory_fails(__builtin_return_address(0))

void *
malloc(size_t size)
{
	return MEMORY_FAILS ? NULL : __libc_malloc(size);
}

void *
calloc(size_t count, size_t size)
{
	return MEMORY_FAILS ? NULL : __libc_calloc(count, size);
}

void *
realloc(void *p, size_t size)
{
	return size != 0 && MEMORY_FAILS ? NULL : __libc_realloc(p, size);
}

void *
mmap(void *p, size_t size, int protection, int flags, int fd, off_t at)
{
	static void *(*next)(void *, size_t, int, int, int, off_t);

	NEXT("mmap");
	return fails(MAP, -1) ? MAP_FAILED
			      : next(p, size, protection, flags, fd, at);
}

/*
 * The others are the same but for their types: TYPE NAME(PARAMETERS), which
 * fails with FAILED, of that KIND, on the descriptor FD.
 */
#define CALL(type, name, parameters, arguments, kind, fd, failed)   \
	type name parameters                                        \
	{                                                           \
		static type(*next) parameters;                      \
                                                                    \
		NEXT(#name);                                        \
		return fails(kind, fd) ? (failed) : next arguments; \
	}

/* ---- reads and writes ---- */

CALL(ssize_t, read, (int fd, void *p, size_t n), (fd, p, n), READ, fd, -1)
CALL(ssize_t, pread, (int fd, void *p, size_t n, off_t at), (fd, p, n, at),
    READ, fd, -1)
CALL(ssize_t, readv, (int fd, const struct iovec *v, int n), (fd, v, n), READ,
    fd, -1)
CALL(ssize_t, recv, (int fd, void *p, size_t n, int flags), (fd, p, n, flags),
    READ, fd, -1)
CALL(ssize_t, recvfrom,
    (int fd, void *p, size_t n, int flags, __SOCKADDR_ARG from,
	socklen_t *size),
    (fd, p, n, flags, from, size), READ, fd, -1)
CALL(ssize_t, recvmsg, (int fd, struct msghdr *m, int flags), (fd, m, flags),
    READ, fd, -1)
CALL(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), WRITE, fd,
    -1)
CALL(ssize_t, writev, (int fd, const struct iovec *v, int n), (fd, v, n), WRITE,
    fd, -1)
CALL(ssize_t, send, (int fd, const void *p, size_t n, int flags),
    (fd, p, n, flags), WRITE, fd, -1)
CALL(ssize_t, sendto,
    (int fd, const void *p, size_t n, int flags, __CONST_SOCKADDR_ARG to,
	socklen_t size),
    (fd, p, n, flags, to, size), WRITE, fd, -1)
CALL(ssize_t, sendmsg, (int fd, const struct msghdr *m, int flags),
    (fd, m, flags), WRITE, fd, -1)

/* ---- connections, waiting ---- */

CALL(int, connect, (int fd, __CONST_SOCKADDR_ARG to, socklen_t size),
    (fd, to, size), CONNECT, -1, -1)
CALL(int, socket, (int domain, int type, int protocol),
    (domain, type, protocol), SOCKET, -1, -1)
CALL(int, accept, (int fd, __SOCKADDR_ARG from, socklen_t *size),
    (fd, from, size), ACCEPT, -1, -1)
CALL(int, accept4, (int fd, __SOCKADDR_ARG from, socklen_t *size, int flags),
    (fd, from, size, flags), ACCEPT, -1, -1)
CALL(int, epoll_wait, (int fd, struct epoll_event *events, int n, int ms),
    (fd, events, n, ms), WAIT, -1, -1)
CALL(int, epoll_pwait,
    (int fd, struct epoll_event *events, int n, int ms, const sigset_t *mask),
    (fd, events, n, ms, mask), WAIT, -1, -1)
CALL(int, poll, (struct pollfd * fds, nfds_t n, int ms), (fds, n, ms), WAIT, -1,
    -1)

/* Only what adds needs memory. */
int
epoll_ctl(int fd, int what, int on, struct epoll_event *events)
{
	static int (*next)(int, int, int, struct epoll_event *);

	NEXT("epoll_ctl");
	return what == EPOLL_CTL_ADD && fails(EPOLL, -1)
	    ? -1
	    : next(fd, what, on, events);
}

/* ---- processes ---- */

CALL(pid_t, fork, (void), (), FORK, -1, -1)
CALL(int, posix_spawn,
    (pid_t *restrict pid, const char *restrict path,
	const posix_spawn_file_actions_t *restrict actions,
	const posix_spawnattr_t *restrict how, char *const *restrict argv,
	char *const *restrict env),
    (pid, path, actions, how, argv, env), FORK, -1, errno)
CALL(int, pthread_create,
    (pthread_t *restrict thread, const pthread_attr_t *restrict how,
	void *(*run)(void *), void *restrict arg),
    (thread, how, run, arg), FORK, -1, errno)

/* ---- descriptors ---- */

int
open(const char *name, int flags, ...)
{
	static int (*next)(const char *, int, mode_t);
	va_list rest;
	mode_t mode;

	NEXT("open");
	va_start(rest, flags);
	mode = va_arg(rest, mode_t);
	va_end(rest);
	return fails(OPEN, -1) ? -1 : next(name, flags, mode);
}

CALL(FILE *, fopen, (const char *restrict name, const char *restrict mode),
    (name, mode), OPEN, -1, NULL)
CALL(int, pipe2, (int fds[2], int flags), (fds, flags), PIPE, -1, -1)
CALL(int, socketpair, (int domain, int type, int protocol, int fds[2]),
    (domain, type, protocol, fds), PIPE, -1, -1)
CALL(int, eventfd, (unsigned value, int flags), (value, flags), PIPE, -1, -1)
CALL(int, signalfd, (int fd, const sigset_t *mask, int flags),
    (fd, mask, flags), PIPE, -1, -1)
CALL(int, timerfd_create, (clockid_t id, int flags), (id, flags), PIPE, -1, -1)
CALL(int, memfd_create, (const char *name, unsigned flags), (name, flags), PIPE,
    -1, -1)
CALL(int, epoll_create1, (int flags), (flags), PIPE, -1, -1)
CALL(int, dup, (int fd), (fd), PIPE, -1, -1)

/* Only what makes a descriptor fails. */
int
fcntl(int fd, int what, ...)
{
	static int (*next)(int, int, void *);
	va_list rest;
	void *arg;

	NEXT("fcntl");
	va_start(rest, what);
	arg = va_arg(rest, void *);
	va_end(rest);
	if ((what == F_DUPFD || what == F_DUPFD_CLOEXEC) && fails(PIPE, -1))
		return -1;
	return next(fd, what, arg);
}
