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

/* Of a line: the n-th of a stage. */
struct line_fault {
	enum mishap_act act; /* MISHAP_NOTHING: none */
	size_t stage;
	unsigned n;
	uint64_t ms;
};

/* Memory that all processes of a world share. */
struct relay {
	struct line_fault faults[RELAY_FAULTS];
	bool counting;
	_Atomic unsigned lines[RELAY_STAGES];
	_Atomic bool happened[RELAY_FAULTS];
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
hold(uint64_t ms)
{
	uint64_t end = clock_ms() + ms;

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
pass_line(struct relay *r, size_t stage, unsigned n, struct span line)
{
	bool twice = false;

	for (size_t i = 0; i < RELAY_FAULTS; i++) {
		const struct line_fault *f = &r->faults[i];

		if (f->act == MISHAP_NOTHING || f->n != n ||
		    f->stage != stage || atomic_exchange(&r->happened[i], true))
			continue;
		if (f->act == MISHAP_LINE_HOLD)
			hold(f->ms);
		if (f->act == MISHAP_LINE_TWICE)
			twice = true;
		if (f->act == MISHAP_LINE_CUT) {
			pass_on(span_make(line.p, line.n / 2));
			_exit(0);
		}
	}
	pass_on(line);
	if (twice)
		pass_on(line);
}

_Noreturn static void
work(struct relay *r, size_t stage)
{
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
			    atomic_fetch_add(&r->lines[stage], 1) + 1,
			    span_make(b.data, size));
			buf_consume(&b, size);
		}
	} while (n > 0 || (n < 0 && errno == EINTR));
	pass_on(buf_span(&b));
	_exit(0);
}

static bool
is_needed(const struct relay *r, size_t stage)
{
	if (stage == RELAY_STAGES)
		return false;
	for (size_t i = 0; i < RELAY_FAULTS; i++)
		if (r->faults[i].act != MISHAP_NOTHING &&
		    r->faults[i].stage == stage)
			return true;
	return r->counting;
}

static void
become(size_t stage, int in, int out, pid_t parent)
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
stand_between(const char *name, int fds[2])
{
	size_t stage = stage_number(span_str(name));
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

void
relay_use(struct relay *r)
{
	own = r;
	inside_relay = stand_between;
}

/* ---- outside ---- */

struct relay *
relay_new(void)
{
	void *r = mmap(NULL, sizeof(struct relay), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (r == MAP_FAILED)
		abort();
	return r;
}

void
relay_free(struct relay *r)
{
	munmap(r, sizeof(*r));
}

void
relay_set(
    struct relay *r, const struct mishap *faults, size_t count, bool counting)
{
	memset(r, 0, sizeof(*r));
	r->counting = counting;
	for (size_t i = 0; i < count && i < RELAY_FAULTS; i++)
		if (faults[i].kind->way == MISHAP_RELAY)
			r->faults[i] = (struct line_fault){faults[i].kind->act,
			    stage_number(faults[i].at.stage),
			    faults[i].at.event,
			    faults[i].arg.n > 0
				? strtoull(faults[i].arg.p, NULL, 10)
				: 0};
}

bool
relay_has_happened(const struct relay *r, size_t i)
{
	return r->happened[i];
}

unsigned
relay_count(const struct relay *r, size_t n)
{
	return r->lines[n];
}
