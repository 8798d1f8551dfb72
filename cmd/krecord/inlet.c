#include "inlet.h"

#include <errno.h>
#include <unistd.h>

#include "json/json.h"
#include "json/stream.h"
#include "process/clock.h"

/* Read but not recorded: while a segment is begun. */
enum { CHUNK = 256 * 1024, MOST = 4 * STREAM_MAX };
/* Around a line. */
enum { ROOM = 128 };

bool
inlet_read(struct inlet *t)
{
	ssize_t n;

	if (t->in.len >= MOST)
		return true;
	do
		n = read(t->fd, buf_reserve(&t->in, CHUNK), CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN;
	t->in.len += (size_t)n;
	return n > 0;
}

static void
add_head(const struct inlet *t, const char *name, struct buf *out)
{
	char time[CLOCK_RFC3339_MAX];

	clock_format_us(clock_real_us(), time);
	buf_adds(out, "{\"record\":\"");
	buf_adds(out, name);
	buf_adds(out, "\",\"time\":\"");
	buf_adds(out, time);
	buf_addc(out, '"');
	if (t->tool != NULL) {
		buf_adds(out, ",\"tool\":\"");
		buf_adds(out, t->tool);
		buf_addc(out, '"');
	}
}

static const char *
name_of(enum reading_kind kind)
{
	switch (kind) {
	case READING_SET:
		return "set";
	case READING_RESULT:
		return "result";
	case READING_STATUS:
		return "status";
	case READING_SHADOW:
		return "shadow";
	default:
		return "state";
	}
}

/* As kwatch begins it. */
static bool
is_event(struct span text)
{
	struct span head = text;

	if (head.n > 128)
		head.n = 128;
	return span_starts(head, "{\"type\":\"") &&
	    span_has(head, ",\"object\":{");
}

/* The event with its object changed, in the line as it is. A line that is not
 * an event is left out. */
static void
add_event(struct hide *h, struct span text, struct buf *out)
{
	struct json_frame f;
	size_t before;

	if (hide_is_needless(h, text) && is_event(text)) {
		buf_addspan(out, text);
		return;
	}
	if (json_frame(text, &f) != 0)
		return;
	before = (size_t)(f.object.p - text.p);
	buf_add(out, text.p, before);
	hide_framed(h, &f, out);
	buf_addspan(out, span_skip(text, before + f.object.n));
}

/* A stage has lost lines, and says so in its stream. */
static bool
is_gap(struct span text)
{
	return span_starts(text, "{\"record\":\"gap\"");
}

static void
record(struct inlet *t, struct span text, struct outlet *o, struct hide *h)
{
	struct buf out = BUF_INIT, plain = BUF_INIT;
	struct err err;

	if (span_trim(text, SPAN_BLANKS).n == 0)
		return;
	if (is_gap(text) || json_check(text, &err) != 0) {
		outlet_gap(o, t->stream);
		return;
	}
	/* Kinds and keys are compared raw. */
	if (json_plain(text, &plain))
		text = buf_span(&plain);
	buf_reserve(&out, text.n + ROOM);
	if (t->kind == READING_EVENT) {
		add_event(h, text, &out);
	} else {
		add_head(t, name_of(t->kind), &out);
		json_add_key(&out, "line");
		hide_body(h, t->kind, text, &out);
		buf_addc(&out, '}');
	}
	if (out.len > 0)
		outlet_line(o, t->kind, buf_span(&out));
	buf_release(&out);
	buf_release(&plain);
}

/* While a line is recorded, more may be read behind it (reel_busy_fn): so
 * nothing points into the buffer then. */
void
inlet_record(struct inlet *t, struct outlet *o, struct hide *h)
{
	size_t at = 0;
	const char *end;

	while (
	    (end = span_find(span_skip(buf_span(&t->in), at), '\n')) != NULL) {
		size_t n = (size_t)(end - t->in.data) - at;

		if (!t->skip && n <= STREAM_MAX)
			record(t, span_make(t->in.data + at, n), o, h);
		else if (!t->skip)
			outlet_gap(o, t->stream);
		t->skip = false;
		at += n + 1;
	}
	buf_consume(&t->in, at);
	if (t->in.len <= STREAM_MAX)
		return;
	if (!t->skip)
		outlet_gap(o, t->stream);
	t->skip = true;
	buf_reset(&t->in);
}

void
inlet_end(struct inlet *t, struct outlet *o)
{
	if (t->in.len > 0)
		outlet_gap(o, t->stream);
	buf_reset(&t->in);
}

void
inlet_release(struct inlet *t)
{
	buf_release(&t->in);
}
