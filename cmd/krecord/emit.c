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
	if (s->quiet)
		return;
	if (line->cut)
		s->cuts++;
	else
		s->bad++;
	if (line->cut)
		log_warning("%s", line->err.message);
	else
		log_error("%s", line->err.message);
}

int
emit_each(struct emit_source *s, emit_fn *fn, void *arg, struct err *err)
{
	struct reading *r = reading_new(s->paths, s->count, err);
	enum reading_result result = READING_LINE;
	struct reading_line line;
	size_t number = 0;

	if (r == NULL)
		return -1;
	while (result == READING_LINE || result == READING_BAD) {
		result = reading_next(r, &line);
		if (result == READING_BAD)
			tell(s, &line);
		else if (result == READING_LINE && !fn(arg, &line, ++number))
			result = READING_END;
	}
	if (result == READING_FAILED)
		*err = line.err;
	reading_free(r);
	return result == READING_FAILED ? -1 : 0;
}
