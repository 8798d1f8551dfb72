/* Part of program/evaluator.h: the process in which programs run. */
#include "program/evaluator.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/mem.h"
#include "json/jvtext.h"
#include "language/message.h"
#include "program/jvwire.h"
#include "trace/trail.h"

enum {
	ALTSTACK_BYTES = 64 << 10,
	STACK_NEAR = 64 << 10, /* bytes from the stack pointer */
	/* A call with objects longer than INPUT_LARGE gets INPUT_FACTOR bytes
	 * more memory for each byte. */
	INPUT_LARGE = 1 << 20,
	INPUT_FACTOR = 24
};

struct worker {
	/* Input that was read and not used yet, so that a request takes one
	 * system call. */
	struct {
		char bytes[64 << 10];
		size_t at, n;
	} ahead;
	int requests, answers; /* descriptors */
	size_t space_before;   /* at worker_prepare() */
	rlim_t space_now;      /* the limit of the address space */
	size_t objects;	       /* bytes of the objects that are kept */
	int cpu;	       /* the processor that it stays on; -1: any */
	struct arguments_kept kept;
};

/* ---- limits ---- */

/* When memory is out, this leaves libjq at once. */
static void
on_no_memory(void *arg)
{
	(void)arg;
	_exit(WORKER_NO_MEMORY);
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

static void
on_fault(int signo, siginfo_t *info, void *context)
{
	uintptr_t at = (uintptr_t)info->si_addr;
	uintptr_t sp = stack_pointer(context);

	if (at + STACK_NEAR > sp && at < sp + STACK_NEAR)
		_exit(WORKER_NO_STACK);
	/* Returning repeats the fault, now deadly. */
	signal(signo, SIG_DFL);
}

static void
catch_faults(void)
{
	static char altstack[ALTSTACK_BYTES];
	stack_t stack = {.ss_sp = altstack, .ss_size = sizeof(altstack)};
	struct sigaction fault = {.sa_flags = SA_SIGINFO | SA_ONSTACK};

	if (EVALUATOR_ASAN || sigaltstack(&stack, NULL) != 0)
		return;
	fault.sa_sigaction = on_fault;
	sigemptyset(&fault.sa_mask);
	sigaction(SIGSEGV, &fault, NULL);
	sigaction(SIGBUS, &fault, NULL);
}

static size_t
address_space(void)
{
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[64];
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	return strtoull(text, NULL, 10) * (size_t)sysconf(_SC_PAGESIZE);
}

size_t
worker_prepare(void)
{
	catch_faults();
	jv_nomem_handler(on_no_memory, NULL);
	for (uint32_t i = 0; i < evaluator.program_count; i++)
		if (run_find(i) != NULL && run_find(i)->jq != NULL)
			jq_set_nomem_handler(
			    run_find(i)->jq, on_no_memory, NULL);
	/* AddressSanitizer reserves more than any limit. */
	return EVALUATOR_ASAN ? 0 : address_space();
}

/* Half as much again as the program's limit: an array that grows is in memory
 * twice while it is copied. Large objects get extra memory. */
static void
limit_memory(struct worker *w, const struct program *p)
{
	rlim_t most = w->space_before + p->memory_limit + p->memory_limit / 2;
	struct rlimit r;

	if (w->objects > INPUT_LARGE)
		most += w->objects * INPUT_FACTOR;
	if (w->space_before == 0 || most == w->space_now ||
	    getrlimit(RLIMIT_AS, &r) != 0)
		return;
	r.rlim_cur = most > r.rlim_max ? r.rlim_max : most;
	if (setrlimit(RLIMIT_AS, &r) == 0)
		w->space_now = most;
}

/* ---- one call ---- */

/* Appends the text of an error, which may come from users. False: it has only
 * blanks. */
static bool
add_raised(struct buf *b, struct span text)
{
	buf_addspan(b, text);
	for (size_t i = 0; i < b->len; i++)
		if (b->data[i] == '\0')
			b->data[i] = ' ';
	return strspn(buf_str(b), " \t\r\n") < b->len;
}

/* An error of jq or of ours, not of the author: `text` holds no values. */
static enum worker_says
say_place(struct program *p, enum program_call which, const char *text,
    struct buf *out)
{
	const char *absent[3];
	int n = 0;

	if (p->trail == NULL) {
		buf_addf(out, "%s failed: %s", run_name(p, which), text);
		return WORKER_FAILS_SOMEWHERE;
	}
	if (run_has_reads(which)) {
		if (!(p->desired_reads & PROGRAM_READS_OWNED))
			absent[n++] = "owned";
		if (!(p->desired_reads & PROGRAM_READS_NOW))
			absent[n++] = "now";
	}
	absent[n] = NULL;
	trail_say(p->trail, run_name(p, which), text, absent, out);
	return WORKER_FAILS;
}

static enum worker_says
say_error(
    struct program *p, jv invalid, enum program_call which, struct err *err)
{
	jv message = jv_invalid_get_msg(invalid);
	enum worker_says says = WORKER_FAILS;
	struct buf text = BUF_INIT, cut = BUF_INIT;
	bool raised = jv_is_valid(p->raised) &&
	    jv_equal(jv_copy(message), jv_copy(p->raised));

	if (jv_get_kind(message) != JV_KIND_STRING)
		buf_addf(&cut, "error with %s that is not text",
		    jv_kind_name(jv_get_kind(message)));
	else if (!raised)
		message_cut(&cut, jvtext_span(message), &p->source);
	else if (!p->author_raised)
		buf_addspan(&cut, jvtext_span(message));
	else if (!add_raised(&text, jvtext_span(message)))
		buf_adds(&cut, "error without a text");
	if (cut.len > 0) {
		buf_reset(&text);
		says = say_place(p, which, buf_str(&cut), &text);
	}
	err_set(err, ERR_PERMANENT, "%s", buf_str(&text));
	buf_release(&text);
	buf_release(&cut);
	jv_free(message);
	return says;
}

static enum worker_says
judge(struct program *p, jv first, jv second, enum jvtext_size size,
    enum program_call which, struct err *err)
{
	jv failed = jv_is_valid(first) ? second : first;
	const char *function = run_place(p, which);

	if (!jv_is_valid(failed) && jv_invalid_has_msg(jv_copy(failed)))
		return say_error(p, jv_copy(failed), which, err);
	if (jv_is_valid(second))
		err_set(err, ERR_PERMANENT, "%s gives more than one result",
		    function);
	else if (size == JVTEXT_DEEP)
		err_set(err, ERR_PERMANENT,
		    "%s gives a value nested deeper than %d", function,
		    JVTEXT_DEPTH_MAX);
	else if (size == JVTEXT_LONG)
		err_set(err, ERR_PERMANENT,
		    "%s gives a value longer than %d bytes", function,
		    JVTEXT_BYTES_MAX);
	else
		return WORKER_GIVES;
	return WORKER_FAILS;
}

/* Consumes input. The output in *out; empty: no output. */
static enum worker_says
call(struct program *p, jq_state *jq, enum program_call which, jv input,
    struct buf *out, struct err *err)
{
	enum jvtext_size size = JVTEXT_FITS;
	jv first, second = jv_invalid(), whole = jv_object();
	enum worker_says says;

	jv_free(p->raised);
	p->raised = jv_invalid();
	p->running = which;
	whole = jv_object_set(
	    whole, jvtext_key(span_str("call")), jv_number(which));
	whole = jv_object_set(whole, jvtext_key(span_str("input")), input);
	jq_start(jq, whole, 0);
	first = jq_next(jq);
	if (jv_is_valid(first)) {
		size = jvwire_add(out, first);
		second = jq_next(jq);
	}
	says = judge(p, first, second, size, which, err);
	/* Frees the values of the state, in the time of this call. */
	if (jv_is_valid(second))
		jq_start(jq, jv_null(), 0);
	jv_free(first);
	jv_free(second);
	return says;
}

/* Makes a failed call once more, traced: its message says where. */
static enum worker_says
call_traced(struct program *p, enum program_call which, jv input,
    struct buf *out, struct err *err)
{
	struct trail trail;
	enum worker_says says;

	if (p->traced == NULL) {
		if (program_compile_traced(p, err) != 0) {
			jv_free(input);
			return WORKER_FAILS_SOMEWHERE;
		}
		jq_set_nomem_handler(p->traced, on_no_memory, NULL);
	}
	trail_init(&trail, &p->source, jv_copy(input));
	p->trail = &trail;
	says = call(p, p->traced, which, input, out, err);
	p->trail = NULL;
	trail_release(&trail);
	return says;
}

/* Replaces a member that `desired` may not read by true, which has no members,
 * elements or sum: so a read that sees_field() missed fails. */
static jv
poison(jv input, const char *key, bool allowed)
{
	return allowed
	    ? input
	    : jv_object_set(input, jvtext_key(span_str(key)), jv_true());
}

static enum worker_says
answer(struct arguments_kept *kept, struct program *p,
    const struct arguments_head *head, const char *body, struct buf *out,
    struct err *err)
{
	jv input;

	if (p == NULL || p->jq == NULL || head->call >= PROGRAM_CALLS) {
		err_set(err, ERR_BUG, "a call of no program");
		return WORKER_FAILS;
	}
	input = arguments_make(kept, head, body, err);
	if (!jv_is_valid(input))
		return WORKER_FAILS;
	if (run_has_reads(head->call)) {
		unsigned reads = p->desired_reads;

		input = poison(input, "owned", reads & PROGRAM_READS_OWNED);
		input = poison(input, "now", reads & PROGRAM_READS_NOW);
	}
	p->random = head->random;
	if (head->trace)
		return call_traced(p, head->call, input, out, err);
	return call(p, p->jq, head->call, input, out, err);
}

/* ---- requests ---- */

static void
read_all(struct worker *w, void *to, size_t n)
{
	for (char *p = to; n > 0;) {
		size_t there = w->ahead.n - w->ahead.at;

		if (there > n)
			there = n;
		memcpy(p, w->ahead.bytes + w->ahead.at, there);
		w->ahead.at += there;
		p += there;
		n -= there;
		if (n > 0) {
			ssize_t got;

			do
				got = read(w->requests, w->ahead.bytes,
				    sizeof(w->ahead.bytes));
			while (got < 0 && errno == EINTR);
			if (got <= 0)
				_exit(0);
			w->ahead.at = 0;
			w->ahead.n = (size_t)got;
		}
	}
}

static void
write_all(int fd, const char *p, size_t n)
{
	while (n > 0) {
		ssize_t put = write(fd, p, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			_exit(0);
		p += put;
		n -= (size_t)put;
	}
}

/* Moves to the processor of the calling process (see evaluator.c), if
 * possible. */
static void
follow(struct worker *w, int cpu)
{
	cpu_set_t set;

	if (cpu < 0 || cpu >= CPU_SETSIZE || cpu == w->cpu)
		return;
	w->cpu = cpu;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void
serve(struct worker *w, struct program *p, const struct arguments_head *head,
    const char *body)
{
	struct worker_head says = {.says = WORKER_GIVES};
	struct buf out = BUF_INIT;
	struct err err = ERR_INIT;

	if (p != NULL)
		debugs_begin(&p->debugs);
	buf_add(&out, &says, sizeof(says));
	says.says = answer(&w->kept, p, head, body, &out, &err);
	if (says.says != WORKER_GIVES) {
		buf_truncate(&out, sizeof(says));
		buf_adds(&out, err.message);
	}
	if (p != NULL) {
		says.debugs = (uint32_t)p->debugs.lines.len;
		buf_addspan(&out, buf_span(&p->debugs.lines));
	}
	says.n = (uint32_t)(out.len - sizeof(says));
	memcpy(out.data, &says, sizeof(says));
	write_all(w->answers, out.data, out.len);
	buf_release(&out);
}

_Noreturn void
worker_run(int requests_fd, int answers_fd, size_t space)
{
	struct worker *w = mem_zalloc(sizeof(*w));
	struct buf body = BUF_INIT;

	w->requests = requests_fd;
	w->answers = answers_fd;
	w->space_before = space;
	w->cpu = -1;
	for (int i = 0; i < ARGUMENTS_TEXTS; i++)
		w->kept.values[i] = jv_invalid();
	for (;;) {
		struct arguments_head head;
		struct program *p;
		size_t n;

		read_all(w, &head, sizeof(head));
		follow(w, head.cpu);
		n = head.error;
		for (int i = 0; i < ARGUMENTS_TEXTS; i++)
			n += head.n[i];
		w->objects =
		    head.comes & 1u << ARGUMENTS_TEXT_BASE ? n : w->objects + n;
		p = run_find(head.program);
		if (p != NULL)
			limit_memory(w, p);
		buf_reset(&body);
		buf_reserve(&body, n + 1);
		read_all(w, body.data, n);
		serve(w, p, &head, body.data);
		if (body.cap > INPUT_LARGE)
			buf_release(&body);
	}
}
