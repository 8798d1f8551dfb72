// needs cmd/ireconcile/sandbox.c
#include "../../cmd/ireconcile/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* Each runs in a child behind the filter; true is what it shall give. */

static bool
no_open(void)
{
	return open("/etc/passwd", O_RDONLY) == -1 && errno == EPERM;
}

static bool
no_create(void)
{
	return open("/tmp/kpipe-sandbox", O_CREAT | O_WRONLY, 0600) == -1 &&
	    errno == EPERM;
}

static bool
no_unlink(void)
{
	return unlink("/nonexistent/x") == -1 && errno == EPERM;
}

static bool
no_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0) == -1 && errno == EPERM &&
	    socket(AF_UNIX, SOCK_STREAM, 0) == -1 && errno == EPERM;
}

static bool
no_fork(void)
{
	return fork() == -1 && errno == EPERM;
}

static bool
no_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
	return errno == EPERM;
}

static bool
no_kill(void)
{
	return kill(getppid(), 0) == -1 && errno == EPERM;
}

static bool
no_executable_memory(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED &&
	    errno == EPERM;
}

static bool
no_limits_of_others(void)
{
	struct rlimit r;

	return prlimit(getppid(), RLIMIT_NOFILE, NULL, &r) == -1 &&
	    errno == EPERM;
}

static bool
memory(void)
{
	char *small = malloc(100);
	char *large = malloc(64 << 20);
	bool good = small != NULL && large != NULL;

	if (good)
		memset(large, 1, 64 << 20);
	large = realloc(large, 128 << 20);
	good = good && large != NULL && large[(64 << 20) - 1] == 1;
	free(small);
	free(large);
	return good;
}

static volatile sig_atomic_t ticks;

static void
on_tick(int signo)
{
	(void)signo;
	ticks++;
}

static bool
timers(void)
{
	struct itimerval t = {{0, 1000}, {0, 1000}};
	struct rlimit r;

	signal(SIGPROF, on_tick);
	if (setitimer(ITIMER_PROF, &t, NULL) != 0)
		return false;
	while (ticks < 3)
		continue;
	return getrlimit(RLIMIT_AS, &r) == 0 && setrlimit(RLIMIT_AS, &r) == 0;
}

static bool
pipes(void)
{
	return write(STDERR_FILENO, "", 0) == 0;
}

static const struct {
	const char *what;
	bool (*run)(void);
} cases[] = {{"cannot open a file", no_open},
    {"cannot create a file", no_create}, {"cannot remove a file", no_unlink},
    {"cannot make a socket", no_socket}, {"cannot fork", no_fork},
    {"cannot execute", no_exec}, {"cannot send signals", no_kill},
    {"cannot make code", no_executable_memory},
    {"cannot look at others", no_limits_of_others}, {"can use memory", memory},
    {"can use timers and limits", timers}, {"can write", pipes}};

/* 0: as it shall be, 1: not, 2: there is no sandbox. */
static int
run_in_sandbox(bool (*run)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		struct err err = ERR_INIT;

		if (sandbox_enter(&err) != SANDBOX_ON) {
			fprintf(stderr, "# %s\n", err.message);
			_exit(2);
		}
		_exit(run() ? 0 : 1);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool
under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload != NULL && strstr(preload, "valgrind") != NULL;
}

int
main(void)
{
	int result;

	if (under_valgrind()) {
		printf("1..0 # SKIP valgrind makes calls of its own\n");
		return 0;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		result = run_in_sandbox(cases[i].run);
		if (result == 2) {
			printf("1..0 # SKIP no sandbox here\n");
			return 0;
		}
		ok(result == 0, cases[i].what);
	}
	return tap_done();
}
