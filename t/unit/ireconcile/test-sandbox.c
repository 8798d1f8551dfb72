#include "base/array.h"
#include "process/sandbox.h"
#include "program/program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"

/* Each runs in a child behind the filter and must return true. */

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

static bool
limits_and_clocks(void)
{
	struct timespec t;
	struct rlimit r;
	clockid_t clock;

	return getrlimit(RLIMIT_AS, &r) == 0 && setrlimit(RLIMIT_AS, &r) == 0 &&
	    clock_getcpuclockid(getppid(), &clock) == 0 &&
	    clock_gettime(clock, &t) == 0;
}

static bool
pipes(void)
{
	return write(STDERR_FILENO, "", 0) == 0;
}

/* getpid() as a 32-bit program calls it. */
static bool
foreign(void)
{
#ifdef __x86_64__
	long nr = 20;

	__asm__ volatile("int $0x80" : "+a"(nr) : : "memory");
#else
	raise(SIGSYS);
#endif
	return false;
}

static bool
aborts(void)
{
	abort(); /* with its own signal */
}

/* ---- conditions on arguments ---- */

static bool
child_ends(void)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(7);
	return child > 0 && waitpid(child, &status, 0) == child &&
	    WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static bool
forks(void)
{
	return child_ends() &&
	    syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0) == -1 &&
	    errno == EPERM &&
	    syscall(SYS_clone, CLONE_FILES | SIGCHLD, 0, 0, 0, 0) == -1 &&
	    errno == EPERM;
}

static void *
tick(void *arg)
{
	(void)arg;
	ticks++;
	return NULL;
}

static bool
threads(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, tick, NULL) == 0 &&
	    pthread_join(thread, NULL) == 0 && ticks == 1 && no_fork();
}

static bool
only_pipes(void)
{
	int fds[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, fds) == 0 &&
	    socketpair(AF_INET, SOCK_STREAM, 0, fds) == -1 && errno == EPERM;
}

static bool
narrower(void)
{
	struct err err = ERR_INIT;

	return sandbox_enter(program_sandbox, SANDBOX_REQUIRED, &err) ==
	    SANDBOX_ON &&
	    no_socket() && write(STDERR_FILENO, "", 0) == 0;
}

static const struct sandbox_rule may_fork[] = {
    SANDBOX_RULE("clone", SANDBOX_FORK), SANDBOX_RULE("clone3", SANDBOX_ABSENT),
    SANDBOX_ALLOW("wait4 set_robust_list"), SANDBOX_END};
static const struct sandbox_rule may_thread[] = {
    SANDBOX_RULE("clone", SANDBOX_THREAD),
    SANDBOX_RULE("clone3", SANDBOX_ABSENT),
    SANDBOX_ALLOW("set_robust_list rseq"), SANDBOX_END};
static const struct sandbox_rule may_pair[] = {
    SANDBOX_WHERE("socketpair", 0, UINT32_MAX, AF_UNIX), SANDBOX_END};

static const struct sandbox_rule *const forking[] = {
    sandbox_compute, may_fork, NULL};
static const struct sandbox_rule *const threading[] = {
    sandbox_compute, may_thread, NULL};
static const struct sandbox_rule *const pairing[] = {
    sandbox_compute, may_pair, NULL};
static const struct sandbox_rule *const narrowing[] = {
    sandbox_compute, sandbox_descriptors, sandbox_narrower, NULL};

static const struct {
	const char *what;
	bool (*run)(void);
	const struct sandbox_rule *const *lists;
	int signal; /* the filter ends it */
} cases[] = {{"cannot open a file", no_open, program_sandbox, 0},
    {"cannot create a file", no_create, program_sandbox, 0},
    {"cannot remove a file", no_unlink, program_sandbox, 0},
    {"cannot make a socket", no_socket, program_sandbox, 0},
    {"cannot fork", no_fork, program_sandbox, 0},
    {"cannot execute", no_exec, program_sandbox, 0},
    {"cannot send signals", no_kill, program_sandbox, 0},
    {"cannot make code", no_executable_memory, program_sandbox, 0},
    {"cannot look at others", no_limits_of_others, program_sandbox, 0},
    {"cannot leave by another architecture", foreign, program_sandbox, SIGSYS},
    {"can use memory", memory, program_sandbox, 0},
    {"can use limits, and clocks of others", limits_and_clocks, program_sandbox,
	0},
    {"can write", pipes, program_sandbox, 0},
    {"can abort", aborts, program_sandbox, SIGABRT},
    {"SANDBOX_FORK: a process, no namespace", forks, forking, 0},
    {"SANDBOX_THREAD: a thread, no process", threads, threading, 0},
    {"SANDBOX_WHERE: by an argument", only_pipes, pairing, 0},
    {"sandbox_narrower: a second one on top", narrower, narrowing, 0}};

enum { GOOD, WRONG, NO_SANDBOX };

static int
run_in_sandbox(bool (*run)(void), const struct sandbox_rule *const *lists)
{
	struct err err = ERR_INIT;

	if (sandbox_enter(lists, SANDBOX_AUTO, &err) == SANDBOX_ON)
		return run() ? GOOD : WRONG;
	fprintf(stderr, "# %s\n", err.message);
	return NO_SANDBOX;
}

static int
run_case(size_t i)
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(run_in_sandbox(cases[i].run, cases[i].lists));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return WRONG;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SANDBOX)
		return NO_SANDBOX;
	if (cases[i].signal != 0)
		return WIFSIGNALED(status) &&
			WTERMSIG(status) == cases[i].signal
		    ? GOOD
		    : WRONG;
	return WIFEXITED(status) ? WEXITSTATUS(status) : WRONG;
}

/* ---- a kernel without a sandbox ---- */

/* Behind a filter that forbids to install another one. */
static bool
none(void)
{
	struct err err = ERR_INIT;
	bool good;

	good = sandbox_enter(program_sandbox, SANDBOX_AUTO, &err) ==
		SANDBOX_NONE &&
	    strncmp(err.message, "there is no sandbox: ", 21) == 0;
	good = good &&
	    sandbox_enter(program_sandbox, SANDBOX_REQUIRED, &err) ==
		SANDBOX_FAILED &&
	    strncmp(err.message, "option --sandbox=required: ", 27) == 0 &&
	    err.kind == ERR_PERMANENT;
	return good &&
	    sandbox_enter(program_sandbox, SANDBOX_UNWANTED, &err) ==
	    SANDBOX_OFF;
}

/* A misspelt name must not silently count as a refused call. */
static bool
unknown(void)
{
	static const struct sandbox_rule wrong[] = {
	    SANDBOX_ALLOW("read wriet"), SANDBOX_END};
	static const struct sandbox_rule *const lists[] = {wrong, NULL};
	struct err err = ERR_INIT;

	return sandbox_enter(lists, SANDBOX_AUTO, &err) == SANDBOX_FAILED &&
	    err.kind == ERR_BUG && strstr(err.message, "wriet") != NULL;
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
	if (under_valgrind()) {
		printf("1..0 # SKIP valgrind makes calls of its own\n");
		return 0;
	}
	if (run_case(0) == NO_SANDBOX) {
		printf("1..0 # SKIP no sandbox here\n");
		return 0;
	}
	for (size_t i = 0; i < COUNT(cases); i++)
		ok(run_case(i) == GOOD, cases[i].what);
	ok(unknown(), "a name that is not a call is a bug");
	ok(run_in_sandbox(none, program_sandbox) == GOOD,
	    "none: a warning, required: an error, off: nothing");
	return tap_done();
}
