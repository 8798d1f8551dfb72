/*
 * kview: shows a recording as a picture: one page, or lines on a terminal.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "kube/kube.h"
#include "pagefile.h"
#include "process/file.h"
#include "process/log.h"
#include "process/opt.h"
#include "process/sandbox.h"
#include "record/reading.h"
#include "serving.h"
#include "story.h"
#include "viewrow.h"

static struct opts {
	bool term;
	const char *object;
	struct serving_opts serving;
} opts = {.serving = {.report_fd = -1}};

static const struct opt table[] = {
    {0, "term", NULL, OPT_FLAG, &opts.term, NULL,
	"print lines for a terminal instead of a page"},
    {0, "object", "KIND/NAMESPACE/NAME", OPT_STRING, &opts.object, NULL,
	"only this object, what is below it, and the pipeline"},
    {0, "serve", "ADDRESS", OPT_STRING, &opts.serving.address, NULL,
	"serve the page, live, at HOST:PORT"},
    {0, "secure", NULL, OPT_FLAG, &opts.serving.secure, NULL,
	"serve: over TLS, for users with the right to get /view"},
    {0, "cert-path", "DIR", OPT_STRING, &opts.serving.cert_path, NULL,
	"serve: tls.crt and tls.key for that, instead of one that is made"},
    {0, "attached", NULL, OPT_FLAG, &opts.serving.attached, NULL,
	"serve: begin at the first segment, end with the input"},
    {0, "report-fd", "N", OPT_INT, &opts.serving.report_fd, NULL,
	"serve: write a newline to this descriptor when requests are served"},
    OPT_ROWS(kube_opt_server_table), OPT_ROWS(sandbox_opt_table), OPT_END};

static const struct opt_tool tool = {"kview",
    "[OPTION]... [RECORDING]... >incident.html | --serve=ADDRESS",
    "Draw a recording: one page with all that happened to each object.\n"
    "Without operand, or for -, read standard input.",
    table};

struct kview {
	struct story story;
	struct pagefile page;
	struct buf lines; /* --term */
	enum viewrow_colors colors;
	struct objref only; /* --object */
	size_t shown;	    /* rows of objects */
	struct pagefile_end end;
	int error; /* errno of --term */
};

static void
put_lines(struct kview *v)
{
	if (v->error == 0 &&
	    file_write(STDOUT_FILENO, buf_span(&v->lines)) != 0)
		v->error = errno;
	buf_reset(&v->lines);
}

static void
take_row(void *arg, const struct viewrow *row)
{
	static const struct contrast_limits thrifty = {4, 60};
	struct kview *v = arg;
	bool pipeline = row->track == tracks_pipeline(&v->story.tracks);

	if (!pipeline && opts.object != NULL &&
	    !track_is_below(row->track, &v->only))
		return;
	v->shown += !pipeline;
	v->end.timed = v->end.timed || row->has_time;
	if (opts.term) {
		viewrow_add_term(&v->lines, row, v->colors);
		if (v->lines.len > 65536)
			put_lines(v);
		return;
	}
	pagefile_row(&v->page, row);
	if (v->page.written > PAGEFILE_THRIFTY)
		v->story.contrast.limits = thrifty;
}

/* -1: it cannot be read any further. */
static int
read_all(struct kview *v, struct reading *r, struct err *err)
{
	struct reading_line line;

	for (;;) {
		enum reading_result result = reading_next(r, &line);

		if (result == READING_END)
			return 0;
		if (result == READING_FAILED) {
			*err = line.err;
			return -1;
		}
		if (!opts.term)
			pagefile_source(&v->page, line.source,
			    v->story.lines + 2 - line.number);
		if (result == READING_BAD) {
			log_warning("%s", line.err.message);
			v->end.bad += !line.cut;
			story_bad(&v->story, &line);
		} else {
			story_line(&v->story, &line);
		}
		if (v->error != 0 || v->page.error != 0)
			return 0;
	}
}

static int
finish(struct kview *v, struct err *err)
{
	v->end.lines = v->story.lines;
	v->end.only = opts.object;
	if (opts.term)
		put_lines(v);
	else if (pagefile_end(&v->page, &v->story.tracks, &v->end) != 0)
		v->error = v->page.error;
	if (v->error != 0)
		return err_set(err, ERR_TRANSIENT,
		    "cannot write to standard output: %s", strerror(v->error));
	if (v->story.lines == 0)
		log_warning("the recording is empty");
	for (size_t i = 0; i < v->story.open.count; i++)
		log_warning("the recording ends before all objects of %s are "
			    "listed: others may be there",
		    v->story.open.items[i]);
	if (opts.object != NULL && v->shown == 0)
		log_warning("nothing of %s is in the recording", opts.object);
	return v->end.bad > 0 || (opts.object != NULL && v->shown == 0);
}

/* Returns the exit code, or -1 with err. */
static int
draw(char **paths, int count, struct err *err)
{
	static const char *const input[] = {"-"};
	struct kview v = {.error = 0};
	struct reading *r = count == 0
	    ? reading_new(input, 1, err)
	    : reading_new((const char *const *)paths, (size_t)count, err);
	const char *title = count == 0 || strcmp(paths[0], "-") == 0
	    ? "recording"
	    : file_base(paths[0]);
	int rc, code;

	if (r == NULL)
		return -1;
	if (opts.object != NULL)
		objref_parse_key(&v.only, span_str(opts.object));
	story_init(&v.story, take_row, &v);
	if (!opts.term)
		pagefile_begin(&v.page, STDOUT_FILENO, span_str(title));
	else if (isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL)
		v.colors = VIEWROW_COLORS;
	rc = read_all(&v, r, err);
	v.end.cut = reading_was_cut(r);
	if (rc != 0)
		v.end.failure = err->message;
	code = finish(&v, rc == 0 ? err : NULL);
	story_release(&v.story);
	pagefile_release(&v.page);
	buf_release(&v.lines);
	reading_free(r);
	return rc == 0 ? code : -1;
}

/* operand: the first one, or NULL. */
static int
check_serving(const char *operand, struct err *err)
{
	const struct serving_opts *o = &opts.serving;
	bool serves = o->address != NULL;
	const struct opt_rule rules[] = {
	    {o->attached, "attached", OPT_NEEDS, serves, "serve"},
	    {o->report_fd >= 0, "report-fd", OPT_NEEDS, serves, "serve"},
	    {o->secure, "secure", OPT_NEEDS, serves, "serve"},
	    {o->cert_path != NULL, "cert-path", OPT_NEEDS, serves, "serve"},
	    {serves, "serve", OPT_EXCLUDES, opts.term, "term"},
	    {serves, "serve", OPT_EXCLUDES, opts.object != NULL, "object"}};

	if (opt_check_rules(rules, COUNT(rules), err) != 0)
		return -1;
	if (!serves)
		return 0;
	if (operand != NULL)
		return err_set(err, ERR_PERMANENT,
		    "option --serve reads standard input, not %s: krecord cat "
		    "%s | kview --serve=%s",
		    operand, operand, o->address);
	return serving_check(o, err);
}

static int
check_options(struct err *err)
{
	struct objref o;

	if (opts.object != NULL &&
	    (!objref_parse_key(&o, span_str(opts.object)) || o.name.n == 0))
		return err_set(err, ERR_PERMANENT,
		    "--object=%s: write KIND/NAMESPACE/NAME, as "
		    "Deployment.apps/default/web, or Namespace//web",
		    opts.object);
	if (!opts.term && isatty(STDOUT_FILENO))
		return err_set(err, ERR_PERMANENT,
		    "standard output is a terminal: write the page to a file, "
		    "or use --term");
	return 0;
}

static int
run(int operands, char **operand, struct err *err)
{
	if (check_serving(operand[0], err) != 0)
		return -1;
	if (opts.serving.address != NULL)
		return serving_run(&opts.serving, err);
	return check_options(err) == 0 ? draw(operand, operands, err) : -1;
}

int
main(int argc, char **argv)
{
	return opt_main(&tool, argc, argv, run);
}
