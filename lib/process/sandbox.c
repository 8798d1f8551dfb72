#include "process/sandbox.h"

#include <errno.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

int sandbox_opt;

/* In the order of enum sandbox_mode. */
static const char *const modes[] = {"auto", "required", "off", NULL};

const struct opt sandbox_opt_table[] = {
    {0, "sandbox", "MODE", OPT_CHOICE, &sandbox_opt, modes,
	"auto (warn if there can be none), required, or off"},
    OPT_END};

/* An argument that the kernel takes as an int: the upper half says nothing. */
#define INT_BITS UINT64_C(0xffffffff)

/* Flags of clone for a process or a thread, and flags that are forbidden. The
 * lowest eight bits are a signal. */
#define THREAD_FLAGS ((uint64_t)(CLONE_VM | CLONE_SIGHAND | CLONE_THREAD))
#define NAMESPACE_FLAGS                                            \
	((uint64_t)(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | \
	    CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET))
#define FORK_FLAGS                                              \
	((uint64_t)(CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | \
	    CLONE_PARENT_SETTID | 0xff))

#ifdef __s390__
enum { CLONE_ARGUMENT = 1 };
#else
enum { CLONE_ARGUMENT = 0 };
#endif

const struct sandbox_rule sandbox_compute[] = {
    SANDBOX_ALLOW("brk munmap mremap madvise futex"),
    SANDBOX_NO_CODE("mmap mprotect"),
    SANDBOX_ALLOW("clock_gettime gettimeofday clock_nanosleep nanosleep"),
    SANDBOX_ALLOW("rt_sigprocmask rt_sigreturn rt_sigaction sigaltstack"),
    SANDBOX_ALLOW("restart_syscall getrandom getpid gettid sched_yield"),
    SANDBOX_ALLOW("sched_getaffinity sysinfo getrlimit setrlimit"),
    SANDBOX_ALLOW("exit exit_group"), SANDBOX_RULE("prlimit64", SANDBOX_SELF),
    SANDBOX_RULE("tgkill", SANDBOX_SELF), /* abort() */
    SANDBOX_END};

const struct sandbox_rule sandbox_descriptors[] = {
    SANDBOX_ALLOW("read write readv writev pread64 lseek fstat close fcntl"),
    SANDBOX_ALLOW("epoll_wait epoll_pwait epoll_pwait2 epoll_ctl"),
    SANDBOX_ALLOW("poll ppoll timerfd_create timerfd_settime"), SANDBOX_END};

const struct sandbox_rule sandbox_narrower[] = {
    SANDBOX_WHERE("prctl", 0, INT_BITS, PR_SET_NO_NEW_PRIVS),
    SANDBOX_WHERE("seccomp", 0, INT_BITS, SECCOMP_SET_MODE_FILTER),
    SANDBOX_WHERE("seccomp", 0, INT_BITS, SECCOMP_GET_ACTION_AVAIL),
    SANDBOX_END};

static int
allow_if(scmp_filter_ctx filter, int call, unsigned argument, uint64_t mask,
    uint64_t value)
{
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1,
	    SCMP_CMP64(argument, SCMP_CMP_MASKED_EQ, mask, value));
}

static int
add_call(scmp_filter_ctx filter, const struct sandbox_rule *r, int call)
{
	uint64_t self = (uint64_t)getpid();

	switch (r->when) {
	case SANDBOX_ALWAYS:
		break;
	case SANDBOX_IF:
		return allow_if(filter, call, r->argument, r->mask, r->value);
	case SANDBOX_SELF:
		if (allow_if(filter, call, 0, INT_BITS, 0) != 0)
			return -EINVAL;
		return allow_if(filter, call, 0, INT_BITS, self);
	case SANDBOX_FORK:
		return allow_if(
		    filter, call, CLONE_ARGUMENT, INT_BITS & ~FORK_FLAGS, 0);
	case SANDBOX_THREAD:
		return allow_if(filter, call, CLONE_ARGUMENT,
		    THREAD_FLAGS | NAMESPACE_FLAGS, THREAD_FLAGS);
	case SANDBOX_ABSENT:
		return seccomp_rule_add(
		    filter, SCMP_ACT_ERRNO(ENOSYS), call, 0);
	}
	return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
}

static int
add_rule(scmp_filter_ctx filter, const struct sandbox_rule *r, struct err *err)
{
	for (const char *p = r->calls; *p != '\0'; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");
		char name[32];
		int call;

		if (n >= sizeof(name))
			return err_set(err, ERR_BUG, "no call: %s", p);
		memcpy(name, p, n);
		name[n] = '\0';
		p += n;
		/* A negative number: of other architectures only. */
		call = seccomp_syscall_resolve_name(name);
		if (call == __NR_SCMP_ERROR ||
		    (call >= 0 && add_call(filter, r, call) != 0))
			return err_set(err, ERR_BUG,
			    "libseccomp does not take the call %s", name);
	}
	return 0;
}

static int
prepare(scmp_filter_ctx filter, struct err *err)
{
	/* A binary tree: a list of comparisons costs its length. */
	if (filter != NULL &&
	    seccomp_attr_set(
		filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
	    seccomp_attr_set(filter, SCMP_FLTATR_API_SYSRAWRC, 1) == 0 &&
	    seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 &&
	    seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0)
		return 0;
	return err_set(err, ERR_PERMANENT, "the kernel has no seccomp");
}

static int
enter(scmp_filter_ctx filter, const struct sandbox_rule *const *lists,
    struct err *err)
{
	int rc;

	if (prepare(filter, err) != 0)
		return -1;
	for (; *lists != NULL; lists++)
		for (const struct sandbox_rule *r = *lists; r->calls != NULL;
		     r++)
			if (add_rule(filter, r, err) != 0)
				return -1;
	rc = seccomp_load(filter);
	if (rc == 0)
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "the kernel does not take a seccomp filter: %s", strerror(-rc));
}

/* Without memory libseccomp crashes, or loads a filter that lacks rules: so it is
 * not called then. */
static int
look_for_memory(struct err *err)
{
	enum { NEEDED = 512 * 1024 };
	void *p = mmap(NULL, NEEDED, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return err_set(err, ERR_TRANSIENT, "out of memory");
	munmap(p, NEEDED);
	return 0;
}

enum sandbox_result
sandbox_enter(const struct sandbox_rule *const *lists, enum sandbox_mode mode,
    struct err *err)
{
	scmp_filter_ctx filter = NULL;
	int rc;

	/* A build with sanitizers has none, on purpose. */
	if (mode == SANDBOX_UNWANTED || (SANITIZED && mode == SANDBOX_AUTO))
		return SANDBOX_OFF;
	if (SANITIZED) {
		rc = err_set(err, ERR_PERMANENT, "this build has sanitizers");
	} else if ((rc = look_for_memory(err)) == 0) {
		filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
		rc = enter(filter, lists, err);
		seccomp_release(filter);
	}
	if (rc == 0)
		return SANDBOX_ON;
	err_prefix(err, "there is no sandbox");
	if (mode == SANDBOX_REQUIRED)
		err_prefix(err, "option --sandbox=required");
	return mode == SANDBOX_REQUIRED || err->kind != ERR_PERMANENT
	    ? SANDBOX_FAILED
	    : SANDBOX_NONE;
}
