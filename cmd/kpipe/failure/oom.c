#include "failure/oom.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failure/notice.h"
#include "process/file.h"

#define RAISE "raise it (resources.limits.memory of the container)"

static uint64_t
mib(uint64_t bytes)
{
	return bytes >> 20;
}

int
oom_start(struct oom *o, size_t tools, struct err *err)
{
	uint64_t least = OOM_BASE_MIB + OOM_TOOL_MIB * tools;
	struct buf own = BUF_INIT;
	struct err unread = ERR_INIT;

	/* Without it there is no limit that we know. */
	if (file_read("/proc/self/cgroup", 1, &own, &unread) != 0)
		log_debug("%s", unread.message);
	memlimit_find(&o->limit, MEMLIMIT_ROOT, buf_span(&own));
	buf_release(&own);
	if (o->limit.bytes == 0 || mib(o->limit.bytes) >= least)
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "the memory limit of %llu MiB is below the %llu MiB that these "
	    "tools need without any object: " RAISE,
	    (unsigned long long)mib(o->limit.bytes), (unsigned long long)least);
}

void
oom_release(struct oom *o)
{
	memlimit_release(&o->limit);
	buf_release(&o->reason);
	buf_release(&o->notice);
}

/*
 * 111: what the stage cannot go on without was killed, as the process of
 * ireconcile that starts the others.
 */
void
oom_take(struct oom *o, struct stage *s)
{
	bool killed = WIFSIGNALED(s->status) && WTERMSIG(s->status) == SIGKILL;

	s->starved = (killed || stage_exit_code(s) == EXIT_TRANSIENT) &&
	    memlimit_killed(&o->limit);
	if (s->starved)
		s->oom_kills++;
}

static void
add_limit(const struct oom *o, struct buf *b)
{
	if (o->limit.bytes > 0)
		buf_addf(b, "all processes together may have %llu MiB",
		    (unsigned long long)mib(o->limit.bytes));
	else
		buf_adds(
		    b, "this container has no limit: its pod or node is full");
}

/* "it had at most 33 MiB, all processes together may have 40 MiB" */
static void
add_peak(const struct oom *o, uint64_t peak_kib, struct buf *b)
{
	buf_addf(b, "it had at most %llu MiB, ",
	    (unsigned long long)(peak_kib + 1023) / 1024);
	add_limit(o, b);
}

static void
log_starved(const struct oom *o, const struct stage *s)
{
	struct buf b = BUF_INIT;

	add_peak(o, s->peak_kib, &b);
	log_error("%s (pid %ld) was killed for memory: %s", s->name,
	    (long)s->ended_pid, buf_str(&b));
	buf_release(&b);
}

void
oom_log_end(const struct oom *o, const struct stage *s, enum log_level level)
{
	if (s->starved)
		log_starved(o, s);
	else if (WIFSIGNALED(s->status))
		log_write(level, NULL, "%s (pid %ld) was killed by SIG%s",
		    s->name, (long)s->ended_pid,
		    sigabbrev_np(WTERMSIG(s->status)));
	else
		log_write(level, NULL, "%s (pid %ld) ended with exit code %d",
		    s->name, (long)s->ended_pid, stage_exit_code(s));
}

static void
set_reason(struct oom *o, const struct stage *s)
{
	buf_reset(&o->reason);
	buf_addf(&o->reason, "%s was killed for memory", s->name);
	if (o->row > 1)
		buf_addf(&o->reason, ", %u in a row", o->row);
	buf_adds(&o->reason, "; ");
	add_peak(o, s->peak_kib, &o->reason);
}

/* About the pod that we run in. */
static void
set_notice(struct oom *o)
{
	struct span pod = span_str(getenv("POD_NAME"));
	struct span namespace_ = span_str(getenv("POD_NAMESPACE"));

	buf_reset(&o->notice);
	if (pod.n == 0 || namespace_.n == 0 || o->field_manager == NULL)
		return;
	notice_add(&o->notice,
	    &(struct notice){.about = {.api_version = span_str("v1"),
				 .kind = span_str("Pod"),
				 .namespace_ = namespace_,
				 .name = pod,
				 .uid = span_str(getenv("POD_UID"))},
		.type = "Warning",
		.reason = "OutOfMemory",
		.message = buf_str(&o->reason),
		.manager = o->field_manager});
}

static void
give_up(struct oom *o)
{
	struct buf b = BUF_INIT;

	buf_addf(&b,
	    "%s; each time less than %d s after the start: the limit is too "
	    "low, " RAISE,
	    buf_str(&o->reason), OOM_SOON_MS / 1000);
	log_fatal("%s", buf_str(&b));
	oom_last_words(buf_str(&b));
	buf_release(&b);
}

enum oom_verdict
oom_judge(struct oom *o, const struct stage *s, uint64_t ran_ms)
{
	o->row = ran_ms < OOM_SOON_MS ? o->row + 1 : 1;
	loop_cancel(o->loop, &o->calm);
	set_reason(o, s);
	set_notice(o);
	/* Another start does not help against a limit, but may against others
	 * that use up the node. */
	if (o->row < OOM_ROW_MAX || o->limit.bytes == 0)
		return OOM_GO_ON;
	give_up(o);
	return OOM_GIVE_UP;
}

static void
calm_down(void *arg)
{
	struct oom *o = arg;

	buf_reset(&o->reason);
	o->row = 0;
}

/* A worker that was killed for another reason does not matter: ireconcile has
 * replaced it. */
static bool
was_for_memory(struct oom *o, struct stage *s, int64_t kills)
{
	unsigned before = s->oom_kills;

	for (; s->worker_kills < kills; s->worker_kills++)
		if (memlimit_killed(&o->limit))
			s->oom_kills++;
	return s->oom_kills > before;
}

bool
oom_take_worker(struct oom *o, struct stage *s, int64_t kills, int64_t peak_kib)
{
	if (!was_for_memory(o, s, kills))
		return false;
	buf_reset(&o->reason);
	buf_addf(&o->reason, "a worker of %s was killed for memory; ", s->name);
	add_peak(o, (uint64_t)peak_kib, &o->reason);
	log_error("%s", buf_str(&o->reason));
	set_notice(o);
	loop_after(o->loop, &o->calm, OOM_SOON_MS, calm_down, o);
	return true;
}

void
oom_ready(struct oom *o)
{
	if (loop_timer_armed(&o->calm))
		return;
	if (o->row > 1)
		loop_after(o->loop, &o->calm, OOM_SOON_MS, calm_down, o);
	else
		buf_reset(&o->reason);
}

void
oom_recorded(struct oom *o)
{
	buf_reset(&o->notice);
}

void
oom_last_words(const char *text)
{
	int fd = open("/dev/termination-log",
	    O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return; /* not a container of Kubernetes */
	if (file_write(fd, span_str(text)) != 0)
		log_debug("/dev/termination-log: cannot write");
	close(fd);
}
