/*
 * Part of program/natives.h. dates: times for programs, the same on every
 * libjq.
 *
 * A time is Unix seconds, or as gmtime gives it: [year, month from 0, day,
 * hours, minutes, seconds, day of the week, day of the year]. Always UTC, and
 * of the years 0 to 9999, which Kubernetes can print.
 */
#include "program/natives.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "json/jvtext.h"
#include "process/clock.h"

#define FIRST (-62167219200.0) /* 0000-01-01 */
#define LAST 253402300800.0    /* behind 9999-12-31 */

static const char out_of_range[] = "no time of the years 0 to 9999";

static bool
in_range(double seconds)
{
	return seconds >= FIRST && seconds < LAST;
}

static double
number_at(jv array_peek, int i)
{
	jv x = jv_array_get(jv_copy(array_peek), i);
	double d = jv_get_kind(x) == JV_KIND_NUMBER ? jv_number_value(x) : NAN;

	jv_free(x);
	return d;
}

static jv
broken_down(const struct tm *tm, double fraction)
{
	const double fields[] = {tm->tm_year + 1900.0, tm->tm_mon, tm->tm_mday,
	    tm->tm_hour, tm->tm_min, tm->tm_sec + fraction, tm->tm_wday,
	    tm->tm_yday};
	jv result = jv_array();

	for (size_t i = 0; i < COUNT(fields); i++)
		result = jv_array_append(result, jv_number(fields[i]));
	return result;
}

/* Breaks down a time in range; *fraction gets the part that is cut off. */
static void
take_apart(double seconds, struct tm *tm, double *fraction)
{
	time_t whole = (time_t)floor(seconds);

	*fraction = seconds - floor(seconds);
	gmtime_r(&whole, tm);
}

/* The six numbers of a broken-down time: seconds in *seconds. */
static bool
put_together(jv array_peek, double *seconds)
{
	struct tm tm = {0};
	int *const fields[] = {&tm.tm_year, &tm.tm_mon, &tm.tm_mday,
	    &tm.tm_hour, &tm.tm_min, &tm.tm_sec};

	if (jv_get_kind(array_peek) != JV_KIND_ARRAY)
		return false;
	for (int i = 0; i < 6; i++) {
		double d = number_at(array_peek, i);

		if (!(fabs(d) <= 1e6))
			return false;
		*fields[i] = (int)floor(d);
	}
	tm.tm_year -= 1900;
	*seconds = (double)timegm(&tm);
	return in_range(*seconds);
}

/* A number, or a broken-down time. */
static bool
seconds_of(jv x_peek, double *seconds)
{
	if (jv_get_kind(x_peek) == JV_KIND_NUMBER) {
		*seconds = jv_number_value(x_peek);
		return in_range(*seconds);
	}
	return put_together(x_peek, seconds);
}

static jv
gmtime_call(jv x)
{
	struct tm tm;
	double fraction;
	double seconds =
	    jv_get_kind(x) == JV_KIND_NUMBER ? jv_number_value(x) : NAN;

	if (!in_range(seconds))
		return natives_refuse(x, out_of_range);
	jv_free(x);
	take_apart(seconds, &tm, &fraction);
	return broken_down(&tm, fraction);
}

static jv
mktime_call(jv x)
{
	double seconds;

	if (!put_together(x, &seconds))
		return natives_refuse(x, "mktime takes a broken-down time");
	jv_free(x);
	return jv_number(seconds);
}

static jv
todate(jv x)
{
	char text[CLOCK_RFC3339_MAX];
	double seconds;

	if (!seconds_of(x, &seconds))
		return natives_refuse(x, out_of_range);
	jv_free(x);
	clock_format_s((int64_t)floor(seconds), text);
	return jv_string(text);
}

/* [time, format] */
static jv
strftime_call(jv x)
{
	jv time = jv_array_get(jv_copy(x), 0);
	jv format = jv_array_get(jv_copy(x), 1);
	char text[4096];
	double seconds, fraction;
	struct tm tm;
	size_t n;
	bool known = seconds_of(time, &seconds);
	bool named = jv_get_kind(format) == JV_KIND_STRING;

	jv_free(time);
	if (!known || !named) {
		jv_free(format);
		return natives_refuse(
		    x, named ? out_of_range : "strftime takes a string");
	}
	take_apart(seconds, &tm, &fraction);
	n = strftime(text, sizeof(text), jv_string_value(format), &tm);
	named = n > 0 || jvtext_span(format).n == 0;
	jv_free(format);
	if (!named)
		return natives_refuse(x, "strftime: the text is too long");
	jv_free(x);
	return jv_string_sized(text, (int)n);
}

static bool
parse_time(struct span text, const char *format, struct tm *tm)
{
	const char *end;

	*tm = (struct tm){.tm_mday = 1};
	if (text.p == NULL || span_find(text, '\0') != NULL)
		return false;
	end = strptime(text.p, format, tm);
	return end != NULL && *end == '\0';
}

/* [text, format] */
static jv
strptime_call(jv x)
{
	jv text = jv_array_get(jv_copy(x), 0);
	jv format = jv_array_get(jv_copy(x), 1);
	struct tm tm;
	bool parsed = jv_get_kind(format) == JV_KIND_STRING &&
	    parse_time(jvtext_span(text), jv_string_value(format), &tm);

	jv_free(text);
	jv_free(format);
	if (!parsed)
		return natives_refuse(
		    x, "strptime: the text does not match the format");
	jv_free(x);
	/* The days of week and year, from the date. */
	timegm(&tm);
	return broken_down(&tm, 0);
}

/* 2006-01-02T15:04:05Z, and with a fraction, which is ignored. */
static jv
fromdate(jv x)
{
	struct span s = jvtext_span(x);
	const char *dot = s.p == NULL ? NULL : span_find(s, '.');
	char text[64];
	struct tm tm;
	size_t n = s.n;

	if (dot != NULL) {
		const char *p = dot + 1;

		while (span_is_digit(*p))
			p++;
		if (p > dot + 1 && *p == 'Z' && p + 1 == s.p + s.n)
			n = (size_t)(dot - s.p);
	}
	if (s.p == NULL || n >= sizeof(text) - 2)
		return natives_refuse(x, "fromdate: the text is not a time");
	snprintf(text, sizeof(text), "%.*s%s", (int)n, s.p, n < s.n ? "Z" : "");
	if (span_find(s, '\0') != NULL ||
	    !parse_time(span_str(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return natives_refuse(x, "fromdate: the text is not a time");
	jv_free(x);
	return jv_number((double)timegm(&tm));
}

const struct native dates_natives[] = {{"gmtime", gmtime_call},
    {"mktime", mktime_call}, {"todate", todate}, {"fromdate", fromdate},
    {"strftime", strftime_call}, {"strptime", strptime_call}, {NULL, NULL}};
