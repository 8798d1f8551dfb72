/*
 * kstatus: writes .status of the objects on standard input, and nothing else.
 */
#include <signal.h>
#include <unistd.h>

#include "base/buf.h"
#include "json/stream.h"
#include "kube/reach.h"
#include "kube/retry.h"
#include "process/harden.h"
#include "process/leash.h"
#include "process/log.h"
#include "process/opt.h"
#include "report/reportfd.h"
#include "status.h"

enum { IN_FLIGHT = 64, TIMEOUT_MS = 60000 };

static struct status_opts o = {
    .max_in_flight = IN_FLIGHT,
    .timeout_ms = TIMEOUT_MS,
    .failed_after_ms = RETRY_FAILED_MS,
    .max_writes = CEILING_DEFAULT,
    .report_fd = -1,
};

static const struct opt table[] = {
    {0, "field-manager", "NAME", OPT_STRING, &o.field_manager, NULL,
	"own the status under this name (kpipe-<kind>.<group>)"},
    {0, "timeout", "TIME", OPT_DURATION, &o.timeout_ms, NULL,
	"how long to retry after the end of the input (60s)"},
    {0, "max-in-flight", "N", OPT_INT, &o.max_in_flight, NULL,
	"requests under way at a time (64)"},
    {0, "fail-after", "TIME", OPT_DURATION, &o.failed_after_ms, NULL,
	"report a passing failure after this time (30s)"},
    {0, "max-writes-per-second", "N", OPT_INT, &o.max_writes, NULL,
	"writes in a second, beyond a burst (500; 0: no limit)"},
    {0, "report-fd", "N", OPT_INT, &o.report_fd, NULL,
	"write a newline when ready, then counters, to this descriptor"},
    {0, NULL, NULL, OPT_TABLE, (void *)kube_opt_table, NULL, NULL},
    {0, NULL, NULL, OPT_TABLE, (void *)opt_log_table, NULL, NULL},
    OPT_END,
};

static const struct opt_tool tool = {"kstatus", "[OPTION]...",
    "Write the status of the objects on standard input.", table};

struct run {
	struct status_writer writer;
	struct stream *stream;
	bool watching, ended, ready, ending, timed_out;
	struct reach reach;
	struct reportfd report;
	struct timer deadline;
	struct leash leash;
	struct err err;
};

static void
readable(void *arg, int fd, int events)
{
	struct run *r = arg;
	struct err err = ERR_INIT;
	long n = stream_read(r->stream, fd, &err);

	(void)events;
	if (n < 0 && err.kind == ERR_TRANSIENT)
		return;
	if (n < 0) {
		r->err = err;
		r->ended = true;
	}
	loop_unwatch(r->writer.loop, fd);
	r->watching = false;
}

static void
bad_line(struct run *r, const struct err *err)
{
	r->writer.counters.bad_lines++;
	r->writer.failed = true;
	log_error("%s", err->message);
}

static void
pump_input(struct run *r)
{
	struct stream_doc doc;
	struct err err;

	while (!r->ended && !r->watching && !workqueue_full(&r->writer.queue)) {
		switch (stream_next(r->stream, &doc)) {
		case STREAM_DOC:
			if (status_take(&r->writer, doc.text, &err) == 0)
				break;
			err_prefix(&err, "line %zu", doc.line);
			bad_line(r, &err);
			break;
		case STREAM_BAD:
			bad_line(r, &doc.err);
			break;
		case STREAM_MORE:
			r->watching = true;
			loop_watch(r->writer.loop, STDIN_FILENO, LOOP_READ,
			    readable, r);
			break;
		case STREAM_END:
			r->ended = true;
		}
	}
}

static void
deadline(void *arg)
{
	struct run *r = arg;

	r->timed_out = true;
}

static void
idle(void *arg)
{
	struct run *r = arg;
	struct status_writer *w = &r->writer;

	pump_input(r);
	if (r->ready)
		workqueue_pump(&w->queue);
	if (!r->ended)
		return;
	if (!r->ending)
		loop_after(w->loop, &r->deadline, o.timeout_ms, deadline, r);
	r->ending = true;
	if (!r->timed_out && !status_settled(w))
		return;
	status_give_up(w);
	loop_stop(w->loop);
}

static void
count(void *arg, struct buf *b)
{
	const struct run *r = arg;
	const struct status_counters *c = &r->writer.counters;

	reportfd_count(b, "lines", c->lines);
	reportfd_count(b, "bad_lines", c->bad_lines);
	reportfd_count(b, "requests", c->requests);
	reportfd_count(b, "written", c->written);
	reportfd_count(b, "failures", c->failures);
	reportfd_count(b, "gone", c->gone);
	reportfd_count(b, "keys", r->writer.keys.count);
}

static void
samples(void *arg, struct metric_lines *m)
{
	const struct run *r = arg;
	const struct status_counters *c = &r->writer.counters;

	efforts_errors(&r->writer.efforts, m);
	metric_add(
	    m, METRIC_STATUS, METRIC_LABELS("written"), (double)c->written);
	metric_add(m, METRIC_STATUS, METRIC_LABELS("gone"), (double)c->gone);
	metric_add(
	    m, METRIC_STATUS, METRIC_LABELS("failed"), (double)c->failures);
	metric_add(m, METRIC_WRITES_HELD, METRIC_LABELS("kstatus"),
	    (double)r->writer.queue.ceiling.held_ms / 1000);
	metric_add(m, METRIC_BAD_LINES, METRIC_LABELS("kstatus"),
	    (double)c->bad_lines);
	kube_metrics(r->writer.kube, m);
}

static void
reached(void *arg, const struct err *err)
{
	struct run *r = arg;

	if (err == NULL) {
		r->ready = true;
		reportfd_ready(&r->report);
		return;
	}
	r->err = *err;
	loop_stop(r->writer.loop);
}

/* Also what is under way ends with us: its connection is closed. */
static void
leash_out(void *arg, const struct err *err)
{
	struct run *r = arg;

	r->err = *err;
	loop_stop(r->writer.loop);
}

/* The ceiling of writes is met. */
static void
held(void *arg, const struct ceiling_most *most)
{
	struct status_writer *w = arg;
	struct buf b = BUF_INIT;

	ceiling_tell(&w->queue.ceiling, most, &b);
	log_warning("%s", buf_str(&b));
	buf_release(&b);
}

static int
run(struct run *r)
{
	struct status_writer *w = &r->writer;

	w->o = &o;
	w->loop = loop_new();
	reportfd_init(
	    &r->report, w->loop, "kstatus", (int)o.report_fd, count, r);
	reportfd_metrics(&r->report, samples);
	w->kube = kube_open(w->loop, &kube_opts, "kstatus", &r->err);
	if (w->kube == NULL)
		return -1;
	leash_watch(&r->leash, w->loop, leash_out, r);
	kube_hold(w->kube, &r->leash);
	denials_init(&w->denials, &r->report);
	w->discovery = discovery_new(w->loop, w->kube);
	workqueue_init(
	    &w->queue, w->loop, (size_t)o.max_in_flight, status_run, w);
	workqueue_limit(&w->queue, o.max_writes, held);
	r->stream = stream_new();
	loop_idle(w->loop, idle, r);
	reach_start(&r->reach, w->loop, w->kube, w->discovery, reached, r);
	loop_run(w->loop);
	reportfd_send(&r->report);
	reportfd_release(&r->report);
	status_free(w);
	discovery_free(w->discovery);
	stream_free(r->stream);
	return r->err.kind == ERR_NONE ? 0 : -1;
}

static int
check_options(int operands, const char *first, struct err *err)
{
	if (operands > 0)
		return err_set(err, ERR_PERMANENT,
		    "unexpected operand \"%s\": lines come on standard input",
		    first);
	if (o.max_in_flight < 1)
		return err_set(
		    err, ERR_PERMANENT, "option --max-in-flight: at least 1");
	if (o.max_writes < 0 || o.max_writes > CEILING_MAX)
		return err_set(err, ERR_PERMANENT,
		    "option --max-writes-per-second: from 0 to %d",
		    CEILING_MAX);
	return 0;
}

int
main(int argc, char **argv)
{
	struct run r = {.err = ERR_INIT};
	int first, code = -1;

	harden_process();
	switch (opt_parse(&tool, argc, argv, &first, &r.err)) {
	case OPT_EXIT_0:
		return 0;
	case OPT_BAD:
		break;
	case OPT_RUN:
		signal(SIGPIPE, SIG_IGN);
		if (check_options(argc - first, argv[first], &r.err) == 0 &&
		    leash_from_env(&r.leash, &r.err) == 0 && run(&r) == 0)
			code = r.writer.failed ? 1 : 0;
		kube_free(r.writer.kube);
		loop_free(r.writer.loop);
	}
	if (code >= 0)
		return code;
	log_fatal("%s", r.err.message);
	return err_exit_code(&r.err);
}
