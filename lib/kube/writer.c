#include "kube/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "conf/yamldocs.h"
#include "json/json.h"
#include "process/file.h"
#include "process/log.h"

enum {
	FILE_MAX_MIB = 256, /* a file, or YAML on standard input */
	REACH_FIRST_MS = 500,
	REACH_MAX_MS = 15000
};

struct writer_opts writer_opts = {
    .timeout_ms = 60000,
    .failed_after_ms = RETRY_FAILED_MS,
    .max_in_flight = 64,
    .max_writes = CEILING_DEFAULT,
    .results_fd = -1,
    .tap_fd = -1,
    .report_fd = -1,
};

const struct opt writer_opt_table[] = {
    {0, "results-fd", "N", OPT_INT, &writer_opts.results_fd, NULL,
	"print results to this descriptor, too, for krecord"},
    {0, "tap-fd", "N", OPT_INT, &writer_opts.tap_fd, NULL,
	"what is read goes to this pipe as well, for krecord"},
    {0, "report-fd", "N", OPT_INT, &writer_opts.report_fd, NULL,
	"write a newline when ready, then counters, to this descriptor"},
    OPT_ROWS(kube_opt_table), OPT_END};

int
writer_check_options(struct err *err)
{
	long max = writer_opts.max_writes;

	if (writer_opts.max_in_flight < 1)
		return err_set(
		    err, ERR_PERMANENT, "option --max-in-flight: at least 1");
	if (max < 0 || max > CEILING_MAX)
		return err_set(err, ERR_PERMANENT,
		    "option --max-writes-per-second: from 0 to %d",
		    CEILING_MAX);
	return 0;
}

void
writer_fail(struct writer *w, const struct err *err)
{
	w->err = *err;
	loop_stop(w->loop);
}

/* ---- the input ---- */

static void
bad_line(struct writer *w, const struct err *err)
{
	if (w->file != NULL)
		log_error("%s: %s", w->file, err->message);
	else
		log_error("%s", err->message);
	w->bad_lines++;
	w->failed = true;
}

/* The form of a text: objects and Lists begin with a brace. */
static enum writer_form
form_of(struct span text)
{
	text = span_trim_start(text, " \t\r\n");
	if (text.n == 0)
		return WRITER_UNKNOWN;
	return *text.p == '{' || *text.p == '[' ? WRITER_JSON : WRITER_YAML;
}

static const char *
file_name(const struct writer *w)
{
	return strcmp(w->file, "-") == 0 ? "standard input" : w->file;
}

/* A file is known before any of it is applied. kubectl refuses such a one. */
static int
check_lists(const char *name, struct span text, struct err *err)
{
	struct stream *s = stream_new();
	struct stream_doc doc;
	enum stream_result r;
	int rc = 0;

	stream_feed(s, text);
	stream_end(s);
	while (rc == 0 && (r = stream_next(s, &doc)) != STREAM_END)
		if (r == STREAM_DOC && doc.item && stream_is_list(doc.text))
			rc = err_set(err, ERR_PERMANENT,
			    "%s:%zu: a List in a List: nothing of this file "
			    "is applied",
			    name, doc.line);
	stream_free(s);
	return rc;
}

/* The text of the file, without the mark that editors on Windows begin with, as
 * JSON. */
static int
feed_file(struct writer *w, struct err *err)
{
	const char *name = file_name(w);
	struct buf text = BUF_INIT, lines = BUF_INIT;
	int rc = strcmp(w->file, "-") == 0
	    ? file_read_fd(STDIN_FILENO, name, FILE_MAX_MIB, &text, err)
	    : file_read(name, FILE_MAX_MIB, &text, err);
	struct span content = utf8_skip_mark(buf_span(&text));

	if (rc == 0 && form_of(content) == WRITER_YAML)
		rc = yamldocs_lines(name, content, &lines, err);
	else if (rc == 0)
		buf_addspan(&lines, content);
	if (rc == 0)
		rc = check_lists(name, buf_span(&lines), err);
	if (rc == 0)
		stream_feed(w->stream, buf_span(&lines));
	stream_end(w->stream);
	buf_release(&text);
	buf_release(&lines);
	return rc;
}

/* Reads once, where file_read_fd reads to the end. */
static long
read_some(struct writer *w, int fd, struct err *err)
{
	char bytes[65536];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return err_set(err, ERR_TRANSIENT, "nothing to read now");
	if (n < 0)
		return err_set(err, ERR_PERMANENT,
		    "cannot read standard input: %s", strerror(errno));
	if (w->text.len + (size_t)n > (size_t)FILE_MAX_MIB << 20)
		return err_set(err, ERR_PERMANENT,
		    "standard input is longer than %d MiB: as YAML it is read "
		    "as a whole",
		    FILE_MAX_MIB);
	buf_add(&w->text, bytes, (size_t)n);
	return n;
}

/* The input is complete, or known to be JSON: from here on the stream has it. */
static void
hand_over(struct writer *w)
{
	struct span text = utf8_skip_mark(buf_span(&w->text));
	struct buf lines = BUF_INIT;
	struct err err = ERR_INIT;

	if (w->form != WRITER_YAML)
		stream_feed(w->stream, text);
	else if (yamldocs_lines("standard input", text, &lines, &err) == 0)
		stream_feed(w->stream, buf_span(&lines));
	else
		bad_line(w, &err);
	buf_release(&lines);
	buf_release(&w->text);
	w->form = WRITER_JSON;
}

/* Reads what may be YAML. As stream_read. */
static long
read_unknown(struct writer *w, int fd, struct err *err)
{
	long n = read_some(w, fd, err);

	if (n < 0)
		return -1;
	if (w->form == WRITER_UNKNOWN)
		w->form = form_of(utf8_skip_mark(buf_span(&w->text)));
	if (n == 0 || w->form == WRITER_JSON)
		hand_over(w);
	if (n == 0)
		stream_end(w->stream);
	return n;
}

static void
readable(void *arg, int fd, int events)
{
	struct writer *w = arg;
	struct err err = ERR_INIT;
	long n = w->form == WRITER_JSON ? stream_read(w->stream, fd, &err)
					: read_unknown(w, fd, &err);

	(void)events;
	if (n < 0 && err.kind == ERR_TRANSIENT)
		return;
	loop_unwatch(w->loop, fd);
	w->input = WRITER_TAKES;
	if (n < 0) {
		w->input_err = err;
		w->input = WRITER_ENDED;
	}
}

/* The next file; false: there is none. */
static bool
next_file(struct writer *w)
{
	struct err err = ERR_INIT;

	if (w->file != NULL && w->file_empty)
		log_warning("%s: there is no object in it", file_name(w));
	if (w->next_file >= w->file_count)
		return false;
	w->file = w->files[w->next_file++];
	stream_free(w->stream);
	w->stream = stream_new();
	w->file_empty = true;
	if (feed_file(w, &err) != 0) {
		w->file = NULL; /* the message names it */
		bad_line(w, &err);
	}
	return true;
}

static void
pump_input(struct writer *w)
{
	const struct writer_tool *t = w->tool;
	struct stream_doc doc;

	while (w->input == WRITER_TAKES && !workqueue_full(&w->queue) &&
	    !out_full(&w->out) &&
	    (t->has_room == NULL || t->has_room(w->arg))) {
		struct err err = ERR_INIT;

		switch (stream_next(w->stream, &doc)) {
		case STREAM_DOC:
			w->file_empty = false;
			if (t->take(w->arg, &doc, &err) == 0)
				break;
			err_prefix(&err, "line %zu", doc.line);
			bad_line(w, &err);
			break;
		case STREAM_BAD:
			w->file_empty = false;
			bad_line(w, &doc.err);
			break;
		case STREAM_MORE:
			w->input = WRITER_WAITS;
			loop_watch(
			    w->loop, STDIN_FILENO, LOOP_READ, readable, w);
			break;
		case STREAM_END:
			if (!next_file(w))
				w->input = WRITER_ENDED;
		}
	}
}

/* ---- reports ---- */

static void
count(void *arg, struct buf *b)
{
	struct writer *w = arg;

	reportfd_count(b, "lines", w->lines);
	reportfd_count(b, "bad_lines", w->bad_lines);
	reportfd_count(b, "requests", w->requests);
	w->tool->count(w->arg, b);
}

static void
samples(void *arg, struct metric_lines *m)
{
	struct writer *w = arg;

	w->tool->samples(w->arg, m);
	metric_add(m, METRIC_WRITES_HELD, METRIC_LABELS(w->tool->name),
	    (double)w->queue.ceiling.held_ms / 1000);
	metric_add(m, METRIC_BAD_LINES, METRIC_LABELS(w->tool->name),
	    (double)w->bad_lines);
	if (w->recorder != NULL) {
		metric_add(m, METRIC_EVENTS, METRIC_LABELS("sent"),
		    (double)recorder_count(w->recorder));
		metric_add(m, METRIC_EVENTS, METRIC_LABELS("dropped"),
		    (double)recorder_lost(w->recorder));
	}
	if (w->kube != NULL)
		kube_metrics(w->kube, m);
}

/* ---- the run ---- */

static void
run(void *arg, struct work *work)
{
	struct writer *w = arg;

	w->tool->run(w->arg, work);
}

/* Writes have to wait. */
static void
held(void *arg, const char *text)
{
	(void)arg;
	log_warning("%s", text);
}

void
writer_check_ready(struct writer *w)
{
	if (!w->reached || w->waits)
		return;
	w->ready = true;
	reportfd_ready(&w->report);
}

static void reach(void *arg);

/*
 * The first contact with the server. With a user, who waits, an answer that time
 * does not mend ends the run (401, say); below kpipe credentials and rights may
 * come later.
 */
static void
discovered(void *arg, const struct kube_error *e)
{
	struct writer *w = arg;
	struct err err = ERR_INIT;

	if (e == NULL) {
		if (w->unreached)
			log_info("%s answers again", kube_server(w->kube));
		w->reached = true;
		writer_check_ready(w);
		return;
	}
	if (e->kind == ERR_PERMANENT &&
	    (e->code == 0 || writer_opts.report_fd < 0)) {
		err_set(&err, ERR_PERMANENT, "%s", e->message);
		writer_fail(w, &err);
		return;
	}
	if (!w->unreached)
		log_warning("cannot read what %s serves: %s; trying again",
		    kube_server(w->kube), e->message);
	w->unreached = true;
	loop_after(w->loop, &w->retry,
	    kube_backoff_next(&w->backoff, REACH_FIRST_MS, REACH_MAX_MS), reach,
	    w);
}

static void
reach(void *arg)
{
	struct writer *w = arg;

	discovery_refresh(w->discovery, discovered, w);
}

/* Requests under way end, too: their connection is closed. */
static void
fence_closed(void *arg, const struct err *err)
{
	writer_fail(arg, err);
}

static void
deadline(void *arg)
{
	struct writer *w = arg;

	w->timed_out = true;
}

/* Before each wait: everything that was ready has been handled. */
static void
idle(void *arg)
{
	struct writer *w = arg;
	bool settled;

	pump_input(w);
	if (w->ready)
		workqueue_pump(&w->queue);
	if (w->records)
		out_flush(&w->results);
	if (out_flush(&w->out) < 0) {
		writer_fail(w, &w->out.err);
		return;
	}
	if (w->input != WRITER_ENDED)
		return;
	if (!w->ending)
		loop_after(
		    w->loop, &w->deadline, writer_opts.timeout_ms, deadline, w);
	w->ending = true;
	settled = w->tool->settled(w->arg);
	if (!settled && !w->timed_out)
		return;
	w->tool->end(w->arg, settled);
	loop_stop(w->loop);
}

int
writer_open(struct writer *w, const struct writer_tool *tool, void *arg,
    struct err *err)
{
	const struct writer_opts *o = &writer_opts;

	*w = (struct writer){.tool = tool, .arg = arg};
	if (fence_from_env(&w->fence, err) != 0)
		return -1;
	w->loop = loop_new();
	reportfd_init(
	    &w->report, w->loop, tool->name, (int)o->report_fd, count, w);
	reportfd_metrics(&w->report, samples);
	workqueue_init(&w->queue, w->loop, (size_t)o->max_in_flight, run, w);
	workqueue_limit(&w->queue, o->max_writes, held);
	denials_init(&w->denials, &w->report);
	out_init(&w->out, w->loop, STDOUT_FILENO);
	w->records = o->results_fd >= 0;
	if (w->records)
		out_init(&w->results, w->loop, (int)o->results_fd);
	w->stream = stream_new();
	w->kube = kube_open(w->loop, &kube_opts, tool->name, err);
	if (w->kube == NULL)
		return -1;
	fence_watch(&w->fence, w->loop, fence_closed, w);
	kube_fence(w->kube, &w->fence);
	w->discovery = discovery_new(w->loop, w->kube);
	if (!o->dry_run)
		w->recorder = recorder_new(w->loop, w->kube);
	stream_tap(w->stream, (int)o->tap_fd, tool->lines);
	return 0;
}

void
writer_files(struct writer *w, const char *const *files, size_t count)
{
	w->files = files;
	w->file_count = count;
	if (count > 0)
		stream_end(w->stream); /* nothing comes on standard input */
}

void
writer_yaml(struct writer *w)
{
	w->form = WRITER_UNKNOWN;
}

int
writer_run(struct writer *w, struct err *err)
{
	const struct err *failed = NULL;

	loop_idle(w->loop, idle, w);
	reach(w);
	loop_run(w->loop);
	reportfd_send(&w->report);
	if (w->err.kind != ERR_NONE)
		failed = &w->err;
	else if (out_drain(&w->out) < 0)
		failed = &w->out.err;
	else if (w->input_err.kind != ERR_NONE)
		failed = &w->input_err;
	if (failed == NULL)
		return w->failed;
	*err = *failed;
	return -1;
}

void
writer_release(struct writer *w)
{
	if (w->loop == NULL)
		return;
	reportfd_release(&w->report);
	if (w->input == WRITER_WAITS)
		loop_unwatch(w->loop, STDIN_FILENO);
	stream_free(w->stream);
	buf_release(&w->text);
	map_release(&w->keys);
	denials_release(&w->denials);
	recorder_free(w->recorder);
	workqueue_release(&w->queue);
	writestats_release(&w->writestats);
	out_release(&w->out);
	if (w->records)
		out_release(&w->results);
	discovery_free(w->discovery);
	kube_free(w->kube);
	loop_free(w->loop);
}

/* ---- requests ---- */

void
writer_answered(struct writer *w, const struct kube_answer *answer)
{
	if (!workqueue_ended(&w->queue, answer->code))
		return;
	if (answer->code != 0)
		log_info("%s answers again", kube_server(w->kube));
	else
		log_warning("cannot reach %s: %s; trying again",
		    kube_server(w->kube), answer->error.message);
}

void
writer_add_no_kind(struct buf *b, const struct objref *id)
{
	buf_addf(b, "no matches for kind \"%.*s\" in version \"%.*s\"",
	    SPAN_ARG(id->kind), SPAN_ARG(id->api_version));
}

bool
writer_has_status(const struct api_resource *r)
{
	return textlist_has(&r->subresources, "status", strlen("status"));
}

bool
writer_about_uid(const struct kube_error *e)
{
	if (e->code != 422 || e->causes == NULL)
		return false;
	for (struct json_elements causes = json_elements(span_str(e->causes));
	     json_element(&causes);)
		if (json_is(json_get(causes.value, "field"), "metadata.uid"))
			return true;
	return false;
}

/* ---- results ---- */

bool
writer_tells(const struct writer *w)
{
	return w->prints || w->records;
}

void
writer_begin_result(struct buf *line, const struct objref *id, struct span ns,
    const char *result)
{
	buf_adds(line, "{\"apiVersion\":");
	json_add_string(line, id->api_version);
	json_add_text(line, "kind", id->kind);
	buf_adds(line, ",\"metadata\":{");
	if (ns.n != 0) {
		json_add_text(line, "namespace", ns);
	}
	json_add_text(line, "name", id->name);
	buf_addc(line, '}');
	json_add_text(line, "result", span_str(result));
}

void
writer_end_result(struct writer *w, struct buf *line)
{
	buf_addc(line, '}');
	if (w->prints)
		out_line(&w->out, buf_span(line));
	/* krecord, if it is too slow, misses lines, and gets a gap line in their
	 * place: the tool never waits for it. */
	if (w->records && out_full(&w->results)) {
		w->lost = true;
	} else if (w->records) {
		if (w->lost)
			out_line(&w->results,
			    span_str(
				"{\"record\":\"gap\",\"stream\":\"results\"}"));
		w->lost = false;
		out_line(&w->results, buf_span(line));
	}
	buf_release(line);
}
