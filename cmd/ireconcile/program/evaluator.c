#include "program/evaluator.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "process/file.h"
#include "process/log.h"
#include "program/jvwire.h"

/* Of no process: clock_gettime refuses it. */
static const clockid_t NO_CLOCK = -1;

enum {
	PIPE_BYTES = 1 << 20,  /* most requests fit as a whole */
	BUF_KEPT = 1 << 20,    /* longer buffers are freed after a call */
	RETIRE_US = 50 * 1000, /* a call that long may have left much behind */
	LOOK_MS = 10,	       /* shortest wait between looks at the CPU time */
	STAY_CALLS = 64 /* calls on one processor, even if others are idle */
};

struct evaluator evaluator = {.control = -1, .cpu = -1};

/* ---- start and end ---- */

static void
close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void
forget_kept(void)
{
	memset(evaluator.kept, 0, sizeof(evaluator.kept));
}

void
evaluator_stop(void)
{
	if (evaluator.control < 0)
		return;
	close_fd(&evaluator.control);
	close_fd(&evaluator.request_to);
	close_fd(&evaluator.request_from);
	close_fd(&evaluator.answer_to);
	close_fd(&evaluator.answer_from);
	/* In a sandbox this process cannot wait for the fork server, which ends
	 * when it sees our end. */
	if (evaluator.forkserver > 0)
		waitpid(evaluator.forkserver, NULL, 0);
	buf_release(&evaluator.request);
	buf_release(&evaluator.answer);
	evaluator.ended_us += evaluator.worker_us;
	evaluator.worker_us = 0;
	forget_kept();
	evaluator.started = 0;
	evaluator.worker = 0;
	evaluator.retiring = false;
}

static int
make_pipe(int *from, int *to)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return -1;
	*from = fds[0];
	*to = fds[1];
	fcntl(fds[0], F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

int
evaluator_fd(void)
{
	return evaluator.control;
}

/* ---- the fork server ---- */

/* read() that goes on after signals. */
static ssize_t
read_some(int fd, void *p, size_t n)
{
	ssize_t done;

	do
		done = read(fd, p, n);
	while (done < 0 && errno == EINTR);
	return done;
}

/* Reads a report. False: the fork server has ended, and is not started again.
 * If the fork server has not read an order, the read fails once (ECONNRESET)
 * before its last reports come. */
static bool
next_report(struct forkserver_report *r)
{
	ssize_t n;

	do
		n = read_some(evaluator.control, r, sizeof(*r));
	while (n < 0 && errno == ECONNRESET);
	if (n == (ssize_t)sizeof(*r) && r->says != FORKSERVER_FAILED)
		return true;
	if (n == (ssize_t)sizeof(*r))
		log_error("the process that starts evaluations fails: %s",
		    strerror(r->status));
	evaluator.worker = 0;
	return false;
}

static bool
order(enum forkserver_order what)
{
	char c = (char)what;

	return file_write(evaluator.control, span_make(&c, 1)) == 0;
}

static bool
end_worker(void)
{
	evaluator.told = order(FORKSERVER_KILL);
	return evaluator.told;
}

/* Drops what the worker has not read; there is no other reader now. */
static size_t
drain(void)
{
	struct pollfd p = {evaluator.request_from, POLLIN, 0};
	char rest[4096];
	size_t unread = 0;
	ssize_t n;

	while (poll(&p, 1, 0) > 0 &&
	    (n = read_some(evaluator.request_from, rest, sizeof(rest))) > 0)
		unread += (size_t)n;
	while (read_some(evaluator.answer_from, rest, sizeof(rest)) > 0)
		continue;
	return unread;
}

static bool
is_killed(int status)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

struct evaluator_kills
evaluator_kills(void)
{
	return evaluator.kills;
}

static void
worker_ended(const struct forkserver_report *r)
{
	if (!evaluator.told && is_killed(r->status)) {
		evaluator.kills.count++;
		evaluator.kills.peak_kib = (uint64_t)r->peak_kib;
	}
	evaluator.worker = 0;
	evaluator.retiring = false;
	evaluator.worker_us = 0;
	evaluator.ended_us += (uint64_t)r->cpu_us;
	forget_kept();
}

static bool
worker_wait_end(void)
{
	struct forkserver_report r;

	while (evaluator.worker > 0) {
		if (!next_report(&r))
			return false;
		if (r.says == FORKSERVER_ENDED)
			worker_ended(&r);
	}
	return true;
}

static bool
worker_needed(void)
{
	struct forkserver_report r;

	if (evaluator.retiring && !worker_wait_end())
		return false;
	if (evaluator.worker > 0)
		return true;
	drain();
	order(FORKSERVER_FORK);
	do {
		if (!next_report(&r))
			return false;
	} while (r.says != FORKSERVER_FORKED);
	if (r.pid <= 0)
		return false;
	/* It has ended already, which the next report says: its time stands. */
	if (clock_getcpuclockid(r.pid, &evaluator.clock) != 0)
		evaluator.clock = NO_CLOCK;
	evaluator.worker = r.pid;
	evaluator.fresh = true;
	evaluator.killed = evaluator.told = false;
	return true;
}

bool
evaluator_look(void)
{
	struct forkserver_report r;

	if (!next_report(&r))
		return false;
	if (r.says != FORKSERVER_ENDED || r.pid != evaluator.worker)
		return true;
	worker_ended(&r);
	return worker_needed();
}

int
evaluator_start(enum sandbox_mode mode, struct err *err)
{
	struct forkserver_conf conf = {.parent = getpid(), .mode = mode};
	int control[2];

	evaluator_stop();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) !=
		0 ||
	    make_pipe(&evaluator.request_from, &evaluator.request_to) != 0 ||
	    make_pipe(&evaluator.answer_from, &evaluator.answer_to) != 0)
		return err_set(err, ERR_TRANSIENT, "cannot make a pipe: %s",
		    strerror(errno));
	evaluator.control = control[0];
	conf.control = control[1];
	conf.requests = evaluator.request_from;
	conf.answers = evaluator.answer_to;
	evaluator.forkserver = fork();
	if (evaluator.forkserver == 0)
		forkserver_run(&conf);
	close(control[1]);
	close_fd(&evaluator.answer_to);
	if (evaluator.forkserver < 0)
		return err_set(
		    err, ERR_TRANSIENT, "cannot fork: %s", strerror(errno));
	fcntl(evaluator.request_to, F_SETFL, O_NONBLOCK);
	fcntl(evaluator.answer_from, F_SETFL, O_NONBLOCK);
	evaluator.started = evaluator.program_count;
	if (sched_getaffinity(
		0, sizeof(evaluator.processors), &evaluator.processors) != 0)
		CPU_ZERO(&evaluator.processors);
	/* Starts a worker, so that the first call does not wait for it. */
	if (worker_needed())
		return 0;
	return err_set(
	    err, ERR_TRANSIENT, "the process that starts evaluations is gone");
}

/* ---- one request ---- */

static uint64_t
worker_cpu_us(void)
{
	struct timespec t;

	if (clock_gettime(evaluator.clock, &t) != 0)
		return evaluator.worker_us;
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t
evaluator_cpu_us(void)
{
	return evaluator.ended_us + evaluator.worker_us;
}

/* Bits of the texts that the worker does not keep yet; notes that it will. */
static uint32_t
what_comes(const struct arguments *in)
{
	unsigned sees = 1u << ARGUMENTS_TEXT_BASE;
	uint32_t comes = 0;

	if (in->has & ARGUMENTS_HAS_OWNED)
		sees |= 1u << ARGUMENTS_TEXT_OWNED;
	if (in->has & ARGUMENTS_HAS_OUTCOME)
		sees |= 1u << ARGUMENTS_TEXT_OUTCOME;
	if (in->has & ARGUMENTS_HAS_PLAN)
		sees |= 1u << ARGUMENTS_TEXT_PLAN;
	for (int i = 0; i < ARGUMENTS_TEXTS; i++) {
		uint64_t id = in->texts[i].id;

		if (!(sees & 1u << i) || (id != 0 && id == evaluator.kept[i]))
			continue;
		if (i == ARGUMENTS_TEXT_BASE)
			forget_kept();
		evaluator.kept[i] = id;
		comes |= 1u << i;
	}
	return comes;
}

static void
compose(const struct evaluator_request *q)
{
	const struct arguments *in = q->input;
	struct arguments_head head = {.program = q->program,
	    .call = q->call,
	    .has = in->has,
	    .trace = q->trace,
	    .comes = what_comes(in),
	    .error = (uint32_t)in->error.n,
	    .has_error = in->error.p != NULL,
	    .cpu = evaluator.cpu,
	    .now = in->now,
	    .random = in->random};

	for (int i = 0; i < ARGUMENTS_TEXTS; i++)
		if (head.comes & 1u << i)
			head.n[i] = (uint32_t)in->texts[i].text.n;
	buf_reset(&evaluator.request);
	buf_add(&evaluator.request, &head, sizeof(head));
	for (int i = 0; i < ARGUMENTS_TEXTS; i++)
		if (head.comes & 1u << i)
			buf_addspan(&evaluator.request, in->texts[i].text);
	buf_addspan(&evaluator.request, in->error);
}

/* Waits for events of fd, or for the worker's end: then false. */
static bool
wait_for(int fd, short events, int timeout_ms)
{
	struct pollfd fds[] = {{fd, events, 0}, {evaluator.control, POLLIN, 0}};
	int n;

	do
		n = poll(fds, 2, timeout_ms);
	while (n < 0 && errno == EINTR);
	return n == 0 || fds[0].revents != 0;
}

/* Returns true once all is written. */
static bool
send_request(size_t *written)
{
	*written = 0;
	while (*written < evaluator.request.len) {
		ssize_t n = write(evaluator.request_to,
		    evaluator.request.data + *written,
		    evaluator.request.len - *written);

		if (n > 0)
			*written += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			return false;
		else if (!wait_for(evaluator.request_to, POLLOUT, -1))
			return false;
	}
	return true;
}

/* Milliseconds until the call must be checked; 0: its time is over. */
static int
time_left_ms(const struct evaluator_request *q, uint64_t began_us)
{
	uint64_t used_ms = (worker_cpu_us() - began_us) / 1000;

	if (used_ms >= q->time_limit_ms)
		return 0;
	return (int)(q->time_limit_ms - used_ms) + LOOK_MS;
}

/* 1: the answer is there; 0: more is to come; -1: it is not valid. */
static int
answer_complete(void)
{
	struct worker_head head;

	if (evaluator.answer.len < sizeof(head))
		return 0;
	memcpy(&head, evaluator.answer.data, sizeof(head));
	if (head.says > WORKER_FAILS_SOMEWHERE || head.debugs > head.n ||
	    head.debugs > DEBUGS_BYTES_MAX ||
	    head.n - head.debugs > JVWIRE_BYTES_MAX ||
	    evaluator.answer.len - sizeof(head) > head.n)
		return -1;
	return evaluator.answer.len - sizeof(head) == head.n;
}

static int
read_answer(void)
{
	for (;;) {
		char *at = buf_reserve(&evaluator.answer, 64 * 1024);
		ssize_t n = read_some(evaluator.answer_from, at, 64 * 1024);

		if (n <= 0)
			return answer_complete();
		evaluator.answer.len += (size_t)n;
		if (answer_complete() != 0)
			return answer_complete();
	}
}

/* 1: the answer is there; 0: the worker has ended; -1: an invalid answer. */
static int
receive(const struct evaluator_request *q)
{
	uint64_t began_us = evaluator.worker_us;
	int wait_ms = (int)q->time_limit_ms + LOOK_MS;
	int complete = 0;

	buf_reset(&evaluator.answer);
	while (complete == 0) {
		bool alive = wait_for(evaluator.answer_from, POLLIN, wait_ms);

		complete = read_answer();
		if (complete != 0 || !alive)
			break;
		if (evaluator.killed)
			continue;
		wait_ms = time_left_ms(q, began_us);
		if (wait_ms == 0) {
			evaluator.killed = end_worker();
			wait_ms = -1;
		}
	}
	return complete;
}

static void
name_end(int status, struct evaluator_end *end)
{
	end->how = EVALUATOR_CRASHED;
	if (evaluator.killed) {
		end->how = EVALUATOR_TIME;
	} else if (is_killed(status)) {
		end->how = EVALUATOR_KILLED;
	} else if (WIFSIGNALED(status)) {
		const char *name = sigabbrev_np(WTERMSIG(status));

		snprintf(end->why, sizeof(end->why), "SIG%s",
		    name != NULL ? name : "?");
	} else if (WEXITSTATUS(status) == WORKER_NO_MEMORY) {
		end->how = EVALUATOR_MEMORY;
	} else if (WEXITSTATUS(status) == WORKER_NO_STACK) {
		end->how = EVALUATOR_STACK;
	} else {
		snprintf(end->why, sizeof(end->why), "exit code %d",
		    WEXITSTATUS(status));
	}
}

/* The cause of a worker's end: its call, or something else. */
enum blame { BLAME_CALL, BLAME_NOBODY };

static enum blame
take_end(bool was_fresh, size_t written, struct evaluator_end *end)
{
	struct forkserver_report r;
	size_t unread;

	do {
		if (!next_report(&r)) {
			end->how = EVALUATOR_GONE;
			return BLAME_CALL;
		}
	} while (r.says != FORKSERVER_ENDED);
	unread = drain();
	name_end(r.status, end);
	worker_ended(&r);
	if (end->how == EVALUATOR_TIME)
		return BLAME_CALL;
	/* The worker ended before it read the request, or another process
	 * killed it. */
	if (unread == written || end->how == EVALUATOR_KILLED)
		return BLAME_NOBODY;
	return was_fresh ? BLAME_CALL : BLAME_NOBODY;
}

/* A call that took long may have left much memory behind. The first one that is
 * traced compiles the program, once in each worker. */
static void
account(const struct evaluator_request *q)
{
	uint64_t now_us = worker_cpu_us();

	if (now_us - evaluator.worker_us >= RETIRE_US && !q->trace)
		evaluator.retiring = end_worker();
	evaluator.worker_us = now_us;
}

static enum blame
ask(const struct evaluator_request *q, struct span *answer,
    struct evaluator_end *end)
{
	struct worker_head head;
	size_t written = 0;
	bool was_fresh;
	int got;

	*end = (struct evaluator_end){.how = EVALUATOR_GONE};
	if (!worker_needed())
		return BLAME_CALL;
	was_fresh = evaluator.fresh;
	evaluator.fresh = false;
	compose(q);
	got = send_request(&written) ? receive(q) : 0;
	if (got < 0) {
		end_worker();
		*end = (struct evaluator_end){
		    .how = EVALUATOR_CRASHED, .why = "a wrong answer"};
		if (!worker_wait_end())
			end->how = EVALUATOR_GONE;
		return was_fresh ? BLAME_CALL : BLAME_NOBODY;
	}
	if (got == 0)
		return take_end(was_fresh, written, end);
	account(q);
	memcpy(&head, evaluator.answer.data, sizeof(head));
	end->how = head.says == WORKER_GIVES ? EVALUATOR_DONE
	    : head.says == WORKER_FAILS	     ? EVALUATOR_FAILED
					     : EVALUATOR_FAILED_SOMEWHERE;
	/* The failure may be in a text that was just sent. */
	if (end->how == EVALUATOR_FAILED)
		forget_kept();
	end->debugs = head.debugs;
	*answer = span_make(evaluator.answer.data + sizeof(head), head.n);
	return BLAME_CALL;
}

/*
 * Either we or the worker always wait for the other, so both run on one
 * processor: to wake a second one, and to move the data into its cache, costs
 * more than most calls. Now and then we allow the kernel to move us, and the
 * worker follows.
 */
static void
stay(void)
{
	cpu_set_t here;

	if (evaluator.cpu >= 0 || CPU_COUNT(&evaluator.processors) < 2)
		return;
	evaluator.cpu = sched_getcpu();
	evaluator.calls_here = 0;
	if (evaluator.cpu < 0 || evaluator.cpu >= CPU_SETSIZE)
		return;
	CPU_ZERO(&here);
	CPU_SET(evaluator.cpu, &here);
	if (sched_setaffinity(0, sizeof(here), &here) != 0)
		evaluator.cpu = -1;
}

void
evaluator_roam(void)
{
	if (evaluator.cpu >= 0)
		sched_setaffinity(
		    0, sizeof(evaluator.processors), &evaluator.processors);
	evaluator.cpu = -1;
}

void
evaluator_ask(const struct evaluator_request *q, struct span *answer,
    struct evaluator_end *end)
{
	*answer = SPAN_NONE;
	if (evaluator.answer.cap > BUF_KEPT)
		buf_release(&evaluator.answer);
	stay();
	if (ask(q, answer, end) == BLAME_NOBODY)
		ask(q, answer, end);
	if (++evaluator.calls_here == STAY_CALLS)
		evaluator_roam();
	if (evaluator.request.cap > BUF_KEPT)
		buf_release(&evaluator.request);
}
