/*
 * Time between two steps, preloaded into all that a test starts (t/flaky): in
 * every process now and then a pause of up to $JITTER milliseconds, where it
 * begins, forks, ends, or does what others see. A race that is rarely lost is
 * lost in one of a few runs then. The pause sleeps, so that it costs no
 * processor time; not on a virtual clock, which would think it idle.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The function behind ours; no prototype says that it may be one of data. */
#define NEXT(name) (*(void **)&next = dlsym(RTLD_NEXT, name))

/* Another number in each process, and each time. */
static uint64_t
draw(void)
{
	static uint64_t state;
	uint64_t x;

	x = state += 0x9e3779b97f4a7c15 +
	    ((uint64_t)getpid() << 32 | (uint32_t)syscall(SYS_gettid));
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/* One time in so many; most pauses are short. */
static void
pause_now_and_then(unsigned one_in)
{
	const char *most = getenv("JITTER");
	uint64_t x = draw();
	struct timespec t = {0};
	int saved = errno;
	long ns;

	if (most == NULL || getenv("KPIPE_CLOCK") != NULL || x % one_in != 0)
		return;
	ns = (long)((double)(x >> 11) / (double)(1ULL << 53) *
	    strtod(most, NULL) * 1e6);
	if (x >> 8 & 3)
		ns /= 16;
	t.tv_sec = ns / 1000000000;
	t.tv_nsec = ns % 1000000000;
	/* A sandbox may forbid it: then nothing pauses. */
	while (syscall(SYS_nanosleep, &t, &t) == -1 && errno == EINTR)
		continue;
	errno = saved;
}

__attribute__((constructor)) static void
begin(void)
{
	pause_now_and_then(4);
}

__attribute__((destructor)) static void
end(void)
{
	pause_now_and_then(4);
}

void
_exit(int code)
{
	pause_now_and_then(4);
	for (;;)
		syscall(SYS_exit_group, code);
}

pid_t
fork(void)
{
	pid_t (*next)(void);
	pid_t pid;

	NEXT("fork");
	if ((pid = next()) != -1)
		pause_now_and_then(4);
	return pid;
}

pid_t
waitpid(pid_t pid, int *status, int options)
{
	pid_t (*next)(pid_t, int *, int);
	pid_t ended;

	NEXT("waitpid");
	if ((ended = next(pid, status, options)) > 0)
		pause_now_and_then(4);
	return ended;
}

int
kill(pid_t pid, int signo)
{
	int (*next)(pid_t, int), code;

	NEXT("kill");
	pause_now_and_then(3);
	code = next(pid, signo);
	pause_now_and_then(3);
	return code;
}

int
openat(int dir, const char *name, int flags, ...)
{
	int (*next)(int, const char *, int, mode_t);
	va_list rest;
	mode_t mode;

	va_start(rest, flags);
	mode = va_arg(rest, mode_t);
	va_end(rest);
	NEXT("openat");
	if (flags & (O_WRONLY | O_RDWR))
		pause_now_and_then(4);
	return next(dir, name, flags, mode);
}

int
open(const char *name, int flags, ...)
{
	va_list rest;
	mode_t mode;

	va_start(rest, flags);
	mode = va_arg(rest, mode_t);
	va_end(rest);
	return openat(AT_FDCWD, name, flags, mode);
}

int
open64(const char *name, int flags, ...)
{
	va_list rest;
	mode_t mode;

	va_start(rest, flags);
	mode = va_arg(rest, mode_t);
	va_end(rest);
	return openat(AT_FDCWD, name, flags | O_LARGEFILE, mode);
}

int
rename(const char *from, const char *to)
{
	int (*next)(const char *, const char *);

	NEXT("rename");
	pause_now_and_then(3);
	return next(from, to);
}

int
unlink(const char *name)
{
	int (*next)(const char *);

	NEXT("unlink");
	pause_now_and_then(3);
	return next(name);
}

ssize_t
write(int fd, const void *data, size_t size)
{
	ssize_t (*next)(int, const void *, size_t);

	NEXT("write");
	pause_now_and_then(8);
	return next(fd, data, size);
}

ssize_t
writev(int fd, const struct iovec *parts, int count)
{
	ssize_t (*next)(int, const struct iovec *, int);

	NEXT("writev");
	pause_now_and_then(8);
	return next(fd, parts, count);
}

int
connect(int fd, const struct sockaddr *address, socklen_t size)
{
	int (*next)(int, const struct sockaddr *, socklen_t);

	NEXT("connect");
	pause_now_and_then(4);
	return next(fd, address, size);
}

int
accept4(int fd, struct sockaddr *address, socklen_t *size, int flags)
{
	int (*next)(int, struct sockaddr *, socklen_t *, int);

	NEXT("accept4");
	pause_now_and_then(4);
	return next(fd, address, size, flags);
}

ssize_t
send(int fd, const void *data, size_t size, int flags)
{
	ssize_t (*next)(int, const void *, size_t, int);

	NEXT("send");
	pause_now_and_then(8);
	return next(fd, data, size, flags);
}

ssize_t
recv(int fd, void *data, size_t size, int flags)
{
	ssize_t (*next)(int, void *, size_t, int);

	NEXT("recv");
	pause_now_and_then(8);
	return next(fd, data, size, flags);
}
