/*
 * krecord: writes recordings, and cuts them.
 */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "capture.h"
#include "conf/watches.h"
#include "emit.h"
#include "process/log.h"
#include "process/opt.h"
#include "process/sandbox.h"
#include "reel.h"
#include "traces/exporter.h"
#include "value/quantity.h"

enum { EXIT_BAD_LINES = 1 };
#define SIZE_DEFAULT "64Mi"

static struct opts {
	struct capture_opts capture;
	const char *size;
	struct emit_part part;
	const char *endpoint;
	long batch;
} opts = {.capture = {.events_fd = -1,
	      .sets_fd = -1,
	      .statuses_fd = -1,
	      .results_fd = -1,
	      .kstatus_results_fd = -1,
	      .states_fd = -1,
	      .report_fd = -1,
	      .shadow_fd = -1,
	      .live_fd = -1,
	      .flow_fd = -1},
    .batch = -1};

static const struct opt table[] = {
    {'f', "filename", "WATCHES", OPT_STRING, &opts.capture.watches, NULL,
	"write, redact: hide the fields that `redact:` names there"},
    {0, "size", "SIZE", OPT_STRING, &opts.size, NULL,
	"write: the most that the directory may have (" SIZE_DEFAULT ")"},
    {0, "events-fd", "N", OPT_INT, &opts.capture.events_fd, NULL,
	"write: the input of ireconcile"},
    {0, "sets-fd", "N", OPT_INT, &opts.capture.sets_fd, NULL,
	"write: the input of kapply"},
    {0, "statuses-fd", "N", OPT_INT, &opts.capture.statuses_fd, NULL,
	"write: the input of kstatus"},
    {0, "results-fd", "N", OPT_INT, &opts.capture.results_fd, NULL,
	"write: the results of kapply"},
    {0, "kstatus-results-fd", "N", OPT_INT, &opts.capture.kstatus_results_fd,
	NULL, "write: the results of kstatus"},
    {0, "states-fd", "N", OPT_INT, &opts.capture.states_fd, NULL,
	"write: the states of kpipe"},
    {0, "shadow-fd", "N", OPT_INT, &opts.capture.shadow_fd, NULL,
	"write: what --shadow of kpipe would decide otherwise"},
    {0, "report-fd", "N", OPT_INT, &opts.capture.report_fd, NULL,
	"write, spans: a newline here when ready, then counters"},
    {0, "live-fd", "N", OPT_INT, &opts.capture.live_fd, NULL,
	"write: all lines go there at once, too, or only"},
    {0, "flow-fd", "N", OPT_INT, &opts.capture.flow_fd, NULL,
	"write: the same, without the state that came before"},
    {0, "from", "TIME", OPT_STRING, &opts.part.from, NULL,
	"cut: begin there, with the state at that time"},
    {0, "to", "TIME", OPT_STRING, &opts.part.to, NULL, "cut: end there"},
    {0, "object", "KIND/NAMESPACE/NAME", OPT_STRING, &opts.part.object, NULL,
	"cut: only what concerns this object"},
    {0, "batch", "N", OPT_INT, &opts.batch, NULL,
	"spans: so many decisions on a line (256)"},
    {0, "endpoint", "URL", OPT_STRING, &opts.endpoint, NULL,
	"spans: send standard input there, as it comes, by OTLP/HTTP"},
    OPT_ROWS(sandbox_opt_table), OPT_END};

static const struct opt_tool tool = {"krecord",
    "COMMAND [OPTION]... [RECORDING]...",
    "Record what an operator reads and does; cut recordings. COMMAND is\n"
    "  write [DIR]  what comes on descriptors, into a directory\n"
    "  cut          a part of a recording\n"
    "  redact       without fields and Secrets\n"
    "  stat         what a recording has, in figures\n"
    "  cat          all lines\n"
    "  spans        decisions as traces",
    table};

/* ---- options ---- */

static int
read_size(struct err *err)
{
	const char *text = opts.size != NULL ? opts.size : SIZE_DEFAULT;
	struct quantity q;
	int64_t size = 0;

	if (quantity_parse(span_str(text), &q) == NULL && !q.negative)
		size = quantity_integer(&q);
	if (size < REEL_SIZE_MIN || size > INT64_MAX / 2)
		return err_set(err, ERR_PERMANENT,
		    "option --size: %s is not a size of at least 1Mi, like "
		    "64Mi",
		    text);
	opts.capture.size = (uint64_t)size;
	return 0;
}

static int
refuse_options(const char *command, struct err *err)
{
	const struct {
		bool given;
		const char *name, *command;
	} rules[] = {{opts.size != NULL, "size", "write"},
	    {opts.capture.live_fd >= 0, "live-fd", "write"},
	    {opts.capture.flow_fd >= 0, "flow-fd", "write"},
	    {opts.part.from != NULL, "from", "cut"},
	    {opts.part.to != NULL, "to", "cut"},
	    {opts.part.object != NULL, "object", "cut"},
	    {opts.batch >= 0, "batch", "spans"},
	    {opts.endpoint != NULL, "endpoint", "spans"}};

	for (size_t i = 0; i < COUNT(rules); i++)
		if (rules[i].given && strcmp(rules[i].command, command) != 0)
			return err_set(err, ERR_PERMANENT,
			    "option --%s belongs to krecord %s", rules[i].name,
			    rules[i].command);
	return 0;
}

/* ---- commands ---- */

static int
do_write(struct emit_source *s, struct err *err)
{
	if (s->count > 1 ||
	    (s->count == 0 && opts.capture.live_fd < 0 &&
		opts.capture.flow_fd < 0))
		return err_set(err, ERR_PERMANENT,
		    "krecord write needs one directory, or --live-fd");
	if (s->count == 0 && opts.size != NULL)
		return err_set(
		    err, ERR_PERMANENT, "option --size needs a directory");
	if (s->count == 1)
		opts.capture.dir = s->paths[0];
	return read_size(err) == 0 ? capture_run(&opts.capture, err) : -1;
}

static int
do_cut(struct emit_source *s, struct err *err)
{
	return emit_cut(s, &opts.part, err);
}

static int
do_redact(struct emit_source *s, struct err *err)
{
	struct watches *w = NULL;
	int rc;

	if (opts.capture.watches != NULL &&
	    (w = watches_load(opts.capture.watches, NULL, err)) == NULL)
		return -1;
	rc = emit_redact(s, w, err);
	watches_free(w);
	return rc;
}

static int
do_spans(struct emit_source *s, struct err *err)
{
	size_t batch = opts.batch > 0 ? (size_t)opts.batch : EMIT_BATCH;
	unsigned long long lost;

	if (opts.batch == 0 || opts.batch > INT_MAX)
		return err_set(err, ERR_PERMANENT,
		    "option --batch: %ld is not a number of decisions",
		    opts.batch);
	if (opts.endpoint == NULL)
		return emit_spans(s, batch, err);
	if (s->count != 1 || strcmp(s->paths[0], "-") != 0)
		return err_set(err, ERR_PERMANENT,
		    "option --endpoint reads standard input, not %s: krecord "
		    "cat %s | krecord spans --endpoint=%s",
		    s->paths[0], s->paths[0], opts.endpoint);
	if (exporter_run(opts.endpoint, batch, (int)opts.capture.report_fd,
		&lost, err) != 0)
		return -1;
	s->bad += lost > 0;
	if (lost > 0)
		log_error("%llu traces were not sent", lost);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(struct emit_source *s, struct err *err);
} commands[] = {{"write", do_write}, {"cut", do_cut}, {"redact", do_redact},
    {"stat", emit_stat}, {"cat", emit_cat}, {"spans", do_spans}};

/* COMMAND, and recordings; without one: standard input. */
static int
run(int operands, char **operand, struct err *err)
{
	static const char *const input[] = {"-"};
	const char *name = operand[0];
	struct emit_source s = {.paths = (const char *const *)operand + 1,
	    .count = (size_t)operands - 1};
	size_t i = 0;

	if (operands == 0)
		return err_set(err, ERR_PERMANENT,
		    "which command? write, cut, redact, stat, cat or spans");
	while (i < COUNT(commands) && strcmp(commands[i].name, name) != 0)
		i++;
	if (i == COUNT(commands))
		return err_set(err, ERR_PERMANENT,
		    "unknown command \"%s\": write, cut, redact, stat, cat or "
		    "spans",
		    name);
	if (refuse_options(name, err) != 0)
		return -1;
	if (s.count == 0 && i != 0)
		s = (struct emit_source){.paths = input, .count = 1};
	/* A command that prints ends with its reader, like cat(1). */
	signal(SIGPIPE, SIG_DFL);
	if (commands[i].run(&s, err) != 0)
		return -1;
	return s.bad > 0 || s.lacks ? EXIT_BAD_LINES : 0;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
