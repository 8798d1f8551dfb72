#include "kube/writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/utf8.h"
#include "conf/yamldocs.h"
#include "json/json.h"
#include "kube/ceiling.h"
#include "process/file.h"
#include "process/log.h"

enum { FILE_MAX_MIB = 256 }; /* of a file, or of YAML on standard input */

int
writer_check_options(int operands, const char *first, const char *what,
    long max_in_flight, long max_writes, struct err *err)
{
	if (operands > 0)
		return err_set(err, ERR_PERMANENT,
		    "unexpected operand \"%s\": %s come on standard input",
		    first, what);
	if (max_in_flight < 1)
		return err_set(
		    err, ERR_PERMANENT, "option --max-in-flight: at least 1");
	if (max_writes < 0 || max_writes > CEILING_MAX)
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
	w->tool->bad_line(w->arg);
}

static void
take_doc(struct writer *w, const struct stream_doc *doc)
{
	struct err err = ERR_INIT;

	if (w->tool->take(w->arg, doc, &err) == 0)
		return;
	err_prefix(&err, "line %zu", doc->line);
	bad_line(w, &err);
}

static size_t
blanks(struct span text)
{
	size_t n = 0;

	while (n < text.n && strchr(" \t\r\n", text.p[n]) != NULL)
		n++;
	return n;
}

static bool
is_blank(struct span text)
{
	return blanks(text) == text.n;
}

/* Objects and Lists begin with a brace: everything else is YAML. */
static bool
is_json(struct span text)
{
	size_t n = blanks(text);

	return n == text.n || text.p[n] == '{' || text.p[n] == '[';
}

/* The next file as text, without the mark that editors on Windows begin with. */
static int
read_text(
    const struct writer *w, const char *name, struct buf *b, struct err *err)
{
	int rc = strcmp(w->file, "-") == 0
	    ? file_read_fd(STDIN_FILENO, name, FILE_MAX_MIB, b, err)
	    : file_read(name, FILE_MAX_MIB, b, err);

	if (rc == 0)
		buf_consume(b, b->len - utf8_skip_mark(buf_span(b)).n);
	return rc;
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

static int
feed_file(struct writer *w, struct err *err)
{
	const char *name = file_name(w);
	struct buf text = BUF_INIT, lines = BUF_INIT;
	int rc = read_text(w, name, &text, err);

	if (rc == 0 && is_json(buf_span(&text)))
		buf_addspan(&lines, buf_span(&text));
	else if (rc == 0)
		rc = yamldocs_lines(name, buf_span(&text), &lines, err);
	if (rc == 0)
		rc = check_lists(name, buf_span(&lines), err);
	if (rc == 0)
		stream_feed(w->stream, buf_span(&lines));
	stream_end(w->stream);
	buf_release(&text);
	buf_release(&lines);
	return rc;
}

/* As file_read_fd, but not to the end. */
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
	struct span text = utf8_skip_mark(buf_span(&w->text));

	if (n < 0)
		return -1;
	if (w->form == WRITER_UNKNOWN && !is_blank(text))
		w->form = is_json(text) ? WRITER_JSON : WRITER_YAML;
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
	struct stream_doc doc;

	while (w->input == WRITER_TAKES && w->tool->has_room(w->arg)) {
		switch (stream_next(w->stream, &doc)) {
		case STREAM_DOC:
			w->file_empty = false;
			take_doc(w, &doc);
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

/* ---- the run ---- */

static void
reached(void *arg, const struct err *err)
{
	struct writer *w = arg;

	if (err != NULL)
		writer_fail(w, err);
	else
		w->tool->reached(w->arg);
}

/* Requests under way end, too: their connection is closed. */
static void
leash_out(void *arg, const struct err *err)
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
	struct err err = ERR_INIT;
	bool settled;

	pump_input(w);
	if (w->tool->work(w->arg, &err) != 0) {
		writer_fail(w, &err);
		return;
	}
	if (w->input != WRITER_ENDED)
		return;
	if (!w->ending)
		loop_after(w->loop, &w->deadline, w->timeout_ms, deadline, w);
	w->ending = true;
	settled = w->tool->settled(w->arg);
	if (!settled && !w->timed_out)
		return;
	w->tool->end(w->arg, settled);
	loop_stop(w->loop);
}

int
writer_open(struct writer *w, const struct writer_tool *tool, long report_fd,
    uint64_t timeout_ms, void *arg)
{
	*w =
	    (struct writer){.tool = tool, .arg = arg, .timeout_ms = timeout_ms};
	if (leash_from_env(&w->leash, &w->err) != 0)
		return -1;
	w->loop = loop_new();
	reportfd_init(
	    &w->report, w->loop, tool->name, (int)report_fd, tool->count, arg);
	reportfd_metrics(&w->report, tool->samples);
	w->stream = stream_new();
	w->kube = kube_open(w->loop, &kube_opts, tool->name, &w->err);
	if (w->kube == NULL)
		return -1;
	leash_watch(&w->leash, w->loop, leash_out, w);
	kube_hold(w->kube, &w->leash);
	w->discovery = discovery_new(w->loop, w->kube);
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

/* By itself it has a user, and below kpipe none. */
void
writer_run(struct writer *w)
{
	loop_idle(w->loop, idle, w);
	reach_start(&w->reach, w->report.fd < 0 ? REACH_HASTY : REACH_PATIENT,
	    w->loop, w->kube, w->discovery, reached, w);
	loop_run(w->loop);
	reportfd_send(&w->report);
}

const struct err *
writer_error(const struct writer *w)
{
	if (w->err.kind != ERR_NONE)
		return &w->err;
	return w->input_err.kind != ERR_NONE ? &w->input_err : NULL;
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
	discovery_free(w->discovery);
	kube_free(w->kube);
	loop_free(w->loop);
}
