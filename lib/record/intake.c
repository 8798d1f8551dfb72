#include "record/intake.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "json/json.h"
#include "json/stream.h"

enum { CHUNK = 256 * 1024 };

static void
give_bad(struct intake *t, struct reading_line *line, const char *why)
{
	struct err err = ERR_INIT;

	err_set(
	    &err, ERR_PERMANENT, "%s:%zu: %s", line->source, line->number, why);
	line->err = err;
	t->fn(t->arg, line, true);
}

static void
take(struct intake *t, struct span text)
{
	struct reading_line line = {
	    .text = text, .source = "standard input", .number = ++t->number};
	struct err err = ERR_INIT;

	if (t->skips) {
		t->skips = false;
		give_bad(t, &line, "the line is longer than " STREAM_MAX_TEXT);
	} else if (span_trim(text, SPAN_BLANKS).n == 0) {
		return;
	} else if (json_check(text, &err) != 0 ||
	    reading_sort(text, &line, &err) != 0) {
		give_bad(t, &line, err.message);
	} else {
		t->fn(t->arg, &line, false);
	}
}

static void
take_whole(struct intake *t)
{
	size_t at = 0;
	const char *end;

	while (
	    (end = span_find(span_skip(buf_span(&t->in), at), '\n')) != NULL) {
		size_t n = (size_t)(end - t->in.data) - at;

		take(t, span_make(t->in.data + at, n));
		at += n + 1;
	}
	buf_consume(&t->in, at);
	if (t->in.len > STREAM_MAX) {
		t->skips = true;
		buf_reset(&t->in);
	}
}

bool
intake_read(struct intake *t)
{
	struct reading_line rest = {
	    .source = "standard input", .number = t->number + 1, .cut = true};
	ssize_t n;

	do
		n = read(t->fd, buf_reserve(&t->in, CHUNK), CHUNK);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return true;
	if (n > 0) {
		t->in.len += (size_t)n;
		take_whole(t);
		return true;
	}
	if (n < 0)
		err_set(&t->err, ERR_TRANSIENT,
		    "cannot read standard input: %s", strerror(errno));
	rest.text = buf_span(&t->in);
	if (t->in.len > 0)
		give_bad(t, &rest, "the end of the line is missing");
	buf_reset(&t->in);
	return false;
}

void
intake_release(struct intake *t)
{
	buf_release(&t->in);
}
