#include "sandbox.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__x86_64__)
enum { ARCH = AUDIT_ARCH_X86_64 };
#elif defined(__aarch64__)
enum { ARCH = AUDIT_ARCH_AARCH64 };
#else
enum { ARCH = 0 };
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

/* The frequent ones first: each costs a comparison. Those of older interfaces
 * do not exist on every architecture. */
static const int allowed[] = {SYS_read, SYS_write, SYS_epoll_pwait,
#ifdef SYS_epoll_wait
    SYS_epoll_wait,
#endif
    SYS_clock_gettime, SYS_epoll_ctl, SYS_setitimer,
#ifdef SYS_getrlimit
    SYS_getrlimit, SYS_setrlimit,
#endif
    SYS_pread64, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_brk, SYS_munmap,
    SYS_mremap, SYS_madvise, SYS_futex, SYS_readv, SYS_writev, SYS_ppoll,
#ifdef SYS_poll
    SYS_poll,
#endif
#ifdef SYS_epoll_pwait2
    SYS_epoll_pwait2,
#endif
    SYS_close, SYS_fcntl, SYS_lseek, SYS_fstat, SYS_getrandom, SYS_gettimeofday,
    SYS_clock_nanosleep, SYS_nanosleep, SYS_timer_create, SYS_timer_settime,
    SYS_timer_delete, SYS_timerfd_settime, SYS_rt_sigaction, SYS_sigaltstack,
    SYS_getpid, SYS_gettid, SYS_sched_yield, SYS_sched_getaffinity, SYS_sysinfo,
    SYS_restart_syscall, SYS_exit, SYS_exit_group};
enum { ALLOWED = sizeof(allowed) / sizeof(allowed[0]) };

struct filter {
	struct sock_filter code[4 * ALLOWED + 40];
	unsigned short n;
};

static void
add(struct filter *f, unsigned code, unsigned k, unsigned yes, unsigned no)
{
	f->code[f->n++] = (struct sock_filter){
	    (unsigned short)code, (unsigned char)yes, (unsigned char)no, k};
}

static void
load(struct filter *f, size_t offset)
{
	add(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void
give(struct filter *f, unsigned action)
{
	add(f, BPF_RET | BPF_K, action, 0, 0);
}

/* The low half of an argument; both architectures are little-endian. */
static size_t
arg(int i)
{
	return offsetof(struct seccomp_data, args) + 8 * (size_t)i;
}

/* Memory, but none that is executable. */
static void
allow_memory(struct filter *f, int call)
{
	add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4);
	load(f, arg(2));
	add(f, BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0);
	give(f, SECCOMP_RET_ALLOW);
	give(f, SECCOMP_RET_ERRNO | EPERM);
}

/* Only about ourselves: the first argument says whom. */
static void
allow_about(struct filter *f, int call, unsigned whom)
{
	add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4);
	load(f, arg(0));
	add(f, BPF_JMP | BPF_JEQ | BPF_K, whom, 0, 1);
	give(f, SECCOMP_RET_ALLOW);
	give(f, SECCOMP_RET_ERRNO | EPERM);
}

static void
build(struct filter *f)
{
	load(f, offsetof(struct seccomp_data, arch));
	add(f, BPF_JMP | BPF_JEQ | BPF_K, ARCH, 1, 0);
	give(f, SECCOMP_RET_KILL_PROCESS);
	load(f, offsetof(struct seccomp_data, nr));
	for (int i = 0; i < ALLOWED; i++) {
		add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)allowed[i], 0, 1);
		give(f, SECCOMP_RET_ALLOW);
	}
	allow_memory(f, SYS_mmap);
	allow_memory(f, SYS_mprotect);
	allow_about(f, SYS_prlimit64, 0);
	allow_about(f, SYS_tgkill, (unsigned)getpid()); /* abort() */
	give(f, SECCOMP_RET_ERRNO | EPERM);
}

enum sandbox_result
sandbox_enter(struct err *err)
{
	struct filter f = {.n = 0};
	struct sock_fprog program = {0, f.code};

	if (ARCH == 0 || SANITIZED) {
		err_set(err, ERR_PERMANENT, "no sandbox: %s",
		    SANITIZED ? "this build has sanitizers"
			      : "this architecture is not known");
		return SANDBOX_UNAVAILABLE;
	}
	build(&f);
	program.len = f.n;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
		err_set(err, ERR_PERMANENT, "cannot give up new privileges: %s",
		    strerror(errno));
		return SANDBOX_FAILED;
	}
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0)
		return SANDBOX_ON;
	err_set(err, ERR_PERMANENT, "cannot set the seccomp filter: %s",
	    strerror(errno));
	return errno == EINVAL ? SANDBOX_UNAVAILABLE : SANDBOX_FAILED;
}
