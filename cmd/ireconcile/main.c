/*
 * ireconcile: reads watch events and writes desired sets. This file has the
 * options, the input and output, and the end of the process.
 */
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "against.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/textlist.h"
#include "conf/instancename.h"
#include "conf/watches.h"
#include "inputof.h"
#include "json/stream.h"
#include "process/clock.h"
#include "process/log.h"
#include "process/loop.h"
#include "process/opt.h"
#include "process/out.h"
#include "program/program.h"
#include "reconciler.h"
#include "report/reportfd.h"
#include "startup.h"
#include "verdict.h"

/* Reading goes before evaluating, so that events of an object come together,
 * but not for longer than this. */
enum { READ_AHEAD = 4 * 1024 * 1024, EVALUATE_AT_ONCE = 64 };
/* There is no event when the clock was set, or a whole virtual machine was
 * suspended: while a timer waits, the clock is checked this often. */
enum { CLOCK_LOOK_S = 10 };

static struct opts {
	const char *watches;
	const char *namespace_;
	bool all_namespaces;
	bool all;
	const char *input_of;
	const char *against;
	int output; /* -1: not given */
	int clock;
	long gate_fd, report_fd, marks_key_fd, lines_fd, tap_fd;
	bool accept_unproven;
	bool debug_values, must_answer;
	struct opt_list library_dirs, former;
	const char *instance;
} opts = {.output = -1,
    .gate_fd = -1,
    .report_fd = -1,
    .marks_key_fd = -1,
    .lines_fd = -1,
    .tap_fd = -1};

static const char *const clocks[] = {"real", "input", NULL};
static const char *const outputs[] = {"json", "text", NULL}; /* told.h */

static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_STRING, &opts.watches, NULL,
	"what is watched, and the programs to run (watches.yaml)"},
    {'n', "namespace", "NAMESPACES", OPT_STRING, &opts.namespace_, NULL,
	"primaries of these namespaces only, whatever the file says"},
    {'A', "all-namespaces", NULL, OPT_FLAG, &opts.all_namespaces, NULL,
	"primaries of all namespaces, whatever the file says"},
    {0, "all", NULL, OPT_FLAG, &opts.all, NULL,
	"print whole sets: what agrees already, too"},
    {0, "input-of", "KEY", OPT_STRING, &opts.input_of, NULL,
	"print what the program gets for this primary, KIND/NAMESPACE/NAME"},
    {0, "against", "WATCHES", OPT_STRING, &opts.against, NULL,
	"print only where this file's programs decide otherwise"},
    {'o', "output", "json|text", OPT_CHOICE, &opts.output, outputs,
	"how --against prints it (text on a terminal, else json)"},
    {0, "clock", "CLOCK", OPT_CHOICE, &opts.clock, clocks,
	"real, or input: the time of the lines, for repeatable output"},
    {0, "must-answer", NULL, OPT_FLAG, &opts.must_answer, NULL,
	"exit 2 if the input is cut, or a program gives no answer"},
    {0, "debug-values", NULL, OPT_FLAG, &opts.debug_values, NULL,
	"log what `debug` in a program gets; --clock=input does, too"},
    {'L', "library-path", "DIR", OPT_LIST, &opts.library_dirs, NULL,
	"look for included jq files here, too"},
    {0, "gate-fd", "N", OPT_INT, &opts.gate_fd, NULL,
	"print nothing before a newline came from this descriptor"},
    {0, "lines-fd", "N", OPT_INT, &opts.lines_fd, NULL,
	"print lines that come from this descriptor, for the next stage"},
    {0, "tap-fd", "N", OPT_INT, &opts.tap_fd, NULL,
	"what is read goes to this pipe as well, for krecord"},
    {0, "marks-key-fd", "N", OPT_INT, &opts.marks_key_fd, NULL,
	"marks of members are proven by the key on this descriptor"},
    {0, "accept-unproven-marks", NULL, OPT_FLAG, &opts.accept_unproven, NULL,
	"once, after an upgrade: marks count that lack the proof"},
    {0, "instance", "NAME", OPT_STRING, &opts.instance, NULL,
	"what this instance is called, if WATCHES does not say it"},
    {0, "take-over-instance", "NAME", OPT_LIST, &opts.former, NULL,
	"what that former instance made is ours"},
    {0, "report-fd", "N", OPT_INT, &opts.report_fd, NULL,
	"a newline here when every kind is complete, then counters"},
    OPT_ROWS(sandbox_opt_table), OPT_END};

static const struct opt_tool tool = {"ireconcile", "-f WATCHES [OPTION]...",
    "Turn watch events into desired sets.", table};

struct app {
	struct loop *loop;
	struct stream *stream;
	struct out out;
	struct reconciler reconciler;
	struct proof proof;
	struct timer timer;
	struct reportfd report;
	/* Logged and reported last: objects with marks that count without a
	 * proof; workers that were killed; for each kind, objects that are too
	 * large to be read. */
	bool said_unproven;
	size_t unproven;
	uint64_t kills;
	size_t *too_large;  /* owned */
	struct buf lines;   /* from lines_fd: the beginning of a line */
	size_t unevaluated; /* bytes read since the last evaluation */
	bool eof;
	int exit_code;
};

static void
stop(struct app *a, int exit_code)
{
	if (exit_code > a->exit_code)
		a->exit_code = exit_code;
	loop_stop(a->loop);
}

/* Ends because the output failed. */
static void
stop_unwritten(struct app *a)
{
	log_error("%s", a->out.err.message);
	stop(a, a->out.err.kind == ERR_GONE ? VERDICT_NO : EXIT_TRANSIENT);
}

/* ---- reports ---- */

static void
count(void *arg, struct buf *b)
{
	const struct app *a = arg;
	const struct reconciler_counters *c = &a->reconciler.counters;

	reportfd_count(b, "events", c->events);
	reportfd_count(b, "bad_lines", c->bad_lines);
	reportfd_count(b, "evaluations", c->evaluations);
	reportfd_count(b, "failures", c->failures);
	reportfd_count(b, "lines", c->lines);
	reportfd_count(b, "tolerated", c->tolerated);
	reportfd_count(b, "loops", c->loops);
	reportfd_count(b, "unsettled", c->unsettled);
}

static void
samples(void *arg, struct metric_lines *m)
{
	const struct app *a = arg;

	stats_metrics(&a->reconciler.es, a->reconciler.counters.bad_lines, m);
}

/* With --accept-unproven-marks: logs the number of objects without a proof when
 * everything was read, and after each change, for users who want to know when
 * they can drop that option. */
static void
say_unproven(struct app *a)
{
	size_t count = a->reconciler.es.unproven;

	if (a->said_unproven && count == a->unproven)
		return;
	if (count > 0 && (!a->said_unproven || a->unproven == 0))
		log_warning("%zu objects have marks without a proof; what is "
			    "desired gets it as it is applied again, what is "
			    "not is deleted",
		    count);
	else if (count == 0)
		log_info("no object has marks without a proof: start without "
			 "--accept-unproven-marks");
	a->said_unproven = true;
	a->unproven = count;
}

/* Kinds with objects that are too large to be read are reasons for not being
 * ready. */
static void
report_too_large(struct app *a)
{
	const struct cache *store = &a->reconciler.es.store;

	if (a->too_large == NULL)
		a->too_large =
		    mem_zalloc((store->kind_count + 1) * sizeof(*a->too_large));
	for (size_t i = 0; i < store->kind_count; i++) {
		const struct cache_kind *k = store->kinds[i];
		bool one = k->too_large == 1;
		struct buf b = BUF_INIT;

		if (a->too_large[i] == k->too_large)
			continue;
		a->too_large[i] = k->too_large;
		buf_addf(&b,
		    "%zu %s longer than %s as JSON, so %s cannot be read: the "
		    "primaries that need %s fail",
		    k->too_large, one ? "is" : "are", STREAM_MAX_TEXT,
		    one ? "it" : "they", one ? "it" : "them");
		reportfd_unready(
		    &a->report, k->name, k->too_large > 0 ? buf_str(&b) : NULL);
		buf_release(&b);
	}
}

/* Workers that were killed: kpipe knows whether the kernel did it, for
 * memory. */
static void
report_kills(struct app *a)
{
	struct evaluator_kills kills = evaluator_kills();
	struct buf b = BUF_INIT;

	if (kills.count == a->kills)
		return;
	reportfd_count(&b, "kills", kills.count);
	reportfd_count(&b, "peakKiB", kills.peak_kib);
	if (reportfd_now(&a->report, "worker", buf_span(&b)) == 0)
		a->kills = kills.count;
	buf_release(&b);
}

/* ---- input ---- */

static void
document(struct app *a, const struct stream_doc *doc)
{
	struct event event = entry_parse_event(doc->text);
	struct err err = ERR_INIT;

	if (reconciler_document(&a->reconciler, &event, &err) != 0) {
		a->reconciler.counters.bad_lines++;
		if (reconciler_say_bad(doc->line, &err))
			stop(a, EXIT_PERMANENT);
	}
	if (a->reconciler.sched.clock != SCHED_INPUT)
		return;
	while (reconciler_step(&a->reconciler))
		if (out_full(&a->out) && out_drain(&a->out) != 0)
			return;
}

static void
documents(struct app *a)
{
	while (a->exit_code == 0) {
		struct stream_doc doc;

		switch (stream_next(a->stream, &doc)) {
		case STREAM_DOC:
			document(a, &doc);
			break;
		case STREAM_BAD:
			a->reconciler.counters.bad_lines++;
			log_error("%s", doc.err.message);
			break;
		default:
			return;
		}
	}
}

static bool
readable(int fd)
{
	struct pollfd pfd = {fd, POLLIN, 0};

	return poll(&pfd, 1, 0) > 0;
}

static void
end_of_input(struct app *a)
{
	struct pollfd pfd = {(int)opts.lines_fd, 0, 0};
	bool hung_up = poll(&pfd, 1, 0) > 0 && (pfd.revents & POLLHUP);

	a->eof = true;
	loop_unwatch(a->loop, STDIN_FILENO);
	/* Below kpipe a hang-up means that the operator was told to end. */
	reconciler_end_of_input(&a->reconciler, hung_up);
}

static void
on_input(void *arg, int fd, int events)
{
	struct app *a = arg;
	struct err err = ERR_INIT;

	(void)events;
	while (!a->eof && a->unevaluated < READ_AHEAD && readable(fd)) {
		long n = stream_read(a->stream, fd, &err);

		if (n < 0 && err.kind == ERR_TRANSIENT)
			break;
		documents(a);
		if (n < 0)
			stop(a, opt_fatal(&err));
		if (a->exit_code != 0)
			return;
		if (n == 0)
			end_of_input(a);
		else
			a->unevaluated += (size_t)n;
	}
}

/* ---- evaluations ---- */

static void
on_timer(void *arg)
{
	struct app *a = arg;

	reconciler_timers(&a->reconciler);
}

static void
set_timer(struct app *a)
{
	struct sched *s = &a->reconciler.sched;
	int64_t due, latest = sched_ticks(s) + CLOCK_LOOK_S * 1000000;

	reconciler_clock(&a->reconciler);
	due = sched_next(s);
	if (due > latest)
		due = latest;
	if (a->reconciler.sched.clock == SCHED_INPUT || due == 0)
		loop_cancel(a->loop, &a->timer);
	else
		loop_at(a->loop, &a->timer, (uint64_t)(due + 999) / 1000,
		    on_timer, a);
}

static bool
is_behind(const struct app *a)
{
	return !a->eof && readable(STDIN_FILENO);
}

/* Evaluates while the output takes lines and no input has precedence.
 * Returns false when nothing is left to evaluate. */
static bool
evaluate_some(struct app *a)
{
	for (int n = 0; !out_full(&a->out); n++) {
		bool behind = is_behind(a);

		if (behind && n >= EVALUATE_AT_ONCE)
			a->unevaluated = 0;
		if (behind && a->unevaluated < READ_AHEAD)
			return true;
		if (!reconciler_step(&a->reconciler)) {
			a->unevaluated = 0;
			return false;
		}
		/* If the lines are written at once, there is room, but no event
		 * tells of it. */
		if (out_full(&a->out))
			out_flush(&a->out);
	}
	return true;
}

/* Ends, when all is evaluated and written. With --input-of nothing was written
 * so far. */
static void
end(struct app *a)
{
	int code = opts.input_of != NULL
	    ? inputof_print(&a->reconciler, opts.input_of) != 0
	    : verdict(&a->reconciler, opts.must_answer);

	if (out_drain(&a->out) == 0)
		stop(a, code);
	else
		stop_unwritten(a);
}

/* Before each wait. */
static void
idle(void *arg)
{
	struct app *a = arg;
	bool more;

	/* If a flush writes at once, there is room, but no event tells of
	 * it. */
	do {
		more = evaluate_some(a);
		out_flush(&a->out);
	} while (more && !out_full(&a->out) && !is_behind(a));
	evaluator_roam();
	if (!more)
		reconciler_rest(&a->reconciler);
	/* A slow reader is not a reason to stop reading: kwatch would wait. */
	if (out_full(&a->out))
		a->unevaluated = 0;
	set_timer(a);
	if (a->proof.accept_unproven && a->reconciler.ready)
		say_unproven(a);
	if (a->reconciler.ready && !a->report.ready) {
		reportfd_ready(&a->report);
		reportfd_send(&a->report);
	}
	if (a->report.ready) {
		report_kills(a);
		report_too_large(a);
	}
	if (a->out.failed)
		stop_unwritten(a);
	else if (a->eof && !more && a->reconciler.gate_open &&
	    out_empty(&a->out))
		end(a);
}

static void
on_room(void *arg)
{
	(void)arg; /* idle goes on */
}

static void
on_lines(void *arg, int fd, int events)
{
	struct app *a = arg;
	char *room = buf_reserve(&a->lines, PIPE_BUF);
	ssize_t n = read(fd, room, PIPE_BUF);
	const char *end;

	(void)events;
	if (n <= 0) {
		loop_unwatch(a->loop, fd);
		return;
	}
	a->lines.len += (size_t)n;
	while ((end = span_find(buf_span(&a->lines), '\n')) != NULL) {
		size_t length = (size_t)(end - a->lines.data);

		out_line(&a->out, span_make(a->lines.data, length));
		buf_consume(&a->lines, length + 1);
	}
}

/* Lines that are there already come before all else. */
static void
open_lines(struct app *a)
{
	int fd = (int)opts.lines_fd;

	if (fd < 0)
		return;
	loop_watch(a->loop, fd, LOOP_READ, on_lines, a);
	if (readable(fd))
		on_lines(a, fd, LOOP_READ);
}

static void
on_gate(void *arg, int fd, int events)
{
	struct app *a = arg;
	char c;
	ssize_t n = read(fd, &c, 1);

	(void)events;
	if (n == 1 && c != '\n')
		return;
	loop_unwatch(a->loop, fd);
	if (n == 1) {
		open_lines(a);
		reconciler_open(&a->reconciler);
	} else {
		log_error("the gate was closed before it opened");
		stop(a, VERDICT_NO);
	}
}

static void
on_evaluator(void *arg, int fd, int events)
{
	struct app *a = arg;

	(void)events;
	if (evaluator_look())
		return;
	loop_unwatch(a->loop, fd);
	log_fatal("the process that starts evaluations is gone");
	stop(a, EXIT_TRANSIENT);
}

/* ---- start ---- */

/* If nothing is requested of a server, recordings count as they are. */
static struct instances
instances(void)
{
	bool shows =
	    opts.clock == 1 || opts.against != NULL || opts.input_of != NULL;

	return (struct instances){.name = opts.instance,
	    .former = &opts.former,
	    .as_they_stand = shows && opts.instance == NULL};
}

/* Everything that needs a file happens here, before the sandbox. */
static int
start(struct app *a, const struct watches *w, struct err *err)
{
	struct textlist dirs;
	int rc;

	program_init();
	a->loop = loop_new();
	reportfd_init(
	    &a->report, a->loop, "ireconcile", (int)opts.report_fd, count, a);
	reportfd_metrics(&a->report, samples);
	a->stream = stream_new();
	stream_tap(a->stream, (int)opts.tap_fd, "events");
	out_init(&a->out, a->loop, STDOUT_FILENO);
	out_on_room(&a->out, on_room, a);
	a->reconciler.sched.clock = opts.clock == 1 ? SCHED_INPUT : SCHED_REAL;
	a->reconciler.mode = opts.all ? DECIDE_ALL : DECIDE_DIFFERENCES;
	a->reconciler.gate_open = opts.gate_fd < 0;
	a->reconciler.silent = opts.input_of != NULL;
	a->reconciler.es.proof = &a->proof;
	a->reconciler.es.instances = instances();
	a->reconciler.es.debugs = opts.debug_values || opts.clock == 1;
	a->reconciler.es.store.live = opts.lines_fd >= 0; /* below kpipe */
	startup_library_dirs(&dirs, &opts.library_dirs);
	rc = reconciler_init(
	    &a->reconciler, w, (const char *const *)dirs.items, &a->out, err);
	textlist_release(&dirs);
	if (rc != 0 ||
	    (opts.input_of != NULL &&
		inputof_check(&a->reconciler, opts.input_of, err) != 0) ||
	    startup_confine_programs(err) != 0)
		return -1;
	loop_watch(a->loop, evaluator_fd(), LOOP_READ, on_evaluator, a);
	loop_watch(a->loop, STDIN_FILENO, LOOP_READ, on_input, a);
	if (opts.gate_fd >= 0)
		loop_watch(a->loop, (int)opts.gate_fd, LOOP_READ, on_gate, a);
	else
		open_lines(a);
	loop_idle(a->loop, idle, a);
	/* The key is read only now, so that no process that was started before
	 * has a copy. */
	a->proof.replays = opts.clock == 1;
	if (opts.marks_key_fd >= 0) {
		if (proof_read(&a->proof, (int)opts.marks_key_fd, err) != 0)
			return -1;
		close((int)opts.marks_key_fd);
		a->proof.accept_unproven = opts.accept_unproven;
	}
	return startup_confine_self(err);
}

static int
check_options(int operands, const char *first, struct err *err)
{
	bool fds = opts.gate_fd >= 0 || opts.lines_fd >= 0 ||
	    opts.marks_key_fd >= 0 || opts.tap_fd >= 0;

	if (operands > 0)
		return err_set(
		    err, ERR_PERMANENT, "unexpected argument \"%s\"", first);
	if (opts.watches == NULL)
		return err_set(err, ERR_PERMANENT, "-f WATCHES is missing");
	if (opts.accept_unproven && opts.marks_key_fd < 0)
		return err_set(err, ERR_PERMANENT,
		    "option --accept-unproven-marks needs --marks-key-fd");
	if (opts.instance != NULL &&
	    instancename_check("option --instance", opts.instance, err) != 0)
		return -1;
	if (instancename_check_former(&opts.former, err) != 0)
		return -1;
	if (opts.against == NULL && opts.output >= 0)
		return err_set(
		    err, ERR_PERMANENT, "option --output needs --against");
	if (opts.against != NULL && (opts.all || opts.input_of != NULL || fds))
		return err_set(err, ERR_PERMANENT,
		    "option --against excludes --all, --input-of, and each "
		    "*-fd but --report-fd");
	return 0;
}

static int
run_against(struct err *err)
{
	const struct against_options o = {.before = opts.watches,
	    .after = opts.against,
	    .scope = {opts.namespace_, opts.all_namespaces},
	    .library_dirs = &opts.library_dirs,
	    .instances = instances(),
	    .clock = opts.clock == 1 ? SCHED_INPUT : SCHED_REAL,
	    .format = opts.output,
	    .debugs = opts.debug_values,
	    .report_fd = (int)opts.report_fd};

	return against_run(&o, err);
}

/* Returns the exit code, or -1 with err. */
static int
reconcile(struct err *err)
{
	struct app a = {.exit_code = 0};
	struct watches_scope scope = {opts.namespace_, opts.all_namespaces};
	struct watches *w = watches_load(opts.watches, &scope, err);

	if (w == NULL || start(&a, w, err) != 0)
		return -1;
	loop_run(a.loop);
	reportfd_send(&a.report);
	reportfd_release(&a.report);
	free(a.too_large);
	reconciler_release(&a.reconciler);
	proof_release(&a.proof);
	out_release(&a.out);
	buf_release(&a.lines);
	stream_free(a.stream);
	loop_free(a.loop);
	watches_free(w);
	return a.exit_code;
}

static int
run(int operands, char **operand, struct err *err)
{
	if (check_options(operands, operand[0], err) != 0)
		return -1;
	return opts.against != NULL ? run_against(err) : reconcile(err);
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
