#include "access/access_calls.h"
#include "base/array.h"
#include "process/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* Each runs in a child behind the filter and must return true. */

static bool
refused(long result)
{
	return result == -1 && errno == EPERM;
}

static bool
nothing_runs(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno == EPERM && refused(fork()) &&
#ifdef SYS_vfork /* not on arm64 */
	    refused(syscall(SYS_vfork)) &&
#endif
	    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
		-1, 0) == MAP_FAILED;
}

static bool
nobody_else(void)
{
	char byte;
	struct iovec v = {&byte, 1};

	return refused(kill(getppid(), 0)) &&
	    refused(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL)) &&
	    refused(process_vm_readv(getppid(), &v, 1, &v, 1, 0)) &&
	    refused(process_vm_writev(getppid(), &v, 1, &v, 1, 0));
}

static bool
no_writing(void)
{
	static const int flags[] = {O_WRONLY, O_RDWR, O_RDONLY | O_CREAT,
	    O_RDONLY | O_TRUNC, O_TMPFILE | O_RDWR};

	for (size_t i = 0; i < COUNT(flags); i++)
		if (!refused(open("/tmp/kpipe-none", flags[i], 0600)))
			return false;
	return refused(unlink("/tmp/kpipe-none")) &&
	    refused(mkdir("/tmp/kpipe-none", 0700)) &&
	    refused(rename("/tmp/kpipe-none", "/tmp/kpipe-nothing")) &&
	    refused(chmod("/tmp", 0700)) && refused(truncate("/dev/null", 0));
}

static bool
reads(void)
{
	int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	int dir = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;
	char byte;

	return fd >= 0 && read(fd, &byte, 1) == 1 && dir >= 0 &&
	    stat("/proc/self/fd", &st) == 0 && close(fd) == 0;
}

static bool
no_sockets(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(1)};

	return refused(socket(AF_INET, SOCK_STREAM, 0)) &&
	    refused(connect(0, (struct sockaddr *)&to, sizeof(to)));
}

static bool
no_odd_sockets(void)
{
	return refused(socket(AF_UNIX, SOCK_STREAM, 0)) &&
	    refused(socket(AF_PACKET, SOCK_RAW, 0)) &&
	    refused(socket(AF_NETLINK, SOCK_RAW, 0));
}

static void *
nothing(void *arg)
{
	return arg;
}

/* libcurl looks up a name with a thread, and a socket of the resolver. */
static bool
asks(void)
{
	pthread_t thread;
	int fd;

	if (pthread_create(&thread, NULL, nothing, NULL) != 0 ||
	    pthread_join(thread, NULL) != 0)
		return false;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return fd >= 0 && close(fd) == 0 &&
	    socket(AF_INET6, SOCK_STREAM, 0) >= 0;
}

static const struct {
	const char *what;
	bool (*run)(void);
	const struct sandbox_rule *const *lists;
} cases[] = {{"serving: nothing runs", nothing_runs, access_serves_files},
    {"... no other process is reached", nobody_else, access_serves_files},
    {"... nothing is written", no_writing, access_serves_files},
    {"... what is there is read", reads, access_serves_files},
    {"... no server is called", no_sockets, access_serves_files},
    {"... and by nothing odd", no_odd_sockets, access_serves_files},
    {"asking: nothing runs", nothing_runs, access_asks},
    {"... no other process is reached", nobody_else, access_asks},
    {"... nothing is written", no_writing, access_asks},
    {"... what is there is read", reads, access_asks},
    {"... a server is looked up and called", asks, access_asks},
    {"... by nothing odd", no_odd_sockets, access_asks}};

enum { GOOD, WRONG, NO_SANDBOX };

static int
run_case(size_t i)
{
	struct err err = ERR_INIT;
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (sandbox_enter(cases[i].lists, SANDBOX_AUTO, &err) !=
		    SANDBOX_ON)
			_exit(NO_SANDBOX);
		_exit(cases[i].run() ? GOOD : WRONG);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return WRONG;
	return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

int
main(void)
{
	const char *preload = getenv("LD_PRELOAD");

	if (preload != NULL && strstr(preload, "valgrind") != NULL) {
		printf("1..0 # SKIP valgrind makes calls of its own\n");
		return 0;
	}
	if (run_case(0) == NO_SANDBOX) {
		printf("1..0 # SKIP no sandbox here\n");
		return 0;
	}
	for (size_t i = 0; i < COUNT(cases); i++)
		ok(run_case(i) == GOOD, cases[i].what);
	return tap_done();
}
