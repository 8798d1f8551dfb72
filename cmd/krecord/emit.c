#include "emit.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/textlist.h"
#include "census.h"
#include "hide.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/file.h"
#include "process/log.h"
#include "record/reading.h"
#include "traces/journey.h"
#include "traces/spanline.h"
#include "value/objref.h"

enum { WRITE_AT = 64 * 1024 };

/* ---- standard output, in large pieces ---- */

struct emit {
	struct buf text;
	struct err err; /* kind other than NONE: nothing is written any more */
};

static void
flush(struct emit *o)
{
	if (o->err.kind == ERR_NONE &&
	    file_write(STDOUT_FILENO, buf_span(&o->text)) != 0)
		err_set(&o->err, ERR_TRANSIENT,
		    "cannot write standard output: %s", strerror(errno));
	buf_reset(&o->text);
}

/* Called after text was appended. False: it cannot be written. */
static bool
added(struct emit *o)
{
	if (o->text.len >= WRITE_AT)
		flush(o);
	return o->err.kind == ERR_NONE;
}

static bool
print_line(struct emit *o, struct span line)
{
	buf_addspan(&o->text, line);
	buf_addc(&o->text, '\n');
	return added(o);
}

/* Writes the rest, unless rc says that the command failed. */
static int
end(struct emit *o, int rc, struct err *err)
{
	if (rc == 0)
		flush(o);
	buf_release(&o->text);
	if (rc != 0 || o->err.kind == ERR_NONE)
		return rc;
	*err = o->err;
	return -1;
}

/* ---- one pass over a recording ---- */

static void
log_bad(struct emit_source *s, const struct reading_line *line)
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

/* A place between two lines, or at the end, where lines may be missing. */
struct hole {
	bool open, certain; /* certain: lines are missing */
	struct buf time;    /* time of the last line that has one */
};

static void
print_gap(struct emit *o, struct hole *h)
{
	buf_adds(&o->text, "{\"record\":\"gap\"");
	if (h->time.len > 0)
		buf_addf(&o->text, ",\"time\":\"%s\"", buf_str(&h->time));
	print_line(o, span_str(",\"stream\":\"all\"}"));
	h->open = h->certain = false;
}

/* Each line with its number among all. False: no more are wanted. */
typedef bool line_fn(void *arg, const struct reading_line *line, size_t number);

/* gaps: gets a gap line where lines are missing; or NULL. -1 with err: the
 * recording cannot be read to its end. */
static int
each(struct emit_source *s, struct emit *gaps, line_fn *fn, void *arg,
    struct err *err)
{
	struct reading *r = reading_new(s->paths, s->count, err);
	enum reading_result result;
	struct hole hole = {false, false, BUF_INIT};
	struct reading_line line;
	size_t number = 0;

	if (r == NULL)
		return -1;
	s->bad = s->cuts = 0;
	while ((result = reading_next(r, &line)) == READING_LINE ||
	    result == READING_BAD) {
		if (result == READING_BAD) {
			log_bad(s, &line);
			hole.open = true;
			hole.certain |= !line.cut || line.half;
			continue;
		}
		if (gaps != NULL && hole.open)
			print_gap(gaps, &hole);
		if (line.time.p != NULL) {
			buf_reset(&hole.time);
			buf_addspan(&hole.time, line.time);
		}
		if ((gaps != NULL && gaps->err.kind != ERR_NONE) ||
		    !fn(arg, &line, ++number)) {
			hole.certain = false;
			break;
		}
	}
	if (result == READING_FAILED)
		*err = line.err;
	else if (gaps != NULL && hole.certain)
		print_gap(gaps, &hole);
	buf_release(&hole.time);
	reading_free(r);
	return result == READING_FAILED ? -1 : 0;
}

/* ---- cat, redact ---- */

static bool
cat_line(void *arg, const struct reading_line *line, size_t number)
{
	(void)number;
	return print_line(arg, line->text);
}

int
emit_cat(struct emit_source *s, struct err *err)
{
	struct emit out = {0};

	return end(&out, each(s, &out, cat_line, &out, err), err);
}

struct redacting {
	struct emit out;
	struct hide *hide;
	struct emit_source *source;
};

static bool
redact_line(void *arg, const struct reading_line *line, size_t number)
{
	struct redacting *r = arg;
	size_t before;

	(void)number;
	if (line->kind == READING_OTHER) {
		log_error("%s:%zu: a record line of a kind that is not known "
			  "here: it may have values of Secrets, and is left "
			  "out",
		    line->source, line->number);
		r->source->lacks = true;
		return true;
	}
	if (line->body.p == NULL)
		return print_line(&r->out, line->text);
	before = (size_t)(line->body.p - line->text.p);
	buf_add(&r->out.text, line->text.p, before);
	hide_body(r->hide, line->kind, line->body, &r->out.text);
	return print_line(
	    &r->out, span_skip(line->text, before + line->body.n));
}

int
emit_redact(struct emit_source *s, const struct watches *w, struct err *err)
{
	struct redacting r = {.source = s, .hide = hide_new(NULL, w, err)};
	int rc = -1;

	if (r.hide != NULL)
		rc = each(s, &r.out, redact_line, &r, err);
	hide_free(r.hide);
	return end(&r.out, rc, err);
}

/* ---- what concerns one object ---- */

/*
 * The part of a recording that concerns one object (krecord cut
 * --object): its events; the sets in which it is the primary or an item, with
 * their results and statuses; and the events of everything in those sets, and
 * of what it owns. Lines that concern no object stay.
 *
 *	lens_look(l, line) of all lines; then lens_shows(l, line)
 */
struct lens {
	struct objref object; /* points into text */
	bool any_group;
	char *text;
	struct map keys; /* owned strings: objects that are shown */
	struct buf key;
	struct arena names; /* names in a line, decoded */
	bool found;	    /* something of the object was seen */
};

static void
lens_free(struct lens *l)
{
	char *key;
	size_t i = 0;

	if (l == NULL)
		return;
	while ((key = map_next(&l->keys, &i)) != NULL)
		free(key);
	map_release(&l->keys);
	buf_release(&l->key);
	arena_release(&l->names);
	free(l->text);
	free(l);
}

/* "Kind.group/namespace/name", also with the kind alone, or without a
 * namespace for an object of the cluster. NULL: it is not such a text. */
static struct lens *
lens_new(const char *object, struct err *err)
{
	struct lens *l = mem_zalloc(sizeof(*l));
	struct span rest, kind;

	l->text = mem_strdup(object);
	rest = span_str(l->text);
	kind = span_cut(&rest, '/');
	objref_split_kind(kind, &l->object.kind, &l->object.group);
	l->any_group = l->object.group.n == 0;
	if (rest.p != NULL && span_find(rest, '/') != NULL)
		l->object.namespace_ = span_cut(&rest, '/');
	l->object.name = rest;
	if (kind.n > 0 && rest.n > 0 && span_find(rest, '/') == NULL)
		return l;
	err_set(err, ERR_PERMANENT,
	    "option --object: %s is not KIND/NAMESPACE/NAME or KIND/NAME",
	    object);
	lens_free(l);
	return NULL;
}

static bool
is_the_object(const struct lens *l, const struct objref *o)
{
	return o->kind.n == l->object.kind.n &&
	    strncasecmp(o->kind.p, l->object.kind.p, o->kind.n) == 0 &&
	    (l->any_group || span_eq(o->group, l->object.group)) &&
	    span_eq(o->namespace_, l->object.namespace_) &&
	    span_eq(o->name, l->object.name);
}

static bool
has_key(const struct lens *l, struct span key)
{
	return key.p != NULL && map_get(&l->keys, key) != NULL;
}

static void
add_key(struct lens *l, struct span key)
{
	char *copy;

	if (map_get(&l->keys, key) != NULL)
		return;
	copy = mem_dup(key.p, key.n);
	map_put(&l->keys, span_make(copy, key.n), copy);
}

static struct span
key_of(struct lens *l, const struct objref *o)
{
	buf_reset(&l->key);
	objref_add_key(&l->key, o);
	return buf_span(&l->key);
}

/* Whether the objects of a set are only compared, or added to the keys, too. */
enum visit { COMPARE, ADD };

static bool
visit(struct lens *l, struct span value, enum visit how)
{
	struct objref o = reading_ref(value, &l->names);

	if (how == ADD)
		add_key(l, key_of(l, &o));
	return is_the_object(l, &o);
}

/* Whether the object is the set's primary, or one of its items or deletes. */
static bool
visit_set(struct lens *l, struct span set, enum visit how)
{
	struct span reconcile = json_get(set, "reconcile");
	struct json_elements lists[] = {json_elements(json_get(set, "items")),
	    json_elements(json_get(reconcile, "delete"))};
	bool found = visit(l, json_get(reconcile, "primary"), how);

	for (size_t i = 0; i < COUNT(lists); i++)
		while (json_element(&lists[i]))
			found |= visit(l, lists[i].value, how);
	return found;
}

static bool
is_owned(struct lens *l, struct span object, struct objref *o)
{
	struct json_elements e =
	    json_elements(json_path(object, "metadata.ownerReferences"));

	while (json_element(&e)) {
		struct objref owner = reading_ref(e.value, &l->names);

		owner.namespace_ = l->object.namespace_.n > 0
		    ? o->namespace_
		    : l->object.namespace_;
		if (is_the_object(l, &owner))
			return true;
	}
	return false;
}

static void
lens_look(struct lens *l, const struct reading_line *line)
{
	struct json_members known;
	struct objref o;

	arena_reset(&l->names);
	if (line->kind == READING_EVENT) {
		o = reading_ref(line->body, &l->names);
		if (is_the_object(l, &o))
			l->found = true;
		else if (!is_owned(l, line->body, &o))
			return;
		add_key(l, key_of(l, &o));
	} else if (line->kind == READING_SET &&
	    visit_set(l, line->body, COMPARE)) {
		l->found = true;
		visit_set(l, line->body, ADD);
		known = json_members(json_path(line->body, "reconcile.known"));
		while (json_member(&known))
			add_key(l,
			    json_name(
				span_make(known.key.p - 1, known.key.n + 2),
				&l->names));
	}
}

static bool
lens_shows(struct lens *l, const struct reading_line *line)
{
	struct span body = line->body, primary, object;
	struct objref o;

	arena_reset(&l->names);
	switch (line->kind) {
	case READING_EVENT:
		o = reading_ref(body, &l->names);
		return o.name.p == NULL || has_key(l, key_of(l, &o));
	case READING_SET:
		return visit_set(l, body, COMPARE);
	case READING_RESULT:
	case READING_STATUS:
		o = reading_ref(body, &l->names);
		primary = json_name(json_get(body, "primary"), &l->names);
		return has_key(l, key_of(l, &o)) || has_key(l, primary);
	case READING_SHADOW: /* a primary, or an object that differs */
		primary = json_name(json_get(body, "primary"), &l->names);
		object = json_name(json_get(body, "object"), &l->names);
		return has_key(l, primary) || has_key(l, object);
	default:
		return true;
	}
}

/* ---- cut ---- */

/* Shared by the passes over a recording. */
struct cut {
	struct emit out;
	int64_t from, to; /* microseconds; INT64_MIN, INT64_MAX: no limit */
	struct span from_text;
	int64_t latest; /* time of the lines so far */
	struct lens *lens;
	struct census *census;
	size_t first;	   /* number of the first line of the part; 0: none */
	struct buf header; /* the first line of the segment that it begins in */
	bool ended;	   /* the state was closed */
};

/* Streams are recorded side by side, and a state has older lines in it: the
 * time of the recording is the latest so far. */
static int64_t
advance(struct cut *c, const struct reading_line *line)
{
	int64_t us;

	if (line->time.p != NULL && clock_parse_us(line->time, &us) == 0 &&
	    us > c->latest)
		c->latest = us;
	return c->latest;
}

/* First pass: everything that concerns the object. */
static bool
look_line(void *arg, const struct reading_line *line, size_t number)
{
	struct cut *c = arg;

	(void)number;
	if (advance(c, line) > c->to)
		return false;
	lens_look(c->lens, line);
	return true;
}

/* Second pass: the state up to the first line of the part. */
static bool
count_line(void *arg, const struct reading_line *line, size_t number)
{
	struct cut *c = arg;

	if (advance(c, line) >= c->from) {
		c->first = number;
		return false;
	}
	/* Digests in the state belong to that segment, as its programs do. */
	if (line->kind == READING_SEGMENT) {
		buf_reset(&c->header);
		buf_addspan(&c->header, line->text);
	}
	if (line->kind == READING_EVENT &&
	    (c->lens == NULL || lens_shows(c->lens, line)))
		census_take(c->census, line->text, number);
	return true;
}

/* Last pass: the state, then the part. */
static bool
cut_line(void *arg, const struct reading_line *line, size_t number)
{
	struct cut *c = arg;
	bool before = c->census != NULL && (c->first == 0 || number < c->first);

	if (advance(c, line) > c->to)
		return false;
	if (c->census != NULL && number == 1 &&
	    (c->first != 1 || line->kind != READING_SEGMENT)) {
		if (c->header.len > 0)
			print_line(&c->out, buf_span(&c->header));
		census_begins(c->census, c->from_text, &c->out.text);
	}
	if (before && census_has(c->census, number))
		census_added(line->text, &c->out.text);
	if (before)
		return added(&c->out);
	if (c->census != NULL && !c->ended)
		census_ends(c->census, c->from_text, &c->out.text);
	c->ended = true;
	return (c->lens != NULL && !lens_shows(c->lens, line)) ||
	    print_line(&c->out, line->text);
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

static int
check_part(struct cut *c, const struct emit_source *s,
    const struct emit_part *part, struct err *err)
{
	if (read_time("from", part->from, &c->from, err) != 0 ||
	    read_time("to", part->to, &c->to, err) != 0)
		return -1;
	if (c->from > c->to)
		return err_set(err, ERR_PERMANENT,
		    "option --from: %s is later than --to, %s", part->from,
		    part->to);
	for (size_t i = 0; i < s->count; i++)
		if (strcmp(s->paths[i], "-") == 0 &&
		    (part->from != NULL || part->object != NULL))
			return err_set(err, ERR_PERMANENT,
			    "cut --from and --object read the recording "
			    "several times: not from standard input");
	return 0;
}

static int
run_cut(struct cut *c, struct emit_source *s, const struct emit_part *part,
    struct err *err)
{
	if (check_part(c, s, part, err) != 0)
		return -1;
	if (part->object != NULL) {
		c->lens = lens_new(part->object, err);
		c->latest = INT64_MIN;
		if (c->lens == NULL || each(s, NULL, look_line, c, err) != 0)
			return -1;
		s->lacks = !c->lens->found;
		if (s->lacks)
			log_warning("%s is not in the recording", part->object);
	}
	if (part->from != NULL) {
		c->from_text = span_str(part->from);
		c->latest = INT64_MIN;
		c->census = census_new(CENSUS_NUMBERS);
		if (each(s, NULL, count_line, c, err) != 0)
			return -1;
		census_close(c->census);
	}
	c->latest = INT64_MIN;
	if (each(s, &c->out, cut_line, c, err) != 0)
		return -1;
	if (c->census != NULL && !c->ended)
		census_ends(c->census, c->from_text, &c->out.text);
	return 0;
}

int
emit_cut(struct emit_source *s, const struct emit_part *part, struct err *err)
{
	struct cut c = {.from = INT64_MIN, .to = INT64_MAX};
	int rc = end(&c.out, run_cut(&c, s, part, err), err);

	lens_free(c.lens);
	census_free(c.census);
	buf_release(&c.header);
	return rc;
}

/* ---- stat ---- */

struct figures {
	size_t lines[READING_OTHER + 1];
	uint64_t bytes; /* not compressed */
	struct textlist tools, programs, started;
	char *first, *last; /* times, as they are written */
	struct census *census;
};

static void
add_once(struct textlist *list, struct span text)
{
	if (text.n > 0)
		textlist_add_once(list, text);
}

/* All times are UTC, with microseconds: their order is that of their bytes. */
static void
take_time(char **kept, struct span time, int sign)
{
	if (*kept != NULL && sign * span_cmp(time, span_str(*kept)) <= 0)
		return;
	free(*kept);
	*kept = mem_dup(time.p, time.n);
}

static bool
stat_line(void *arg, const struct reading_line *line, size_t number)
{
	struct figures *f = arg;
	struct json_members m;
	struct buf program = BUF_INIT;

	f->lines[line->kind]++;
	f->bytes += line->text.n + 1;
	if (line->time.p != NULL) {
		take_time(&f->first, line->time, -1);
		take_time(&f->last, line->time, 1);
	}
	if (line->kind == READING_EVENT)
		census_take(f->census, line->text, number);
	if (line->kind == READING_STATE)
		add_once(&f->started,
		    json_raw_string(json_get(line->body, "started")));
	if (line->kind != READING_SEGMENT)
		return true;
	add_once(&f->tools, json_raw_string(json_get(line->text, "tool")));
	m = json_members(json_get(line->text, "programs"));
	while (json_member(&m)) {
		buf_reset(&program);
		buf_addf(&program, "%.*s: %.*s", SPAN_ARG(m.key),
		    SPAN_ARG(json_raw_string(m.value)));
		add_once(&f->programs, buf_span(&program));
	}
	buf_release(&program);
	return true;
}

/* Texts come from the recording: they are made visible. */
static void
add_list(struct buf *b, const char *name, const struct textlist *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (i == 0)
			buf_addf(b, "%-10s ", name);
		else
			buf_adds(b, ", ");
		quote_text(b, span_str(list->items[i]));
	}
	if (list->count > 0)
		buf_addc(b, '\n');
}

static void
add_text(struct buf *b, const char *name, struct span text)
{
	buf_addf(b, "%-10s ", name);
	quote_text(b, text);
	buf_addc(b, '\n');
}

static void
add_count(struct buf *b, const char *name, uint64_t n)
{
	buf_addf(b, "%-10s %llu\n", name, (unsigned long long)n);
}

static void
describe(const struct figures *f, const struct emit_source *s, struct buf *b)
{
	static const char *const names[] = {"events", NULL, "sets", "results",
	    "statuses", "states", NULL, "shadow", NULL};
	struct buf objects = BUF_INIT;

	add_count(b, "segments", f->lines[READING_SEGMENT]);
	add_text(b, "from", span_str(f->first != NULL ? f->first : "-"));
	add_text(b, "to", span_str(f->last != NULL ? f->last : "-"));
	add_count(b, "bytes", f->bytes);
	for (size_t i = 0; i < COUNT(names); i++)
		if (names[i] != NULL)
			add_count(b, names[i], f->lines[i]);
	add_count(b, "gaps", f->lines[READING_GAP]);
	add_count(b, "bad lines", s->bad);
	add_count(b, "cut ends", s->cuts);
	census_count(f->census, &objects);
	if (objects.len > 0)
		add_text(b, "objects", buf_span(&objects));
	if (f->started.count > 0)
		add_count(b, "starts", f->started.count);
	add_list(b, "started", &f->started);
	add_list(b, "tools", &f->tools);
	add_list(b, "programs", &f->programs);
	buf_release(&objects);
}

int
emit_stat(struct emit_source *s, struct err *err)
{
	struct figures f = {.census = census_new(CENSUS_NUMBERS)};
	struct emit out = {0};
	int rc = each(s, NULL, stat_line, &f, err);

	census_close(f.census);
	if (rc == 0)
		describe(&f, s, &out.text);
	rc = end(&out, rc, err);
	census_free(f.census);
	textlist_release(&f.tools);
	textlist_release(&f.programs);
	textlist_release(&f.started);
	free(f.first);
	free(f.last);
	return rc;
}

/* ---- spans ---- */

struct spans {
	struct emit out;
	struct journeys journeys;
	struct buf line;
	size_t batch, in_line;
};

static void
put_spans(struct spans *s)
{
	if (s->in_line == 0)
		return;
	spanline_end(&s->line);
	print_line(&s->out, buf_span(&s->line));
	flush(&s->out); /* the reader may wait for it */
	buf_reset(&s->line);
	s->in_line = 0;
}

static void
on_journey(void *arg, const struct journey *j)
{
	struct spans *s = arg;

	spanline_add(&s->line, j);
	if (++s->in_line == s->batch || s->line.len >= SPANLINE_BYTES)
		put_spans(s);
}

static bool
spans_line(void *arg, const struct reading_line *line, size_t number)
{
	struct spans *s = arg;

	(void)number;
	journeys_line(&s->journeys, line);
	return s->out.err.kind == ERR_NONE;
}

int
emit_spans(struct emit_source *s, size_t batch, struct err *err)
{
	struct spans spans = {
	    .batch = batch, .journeys = {.fn = on_journey, .arg = &spans}};
	int rc = each(s, NULL, spans_line, &spans, err);

	journeys_end(&spans.journeys);
	put_spans(&spans);
	buf_release(&spans.line);
	return end(&spans.out, rc, err);
}
