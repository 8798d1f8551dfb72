#include "json/stream.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/tee.h"

enum mode { UNDECIDED, LINES, CONCATENATED };
/* The state of the bytes at the front. */
enum place { DOCUMENT, LIST_ITEM, LIST_TAIL, REST_OF_LINE };

/* Where a value ends, found byte by byte as it arrives: brackets and strings
 * are counted, the grammar is left to json_check. Zeroed: before a value. */
struct scan {
	size_t at; /* bytes looked at, from the start of the value */
	unsigned depth;
	bool begun, string, escaped, scalar;
};

enum scan_result {
	SCAN_MORE,
	SCAN_WHOLE,  /* the value ends at `at` */
	SCAN_NEWLINE /* SCAN_LINE only: the line ends before the value */
};

enum scan_mode { SCAN_TEXT, SCAN_LINE };

struct stream {
	struct buf in, scratch;
	struct tee tee; /* gets a copy of the input */
	size_t front;	/* bytes of in that are done with */
	size_t line;	/* line of the front, 1 = first */
	enum mode mode;
	enum place place;
	bool ended, dead;
	enum { FIRST_ITEM, AFTER_ITEM, AFTER_COMMA } list;
	struct scan scan;
	/* A whole List at the front, given out item by item. */
	size_t split_at; /* behind the last item given, 0: none */
	size_t split_size;
	/* apiVersion and kind for items that have none; empty: unknown. Raw,
	 * between quotes. */
	struct buf item_version, item_kind;
};

struct stream *
stream_new(void)
{
	struct stream *s = mem_zalloc(sizeof(*s));

	s->line = 1;
	tee_init(&s->tee, -1, NULL);
	return s;
}

void
stream_free(struct stream *s)
{
	if (s == NULL)
		return;
	buf_release(&s->in);
	buf_release(&s->item_version);
	buf_release(&s->item_kind);
	buf_release(&s->scratch);
	tee_release(&s->tee);
	free(s);
}

static struct span
front(const struct stream *s)
{
	struct span all = buf_span(&s->in);

	return span_make(all.p + s->front, all.n - s->front);
}

static size_t
count_newlines(struct span t)
{
	size_t count = 0;
	const char *p = t.p, *end = t.p + t.n;

	while (p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL) {
		count++;
		p++;
	}
	return count;
}

static void
consume(struct stream *s, size_t n)
{
	s->line += count_newlines(span_make(front(s).p, n));
	s->front += n;
	s->scan = (struct scan){0};
}

/* After a huge document the memory goes back. */
enum { KEEP = 1024 * 1024 };

static void
compact(struct stream *s)
{
	if (s->front == 0)
		return;
	buf_consume(&s->in, s->front);
	s->front = 0;
	if (s->in.len == 0 && s->in.cap > KEEP)
		buf_release(&s->in);
}

void
stream_tap(struct stream *s, int fd, const char *stream)
{
	tee_init(&s->tee, fd, stream);
}

void
stream_feed(struct stream *s, struct span bytes)
{
	compact(s);
	buf_addspan(&s->in, bytes);
}

long
stream_read(struct stream *s, int fd, struct err *err)
{
	enum { CHUNK = 128 * 1024 };
	size_t teed;
	ssize_t n;

	compact(s);
	teed = tee_ahead(&s->tee, fd, CHUNK);
	do
		n = read(
		    fd, buf_reserve(&s->in, CHUNK), teed > 0 ? teed : CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return err_set(err,
		    errno == EAGAIN ? ERR_TRANSIENT : ERR_PERMANENT,
		    "cannot read %s: %s",
		    fd == STDIN_FILENO ? "standard input" : "the input",
		    strerror(errno));
	tee_read(&s->tee, span_make(s->in.data + s->in.len, (size_t)n));
	s->in.len += (size_t)n;
	if (n == 0)
		s->ended = true;
	return n;
}

void
stream_end(struct stream *s)
{
	s->ended = true;
}

static bool
is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Drops white space at the front; inside a long List of one line, not the
 * newline that cuts it short. */
static void
skip_space(struct stream *s)
{
	bool stop = s->mode == LINES && s->place != DOCUMENT;
	struct span t = front(s);
	size_t n = 0;

	if (s->scan.begun)
		return;
	while (n < t.n && is_space(t.p[n]) && !(stop && t.p[n] == '\n'))
		n++;
	if (n > 0)
		consume(s, n);
}

/* Nothing to give out yet, but perhaps after the next step. */
enum { AGAIN = -1 };

/* Scans a byte outside strings. True: the value ends before the byte, or with
 * it; then `at` is moved. */
static bool
scan_byte(struct scan *c, char byte)
{
	bool open = byte == '{' || byte == '[';
	bool close = byte == '}' || byte == ']';

	if (c->scalar &&
	    (open || close || byte == '"' || byte == ',' || byte == ':' ||
		is_space(byte)))
		return true;
	c->at++;
	c->string = byte == '"';
	if (open)
		c->depth++;
	if (close && (c->depth == 0 || --c->depth == 0))
		return true;
	if (!c->begun && !open && !c->string)
		c->scalar = true;
	c->begun = true;
	/* A lone comma or colon is a document of its own, and a bad one. */
	return c->depth == 0 && (byte == ',' || byte == ':');
}

/* text begins with the value, without white space, and only grows from call to
 * call. A scalar ends at the next byte that is not part of it. */
static enum scan_result
scan(struct scan *c, struct span text, enum scan_mode mode)
{
	while (c->at < text.n) {
		char byte = text.p[c->at];

		if (byte == '\n' && mode == SCAN_LINE)
			return SCAN_NEWLINE;
		if (!c->string) {
			if (scan_byte(c, byte))
				return SCAN_WHOLE;
			continue;
		}
		c->at++;
		if (c->escaped)
			c->escaped = false;
		else if (byte == '\\')
			c->escaped = true;
		else if (byte == '"')
			c->string = false;
		if (!c->string && c->depth == 0)
			return SCAN_WHOLE;
	}
	return SCAN_MORE;
}

static enum scan_result
scan_value(struct stream *s)
{
	enum scan_result r =
	    scan(&s->scan, front(s), s->mode == LINES ? SCAN_LINE : SCAN_TEXT);

	return r == SCAN_MORE && s->ended && s->scan.scalar ? SCAN_WHOLE : r;
}

/* Reports the line of the front and skips what cannot be read. */
static int
bad(struct stream *s, struct stream_doc *doc, const char *message)
{
	struct err err;

	/* message may be that of doc. */
	err_set(&err, ERR_PERMANENT, "line %zu: %s", s->line, message);
	*doc = (struct stream_doc){.line = s->line, .err = err};
	s->split_at = 0;
	if (s->mode == CONCATENATED) {
		s->dead = true;
		return STREAM_BAD;
	}
	s->mode = LINES;
	s->place = REST_OF_LINE;
	return STREAM_BAD;
}

static bool
ends_in_list(struct span raw)
{
	return raw.n >= 4 && memcmp(raw.p + raw.n - 4, "List", 4) == 0;
}

/* The kind of a List's items from its own: "PodList" v1 gives "Pod" v1. */
static void
set_item_type(struct stream *s, struct span version, struct span kind)
{
	buf_reset(&s->item_version);
	buf_reset(&s->item_kind);
	if (!ends_in_list(kind) || kind.n == 4 || version.n == 0)
		return;
	buf_addspan(&s->item_version, version);
	buf_add(&s->item_kind, kind.p, kind.n - 4);
}

static void
add_member(struct buf *b, const char *key, const struct buf *value)
{
	json_add_key(b, key);
	buf_addc(b, '"');
	buf_addspan(b, buf_span(value));
	buf_addc(b, '"');
}

/* The item itself, or a copy with the type that it lacks. */
static struct span
fill_type(struct stream *s, struct span item)
{
	struct span kind, version, rest;

	if (s->item_kind.len == 0 || json_type(item) != JSON_OBJECT)
		return item;
	kind = json_get(item, "kind");
	version = json_get(item, "apiVersion");
	if (kind.p != NULL && version.p != NULL)
		return item;
	buf_reset(&s->scratch);
	buf_addc(&s->scratch, '{');
	if (version.p == NULL)
		add_member(&s->scratch, "apiVersion", &s->item_version);
	if (kind.p == NULL)
		add_member(&s->scratch, "kind", &s->item_kind);
	rest = span_trim_start(span_skip(item, 1), SPAN_BLANKS);
	if (rest.n > 0 && *rest.p != '}')
		buf_addc(&s->scratch, ',');
	buf_addspan(&s->scratch, rest);
	return buf_span(&s->scratch);
}

bool
stream_is_list(struct span object)
{
	return json_type(object) == JSON_OBJECT &&
	    ends_in_list(json_raw_string(json_get(object, "kind"))) &&
	    json_get(object, "reconcile").p == NULL &&
	    json_type(json_get(object, "items")) == JSON_ARRAY;
}

/* Begins to give out the List at the front; false: it is not a List. */
static bool
split_begin(struct stream *s, struct span text)
{
	struct span items;

	if (!stream_is_list(text))
		return false;
	items = json_get(text, "items");
	set_item_type(s, json_raw_string(json_get(text, "apiVersion")),
	    json_raw_string(json_get(text, "kind")));
	s->split_at = (size_t)(items.p + 1 - text.p);
	s->split_size = text.n;
	return true;
}

static int
split_next(struct stream *s, struct stream_doc *doc)
{
	struct span text = front(s), rest, item;
	size_t at = s->split_at;

	while (is_space(text.p[at]) || text.p[at] == ',')
		at++;
	rest = span_make(text.p + at, s->split_size - at);
	item = json_value(&rest);
	if (text.p[at] == ']' || item.p == NULL) {
		s->split_at = 0;
		consume(s, s->split_size);
		return AGAIN;
	}
	s->split_at = (size_t)(item.p + item.n - text.p);
	*doc = (struct stream_doc){.item = true};
	doc->line = s->line + count_newlines(span_make(text.p, at));
	doc->text = fill_type(s, item);
	return STREAM_DOC;
}

/* A whole document of n bytes is at the front. */
static int
give(struct stream *s, size_t n, struct stream_doc *doc)
{
	struct span text = span_make(front(s).p, n);
	struct err err = ERR_INIT;

	if (json_check(text, &err) != 0) {
		bad(s, doc, err.message);

		if (!s->dead) {
			consume(s, n);
			s->place = DOCUMENT;
		}
		return STREAM_BAD;
	}
	if (split_begin(s, text))
		return split_next(s, doc);
	*doc = (struct stream_doc){.line = s->line, .text = text};
	consume(s, n);
	return STREAM_DOC;
}

/*
 * More than STREAM_MAX bytes, and no end: a List may go on, item by item, if
 * its beginning up to "items":[ is here. Returns the length of that, or 0.
 */
static size_t
list_prefix(struct stream *s)
{
	struct span all = front(s), kind = SPAN_NONE, version = SPAN_NONE;
	struct json_members m = json_members(all);

	while (m.rest.n > 0) {
		struct json_members before = m;

		if (json_member(&m)) {
			if (span_is(m.key, "kind"))
				kind = json_raw_string(m.value);
			if (span_is(m.key, "apiVersion"))
				version = json_raw_string(m.value);
			if (!span_is(m.key, "items"))
				continue;
		}
		/* "items" is the member whose value does not end here. */
		m.rest = before.rest;
		break;
	}
	if (m.rest.n == 0 || (kind.p != NULL && !ends_in_list(kind)))
		return 0;
	for (const char *want = ",\"items\":["; *want != '\0'; want++) {
		m.rest = span_trim_start(m.rest, SPAN_BLANKS);
		if (m.rest.n > 0 && *m.rest.p == *want)
			m.rest = span_skip(m.rest, 1);
		else if (*want != ',')
			return 0;
	}
	set_item_type(s, version, kind);
	return all.n - m.rest.n;
}

static int
too_long(struct stream *s, struct stream_doc *doc)
{
	size_t prefix = s->place == DOCUMENT ? list_prefix(s) : 0;
	struct buf whole = BUF_INIT;
	int r;

	if (prefix == 0)
		return bad(s, doc,
		    s->place == LIST_ITEM
			? "an item is longer than " STREAM_MAX_TEXT
			: s->mode == CONCATENATED
			? "a document is longer than " STREAM_MAX_TEXT
			: "longer than " STREAM_MAX_TEXT);
	buf_add(&whole, front(s).p, prefix);
	buf_adds(&whole, "]}");
	r = json_check(buf_span(&whole), &doc->err);
	buf_release(&whole);
	if (r != 0)
		return bad(s, doc, doc->err.message);
	if (s->mode == UNDECIDED)
		s->mode = LINES;
	consume(s, prefix);
	s->place = LIST_ITEM;
	s->list = FIRST_ITEM;
	return AGAIN;
}

/* The text behind the items of a long List is checked behind an empty List. */
static int
give_tail(struct stream *s, struct stream_doc *doc)
{
	struct buf whole = BUF_INIT;
	struct err err = ERR_INIT;
	struct span kind;
	bool known = s->item_kind.len > 0;

	buf_adds(&whole, "{\"items\":[]");
	buf_add(&whole, front(s).p, s->scan.at);
	if (json_check(buf_span(&whole), &err) == 0) {
		kind = json_raw_string(json_get(buf_span(&whole), "kind"));
		if (kind.p != NULL && !ends_in_list(kind) && !known)
			err_set(&err, ERR_PERMANENT,
			    "longer than " STREAM_MAX_TEXT " and no List");
	}
	buf_release(&whole);
	if (err.kind != ERR_NONE)
		return bad(s, doc, err.message);
	consume(s, s->scan.at);
	s->place = DOCUMENT;
	return AGAIN;
}

/* In a List that is longer than the buffer: an item, a comma, or the end. */
static int
next_in_list(struct stream *s, struct stream_doc *doc)
{
	enum scan_result r;
	struct span t = front(s);

	if (s->place == LIST_ITEM && !s->scan.begun && t.n > 0) {
		if (*t.p == ']' && s->list != AFTER_COMMA) {
			consume(s, 1);
			s->place = LIST_TAIL;
			s->scan = (struct scan){.depth = 1, .begun = true};
			return AGAIN;
		}
		if (s->list == AFTER_ITEM) {
			if (*t.p != ',')
				return bad(s, doc,
				    *t.p == '\n' ? "a List is cut short"
						 : "no comma between items");
			consume(s, 1);
			s->list = AFTER_COMMA;
			return AGAIN;
		}
	}
	r = scan_value(s);
	if (s->scan.at > STREAM_MAX)
		return too_long(s, doc);
	if (r == SCAN_NEWLINE || (r == SCAN_MORE && s->ended))
		return bad(s, doc, "a List is cut short");
	if (r == SCAN_MORE)
		return STREAM_MORE;
	if (s->place == LIST_TAIL)
		return give_tail(s, doc);
	t = span_make(front(s).p, s->scan.at);
	*doc = (struct stream_doc){.line = s->line, .item = true};
	if (json_check(t, &doc->err) != 0)
		return bad(s, doc, doc->err.message);
	doc->text = fill_type(s, t);
	consume(s, t.n);
	s->list = AFTER_ITEM;
	return STREAM_DOC;
}

/* A first line whose brackets match is a whole document, good or bad. */
static bool
looks_whole(struct span line)
{
	return line.n > 0 && (*line.p == '{' || *line.p == '[') &&
	    json_value(&line).p != NULL &&
	    span_trim_start(line, SPAN_BLANKS).n == 0;
}

static int
next_line(struct stream *s, struct stream_doc *doc)
{
	struct span t = front(s);
	const char *newline = memchr(t.p + s->scan.at, '\n', t.n - s->scan.at);
	size_t n = newline != NULL ? (size_t)(newline - t.p) : t.n;

	if (n > STREAM_MAX)
		return too_long(s, doc);
	if (newline == NULL && !s->ended) {
		s->scan.at = n;
		return STREAM_MORE;
	}
	if (s->mode == UNDECIDED) {
		s->mode = looks_whole(span_make(t.p, n)) ? LINES : CONCATENATED;
		s->scan = (struct scan){0};
		return AGAIN;
	}
	return give(s, n, doc);
}

static int
next_value(struct stream *s, struct stream_doc *doc)
{
	enum scan_result r = scan_value(s);

	if (s->scan.at > STREAM_MAX)
		return too_long(s, doc);
	if (r == SCAN_WHOLE)
		return give(s, s->scan.at, doc);
	return s->ended ? give(s, front(s).n, doc) : STREAM_MORE;
}

static int
skip_line(struct stream *s)
{
	struct span t = front(s);
	const char *newline = memchr(t.p, '\n', t.n);

	if (newline == NULL) {
		consume(s, t.n);
		return s->ended ? STREAM_END : STREAM_MORE;
	}
	consume(s, (size_t)(newline + 1 - t.p));
	s->place = DOCUMENT;
	return AGAIN;
}

/* A line that separates documents of YAML may stand between those of JSON, too:
 * some tools print it. Nothing of JSON begins so. */
static int
skip_marker(struct stream *s)
{
	struct span t = front(s);

	if (t.n == 0 || *t.p != '-' || s->scan.begun || s->place != DOCUMENT)
		return STREAM_DOC;
	if (t.n < 4 && !s->ended)
		return STREAM_MORE;
	if (!span_take(&t, "---") || (t.n > 0 && !is_space(*t.p)))
		return STREAM_DOC;
	consume(s, 3);
	return AGAIN;
}

static int
step(struct stream *s, struct stream_doc *doc)
{
	int r;

	if (s->dead)
		return STREAM_END;
	if (s->split_at > 0)
		return split_next(s, doc);
	if (s->place == REST_OF_LINE)
		return skip_line(s);
	skip_space(s);
	r = skip_marker(s);
	if (r != STREAM_DOC)
		return r;
	if (s->place != DOCUMENT)
		return next_in_list(s, doc);
	if (front(s).n == 0)
		return s->ended ? STREAM_END : STREAM_MORE;
	if (s->mode == CONCATENATED)
		return next_value(s, doc);
	return next_line(s, doc);
}

enum stream_result
stream_next(struct stream *s, struct stream_doc *doc)
{
	int r;

	do
		r = step(s, doc);
	while (r == AGAIN);
	return (enum stream_result)r;
}
