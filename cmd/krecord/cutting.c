#include "cutting.h"

#include <stdint.h>
#include <string.h>

#include "census.h"
#include "hide.h"
#include "lens.h"
#include "process/clock.h"
#include "process/log.h"

/* Shared by the passes over a recording. */
struct part {
	struct emit out;
	int64_t from, to; /* microseconds; INT64_MIN, INT64_MAX: no limit */
	const char *from_text;
	int64_t latest; /* time of the lines so far */
	struct lens *lens;
	struct census *census;
	size_t first;	   /* number of the first line of the part; 0: none */
	struct buf header; /* the first line of the segment that it begins in */
	bool ended;	   /* the state was closed */
	struct hide *hide;
	struct emit_source *source;
};

static int
end(struct part *p, int rc, struct err *err)
{
	if (rc == 0 && (rc = emit_end(&p->out)) != 0)
		*err = p->out.err;
	emit_release(&p->out);
	return rc;
}

/* ---- cat, redact ---- */

static bool
print(void *arg, const struct reading_line *line, size_t number)
{
	struct part *p = arg;

	(void)number;
	emit_line(&p->out, line->text);
	return p->out.err.kind == ERR_NONE;
}

int
cutting_cat(struct emit_source *s, struct err *err)
{
	struct part p = {0};

	s->gaps = &p.out;
	return end(&p, emit_each(s, print, &p, err), err);
}

static bool
print_hidden(void *arg, const struct reading_line *line, size_t number)
{
	struct part *p = arg;
	size_t before;

	if (line->kind == READING_OTHER) {
		log_error("%s:%zu: a record line of a kind that is not known "
			  "here: it may have values of Secrets, and is left "
			  "out",
		    line->source, line->number);
		p->source->lacks = true;
		return true;
	}
	if (line->body.p == NULL)
		return print(arg, line, number);
	before = (size_t)(line->body.p - line->text.p);
	buf_add(&p->out.out, line->text.p, before);
	hide_body(p->hide, line->kind, line->body, &p->out.out);
	emit_line(&p->out, span_skip(line->text, before + line->body.n));
	return p->out.err.kind == ERR_NONE;
}

int
cutting_redact(struct emit_source *s, const struct watches *w, struct err *err)
{
	struct redact *redact = redact_new(err);
	struct part p = {.source = s};
	int rc = -1;

	if (redact != NULL) {
		p.hide = hide_new(redact, w);
		s->gaps = &p.out;
		rc = emit_each(s, print_hidden, &p, err);
	}
	hide_free(p.hide);
	return end(&p, rc, err);
}

/* ---- cut ---- */

/* Streams are recorded side by side, and a state has older lines in it: the
 * time of the recording is the latest so far. */
static int64_t
advance(struct part *p, const struct reading_line *line)
{
	int64_t us;

	if (line->time.p != NULL && clock_parse_us(line->time, &us) == 0 &&
	    us > p->latest)
		p->latest = us;
	return p->latest;
}

static bool
look(void *arg, const struct reading_line *line, size_t number)
{
	struct part *p = arg;

	(void)number;
	if (advance(p, line) > p->to)
		return false;
	lens_look(p->lens, line);
	return true;
}

/* The state up to the first line of the part. */
static bool
count(void *arg, const struct reading_line *line, size_t number)
{
	struct part *p = arg;

	if (advance(p, line) >= p->from) {
		p->first = number;
		return false;
	}
	if (line->kind == READING_SEGMENT) {
		buf_reset(&p->header);
		buf_addspan(&p->header, line->text);
	}
	if (line->kind == READING_EVENT &&
	    (p->lens == NULL || lens_shows(p->lens, line)))
		census_take(p->census, line->text, number);
	return true;
}

/* Digests in the state are of that segment, as its programs are. */
static void
begin_state(struct part *p)
{
	if (p->header.len > 0)
		emit_line(&p->out, buf_span(&p->header));
	census_begins(p->census, span_str(p->from_text), &p->out.out);
}

/* Up to the first line. */
static bool
print_state(struct part *p, const struct reading_line *line, size_t number)
{
	if (census_has(p->census, number)) {
		census_added(line->text, &p->out.out);
		emit_added(&p->out);
	}
	return p->out.err.kind == ERR_NONE;
}

static bool
print_part(void *arg, const struct reading_line *line, size_t number)
{
	struct part *p = arg;

	if (advance(p, line) > p->to)
		return false;
	if (p->census != NULL && number == 1 &&
	    (p->first != 1 || line->kind != READING_SEGMENT))
		begin_state(p);
	if (p->census != NULL && (p->first == 0 || number < p->first))
		return print_state(p, line, number);
	if (p->census != NULL && !p->ended)
		census_ends(p->census, span_str(p->from_text), &p->out.out);
	p->ended = true;
	if (p->lens != NULL && !lens_shows(p->lens, line))
		return true;
	emit_line(&p->out, line->text);
	return p->out.err.kind == ERR_NONE;
}

static int
read_time(const char *name, const char *text, int64_t *us, struct err *err)
{
	if (text == NULL || clock_parse_us(span_str(text), us) == 0)
		return 0;
	return err_set(err, ERR_PERMANENT,
	    "option --%s: %s is not a time like 2026-01-02T03:04:05Z", name,
	    text);
}

/* Standard input can be read once only. */
static int
check_source(const struct emit_source *s, struct err *err)
{
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->paths[i], "-") == 0)
			return err_set(err, ERR_PERMANENT,
			    "cut --from and --object read the recording "
			    "several times: not from standard input");
	return 0;
}

static int
prepare(struct part *p, struct emit_source *s, const struct cutting *c,
    struct err *err)
{
	if (p->lens != NULL) {
		p->latest = INT64_MIN;
		if (emit_each(s, look, p, err) != 0)
			return -1;
		s->lacks = !lens_found(p->lens);
		if (s->lacks)
			log_warning("%s is not in the recording", c->object);
	}
	if (c->from != NULL) {
		p->latest = INT64_MIN;
		p->census = census_new(CENSUS_NUMBERS);
		if (emit_each(s, count, p, err) != 0)
			return -1;
		census_close(p->census);
	}
	return 0;
}

int
cutting_cut(struct emit_source *s, const struct cutting *c, struct err *err)
{
	struct part p = {
	    .from = INT64_MIN, .to = INT64_MAX, .from_text = c->from};
	int rc = read_time("from", c->from, &p.from, err);

	if (rc == 0)
		rc = read_time("to", c->to, &p.to, err);
	if (rc == 0 && p.from > p.to)
		rc = err_set(err, ERR_PERMANENT,
		    "option --from: %s is later than --to, %s", c->from, c->to);
	if (rc == 0 && (c->from != NULL || c->object != NULL))
		rc = check_source(s, err);
	if (rc == 0 && c->object != NULL &&
	    (p.lens = lens_new(c->object, err)) == NULL)
		rc = -1;
	if (rc == 0)
		rc = prepare(&p, s, c, err);
	p.latest = INT64_MIN;
	s->gaps = &p.out;
	if (rc == 0)
		rc = emit_each(s, print_part, &p, err);
	if (rc == 0 && p.census != NULL && !p.ended)
		census_ends(p.census, span_str(c->from), &p.out.out);
	rc = end(&p, rc, err);
	lens_free(p.lens);
	census_free(p.census);
	buf_release(&p.header);
	return rc;
}
