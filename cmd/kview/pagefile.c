#include <errno.h>
#include <stdlib.h>

#include "pagefile.h"

#include "base/mem.h"
#include "json/json.h"
#include "pageline.h"
#include "pageparts.h"
#include "process/file.h"

enum {
	WHOLE_MAX = 12 * 1024 * 1024, /* bytes of all whole objects */
	OBJECT_MAX = 64 * 1024,	      /* of one */
	FLUSH_AT = 256 * 1024
};

static void
flush(struct pagefile *p)
{
	if (p->error == 0 && file_write(p->fd, buf_span(&p->out)) != 0)
		p->error = errno;
	buf_reset(&p->out);
}

/* The line that was made, and its end. */
static void
put_line(struct pagefile *p)
{
	p->written += p->line.len + 1;
	pageline_add_escaped(&p->out, buf_span(&p->line));
	buf_addc(&p->out, '\n');
	buf_reset(&p->line);
	if (p->out.len >= FLUSH_AT)
		flush(p);
}

void
pagefile_begin(struct pagefile *p, int fd, struct span title)
{
	*p = (struct pagefile){.fd = fd};
	pageparts_add_head(&p->out, title);
}

void
pagefile_release(struct pagefile *p)
{
	buf_release(&p->out);
	buf_release(&p->line);
	free(p->source);
}

static void
add_text(struct pagefile *p, const char *key, struct span text)
{
	json_add_key(&p->line, key);
	json_add_string(&p->line, text);
}

static void
put_track(struct pagefile *p, struct track *t)
{
	if (t->told)
		return;
	t->told = true;
	pageline_add_track(&p->line, t);
	put_line(p);
}

/* And those above: a loop, for there may be very many. */
static void
put_parents(struct pagefile *p, struct track *t)
{
	for (; t->parent != t->told_parent; t = t->parent) {
		put_track(p, t->parent);
		t->told_parent = t->parent;
		pageline_add_parent(&p->line, t);
		put_line(p);
	}
}

static void
put_object(struct pagefile *p, const struct track *t)
{
	size_t n = t->object == NULL ? 0 : t->object->n;

	if (n == 0)
		return;
	if (n > OBJECT_MAX || p->whole + n > WHOLE_MAX) {
		p->left_out++;
		return;
	}
	p->whole += n;
	pageline_add_object(&p->line, t);
	put_line(p);
}

void
pagefile_source(struct pagefile *p, const char *source, size_t line)
{
	if (p->source != NULL && p->source_line == line &&
	    strcmp(p->source, source) == 0)
		return;
	p->source_line = line;
	free(p->source);
	p->source = mem_strdup(source);
	buf_addc(&p->line, '{');
	add_text(p, "source", span_str(source));
	json_add_key(&p->line, "line");
	json_add_int(&p->line, (int64_t)line);
	buf_addc(&p->line, '}');
	put_line(p);
}

void
pagefile_row(struct pagefile *p, const struct viewrow *row)
{
	put_track(p, row->track);
	put_parents(p, row->track);
	pageline_add_row(&p->line, row);
	put_line(p);
	p->rows++;
	if (row->sort == ROW_GONE)
		put_object(p, row->track);
}

static void
add_bool(struct buf *b, const char *key, bool value)
{
	json_add_key(b, key);
	buf_adds(b, value ? "true" : "false");
}

static void
add_number(struct buf *b, const char *key, size_t n)
{
	json_add_key(b, key);
	json_add_int(b, (int64_t)n);
}

static void
put_end(struct pagefile *p, const struct pagefile_end *end)
{
	buf_adds(&p->line, "{\"end\":{");
	add_number(&p->line, "lines", end->lines);
	add_number(&p->line, "bad", end->bad);
	add_number(&p->line, "objectsLeftOut", p->left_out);
	add_bool(&p->line, "cut", end->cut);
	add_bool(&p->line, "timed", end->timed);
	if (end->failure != NULL)
		add_text(p, "failure", span_str(end->failure));
	if (end->only != NULL)
		add_text(p, "only", span_str(end->only));
	buf_adds(&p->line, "}}");
	put_line(p);
}

int
pagefile_end(struct pagefile *p, const struct tracks *all,
    const struct pagefile_end *end)
{
	for (size_t i = 0; i < all->count; i++)
		if (all->list[i] != NULL && all->list[i]->told) {
			put_parents(p, all->list[i]);
			put_object(p, all->list[i]);
		}
	put_end(p, end);
	pageparts_add_tail(&p->out);
	flush(p);
	return p->error == 0 ? 0 : -1;
}
