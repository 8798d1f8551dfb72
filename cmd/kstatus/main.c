/*
 * kstatus: writes .status of the objects on standard input, and nothing else.
 */
#include <signal.h>
#include <unistd.h>

#include "base/buf.h"
#include "kube/retry.h"
#include "kube/writer.h"
#include "phase.h"
#include "process/harden.h"
#include "process/log.h"
#include "process/opt.h"
#include "status.h"

enum { IN_FLIGHT = 64, TIMEOUT_MS = 60000 };

static struct status_opts o = {
    .output = -1,
    .max_in_flight = IN_FLIGHT,
    .timeout_ms = TIMEOUT_MS,
    .failed_after_ms = RETRY_FAILED_MS,
    .max_writes = CEILING_DEFAULT,
    .report_fd = -1,
    .results_fd = -1,
    .tap_fd = -1,
};

/* In the order of enum status_output. */
static const char *const outputs[] = {"result", "none", NULL};

static const struct opt table[] = {
    {0, "field-manager", "NAME", OPT_STRING, &o.field_manager, NULL,
	"own the status under this name (kpipe-<kind>.<group>)"},
    {0, "timeout", "TIME", OPT_DURATION, &o.timeout_ms, NULL,
	"how long to retry after the end of the input (60s)"},
    {'o', "output", "result|none", OPT_CHOICE, &o.output, outputs,
	"what to print (result on a terminal, else none)"},
    {0, "max-in-flight", "N", OPT_INT, &o.max_in_flight, NULL,
	"requests under way at a time (64)"},
    {0, "fail-after", "TIME", OPT_DURATION, &o.failed_after_ms, NULL,
	"report a passing failure after this time (30s)"},
    {0, "max-writes-per-second", "N", OPT_INT, &o.max_writes, NULL,
	"writes in a second, beyond a burst (500; 0: no limit)"},
    {0, "results-fd", "N", OPT_INT, &o.results_fd, NULL,
	"print results to this descriptor, too, for krecord"},
    {0, "tap-fd", "N", OPT_INT, &o.tap_fd, NULL,
	"what is read goes to this pipe as well, for krecord"},
    {0, "report-fd", "N", OPT_INT, &o.report_fd, NULL,
	"write a newline when ready, then counters, to this descriptor"},
    {0, NULL, NULL, OPT_TABLE, (void *)kube_opt_table, NULL, NULL},
    {0, NULL, NULL, OPT_TABLE, (void *)opt_log_table, NULL, NULL},
    OPT_END,
};

static const struct opt_tool tool = {"kstatus", "[OPTION]...",
    "Write the status of the objects on standard input.", table};

struct run {
	struct writer writer;
	struct status_writer statuses;
	bool ready;
};

static void
reached(void *arg)
{
	struct run *r = arg;

	r->ready = true;
	reportfd_ready(&r->writer.report);
}

static bool
has_room(void *arg)
{
	const struct run *r = arg;

	return !workqueue_full(&r->statuses.queue) &&
	    !out_full(&r->statuses.out);
}

static int
take(void *arg, const struct stream_doc *doc, struct err *err)
{
	struct run *r = arg;

	return status_take(&r->statuses, doc->text, err);
}

static void
bad_line(void *arg)
{
	struct run *r = arg;

	r->statuses.counters.bad_lines++;
	r->statuses.failed = true;
}

static int
work(void *arg, struct err *err)
{
	struct run *r = arg;

	if (r->ready)
		workqueue_pump(&r->statuses.queue);
	resultfd_flush(&r->statuses.results);
	if (out_flush(&r->statuses.out) >= 0)
		return 0;
	*err = r->statuses.out.err;
	return -1;
}

static bool
settled(void *arg)
{
	const struct run *r = arg;

	return status_settled(&r->statuses) &&
	    recorder_idle(r->statuses.recorder);
}

static void
end(void *arg, bool is_settled)
{
	struct run *r = arg;

	(void)is_settled;
	status_give_up(&r->statuses);
}

static void
count(void *arg, struct buf *b)
{
	const struct run *r = arg;
	const struct status_counters *c = &r->statuses.counters;

	reportfd_count(b, "lines", c->lines);
	reportfd_count(b, "bad_lines", c->bad_lines);
	reportfd_count(b, "requests", c->requests);
	reportfd_count(b, "written", c->written);
	reportfd_count(b, "failures", c->failures);
	reportfd_count(b, "gone", c->gone);
	reportfd_count(b, "keys", r->statuses.keys.count);
}

static void
samples(void *arg, struct metric_lines *m)
{
	const struct run *r = arg;
	const struct status_counters *c = &r->statuses.counters;

	efforts_errors(&r->statuses.efforts, m);
	metric_add(
	    m, METRIC_STATUS, METRIC_LABELS("written"), (double)c->written);
	metric_add(m, METRIC_STATUS, METRIC_LABELS("gone"), (double)c->gone);
	metric_add(
	    m, METRIC_STATUS, METRIC_LABELS("failed"), (double)c->failures);
	metric_add(m, METRIC_WRITES_HELD, METRIC_LABELS("kstatus"),
	    (double)r->statuses.queue.ceiling.held_ms / 1000);
	metric_add(m, METRIC_BAD_LINES, METRIC_LABELS("kstatus"),
	    (double)c->bad_lines);
	metric_add(m, METRIC_EVENTS, METRIC_LABELS("sent"),
	    (double)recorder_count(r->statuses.recorder));
	metric_add(m, METRIC_EVENTS, METRIC_LABELS("dropped"),
	    (double)recorder_lost(r->statuses.recorder));
	kube_metrics(r->writer.kube, m);
}

/* The ceiling of writes is met. */
static void
held(void *arg, const struct ceiling_most *most)
{
	struct status_writer *all = arg;
	struct buf b = BUF_INIT;

	ceiling_tell(&all->queue.ceiling, most, &b);
	log_warning("%s", buf_str(&b));
	buf_release(&b);
}

static const struct writer_tool writer_tool = {
    .name = "kstatus",
    .count = count,
    .samples = samples,
    .reached = reached,
    .has_room = has_room,
    .take = take,
    .bad_line = bad_line,
    .work = work,
    .settled = settled,
    .end = end,
};

static void
prepare(struct run *r)
{
	struct status_writer *all = &r->statuses;

	all->o = &o;
	all->loop = r->writer.loop;
	all->kube = r->writer.kube;
	all->discovery = r->writer.discovery;
	all->recorder = recorder_new(all->loop, all->kube);
	phase_init(&all->phases);
	denials_init(&all->denials, &r->writer.report);
	out_init(&all->out, all->loop, STDOUT_FILENO);
	resultfd_init(&all->results, all->loop, (int)o.results_fd);
	stream_tap(r->writer.stream, (int)o.tap_fd, "statuses");
	workqueue_init(
	    &all->queue, all->loop, (size_t)o.max_in_flight, status_run, all);
	workqueue_limit(&all->queue, o.max_writes, held);
}

/* The loop, and what is still to be printed after it. */
static const struct err *
run_prepared(struct run *r)
{
	struct status_writer *all = &r->statuses;
	const struct err *failed;

	prepare(r);
	writer_run(&r->writer);
	failed = writer_error(&r->writer);
	if (r->writer.err.kind == ERR_NONE && out_drain(&all->out) < 0)
		failed = &all->out.err;
	return failed;
}

/* Returns the exit code, or -1 with err. */
static int
run(struct err *err)
{
	struct run r = {0};
	const struct err *failed;
	int code = -1;

	if (writer_open(
		&r.writer, &writer_tool, o.report_fd, o.timeout_ms, &r) != 0) {
		*err = *writer_error(&r.writer);
	} else {
		failed = run_prepared(&r);
		if (failed != NULL)
			*err = *failed;
		else
			code = r.statuses.failed ? 1 : 0;
		status_free(&r.statuses);
	}
	writer_release(&r.writer);
	return code;
}

int
main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	int first, code;

	harden_process();
	code = opt_begin(&tool, argc, argv, &first);
	if (code >= 0)
		return code;
	signal(SIGPIPE, SIG_IGN);
	if (writer_check_options(argc - first, argv[first], "lines",
		o.max_in_flight, o.max_writes, &err) == 0) {
		if (o.output < 0)
			o.output = isatty(STDOUT_FILENO) ? STATUS_RESULT
							 : STATUS_SILENT;
		code = run(&err);
	}
	return code >= 0 ? code : opt_fatal(&err);
}
