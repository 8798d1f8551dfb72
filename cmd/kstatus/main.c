/*
 * kstatus: writes .status of the objects on standard input, and nothing else.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "json.h"
#include "log.h"
#include "opt.h"
#include "retry.h"
#include "status.h"
#include "stream.h"

enum {
	IN_FLIGHT = 64,
	TIMEOUT_MS = 60000,
	REPORT_MS = 5000,
	START_FIRST_MS = 500,
	START_MAX_MS = 15000
};

static struct status_opts o = {
    .max_in_flight = IN_FLIGHT,
    .timeout_ms = TIMEOUT_MS,
    .failed_after_ms = RETRY_FAILED_MS,
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
	struct stream *stream;
	bool watching, ended, ready, ending, timed_out, said_unreachable;
	struct timer start, report, deadline;
	struct kube_backoff start_backoff;
	struct status_counters reported;
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
			if (writer_take(&r->writer, doc.text, &err) == 0)
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
	struct writer *w = &r->writer;

	pump_input(r);
	if (r->ready)
		workqueue_pump(&w->queue);
	if (!r->ended)
		return;
	if (!r->ending)
		timer_after(w->loop, &r->deadline, o.timeout_ms, deadline, r);
	r->ending = true;
	if (!r->timed_out && !writer_settled(w))
		return;
	writer_give_up(w);
	loop_stop(w->loop);
}

static void
add_counter(struct buf *b, const char *key, uint64_t n)
{
	json_add_key(b, key);
	json_add_int(b, (int64_t)n);
}

static void
report(void *arg)
{
	struct run *r = arg;
	const struct status_counters *c = &r->writer.counters;
	struct buf b = BUF_INIT;

	timer_after(r->writer.loop, &r->report, REPORT_MS, report, r);
	if (memcmp(&r->reported, c, sizeof(*c)) == 0)
		return;
	r->reported = *c;
	buf_adds(&b, "{\"tool\":\"kstatus\",\"counters\":{");
	add_counter(&b, "lines", c->lines);
	add_counter(&b, "bad_lines", c->bad_lines);
	add_counter(&b, "requests", c->requests);
	add_counter(&b, "written", c->written);
	add_counter(&b, "failures", c->failures);
	add_counter(&b, "gone", c->gone);
	add_counter(&b, "keys", r->writer.keys.count);
	buf_adds(&b, "}}\n");
	/* A reader that does not keep up misses a line. */
	if (write((int)o.report_fd, b.data, b.len) < 0)
		log_debug("cannot write --report-fd");
	buf_release(&b);
}

static void start(void *arg);

static void
discovered(void *arg, const struct kube_error *e)
{
	struct run *r = arg;
	struct writer *w = &r->writer;

	if (e == NULL) {
		if (r->said_unreachable)
			log_info("%s answers again", kube_server(w->kube));
		r->ready = true;
		if (o.report_fd < 0)
			return;
		if (write((int)o.report_fd, "\n", 1) != 1)
			log_debug("cannot write --report-fd");
		timer_after(w->loop, &r->report, REPORT_MS, report, r);
		return;
	}
	/* No trust, no login: not a matter of time. */
	if (e->code == 0 && e->kind == ERR_PERMANENT && !r->ready) {
		err_set(&r->err, ERR_PERMANENT, "%s", e->message);
		loop_stop(w->loop);
		return;
	}
	if (!r->said_unreachable)
		log_warning("cannot read what %s serves: %s; trying again",
		    kube_server(w->kube), e->message);
	r->said_unreachable = true;
	timer_after(w->loop, &r->start,
	    kube_backoff_next(&r->start_backoff, START_FIRST_MS, START_MAX_MS),
	    start, r);
}

static void
start(void *arg)
{
	struct run *r = arg;

	discovery_refresh(r->writer.discovery, discovered, r);
}

static int
run(struct run *r)
{
	struct writer *w = &r->writer;

	w->o = &o;
	w->loop = loop_new();
	w->kube = kube_open(w->loop, &kube_opts, "kstatus", &r->err);
	if (w->kube == NULL)
		return -1;
	w->discovery = discovery_new(w->loop, w->kube);
	workqueue_init(
	    &w->queue, w->loop, (size_t)o.max_in_flight, writer_run, w);
	r->stream = stream_new();
	loop_idle(w->loop, idle, r);
	start(r);
	loop_run(w->loop);
	if (o.report_fd >= 0)
		report(r);
	writer_free(w);
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
	return 0;
}

int
main(int argc, char **argv)
{
	struct run r = {.err = ERR_INIT};
	int first, code = -1;

	switch (opt_parse(&tool, argc, argv, &first, &r.err)) {
	case OPT_EXIT_0:
		return 0;
	case OPT_BAD:
		break;
	case OPT_RUN:
		signal(SIGPIPE, SIG_IGN);
		if (check_options(argc - first, argv[first], &r.err) == 0 &&
		    run(&r) == 0)
			code = r.writer.failed ? 1 : 0;
		kube_free(r.writer.kube);
		loop_free(r.writer.loop);
	}
	if (code >= 0)
		return code;
	log_fatal("%s", r.err.message);
	return err_exit_code(&r.err);
}
