#include "relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "process/clock.h"
#include "process/file.h"

/* cmd/kpipe/child/inside.h: called by kpipe for the pipe behind a stage. */
extern void (*inside_relay)(const char *stage, int fds[2]);

const char *const relay_stages[RELAY_STAGES] = {
    "kwatch", "ireconcile", "kapply"};

/* Shared by all processes. */
struct shared {
	_Atomic unsigned lines[RELAY_STAGES];
	_Atomic bool happened[RELAY_FAULTS];
};

struct relay {
	struct shared *shared;
	const struct mishap *faults; /* borrowed */
	size_t count;
	bool counting;
};

/* Of this process, for kpipe, which has nothing to give it by. */
static struct relay *own;

/* ---- a relay ---- */

static size_t
stage_number(struct span name)
{
	size_t n = 0;

	while (n < RELAY_STAGES && !span_is(name, relay_stages[n]))
		n++;
	return n;
}

static void
hold(const struct mishap *f)
{
	uint64_t end = clock_ms() + strtoull(f->arg.p, NULL, 10);

	while (clock_ms() < end)
		clock_wait_fd(-1, 0, end);
}

static void
pass_on(struct span bytes)
{
	if (file_write(1, bytes) != 0)
		_exit(0); /* its reader is gone */
}

/* A line with its end, the n-th. */
static void
pass_line(
    const struct relay *r, struct span stage, unsigned n, struct span line)
{
	bool twice = false;

	for (size_t i = 0; i < r->count; i++) {
		const struct mishap *f = &r->faults[i];

		if (f->kind->way != MISHAP_RELAY || f->at.event != n ||
		    !span_eq(f->at.stage, stage) ||
		    atomic_exchange(&r->shared->happened[i], true))
			continue;
		if (f->kind->act == MISHAP_LINE_HOLD)
			hold(f);
		if (f->kind->act == MISHAP_LINE_TWICE)
			twice = true;
		if (f->kind->act == MISHAP_LINE_CUT) {
			pass_on(span_make(line.p, line.n / 2));
			_exit(0);
		}
	}
	pass_on(line);
	if (twice)
		pass_on(line);
}

_Noreturn static void
work(const struct relay *r, const char *name)
{
	struct span stage = span_str(name);
	size_t number = stage_number(stage);
	struct buf b = BUF_INIT;
	const char *end;
	ssize_t n;

	do {
		clock_wait_fd(0, POLLIN, CLOCK_NEVER);
		n = read(0, buf_reserve(&b, 65536), 65536);
		b.len += n > 0 ? (size_t)n : 0;
		while ((end = span_find(buf_span(&b), '\n')) != NULL) {
			size_t size = (size_t)(end - b.data) + 1;

			pass_line(r, stage,
			    atomic_fetch_add(&r->shared->lines[number], 1) + 1,
			    span_make(b.data, size));
			buf_consume(&b, size);
		}
	} while (n > 0 || (n < 0 && errno == EINTR));
	pass_on(buf_span(&b));
	_exit(0);
}

static bool
is_needed(const struct relay *r, const char *stage)
{
	if (stage_number(span_str(stage)) == RELAY_STAGES)
		return false;
	for (size_t i = 0; i < r->count; i++)
		if (r->faults[i].kind->way == MISHAP_RELAY &&
		    span_is(r->faults[i].at.stage, stage))
			return true;
	return r->counting;
}

static void
become(const char *stage, int in, int out, pid_t parent)
{
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	prctl(PR_SET_NAME, "relay");
	setpgid(0, 0);
	dup2(in, 0);
	dup2(out, 1);
	close_range(3, ~0u, 0);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	work(own, stage);
}

/* The stage writes to the relay, which writes to what was its pipe. */
static void
stand_between(const char *stage, int fds[2])
{
	pid_t parent = getpid(), pid;
	int front[2];

	if (!is_needed(own, stage) || pipe2(front, O_CLOEXEC) != 0)
		return;
	pid = fork();
	if (pid == 0)
		become(stage, front[0], fds[1], parent);
	close(front[0]);
	close(fds[1]);
	fds[1] = front[1];
}

/* ---- outside ---- */

struct relay *
relay_new(void)
{
	struct relay *r = mem_zalloc(sizeof(*r));

	r->shared = mmap(NULL, sizeof(*r->shared), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r->shared == MAP_FAILED)
		abort();
	own = r;
	return r;
}

void
relay_free(struct relay *r)
{
	if (r == NULL)
		return;
	munmap(r->shared, sizeof(*r->shared));
	free(r);
	own = NULL;
	inside_relay = NULL;
}

void
relay_set(
    struct relay *r, const struct mishap *faults, size_t count, bool counting)
{
	bool any = counting;

	for (size_t i = 0; i < count; i++)
		any = any || faults[i].kind->way == MISHAP_RELAY;
	memset(r->shared, 0, sizeof(*r->shared));
	r->faults = faults;
	r->count = count < RELAY_FAULTS ? count : RELAY_FAULTS;
	r->counting = counting;
	own = r;
	inside_relay = any ? stand_between : NULL;
}

bool
relay_has_happened(const struct relay *r, const struct mishap *f)
{
	return r->shared->happened[f - r->faults];
}

unsigned
relay_count(const struct relay *r, size_t n)
{
	return r->shared->lines[n];
}
