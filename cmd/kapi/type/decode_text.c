#include "type/decode_text.h"

#include <time.h>

#include "base/buf.h"
#include "value/base64.h"
#include "value/date.h"
#include "value/digest.h"

enum { TIME_LENGTH = 20, MICRO_LENGTH = 27, ZONE_MAX_HOUR = 24 };

struct clock {
	int year, month, day, hour, minute, second;
	int micro;
	int offset; /* minutes east of UTC */
};

struct reader {
	struct span rest;
	const char *element; /* part of the layout that did not match */
	const char *range;   /* "month out of range" */
};

static bool
number(struct reader *r, int digits, int *value, const char *element)
{
	r->element = element;
	if (r->rest.n < (size_t)digits)
		return false;
	*value = 0;
	for (int i = 0; i < digits; i++) {
		char c = r->rest.p[i];

		if (!span_is_digit(c))
			return false;
		*value = *value * 10 + c - '0';
	}
	r->rest = span_make(r->rest.p + digits, r->rest.n - (size_t)digits);
	return true;
}

static bool
literal(struct reader *r, const char *c)
{
	r->element = c;
	if (r->rest.n == 0 || r->rest.p[0] != c[0])
		return false;
	r->rest = span_skip(r->rest, 1);
	return true;
}

static bool
in_range(struct reader *r, int value, int low, int high, const char *what)
{
	if (value < low || value > high) {
		r->range = what;
		return false;
	}
	return true;
}

/* Time takes any fraction and drops it; MicroTime wants six digits. */
static bool
fraction(struct reader *r, bool micro, int *value)
{
	size_t n = 1;

	*value = 0;
	if (micro) {
		struct span before = r->rest;

		if (literal(r, ".") && number(r, 6, value, ".000000"))
			return true;
		r->element = ".000000";
		r->rest = before;
		return false;
	}
	if (r->rest.n < 2 || (r->rest.p[0] != '.' && r->rest.p[0] != ',') ||
	    !span_is_digit(r->rest.p[1]))
		return true;
	while (n < r->rest.n && span_is_digit(r->rest.p[n]))
		n++;
	r->rest = span_skip(r->rest, n);
	return true;
}

static bool
zone(struct reader *r, int *offset)
{
	struct span before = r->rest;
	int hour = 0, minute = 0, sign;

	*offset = 0;
	if (literal(r, "Z"))
		return true;
	sign = r->rest.n > 0 && r->rest.p[0] == '-' ? -1 : 1;
	if ((literal(r, "+") || literal(r, "-")) && number(r, 2, &hour, "") &&
	    literal(r, ":") && number(r, 2, &minute, "")) {
		*offset = sign * (hour * 60 + minute);
		return in_range(r, hour, 0, ZONE_MAX_HOUR,
			   "time zone offset hour out of range") &&
		    in_range(r, minute, 0, 59,
			"time zone offset minute out of range");
	}
	r->rest = before;
	r->element = "Z07:00";
	return false;
}

/* The element at which reading stops is that at which Go's stops. */
static bool
read_time(struct reader *r, bool micro, struct clock *c)
{
	if (!number(r, 4, &c->year, "2006") || !literal(r, "-") ||
	    !number(r, 2, &c->month, "01") ||
	    !in_range(r, c->month, 1, 12, "month out of range") ||
	    !literal(r, "-") || !number(r, 2, &c->day, "02") ||
	    !literal(r, "T") || !number(r, 2, &c->hour, "15") ||
	    !in_range(r, c->hour, 0, 23, "hour out of range") ||
	    !literal(r, ":") || !number(r, 2, &c->minute, "04") ||
	    !in_range(r, c->minute, 0, 59, "minute out of range") ||
	    !literal(r, ":") || !number(r, 2, &c->second, "05") ||
	    !in_range(r, c->second, 0, 59, "second out of range") ||
	    !fraction(r, micro, &c->micro) || !zone(r, &c->offset))
		return false;
	return r->rest.n == 0 &&
	    in_range(r, c->day, 1, date_days_in_month(c->year, c->month),
		"day out of range");
}

static struct span
time_error(
    struct arena *a, const struct reader *r, struct span text, bool micro)
{
	const char *layout = micro ? "2006-01-02T15:04:05.000000Z07:00"
				   : "2006-01-02T15:04:05Z07:00";

	if (r->range != NULL)
		return arena_printf(
		    a, "parsing time \"%.*s\": %s", SPAN_ARG(text), r->range);
	if (r->element[0] == 'Z' && r->element[1] == '\0')
		return arena_printf(a,
		    "parsing time \"%.*s\": extra text: \"%.*s\"",
		    SPAN_ARG(text), SPAN_ARG(r->rest));
	return arena_printf(a,
	    "parsing time \"%.*s\" as \"%s\": cannot parse \"%.*s\" as \"%s\"",
	    SPAN_ARG(text), layout, SPAN_ARG(r->rest), r->element);
}

static struct span
write_time(struct arena *a, const struct clock *c, bool micro)
{
	struct tm tm = {.tm_year = c->year - 1900,
	    .tm_mon = c->month - 1,
	    .tm_mday = c->day,
	    .tm_hour = c->hour,
	    .tm_min = c->minute - c->offset,
	    .tm_sec = c->second};
	time_t t = timegm(&tm);
	char text[64];
	size_t n;

	gmtime_r(&t, &tm);
	n = strftime(text, sizeof text, "-%m-%dT%H:%M:%S", &tm);
	return micro
	    ? arena_printf(a, "%04d%.*s.%06dZ", tm.tm_year + 1900, (int)n, text,
		  c->micro)
	    : arena_printf(a, "%04d%.*sZ", tm.tm_year + 1900, (int)n, text);
}

int
decode_time_canonical(struct arena *a, struct span text, bool micro,
    struct span *result, struct span *error)
{
	struct reader r = {.rest = text};
	struct clock c;

	if (!read_time(&r, micro, &c)) {
		/* Behind the zone there was more. */
		if (r.range == NULL && r.rest.n > 0 && r.rest.p > text.p &&
		    (r.element[0] == 'Z' || r.element[0] == '\0'))
			r.element = r.element[0] == 'Z' ? r.element : "Z";
		*error = time_error(a, &r, text, micro);
		return -1;
	}
	*result = text;
	if (text.p[text.n - 1] != 'Z' ||
	    text.n != (micro ? MICRO_LENGTH : TIME_LENGTH))
		*result = write_time(a, &c, micro);
	return 0;
}

struct span
decode_base64_text(struct arena *a, struct span bytes)
{
	struct buf b = BUF_INIT;
	struct span text;

	base64_add(&b, bytes);
	text = arena_span(a, buf_span(&b));
	buf_release(&b);
	return text;
}

int
decode_base64_canonical(
    struct arena *a, struct span text, struct span *result, size_t *at)
{
	struct buf bytes = BUF_INIT, again = BUF_INIT;
	int code = base64_decode(text, BASE64_LINES, &bytes, at);

	*result = text;
	if (code == 0) {
		base64_add(&again, buf_span(&bytes));
		if (!span_eq(buf_span(&again), text))
			*result = arena_span(a, buf_span(&again));
	}
	buf_release(&bytes);
	buf_release(&again);
	return code;
}
