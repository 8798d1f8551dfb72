#include "trace/debugs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "json/jvtext.h"

void
debugs_begin(struct debugs *d)
{
	buf_reset(&d->lines);
	d->count = 0;
}

void
debugs_release(struct debugs *d)
{
	buf_release(&d->lines);
}

/* ---- a value, of which no more is looked at than is printed ---- */

static void
add_number(struct buf *b, double d)
{
	char text[40];

	if (isnan(d) || isinf(d)) {
		buf_adds(b,
		    isnan(d)	? "nan"
			: d > 0 ? "infinite"
				: "-infinite");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, d);
		if (strtod(text, NULL) == d)
			break;
	}
	buf_adds(b, text);
}

/* The first n bytes at most, ending with a whole character. */
static struct span
cut(struct span text, size_t n)
{
	if (text.n <= n)
		return text;
	while (n > 0 && ((unsigned char)text.p[n] & 0xc0) == 0x80)
		n--;
	return span_make(text.p, n);
}

static void add_value(struct buf *b, jv value_peek, size_t most);

static void
add_array(struct buf *b, jv array_peek, size_t most)
{
	int n = jv_array_length(jv_copy(array_peek));

	buf_addc(b, '[');
	for (int i = 0; i < n && b->len <= most; i++) {
		jv element = jv_array_get(jv_copy(array_peek), i);

		if (i > 0)
			buf_addc(b, ',');
		add_value(b, element, most);
		jv_free(element);
	}
	buf_addc(b, ']');
}

static void
add_object(struct buf *b, jv object_peek, size_t most)
{
	int i = jv_object_iter(object_peek);
	bool first = true;

	buf_addc(b, '{');
	for (; jv_object_iter_valid(object_peek, i) && b->len <= most;
	     i = jv_object_iter_next(object_peek, i)) {
		jv key = jv_object_iter_key(object_peek, i);
		jv value = jv_object_iter_value(object_peek, i);

		if (!first)
			buf_addc(b, ',');
		first = false;
		json_add_string(b, cut(jvtext_span(key), most));
		buf_addc(b, ':');
		add_value(b, value, most);
		jv_free(key);
		jv_free(value);
	}
	buf_addc(b, '}');
}

/* Appends the value, and stops soon after b has more than `most` bytes. */
static void
add_value(struct buf *b, jv value_peek, size_t most)
{
	if (b->len > most)
		return;
	switch (jv_get_kind(value_peek)) {
	case JV_KIND_NUMBER:
		add_number(b, jv_number_value(value_peek));
		break;
	case JV_KIND_STRING:
		json_add_string(b, cut(jvtext_span(value_peek), most));
		break;
	case JV_KIND_ARRAY:
		add_array(b, value_peek, most);
		break;
	case JV_KIND_OBJECT:
		add_object(b, value_peek, most);
		break;
	default: /* null, true, false */
		buf_adds(b, jv_kind_name(jv_get_kind(value_peek)));
	}
}

static void
add_cut(struct buf *out, jv value_peek)
{
	struct buf b = BUF_INIT;

	add_value(&b, value_peek, DEBUGS_VALUE_MAX);
	buf_addspan(out, cut(buf_span(&b), DEBUGS_VALUE_MAX));
	if (b.len > DEBUGS_VALUE_MAX)
		buf_adds(out, "...");
	buf_release(&b);
}

/* ---- lines ---- */

/* Element i; jv_invalid() if the request is not an array, because a program may
 * call _call("debug"; ...) itself. */
static jv
member(jv array_peek, int i)
{
	return jv_get_kind(array_peek) == JV_KIND_ARRAY
	    ? jv_array_get(jv_copy(array_peek), i)
	    : jv_invalid();
}

void
debugs_add(struct debugs *d, jv request_peek, const char *function)
{
	jv at = jv_array_get(jv_copy(request_peek), 1);
	jv value = jv_array_get(jv_copy(request_peek), 2);
	jv place = member(at, 0), definition = member(at, 1);
	struct span name = jvtext_span(definition);

	/* Notes one line more than the limit, so that the caller sees that
	 * lines are missing. */
	if (d->count++ <= DEBUGS_LINES_MAX) {
		buf_addspan(&d->lines, jvtext_span(place));
		buf_addf(&d->lines, ": %s: ", function);
		if (name.n > 0 && !span_is(name, function))
			buf_addf(&d->lines, "%.*s: ", SPAN_ARG(name));
		buf_adds(&d->lines, "debug: ");
		add_cut(&d->lines, value);
		buf_addc(&d->lines, '\n');
	}
	jv_free(at);
	jv_free(place);
	jv_free(definition);
	jv_free(value);
}

void
debugs_log(struct span lines, const struct log_about *who, const char *about,
    int *said)
{
	while (lines.n > 0 && *said <= DEBUGS_LINES_MAX) {
		struct span line = span_cut(&lines, '\n');
		bool last = (*said)++ == DEBUGS_LINES_MAX;

		if (last)
			line = span_str("debug: the rest of this evaluation is "
					"left out");
		log_write(LOG_INFO, who, "%s%s%.*s", about != NULL ? about : "",
		    about != NULL ? ": " : "", SPAN_ARG(line));
	}
}
