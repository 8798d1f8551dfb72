#include "traces/exporter.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "access/access_calls.h"
#include "base/array.h"
#include "base/mem.h"
#include "traces/courier.h"
#include "traces/journey.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/sandbox.h"
#include "record/intake.h"
#include "report/reportfd.h"
#include "traces/spanline.h"

enum { LOOK_MS = 5000, REST_READS = 256 };

/* How long the decisions of one controller took. */
struct duration {
	char *controller;
	struct metric_histogram histogram;
	struct metric_exemplar exemplars[METRIC_BUCKETS_MAX + 1];
};

struct exporter {
	size_t most_in_batch;
	struct loop *loop;
	struct intake intake;
	struct journeys journeys;
	struct buf batch;
	size_t in_batch;
	struct courier courier;
	struct map durations; /* by controller */
	struct timer full, look, end, pause;
	struct reportfd report;
	size_t bad, gaps;
	bool ends;
	bool hurries; /* the pause was long enough: reads, until all is sent */
};

/* ---- decisions ---- */

static void
send_batch(void *arg)
{
	struct exporter *e = arg;

	loop_cancel(e->loop, &e->full);
	if (e->in_batch == 0)
		return;
	spanline_end(&e->batch);
	courier_send(&e->courier, &e->batch, e->in_batch);
	e->in_batch = 0;
}

static struct duration *
duration_of(struct exporter *e, const struct journey *j)
{
	char *name = mem_dup(j->primary, strcspn(j->primary, "/"));
	struct duration *d;

	/* kind.group in lower case, as in all metrics. */
	for (char *p = name; *p != '\0'; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)(*p - 'A' + 'a');
	d = map_get(&e->durations, span_str(name));
	if (d != NULL) {
		free(name);
		return d;
	}
	d = mem_zalloc(sizeof(*d));
	d->controller = name;
	map_put(&e->durations, span_str(name), d);
	return d;
}

static void
observe(struct exporter *e, const struct journey *j)
{
	double seconds = (double)(j->last_us - j->first_us) / 1e6;
	struct duration *d = duration_of(e, j);
	struct metric_exemplar *x;
	struct buf id = BUF_INIT;

	x = &d->exemplars[metric_observe(
	    &d->histogram, METRIC_DECISION_TIME, seconds)];
	spanline_add_trace_id(&id, j);
	x->seconds = seconds;
	x->us = j->last_us;
	memcpy(x->trace_id, buf_str(&id), sizeof(x->trace_id));
	buf_release(&id);
}

static void
on_journey(void *arg, const struct journey *j)
{
	struct exporter *e = arg;

	observe(e, j);
	spanline_add(&e->batch, j);
	if (++e->in_batch == e->most_in_batch || e->batch.len >= SPANLINE_BYTES)
		send_batch(e);
	else if (!loop_timer_armed(&e->full))
		loop_after(e->loop, &e->full, EXPORTER_WAIT_MS, send_batch, e);
}

/* ---- reports ---- */

static void
count(void *arg, struct buf *b)
{
	const struct exporter *e = arg;

	reportfd_count(b, "sent", e->courier.sent);
	reportfd_count(b, "dropped", e->courier.dropped);
}

static void
add_samples(void *arg, struct metric_lines *m)
{
	struct exporter *e = arg;
	const struct duration *d;

	for (size_t i = 0; (d = map_next(&e->durations, &i)) != NULL;)
		metric_add_exemplary(m, METRIC_DECISION_TIME,
		    METRIC_LABELS(d->controller), &d->histogram, d->exemplars);
	metric_add(
	    m, METRIC_TRACES, METRIC_LABELS("sent"), (double)e->courier.sent);
	metric_add(m, METRIC_TRACES, METRIC_LABELS("dropped"),
	    (double)e->courier.dropped);
}

/* ---- input ---- */

/* The first lines may be halves, of a process that was killed. */
static void
take_line(void *arg, const struct reading_line *line, bool bad)
{
	struct exporter *e = arg;

	if (bad && e->bad++ == 0)
		log_warning(
		    "%s; further ones are not mentioned", line->err.message);
	if (bad)
		return;
	/* Other gaps are logged by the krecord that met them. */
	if (line->kind == READING_GAP &&
	    json_is(json_get(line->text, "stream"), "live") && e->gaps++ == 0)
		log_warning("traces: lines were lost before they were read, so "
			    "traces are missing; further ones are not "
			    "mentioned");
	journeys_line(&e->journeys, line);
}

/* Decisions without a last answer are over when nothing waits any more. */
static void
look(void *arg)
{
	struct exporter *e = arg;

	journeys_pass(&e->journeys, (int64_t)clock_real_us());
	loop_after(e->loop, &e->look, LOOK_MS, look, e);
}

static void on_input(void *arg, int fd, int events);

static void
go_on_reading(struct exporter *e)
{
	loop_cancel(e->loop, &e->pause);
	loop_watch(e->loop, STDIN_FILENO, LOOP_READ, on_input, e);
}

static void
hurry(void *arg)
{
	struct exporter *e = arg;

	e->hurries = true;
	go_on_reading(e);
}

static void
on_empty(void *arg)
{
	struct exporter *e = arg;

	e->hurries = false;
	if (e->ends)
		loop_stop(e->loop);
	else if (loop_timer_armed(&e->pause))
		go_on_reading(e);
}

static void
end(struct exporter *e)
{
	e->ends = true;
	if (!loop_timer_armed(&e->pause))
		loop_unwatch(e->loop, STDIN_FILENO);
	loop_cancel(e->loop, &e->pause);
	journeys_end(&e->journeys);
	send_batch(e);
	if (courier_is_empty(&e->courier))
		loop_stop(e->loop);
}

static void
on_input(void *arg, int fd, int events)
{
	struct exporter *e = arg;

	(void)events;
	if (!intake_read(&e->intake)) {
		if (e->intake.err.kind != ERR_NONE)
			log_error("%s", e->intake.err.message);
		end(e);
	} else if (courier_is_busy(&e->courier) && !e->hurries) {
		loop_unwatch(e->loop, fd);
		loop_after(e->loop, &e->pause, EXPORTER_PAUSE_MS, hurry, e);
	}
}

static void
give_up(void *arg)
{
	loop_stop(arg);
}

static void
on_signal(void *arg, int signo)
{
	struct exporter *e = arg;
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};

	(void)signo;
	if (!loop_timer_armed(&e->end))
		loop_after(e->loop, &e->end, EXPORTER_END_MS, give_up, e->loop);
	if (e->ends)
		return;
	/* The writer may have ended before: everything in the pipe is read, but
	 * it may be one that never ends. */
	for (int i = 0; i < REST_READS && poll(&p, 1, 0) > 0; i++)
		if (!intake_read(&e->intake))
			break;
	end(e);
}

/* ---- start ---- */

static int
start(struct exporter *e, const char *endpoint, int report_fd, struct err *err)
{
	int flags = fcntl(STDIN_FILENO, F_GETFL);
	enum sandbox_result result;

	signal(SIGPIPE, SIG_IGN);
	loop_signal(e->loop, SIGTERM, on_signal, e);
	loop_signal(e->loop, SIGINT, on_signal, e);
	if (courier_init(&e->courier, e->loop, endpoint, err) != 0)
		return err_prefix(err, "option --endpoint");
	e->courier.on_empty = on_empty;
	e->courier.arg = e;
	reportfd_init(
	    &e->report, e->loop, "krecord-spans", report_fd, count, e);
	reportfd_metrics(&e->report, add_samples);
	result =
	    sandbox_enter(access_asks, (enum sandbox_mode)sandbox_opt, err);
	if (result == SANDBOX_FAILED)
		return -1;
	if (result == SANDBOX_NONE) {
		log_warning("%s", err->message);
		*err = (struct err)ERR_INIT;
	}
	if (flags >= 0)
		fcntl(STDIN_FILENO, F_SETFL, flags | O_NONBLOCK);
	loop_watch(e->loop, STDIN_FILENO, LOOP_READ, on_input, e);
	loop_after(e->loop, &e->look, LOOK_MS, look, e);
	reportfd_ready(&e->report);
	reportfd_send(&e->report);
	return 0;
}

int
exporter_run(const char *endpoint, size_t batch, int report_fd,
    unsigned long long *lost, struct err *err)
{
	struct exporter e = {.most_in_batch = batch,
	    .loop = loop_new(),
	    .intake = {.fd = STDIN_FILENO, .fn = take_line, .arg = &e},
	    .journeys = {.fn = on_journey, .arg = &e},
	    .report.fd = -1};
	struct duration *d;
	int rc;

	rc = start(&e, endpoint, report_fd, err);
	if (rc == 0)
		loop_run(e.loop);
	reportfd_send(&e.report);
	courier_release(&e.courier);
	*lost = e.courier.dropped;
	reportfd_release(&e.report);
	intake_release(&e.intake);
	for (size_t i = 0; (d = map_next(&e.durations, &i)) != NULL;) {
		free(d->controller);
		free(d);
	}
	map_release(&e.durations);
	buf_release(&e.batch);
	loop_free(e.loop);
	return rc;
}
