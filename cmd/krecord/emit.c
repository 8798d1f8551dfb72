#include "emit.h"

#include <errno.h>
#include <unistd.h>

#include "process/file.h"
#include "process/log.h"

enum { WRITE_AT = 64 * 1024 };

int
emit_end(struct emit *e)
{
	if (e->err.kind == ERR_NONE &&
	    file_write(STDOUT_FILENO, buf_span(&e->out)) != 0)
		err_set(&e->err, ERR_TRANSIENT,
		    "cannot write standard output: %s", strerror(errno));
	buf_reset(&e->out);
	return e->err.kind == ERR_NONE ? 0 : -1;
}

void
emit_added(struct emit *e)
{
	if (e->out.len >= WRITE_AT)
		emit_end(e);
}

void
emit_line(struct emit *e, struct span line)
{
	buf_addspan(&e->out, line);
	buf_addc(&e->out, '\n');
	emit_added(e);
}

void
emit_release(struct emit *e)
{
	buf_release(&e->out);
}

static void
tell(struct emit_source *s, const struct reading_line *line)
{
	if (line->cut)
		s->cuts++;
	else
		s->bad++;
	if (s->bad + s->cuts <= s->logged)
		return;
	s->logged++;
	if (line->cut)
		log_warning("%s", line->err.message);
	else
		log_error("%s", line->err.message);
}

/* Between two lines, or at the end. */
struct hole {
	bool open, certain; /* something may be, and is, missing */
	struct buf time;    /* of the last line that has one */
};

static void
note(struct hole *h, const struct reading_line *line)
{
	h->open = true;
	h->certain = h->certain || !line->cut || line->half;
}

static void
mark(struct emit_source *s, struct hole *h)
{
	struct buf *out = &s->gaps->out;

	buf_adds(out, "{\"record\":\"gap\"");
	if (h->time.len > 0)
		buf_addf(out, ",\"time\":\"%s\"", buf_str(&h->time));
	emit_line(s->gaps, span_str(",\"stream\":\"all\"}"));
	h->open = h->certain = false;
}

static bool
pass(struct emit_source *s, struct hole *h, const struct reading_line *line)
{
	if (s->gaps == NULL)
		return true;
	if (h->open)
		mark(s, h);
	if (line->time.p != NULL) {
		buf_reset(&h->time);
		buf_addspan(&h->time, line->time);
	}
	return s->gaps->err.kind == ERR_NONE;
}

static enum reading_result
read_all(struct reading *r, struct emit_source *s, emit_fn *fn, void *arg,
    struct err *err)
{
	enum reading_result result = READING_LINE;
	struct hole hole = {false, false, BUF_INIT};
	struct reading_line line;
	size_t number = 0;

	while (result == READING_LINE || result == READING_BAD) {
		result = reading_next(r, &line);
		if (result == READING_BAD) {
			tell(s, &line);
			note(&hole, &line);
		} else if (result == READING_LINE &&
		    !(pass(s, &hole, &line) && fn(arg, &line, ++number))) {
			hole.certain = false;
			break;
		}
	}
	if (result == READING_FAILED)
		*err = line.err;
	else if (s->gaps != NULL && hole.certain)
		mark(s, &hole);
	buf_release(&hole.time);
	return result;
}

int
emit_each(struct emit_source *s, emit_fn *fn, void *arg, struct err *err)
{
	struct reading *r = reading_new(s->paths, s->count, err);
	enum reading_result result;

	if (r == NULL)
		return -1;
	s->bad = s->cuts = 0;
	result = read_all(r, s, fn, arg, err);
	reading_free(r);
	return result == READING_FAILED ? -1 : 0;
}
