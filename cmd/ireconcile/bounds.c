#include "bounds.h"

#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
enum { ASAN = 1 };
#else
enum { ASAN = 0 };
#endif

enum {
	STACK_BYTES = 112 << 20, /* Linux keeps 128 MiB free below a stack */
	ALTSTACK_BYTES = 64 << 10,
	TICK_MS = 10,
	GRACE_MS = 200, /* between jq_halt and the jump */
	RANGES_MAX = 4
};

/* Where the code lies that may be left by a jump. */
struct range {
	uintptr_t from, to;
};

static struct {
	struct range code[RANGES_MAX];
	int ranges;
	int statm; /* /proc/self/statm, or -1 */
	bool inited;

	/* of the work that runs */
	jq_state *volatile jq;
	volatile sig_atomic_t running;
	volatile sig_atomic_t end;     /* enum bounds_end, why jq was halted */
	volatile uint64_t used_ms;     /* CPU time of the work */
	volatile uint64_t deadline_ms; /* of jq_halt, then of the jump */
	size_t space_most;	       /* address space at the soft limit */
	size_t resident_before;
	struct rlimit memory_before, memory_during;
	bool memory_limited;
	sigjmp_buf out;
	char altstack[ALTSTACK_BYTES];
} state = {.statm = -1};

static bool
in_code(uintptr_t pc)
{
	for (int i = 0; i < state.ranges; i++)
		if (pc >= state.code[i].from && pc < state.code[i].to)
			return true;
	return false;
}

static uintptr_t
program_counter(const ucontext_t *u)
{
#if defined(__x86_64__)
	return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)u->uc_mcontext.pc;
#else
	(void)u;
	return 0;
#endif
}

static uintptr_t
stack_pointer(const ucontext_t *u)
{
#if defined(__x86_64__)
	return (uintptr_t)u->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	return (uintptr_t)u->uc_mcontext.sp;
#else
	(void)u;
	return 0;
#endif
}

/* Address space and resident memory in bytes; false if they are not known. */
static bool
sizes(size_t *space, size_t *resident)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char text[64];
	char *p = text;
	ssize_t n;

	if (ASAN || state.statm < 0)
		return false;
	n = pread(state.statm, text, sizeof(text) - 1, 0);
	if (n <= 0)
		return false;
	text[n] = '\0';
	*space = strtoull(p, &p, 10) * page;
	*resident = strtoull(p, &p, 10) * page;
	return true;
}

/* jq_halt only assigns, but it must not be called twice. */
static void
halt(enum bounds_end why)
{
	state.end = why;
	state.deadline_ms = state.used_ms + GRACE_MS;
	if (state.jq != NULL)
		jq_halt(state.jq, jv_invalid(), jv_invalid());
}

static void
on_tick(int signo, siginfo_t *info, void *context)
{
	size_t space, resident;

	(void)signo;
	(void)info;
	if (!state.running)
		return;
	state.used_ms += TICK_MS;
	if (state.end == BOUNDS_DONE) {
		if (state.used_ms >= state.deadline_ms)
			halt(BOUNDS_TIME);
		else if (state.memory_limited && sizes(&space, &resident) &&
		    space > state.space_most)
			halt(BOUNDS_MEMORY);
	} else if (state.used_ms >= state.deadline_ms &&
	    in_code(program_counter(context))) {
		siglongjmp(state.out,
		    state.end == BOUNDS_TIME ? BOUNDS_BROKEN_TIME
					     : BOUNDS_BROKEN_MEMORY);
	}
}

static void
on_fault(int signo, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	uintptr_t sp = stack_pointer(context);

	if (state.running && in_code(program_counter(context)) &&
	    at + 65536 > sp && at < sp + 65536)
		siglongjmp(state.out, BOUNDS_BROKEN_STACK);
	/* Returning repeats the fault, now deadly. */
	signal(signo, SIG_DFL);
}

static void
on_no_memory(void *arg)
{
	(void)arg;
	if (state.running)
		siglongjmp(state.out, BOUNDS_BROKEN_MEMORY);
}

static int
find_code(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	if (strstr(info->dlpi_name, "libjq") == NULL &&
	    strstr(info->dlpi_name, "libonig") == NULL)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) ||
		    state.ranges == RANGES_MAX)
			continue;
		state.code[state.ranges].from = info->dlpi_addr + p->p_vaddr;
		state.code[state.ranges++].to =
		    info->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	return 0;
}

static void
catch_signals(void)
{
	struct sigaction tick = {
	    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
	struct sigaction fault = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
	stack_t stack = {.ss_size = ALTSTACK_BYTES};

	tick.sa_sigaction = on_tick;
	sigemptyset(&tick.sa_mask);
	sigaction(SIGPROF, &tick, NULL);
	if (ASAN)
		return;
	stack.ss_sp = state.altstack;
	if (sigaltstack(&stack, NULL) != 0)
		return;
	fault.sa_sigaction = on_fault;
	sigemptyset(&fault.sa_mask);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
}

void
bounds_init(void)
{
	struct rlimit r;

	if (state.inited)
		return;
	state.inited = true;
	dl_iterate_phdr(find_code, NULL);
	catch_signals();
	state.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	/* Deep trees are freed and compared by recursion. */
	if (getrlimit(RLIMIT_STACK, &r) == 0 && r.rlim_cur != RLIM_INFINITY &&
	    r.rlim_cur < STACK_BYTES) {
		r.rlim_cur =
		    r.rlim_max < STACK_BYTES ? r.rlim_max : STACK_BYTES;
		setrlimit(RLIMIT_STACK, &r);
	}
}

static void
limit_memory(size_t more)
{
	struct rlimit *before = &state.memory_before;
	size_t space;

	state.memory_limited = false;
	if (!sizes(&space, &state.resident_before) ||
	    getrlimit(RLIMIT_AS, before) != 0)
		return;
	state.memory_during = *before;
	state.space_most = space + more;
	state.memory_during.rlim_cur = space + 2 * more;
	state.memory_limited =
	    (before->rlim_cur == RLIM_INFINITY ||
		before->rlim_cur > state.memory_during.rlim_cur) &&
	    setrlimit(RLIMIT_AS, &state.memory_during) == 0;
}

void
bounds_pause(void)
{
	if (state.running && state.memory_limited)
		setrlimit(RLIMIT_AS, &state.memory_before);
}

void
bounds_resume(void)
{
	if (state.running && state.memory_limited)
		setrlimit(RLIMIT_AS, &state.memory_during);
}

static void
tick_every(suseconds_t us)
{
	struct itimerval t = {{0, us}, {0, us}};

	setitimer(ITIMER_PROF, &t, NULL);
}

enum bounds_end
bounds_run(const struct bounds *bounds, jq_state *jq, void (*work)(void *arg),
    void *arg)
{
	int left;

	state.jq = jq;
	state.end = BOUNDS_DONE;
	state.used_ms = 0;
	state.deadline_ms = bounds->time_ms;
	left = sigsetjmp(state.out, 1);
	if (left == 0) {
		state.running = 1;
		jv_nomem_handler(on_no_memory, NULL);
		if (jq != NULL)
			jq_set_nomem_handler(jq, on_no_memory, NULL);
		limit_memory(bounds->memory);
		tick_every(TICK_MS * 1000);
		work(arg);
	}
	tick_every(0);
	bounds_pause();
	state.running = 0;
	if (left != 0)
		return (enum bounds_end)left;
	return (enum bounds_end)state.end;
}

size_t
bounds_growth(void)
{
	size_t space, now;

	malloc_trim(0);
	if (!sizes(&space, &now))
		return 0;
	return now > state.resident_before ? now - state.resident_before : 0;
}
