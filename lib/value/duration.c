#include "value/duration.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/array.h"

/* Nanoseconds that are too many. Go takes as many with a minus sign; here they
 * are refused with either sign. */
static const uint64_t TOO_LONG = (uint64_t)1 << 63;

static const struct {
	char name[4];
	uint64_t nanoseconds;
} units[] = {
    {"ns", 1},
    {"us", 1000},
    {"\xc2\xb5s", 1000}, /* the micro sign, and the Greek letter */
    {"\xce\xbcs", 1000},
    {"ms", 1000000},
    {"s", 1000000000},
    {"m", 60000000000},
    {"h", 3600000000000},
};

/* Quotes like Go's time.quote: every byte that is not plain ASCII as \xNN. */
static void
add_quoted(struct buf *b, struct span s)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c < ' ' || c > 126) {
			buf_addf(b, "\\x%02x", c);
			continue;
		}
		if (c == '"' || c == '\\')
			buf_addc(b, '\\');
		buf_addc(b, (char)c);
	}
	buf_addc(b, '"');
}

static void
say(struct buf *b, const char *what, struct span unit, struct span text)
{
	buf_adds(b, "time: ");
	buf_adds(b, what);
	if (unit.p != NULL) {
		add_quoted(b, unit);
		buf_adds(b, " in duration");
	}
	buf_addc(b, ' ');
	add_quoted(b, text);
}

/* The digits at the front of s, which are taken away; false: too many. */
static bool
take_number(struct span *s, uint64_t *value)
{
	*value = 0;
	while (s->n > 0 && span_is_digit(*s->p)) {
		if (*value > (TOO_LONG - 9) / 10)
			return false;
		*value = *value * 10 + (uint64_t)(*s->p - '0');
		*s = span_skip(*s, 1);
	}
	return true;
}

/* Digits behind the point, of which there may be any number. */
static double
take_fraction(struct span *s)
{
	double value = 0, scale = 1;

	while (s->n > 0 && span_is_digit(*s->p)) {
		scale /= 10;
		value += (*s->p - '0') * scale;
		*s = span_skip(*s, 1);
	}
	return value;
}

static struct span
take_unit(struct span *s)
{
	size_t n = 0;
	struct span unit;

	while (n < s->n && s->p[n] != '.' && !span_is_digit(s->p[n]))
		n++;
	unit = span_make(s->p, n);
	*s = span_skip(*s, n);
	return unit;
}

static uint64_t
unit_of(struct span name)
{
	for (size_t i = 0; i < COUNT(units); i++)
		if (span_is(name, units[i].name))
			return units[i].nanoseconds;
	return 0;
}

/* Adds a number with its unit to *sum. NULL, or the error. */
static const char *
take_part(struct span *s, uint64_t *sum, struct span *unit)
{
	const char *start = s->p;
	uint64_t whole, scale;
	double fraction = 0;
	bool point;

	if (!take_number(s, &whole))
		return "invalid duration";
	point = s->n > 0 && *s->p == '.';
	if (point) {
		*s = span_skip(*s, 1);
		fraction = take_fraction(s);
	}
	if (s->p - start == point) /* no digit */
		return "invalid duration";
	*unit = take_unit(s);
	if (unit->n == 0)
		return "missing unit in duration";
	scale = unit_of(*unit);
	if (scale == 0)
		return "unknown unit ";
	if (whole > (TOO_LONG - 1) / scale)
		return "invalid duration";
	*sum += whole * scale + (uint64_t)(fraction * (double)scale);
	return *sum < TOO_LONG ? NULL : "invalid duration";
}

/* Without its sign. NULL, or the error and its unit. */
static const char *
take_all(struct span s, uint64_t *sum, struct span *unit)
{
	const char *wrong = NULL;

	*sum = 0;
	if (span_is(s, "0"))
		return NULL;
	if (s.n == 0)
		return "invalid duration";
	while (s.n > 0 && wrong == NULL)
		wrong = take_part(&s, sum, unit);
	return wrong;
}

int
duration_parse(struct span text, int64_t *ns, struct buf *wrong)
{
	bool sign = text.n > 0 && (*text.p == '-' || *text.p == '+');
	struct span unit = SPAN_NONE;
	uint64_t sum;
	const char *what = take_all(span_skip(text, sign), &sum, &unit);

	if (what == NULL) {
		*ns = sign && *text.p == '-' ? -(int64_t)sum : (int64_t)sum;
		return 0;
	}
	if (strcmp(what, "unknown unit ") != 0)
		unit = SPAN_NONE;
	if (wrong != NULL)
		say(wrong, what, unit, text);
	return -1;
}

int
duration_parse_ms(struct span text, uint64_t *ms)
{
	int64_t ns;

	if (text.n == 0 || *text.p == '-' || *text.p == '+' ||
	    duration_parse(text, &ns, NULL) != 0)
		return -1;
	*ms = (uint64_t)ns / 1000000;
	return 0;
}
