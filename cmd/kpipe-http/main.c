/*
 * kpipe-http: serves probes and metrics of a pipeline, from the lines that
 * kpipe writes to its standard input. It ends when the input ends.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "access/access_calls.h"
#include "access/gate.h"
#include "base/array.h"
#include "health.h"
#include "json/stream.h"
#include "kube/kube.h"
#include "process.h"
#include "process/log.h"
#include "process/opt.h"
#include "report/reportfd.h"
#include "serve.h"
#include "state.h"

static struct opts {
	const char *probes, *metrics, *cert_path;
	bool secure, openmetrics;
	long report_fd;
} opts = {.report_fd = -1};

static const struct opt table[] = {
    {0, "health-probe-bind-address", "ADDRESS", OPT_STRING, &opts.probes, NULL,
	"serve /healthz, /livez and /readyz at HOST:PORT (0: nowhere)"},
    {0, "metrics-bind-address", "ADDRESS", OPT_STRING, &opts.metrics, NULL,
	"serve /metrics at HOST:PORT (0: nowhere)"},
    {0, "metrics-secure", NULL, OPT_FLAG, &opts.secure, NULL,
	"/metrics over TLS, for users with the right to get it"},
    {0, "metrics-cert-path", "DIR", OPT_STRING, &opts.cert_path, NULL,
	"tls.crt and tls.key for that, instead of one generated at the start"},
    {0, "openmetrics", NULL, OPT_FLAG, &opts.openmetrics, NULL,
	"/metrics with exemplars, for clients that want OpenMetrics"},
    {0, "report-fd", "N", OPT_INT, &opts.report_fd, NULL,
	"write a newline to this descriptor when requests are served"},
    OPT_ROWS(kube_opt_server_table), OPT_ROWS(sandbox_opt_table), OPT_END};

static const struct opt_tool tool = {"kpipe-http", "[OPTION]...",
    "Serve probes and metrics of the pipeline on standard input.", table};

struct app {
	struct loop *loop;
	struct gate gate; /* for --metrics-secure */
	struct stream *stream;
	struct state state;
	struct serve serve;
	struct port ports[2]; /* metrics; probes if elsewhere */
	struct reportfd report;
	struct err *err; /* why the input cannot be read */
	bool bad;	 /* a bad line was logged */
};

static bool
is_address(const char *address)
{
	return address != NULL && strcmp(address, "0") != 0;
}

static int
check_options(int operands, const char *first, struct err *err)
{
	const struct opt_rule rules[] = {
	    {opts.secure, "metrics-secure", OPT_NEEDS, is_address(opts.metrics),
		"metrics-bind-address"},
	    {opts.cert_path != NULL, "metrics-cert-path", OPT_NEEDS,
		opts.secure, "metrics-secure"}};

	if (operands > 0)
		return err_set(
		    err, ERR_PERMANENT, "unexpected operand \"%s\"", first);
	if (!is_address(opts.metrics) && !is_address(opts.probes))
		return err_set(err, ERR_PERMANENT,
		    "nothing to serve: --health-probe-bind-address or "
		    "--metrics-bind-address is missing");
	if (opt_check_rules(rules, COUNT(rules), err) != 0)
		return -1;
	return opt_check_fd("report-fd", opts.report_fd, err);
}

/* ---- input ---- */

/* Logged once: the same writer would write more of them. */
static void
bad_line(struct app *a, size_t line, const char *what)
{
	if (!a->bad)
		log_warning(
		    "line %zu: %s; further ones are not mentioned", line, what);
	a->bad = true;
}

static void
take_lines(struct app *a)
{
	struct err err = ERR_INIT;
	struct stream_doc doc;

	for (;;) {
		switch (stream_next(a->stream, &doc)) {
		case STREAM_DOC:
			if (state_line(&a->state, doc.text, &err) != 0)
				bad_line(a, doc.line, err.message);
			break;
		case STREAM_BAD:
			bad_line(a, doc.line, doc.err.message);
			break;
		case STREAM_MORE:
			return;
		case STREAM_END:
			loop_unwatch(a->loop, STDIN_FILENO);
			loop_stop(a->loop);
			return;
		}
	}
}

static void
on_input(void *arg, int fd, int events)
{
	struct app *a = arg;
	struct err err = ERR_INIT;

	(void)events;
	if (stream_read(a->stream, fd, &err) < 0 && err.kind != ERR_TRANSIENT) {
		*a->err = err;
		loop_unwatch(a->loop, fd);
		loop_stop(a->loop);
		return;
	}
	take_lines(a);
}

/* ---- our own samples ---- */

static void
own_samples(void *arg, struct metric_lines *m)
{
	struct app *a = arg;

	if (a->state.known)
		metric_add(m, METRIC_READY, NULL, health_ready(&a->state));
	for (unsigned i = 0; i < a->state.count; i++) {
		const struct state_stage *s = &a->state.stages[i];
		const struct metric_labels *stage = METRIC_LABELS(s->name);

		if (!s->listed)
			continue;
		metric_add(m, METRIC_STAGE_RUNNING, stage, s->running);
		metric_add(m, METRIC_STAGE_READY, stage,
		    s->ready && s->unready == NULL);
		metric_add(m, METRIC_STAGE_STARTS, stage, (double)s->starts);
		metric_add(
		    m, METRIC_STAGE_OOM_KILLS, stage, (double)s->oom_kills);
	}
	if (opts.cert_path != NULL) {
		metric_add(m, METRIC_CERT_READS, NULL,
		    (double)a->gate.certificate.reads);
		metric_add(m, METRIC_CERT_READ_ERRORS, NULL,
		    (double)a->gate.certificate.failures);
	}
	if (a->gate.kube != NULL)
		kube_metrics(a->gate.kube, m);
	process_metrics(m);
}

/* ---- start ---- */

static int
open_metrics(struct app *a, unsigned what, struct err *err)
{
	const struct httpd_tls *tls = opts.secure ? &a->gate.tls : NULL;
	const struct gate_opts gate = {.tool = tool.name,
	    .path = "/metrics",
	    .cert_path = opts.cert_path,
	    .cert_option = "metrics-cert-path"};

	if (opts.secure && gate_open(&a->gate, a->loop, &gate, err) != 0)
		return -1;
	a->serve.review = a->gate.review;
	if (serve_open(&a->ports[0], &a->serve, what, opts.metrics, tls, err) !=
	    0)
		return err_prefix(err, "option --metrics-bind-address");
	if (opts.secure)
		gate_watch(&a->gate, a->ports[0].httpd);
	return 0;
}

static void
say_where(const struct port *p, const char *address)
{
	const char *colon;

	if (p->httpd == NULL)
		return;
	colon = strrchr(address, ':');
	log_info("%s%s%s at %.*s:%d", p->what & SERVE_PROBES ? "probes" : "",
	    p->what == (SERVE_PROBES | SERVE_METRICS) ? " and " : "",
	    p->what & SERVE_METRICS ? "metrics" : "", (int)(colon - address),
	    address, httpd_port(p->httpd));
}

/* Port 0 gives another port each time. */
static bool
is_same(const char *a, const char *b)
{
	const char *colon = strrchr(a, ':');

	return strcmp(a, b) == 0 && colon != NULL && strcmp(colon, ":0") != 0;
}

static int
open_ports(struct app *a, struct err *err)
{
	bool metrics = is_address(opts.metrics);
	bool probes = is_address(opts.probes);
	bool one = metrics && probes && is_same(opts.metrics, opts.probes);

	if (metrics &&
	    open_metrics(a, SERVE_METRICS | (one ? SERVE_PROBES : 0), err) != 0)
		return -1;
	if (!probes || one)
		return 0;
	if (serve_open(&a->ports[1], &a->serve, SERVE_PROBES, opts.probes, NULL,
		err) != 0)
		return err_prefix(err, "option --health-probe-bind-address");
	return 0;
}

static void
stop(void *arg, int signo)
{
	(void)signo;
	loop_stop(arg);
}

static int
start(struct app *a, struct err *err)
{
	a->loop = loop_new();
	loop_signal(a->loop, SIGTERM, stop, a->loop);
	loop_signal(a->loop, SIGINT, stop, a->loop);
	a->stream = stream_new();
	a->serve = (struct serve){.loop = a->loop,
	    .state = &a->state,
	    .openmetrics = opts.openmetrics,
	    .own = own_samples,
	    .arg = a};
	if (open_ports(a, err) != 0)
		return -1;
	loop_watch(a->loop, STDIN_FILENO, LOOP_READ, on_input, a);
	reportfd_init(
	    &a->report, a->loop, tool.name, (int)opts.report_fd, NULL, NULL);
	/* kpipe-http reads input from any client: an attacker who takes it over
	 * can start no program, write no file, trace no process and, unless it
	 * asks the API server, make no connection. */
	if (gate_sandbox(&a->gate, access_serves_files, err) != 0)
		return -1;
	say_where(&a->ports[0], opts.metrics);
	say_where(&a->ports[1], opts.probes);
	reportfd_ready(&a->report);
	return 0;
}

static void
release(struct app *a)
{
	reportfd_release(&a->report);
	for (size_t i = 0; i < 2; i++)
		if (a->ports[i].httpd != NULL)
			serve_close(&a->ports[i]);
	gate_release(&a->gate);
	stream_free(a->stream);
	state_release(&a->state);
	loop_free(a->loop);
}

static int
run(int operands, char **operand, struct err *err)
{
	struct app a = {.err = err};
	int code = -1;

	if (check_options(operands, operand[0], err) != 0)
		return -1;
	state_init(&a.state, tool.name);
	if (start(&a, err) == 0) {
		loop_run(a.loop);
		code = err->kind == ERR_NONE ? 0 : -1;
	}
	release(&a);
	return code;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
