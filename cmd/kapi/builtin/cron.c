/*
 * Part of builtin/topics.h. Schedules of CronJobs: five fields, or a
 * descriptor. Source: the grammar of github.com/robfig/cron/v3, which the
 * server parses them with.
 */
#include "builtin/topics.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"

#define ZONES "/usr/share/zoneinfo"

struct bounds {
	long min, max;
	const char *names; /* three letters each, from 1 (or 0) up; or NULL */
	long first;
};

static const struct bounds all_bounds[5] = {{0, 59, NULL, 0}, {0, 23, NULL, 0},
    {1, 31, NULL, 0}, {1, 12, "janfebmaraprmayjunjulaugsepoctnovdec", 1},
    {0, 6, "sunmontuewedthufrisat", 0}};

/* The next piece up to a separator; false at the end. */
static bool
next_piece(struct span *rest, const char *separators, struct span *piece)
{
	size_t n = 0;

	if (rest->p == NULL)
		return false;
	while (n < rest->n && strchr(separators, rest->p[n]) == NULL)
		n++;
	*piece = span_make(rest->p, n);
	*rest = n == rest->n ? SPAN_NONE
			     : span_make(rest->p + n + 1, rest->n - n - 1);
	return true;
}

static const char *
number_of(struct causes *c, struct span s, const struct bounds *b, long *n)
{
	for (size_t i = 0;
	     b != NULL && b->names != NULL && s.n == 3 && b->names[i] != '\0';
	     i += 3)
		if ((s.p[0] | 32) == b->names[i] &&
		    (s.p[1] | 32) == b->names[i + 1] &&
		    (s.p[2] | 32) == b->names[i + 2]) {
			*n = b->first + (long)i / 3;
			return NULL;
		}
	*n = 0;
	for (size_t i = 0; i < s.n; i++) {
		if (!span_is_digit(s.p[i]) || i > 9)
			return rule_say(c,
			    "failed to parse int from %.*s: strconv.Atoi: "
			    "parsing \"%.*s\": invalid syntax",
			    SPAN_ARG(s), SPAN_ARG(s));
		*n = *n * 10 + (s.p[i] - '0');
	}
	if (s.n == 0)
		return "failed to parse int from : strconv.Atoi: parsing "
		       "\"\": invalid syntax";
	return NULL;
}

static const char *
ends_of(struct causes *c, struct span range, struct span expr,
    const struct bounds *b, long *start, long *end, bool *single)
{
	struct span rest = range, low, high = SPAN_NONE, more;
	const char *wrong;

	next_piece(&rest, "-", &low);
	*single = !next_piece(&rest, "-", &high);
	if (span_is(low, "*") || span_is(low, "?")) {
		*start = b->min;
		*end = b->max;
		return NULL;
	}
	if ((wrong = number_of(c, low, b, start)) != NULL)
		return wrong;
	*end = *start;
	if (*single)
		return NULL;
	if (next_piece(&rest, "-", &more))
		return rule_say(c, "too many hyphens: %.*s", SPAN_ARG(expr));
	return number_of(c, high, b, end);
}

static const char *
range_problem(struct causes *c, struct span expr, const struct bounds *b)
{
	struct span rest = expr, range, step_text, more;
	long start = 0, end = 0, step = 1;
	bool single;
	const char *wrong;

	next_piece(&rest, "/", &range);
	wrong = ends_of(c, range, expr, b, &start, &end, &single);
	if (wrong != NULL)
		return wrong;
	if (next_piece(&rest, "/", &step_text)) {
		if (next_piece(&rest, "/", &more))
			return rule_say(
			    c, "too many slashes: %.*s", SPAN_ARG(expr));
		wrong = number_of(c, step_text, NULL, &step);
		if (wrong != NULL)
			return wrong;
		if (single)
			end = b->max;
	}
	if (start < b->min)
		return rule_say(c,
		    "beginning of range (%ld) below minimum (%ld): %.*s", start,
		    b->min, SPAN_ARG(expr));
	if (end > b->max)
		return rule_say(c,
		    "end of range (%ld) above maximum (%ld): %.*s", end, b->max,
		    SPAN_ARG(expr));
	if (start > end)
		return rule_say(c,
		    "beginning of range (%ld) beyond end of range (%ld): "
		    "%.*s",
		    start, end, SPAN_ARG(expr));
	if (step == 0)
		return rule_say(c,
		    "step of range should be a positive number: %.*s",
		    SPAN_ARG(expr));
	return NULL;
}

static size_t
fields_of(struct span s, struct span *fields, size_t max)
{
	struct span piece;
	size_t n = 0;

	while (next_piece(&s, " \t", &piece)) {
		if (piece.n == 0)
			continue;
		if (n < max)
			fields[n] = piece;
		n++;
	}
	return n;
}

static const char *
descriptor_problem(struct causes *c, struct span s)
{
	static const char *const known[] = {"@yearly", "@annually", "@monthly",
	    "@weekly", "@daily", "@midnight", "@hourly"};

	for (size_t i = 0; i < COUNT(known); i++)
		if (span_is(s, known[i]))
			return NULL;
	if (s.n > 7 && span_starts(s, "@every "))
		return NULL;
	return rule_say(c, "unrecognized descriptor: %.*s", SPAN_ARG(s));
}

static const char *
schedule_problem(struct causes *c, struct span s)
{
	struct span fields[16], expr;
	size_t n;
	const char *wrong;
	struct buf b = BUF_INIT;

	if (s.p[0] == '@')
		return descriptor_problem(c, s);
	n = fields_of(s, fields, 16);
	if (n != 5) {
		for (size_t i = 0; i < n && i < 16; i++) {
			buf_adds(&b, i > 0 ? " " : "");
			buf_addspan(&b, fields[i]);
		}
		wrong =
		    rule_say(c, "expected exactly 5 fields, found %zu: [%s]", n,
			buf_str(&b));
		buf_release(&b);
		return wrong;
	}
	for (size_t i = 0; i < 5; i++)
		while (next_piece(&fields[i], ",", &expr))
			if (expr.n > 0 &&
			    (wrong = range_problem(c, expr, &all_bounds[i])) !=
				NULL)
				return wrong;
	return NULL;
}

void
cron_schedule(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	struct span s = tree_text(p->n);
	bool zone = memmem(s.p, s.n, "TZ", 2) != NULL;
	const char *wrong = zone ? NULL : schedule_problem(c, s);

	if (wrong != NULL)
		rule_fail_text(c, p->at, s, wrong);
	if (zone)
		rule_fail_text(c, p->at, s,
		    "cannot use TZ or CRON_TZ in schedule, use timeZone field "
		    "instead");
}

/* ---- time zones ---- */

static bool
zone_part_is_valid(struct span part)
{
	if (part.n == 0 || part.n > 14 || part.p[0] == '-' ||
	    span_is(part, ".") || span_is(part, ".."))
		return false;
	for (size_t i = 0; i < part.n; i++)
		if (!isalnum((unsigned char)part.p[i]) &&
		    strchr("._-+", part.p[i]) == NULL)
			return false;
	return true;
}

/* NULL, or why the time zone is wrong. Without tzdata every name is known. */
static const char *
zone_problem(struct causes *c, struct span name)
{
	struct span rest = name;
	struct stat st;
	char path[sizeof(ZONES) + 64];
	bool valid = name.n <= 64;

	while (rest.p != NULL)
		valid = zone_part_is_valid(span_cut(&rest, '/')) && valid;
	snprintf(path, sizeof(path), ZONES "/%.*s", (int)(valid ? name.n : 0),
	    name.p);
	if (valid &&
	    (span_is(name, "UTC") || span_is(name, "Local") ||
		stat(ZONES, &st) != 0))
		return NULL;
	if (!valid || stat(path, &st) != 0)
		return rule_say(c, "unknown time zone %.*s", SPAN_ARG(name));
	return S_ISDIR(st.st_mode) ? "is a directory" : NULL;
}

void
cron_zone(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	struct span name = tree_text(p->n);
	const char *wrong = name.n == 0
	    ? "timeZone must be nil or non-empty string"
	    : zone_problem(c, name);

	if (span_is_caseless(name, "local"))
		rule_fail_text(c, p->at, name,
		    "timeZone must be an explicit time zone as defined in "
		    "https://www.iana.org/time-zones");
	if (wrong != NULL)
		rule_fail_text(c, p->at, name, wrong);
}
