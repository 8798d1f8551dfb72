#include "report/metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/quote.h"
#include "base/utf8.h"
#include "json/json.h"

static const double reconcile_buckets[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.15,
    0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
    1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50,
    60};
/* The values that repeated multiplication by ten gives in binary. */
static const double queue_buckets[] = {1e-08, 1e-07, 1e-06,
    9.999999999999999e-06, 9.999999999999999e-05, 0.001, 0.01, 0.1, 1.0, 10.0,
    100.0, 1000.0};

#define RECONCILE_BUCKETS reconcile_buckets, COUNT(reconcile_buckets)
#define QUEUE_BUCKETS queue_buckets, COUNT(queue_buckets)

#define COUNTER(name, help, ...)                                   \
	{                                                          \
		name, METRIC_COUNTER, {__VA_ARGS__}, help, NULL, 0 \
	}
#define GAUGE(name, help, ...)                                   \
	{                                                        \
		name, METRIC_GAUGE, {__VA_ARGS__}, help, NULL, 0 \
	}
#define HISTOGRAM(name, help, buckets, ...)                          \
	{                                                            \
		name, METRIC_HISTOGRAM, {__VA_ARGS__}, help, buckets \
	}

const struct metric_family metric_families[METRICS] = {
    [METRIC_RECONCILE_TOTAL] = COUNTER("controller_runtime_reconcile_total",
	"Reconciliations by controller and result, and failed writes as "
	"errors.",
	"controller", "result"),
    [METRIC_RECONCILE_ERRORS] =
	COUNTER("controller_runtime_reconcile_errors_total",
	    "Reconciliations that failed, and failed writes, by controller.",
	    "controller"),
    [METRIC_RECONCILE_TERMINAL_ERRORS] =
	COUNTER("controller_runtime_terminal_reconcile_errors_total",
	    "Failures of a program, which only a change can mend, by "
	    "controller.",
	    "controller"),
    [METRIC_RECONCILE_PANICS] =
	COUNTER("controller_runtime_reconcile_panics_total",
	    "Always 0: a program that fails ends nothing.", "controller"),
    [METRIC_RECONCILE_TIMEOUTS] =
	COUNTER("controller_runtime_reconcile_timeouts_total",
	    "Programs that were stopped at their limit of time or memory, by "
	    "controller.",
	    "controller"),
    [METRIC_RECONCILE_TIME] =
	HISTOGRAM("controller_runtime_reconcile_time_seconds",
	    "How long one evaluation takes, by controller.", RECONCILE_BUCKETS,
	    "controller"),
    [METRIC_MAX_CONCURRENT] =
	GAUGE("controller_runtime_max_concurrent_reconciles",
	    "How many primaries may have requests under way, by controller.",
	    "controller"),
    [METRIC_ACTIVE_WORKERS] = GAUGE("controller_runtime_active_workers",
	"How many primaries have requests under way, by controller.",
	"controller"),
    [METRIC_QUEUE_DEPTH] =
	GAUGE("workqueue_depth", "Primaries that wait for their evaluation.",
	    "name", "controller", "priority"),
    [METRIC_QUEUE_ADDS] = COUNTER("workqueue_adds_total",
	"How often a primary was put into the queue.", "name", "controller"),
    [METRIC_QUEUE_DURATION] = HISTOGRAM("workqueue_queue_duration_seconds",
	"How long a primary waits for its evaluation.", QUEUE_BUCKETS, "name",
	"controller"),
    [METRIC_QUEUE_WORK] = HISTOGRAM("workqueue_work_duration_seconds",
	"How long the evaluation of a primary takes.", QUEUE_BUCKETS, "name",
	"controller"),
    [METRIC_QUEUE_UNFINISHED] = GAUGE("workqueue_unfinished_work_seconds",
	"For how long requests have been under way, all primaries together.",
	"name", "controller"),
    [METRIC_QUEUE_LONGEST] =
	GAUGE("workqueue_longest_running_processor_seconds",
	    "For how long requests of one primary have been under way, the "
	    "longest.",
	    "name", "controller"),
    [METRIC_QUEUE_RETRIES] = COUNTER("workqueue_retries_total",
	"How often a primary was put into the queue by a timer.", "name",
	"controller"),
    [METRIC_REST_REQUESTS] = COUNTER("rest_client_requests_total",
	"Requests to the API server by status code, method and host.", "code",
	"method", "host"),
    [METRIC_LEADER] = GAUGE("leader_election_master_status",
	"1: this process leads; 0: it stands by. name is that of the lock.",
	"name"),
    [METRIC_CERT_READS] = COUNTER("certwatcher_read_certificate_total",
	"How often the certificate of /metrics was read.", NULL),
    [METRIC_CERT_READ_ERRORS] =
	COUNTER("certwatcher_read_certificate_errors_total",
	    "How often that failed.", NULL),
    [METRIC_PROCESS_CPU] = COUNTER("process_cpu_seconds_total",
	"CPU time of kpipe and all its tools.", NULL),
    [METRIC_PROCESS_RESIDENT] = GAUGE("process_resident_memory_bytes",
	"Resident memory of kpipe and all its tools.", NULL),
    [METRIC_PROCESS_VIRTUAL] = GAUGE("process_virtual_memory_bytes",
	"Virtual memory of kpipe and all its tools.", NULL),
    [METRIC_PROCESS_START] = GAUGE("process_start_time_seconds",
	"When kpipe was started, in seconds since 1970.", NULL),
    [METRIC_PROCESS_OPEN_FDS] = GAUGE("process_open_fds",
	"Open file descriptors of kpipe and all its tools.", NULL),
    [METRIC_PROCESS_MAX_FDS] = GAUGE("process_max_fds",
	"How many file descriptors they may have, together.", NULL),

    [METRIC_READY] = GAUGE("kpipe_ready",
	"1: every stage runs and is ready (what /readyz says).", NULL),
    [METRIC_STAGE_RUNNING] =
	GAUGE("kpipe_stage_running", "1: the stage runs.", "stage"),
    [METRIC_STAGE_READY] =
	GAUGE("kpipe_stage_ready", "1: the stage is ready.", "stage"),
    [METRIC_STAGE_STARTS] = COUNTER("kpipe_stage_starts_total",
	"How often the stage was started.", "stage"),
    [METRIC_STAGE_OOM_KILLS] = COUNTER("kpipe_stage_oom_kills_total",
	"How often the kernel killed the stage, or its worker, for memory.",
	"stage"),
    [METRIC_TOOL_CPU] =
	COUNTER("kpipe_tool_cpu_seconds_total", "CPU time by tool.", "tool"),
    [METRIC_TOOL_RESIDENT] = GAUGE(
	"kpipe_tool_resident_memory_bytes", "Resident memory by tool.", "tool"),
    [METRIC_BAD_LINES] = COUNTER(
	"kpipe_bad_lines_total", "Lines that a tool could not read.", "tool"),
    [METRIC_WATCH_EVENTS] = COUNTER("kpipe_watch_events_total",
	"Watch events that came in, by kind and type.", "kind", "type"),
    [METRIC_WATCH_RELISTS] = COUNTER("kpipe_watch_relists_total",
	"Watches that had to begin again and compare.", NULL),
    [METRIC_WATCH_RECONNECTS] = COUNTER("kpipe_watch_reconnects_total",
	"Watches that went on where they had been.", NULL),
    [METRIC_WATCH_COALESCED] = COUNTER("kpipe_watch_coalesced_total",
	"Events that took the place of one that nobody had read.", NULL),
    [METRIC_OBJECTS] =
	GAUGE("kpipe_objects", "Objects held in memory, by kind.", "kind"),
    [METRIC_TOO_LARGE] = GAUGE("kpipe_objects_too_large",
	"Objects that are too large to be read, by kind.", "kind"),
    [METRIC_PRIMARIES] =
	GAUGE("kpipe_primaries", "Primaries by controller.", "controller"),
    [METRIC_PRIMARIES_HELD] = GAUGE("kpipe_primaries_of_other_instances",
	"Primaries that another instance of the operator has.", "controller"),
    [METRIC_ORPHANS] = GAUGE(
	"kpipe_orphans", "Members whose primary does not exist.", "controller"),
    [METRIC_UNPROVEN] = GAUGE("kpipe_unproven_marks",
	"Objects whose marks count without a proof.", NULL),
    [METRIC_SETS] = COUNTER("kpipe_sets_total",
	"Desired sets that were sent, by controller.", "controller"),
    [METRIC_TOLERATED] = COUNTER("kpipe_tolerated_total",
	"Differences that stayed after an apply and are tolerated.",
	"controller"),
    [METRIC_LOOPS] = COUNTER("kpipe_loops_total",
	"Loops found: somebody changes an item back again and again.",
	"controller"),
    [METRIC_UNSETTLED] = COUNTER("kpipe_unsettled_total",
	"Statuses and items that a program never stopped changing.",
	"controller"),
    [METRIC_DELAYED] = COUNTER("kpipe_evaluations_delayed_total",
	"Evaluations that waited because of evaluationsPerMinute.",
	"controller"),
    [METRIC_SHADOW_DIFFERENCES] = GAUGE("kpipe_shadow_differences",
	"Primaries about which the program of --shadow decides otherwise now.",
	"controller"),
    [METRIC_SHADOW_FAILURES] = GAUGE("kpipe_shadow_failures",
	"Primaries that cannot be compared now: both programs fail.",
	"controller"),
    [METRIC_SHADOW_COMPARED] = COUNTER("kpipe_shadow_compared_total",
	"How often both programs decided about a primary, by controller.",
	"controller"),
    [METRIC_APPLIED] = COUNTER("kpipe_applied_total",
	"Objects by what became of them: created, configured, unchanged, "
	"deleted, failed.",
	"result"),
    [METRIC_STALE] = COUNTER("kpipe_stale_total",
	"Items that were dropped because the cluster had moved on.", NULL),
    [METRIC_PRUNES_HELD] = GAUGE("kpipe_prunes_held",
	"Deletions that the prune limit holds back.", NULL),
    [METRIC_WRITES_HELD] = COUNTER("kpipe_writes_held_seconds_total",
	"How long writes waited for the ceiling.", "tool"),
    [METRIC_STATUS] = COUNTER("kpipe_status_total",
	"Statuses by what became of them: written, gone, failed.", "result"),
    [METRIC_EVENTS] = COUNTER("kpipe_events_total",
	"Events by what became of them: sent, dropped.", "result"),
    [METRIC_DECISION_TIME] = HISTOGRAM("kpipe_decision_seconds",
	"From the first event that led to a decision to the last answer of the "
	"API server, by controller.",
	RECONCILE_BUCKETS, "controller"),
    [METRIC_TRACES] = COUNTER("kpipe_traces_total",
	"Decisions that were sent as traces, or were not.", "result"),
};

/* ---- histograms ---- */

size_t
metric_observe(struct metric_histogram *h, enum metric id, double seconds)
{
	const struct metric_family *f = &metric_families[id];
	size_t i = 0;

	while (i < f->bucket_count && seconds > f->buckets[i])
		i++;
	h->buckets[i]++;
	h->count++;
	h->sum += seconds;
	return i;
}

/* ---- writing ---- */

/* Invisible characters, newlines too, are escaped first; after that the format
 * only needs escapes for backslash and quote. */
static void
add_label_value(struct buf *b, const char *value)
{
	size_t n = value == NULL ? 0 : strnlen(value, METRIC_LABEL_BYTES);
	struct buf line = BUF_INIT;

	quote_text(&line, span_make(value, n));
	/* Escapes are longer; no character is cut in half. */
	n = utf8_cut(buf_span(&line), METRIC_LABEL_BYTES);
	for (size_t i = 0; i < n; i++) {
		if (line.data[i] == '\\' || line.data[i] == '"')
			buf_addc(b, '\\');
		buf_addc(b, line.data[i]);
	}
	buf_release(&line);
}

static void
add_label(struct buf *b, size_t start, const char *name, const char *value)
{
	buf_addc(b, b->len == start ? '{' : ',');
	buf_addf(b, "%s=\"", name);
	add_label_value(b, value);
	buf_addc(b, '"');
}

void
metric_series(struct buf *b, enum metric id, const char *suffix,
    const struct metric_labels *labels, const char *le)
{
	const struct metric_family *f = &metric_families[id];
	size_t start;

	buf_addf(b, "%s%s", f->name, suffix);
	start = b->len;
	for (size_t i = 0; i < METRIC_LABELS_MAX && f->labels[i] != NULL; i++)
		add_label(b, start, f->labels[i], labels->values[i]);
	if (le != NULL)
		add_label(b, start, "le", le);
	if (b->len > start)
		buf_addc(b, '}');
}

void
metric_add_value(struct buf *b, double value)
{
	/* Up to there every whole number is one. */
	bool exact = value > -9007199254740992.0 && value < 9007199254740992.0;

	if (!isfinite(value))
		value = 0; /* JSON has no word for it */
	if (exact && value == (double)(long long)value)
		buf_addf(b, "%lld", (long long)value);
	else
		buf_addf(b, "%.15g", value);
}

void
metric_lines_init(struct metric_lines *m, const char *tool, struct buf *out)
{
	*m = (struct metric_lines){.tool = tool, .out = out};
}

void
metric_lines_end(struct metric_lines *m)
{
	if (m->open)
		buf_adds(m->out, "}}\n");
	m->open = false;
}

static void
open_line(struct metric_lines *m)
{
	m->start = m->out->len;
	buf_addf(m->out, "{\"tool\":\"%s\",\"metrics\":{", m->tool);
	m->open = true;
}

/* [VALUE, {...}] */
static void
add_exemplary(struct buf *b, double value, const struct metric_exemplar *e)
{
	buf_addc(b, '[');
	metric_add_value(b, value);
	buf_addf(b, ",{\"trace_id\":\"%s\",\"value\":", e->trace_id);
	metric_add_value(b, e->seconds);
	buf_addf(b, ",\"time\":%lld.%06d}]", (long long)(e->us / 1000000),
	    (int)(e->us % 1000000));
}

/* e may be NULL. */
static void
add_part(struct metric_lines *m, enum metric id, const char *suffix,
    const struct metric_labels *labels, const char *le, double value,
    const struct metric_exemplar *e)
{
	struct buf series = BUF_INIT, b = BUF_INIT;

	metric_series(&series, id, suffix, labels, le);
	json_add_string(&b, buf_span(&series));
	buf_addc(&b, ':');
	if (e != NULL && *e->trace_id != '\0')
		add_exemplary(&b, value, e);
	else
		metric_add_value(&b, value);
	if (m->open && m->out->len - m->start + b.len + 4 > METRIC_LINE_MAX)
		metric_lines_end(m);
	if (!m->open)
		open_line(m);
	json_add_comma(m->out);
	buf_addspan(m->out, buf_span(&b));
	buf_release(&b);
	buf_release(&series);
}

void
metric_add(struct metric_lines *m, enum metric id,
    const struct metric_labels *labels, double value)
{
	add_part(m, id, "", labels, NULL, value, NULL);
}

enum { BOUND_MAX = 32 };

/* The shortest digits that mean this number, as Go writes them. */
static void
format_bound(char le[BOUND_MAX], double bound)
{
	for (int digits = 6; digits <= 17; digits++) {
		snprintf(le, BOUND_MAX, "%.*g", digits, bound);
		if (strtod(le, NULL) == bound)
			return;
	}
}

void
metric_add_exemplary(struct metric_lines *m, enum metric id,
    const struct metric_labels *labels, const struct metric_histogram *h,
    const struct metric_exemplar *exemplars)
{
	const struct metric_family *f = &metric_families[id];
	const struct metric_exemplar *e = exemplars;
	uint64_t below = 0;
	char le[BOUND_MAX];

	for (size_t i = 0; i < f->bucket_count; i++) {
		below += h->buckets[i];
		format_bound(le, f->buckets[i]);
		add_part(m, id, "_bucket", labels, le, (double)below, e);
		e += exemplars != NULL;
	}
	add_part(m, id, "_bucket", labels, "+Inf", (double)h->count, e);
	add_part(m, id, "_sum", labels, NULL, h->sum, NULL);
	add_part(m, id, "_count", labels, NULL, (double)h->count, NULL);
}

void
metric_add_histogram(struct metric_lines *m, enum metric id,
    const struct metric_labels *labels, const struct metric_histogram *h)
{
	metric_add_exemplary(m, id, labels, h, NULL);
}

/* ---- reading ---- */

/* Behind the opening quote, up to and with the closing one. */
static bool
take_value(struct span *s)
{
	while (s->n > 0) {
		char c = s->p[0];
		size_t n = 1;

		if (c == '\n' || c == '\0')
			return false;
		if (c == '\\') {
			if (s->n < 2 || strchr("\\\"n", s->p[1]) == NULL ||
			    s->p[1] == '\0')
				return false;
			n = 2;
		}
		*s = span_skip(*s, n);
		if (c == '"')
			return true;
	}
	return false;
}

static bool
take_label(struct span *s, const char *before, const char *name)
{
	return span_take(s, before) && span_take(s, name) &&
	    span_take(s, "=\"") && take_value(s);
}

/* Digits, or "+Inf". */
static bool
take_bound(struct span *s, const char *before)
{
	size_t n = 0;

	if (!span_take(s, before) || !span_take(s, "le=\""))
		return false;
	while (n < s->n && strchr("0123456789.e+-Inf", s->p[n]) != NULL &&
	    s->p[n] != '\0')
		n++;
	*s = span_skip(*s, n);
	return n > 0 && span_take(s, "\"");
}

/* s is the rest of a series after the family's name: suffix and labels. */
static bool
fits(const struct metric_family *f, struct span s)
{
	const char *before = "{";
	bool bucket = false;

	if (f->type == METRIC_HISTOGRAM) {
		bucket = span_take(&s, "_bucket");
		if (!bucket && !span_take(&s, "_sum") &&
		    !span_take(&s, "_count"))
			return false;
	}
	for (size_t i = 0; i < METRIC_LABELS_MAX && f->labels[i] != NULL; i++) {
		if (!take_label(&s, before, f->labels[i]))
			return false;
		before = ",";
	}
	if (bucket && !take_bound(&s, before))
		return false;
	if (bucket || f->labels[0] != NULL)
		return span_is(s, "}");
	return s.n == 0;
}

int
metric_of_series(struct span series)
{
	for (int i = 0; i < METRICS; i++) {
		struct span rest = series;

		if (span_take(&rest, metric_families[i].name) &&
		    fits(&metric_families[i], rest))
			return i;
	}
	return -1;
}
