#include "value/zone.h"

#include "base/array.h"
#include "value/date.h"

enum {
	HEAD = 44,
	TYPE_SIZE = 6,
	HOUR = 3600,
	DAY = 86400,
	HOURS_MOST = 167, /* in the time of a change: RFC 8536, 3.3.1 */
	DEFAULT_CHANGE = 2 * HOUR
};

static uint32_t
big_endian_32(const void *at)
{
	const unsigned char *p = at;

	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	    (uint32_t)p[2] << 8 | p[3];
}

static int64_t
big_endian_64(const unsigned char *p)
{
	return (
	    int64_t)((uint64_t)big_endian_32(p) << 32 | big_endian_32(p + 4));
}

/* ---- the rule ---- */

static bool
take_count(struct span *s, int most, int *n)
{
	size_t digits = span_digits(*s);
	uint64_t value;

	if (!span_number(span_make(s->p, digits), (uint64_t)most, &value))
		return false;
	*s = span_skip(*s, digits);
	*n = (int)value;
	return true;
}

/* [+-]hh[:mm[:ss]] as seconds. */
static bool
take_clock(struct span *s, int *seconds)
{
	bool negative = span_take(s, "-");
	int hours, minutes = 0, rest = 0;

	if (!negative)
		span_take(s, "+");
	if (!take_count(s, HOURS_MOST, &hours) ||
	    (span_take(s, ":") && !take_count(s, 59, &minutes)) ||
	    (span_take(s, ":") && !take_count(s, 59, &rest)))
		return false;
	*seconds = hours * HOUR + minutes * 60 + rest;
	if (negative)
		*seconds = -*seconds;
	return true;
}

/* CET or <+03>. */
static bool
take_name(struct span *s)
{
	const char *end = s->n > 0 && *s->p == '<' ? span_find(*s, '>') : NULL;
	size_t n = 0;

	if (end != NULL)
		n = (size_t)(end - s->p) + 1;
	else
		while (n < s->n && span_is_alnum(s->p[n]) &&
		    !span_is_digit(s->p[n]))
			n++;
	*s = span_skip(*s, n);
	return n >= 3;
}

/* ,M3.5.0/2 */
static bool
take_change(struct span *s, struct zone_change *c)
{
	bool known;

	c->seconds = DEFAULT_CHANGE;
	if (!span_take(s, ","))
		return false;
	if (span_take(s, "M")) {
		c->how = ZONE_WEEKDAY;
		known = take_count(s, 12, &c->month) && span_take(s, ".") &&
		    take_count(s, 5, &c->week) && span_take(s, ".") &&
		    take_count(s, 6, &c->day) && c->month > 0 && c->week > 0;
	} else {
		c->how = span_take(s, "J") ? ZONE_JULIAN : ZONE_DAY;
		known = take_count(s, 365, &c->day) &&
		    (c->how == ZONE_DAY || c->day > 0);
	}
	return known && (!span_take(s, "/") || take_clock(s, &c->seconds));
}

/* A TZ string, as CET-1CEST,M3.5.0,M10.5.0/3. Its offsets are west. */
static bool
read_rule(struct zone_rule *r, struct span s)
{
	int west;

	if (!take_name(&s) || !take_clock(&s, &west))
		return false;
	r->there = true;
	r->offset = -west;
	r->summer = s.n > 0;
	if (!r->summer)
		return true;
	r->summer_offset = r->offset + HOUR;
	if (!take_name(&s))
		return false;
	if (s.n > 0 && *s.p != ',') {
		if (!take_clock(&s, &west))
			return false;
		r->summer_offset = -west;
	}
	return take_change(&s, &r->start) && take_change(&s, &r->end) &&
	    s.n == 0;
}

/* The time of the change in the year: local time, before the change. */
static int64_t
change_time(const struct zone_change *c, int year)
{
	int64_t first = date_to_days(year, 1, 1), day;
	int leap = date_days_in_month(year, 2) == 29;
	int weekday;

	if (c->how == ZONE_DAY) {
		day = first + c->day;
	} else if (c->how == ZONE_JULIAN) {
		day = first + c->day - 1 + (leap && c->day >= 60);
	} else {
		first = date_to_days(year, c->month, 1);
		weekday = (int)((first + 4) % 7 + 7) % 7;
		day = first + (c->day - weekday + 7) % 7 + 7 * (c->week - 1);
		if (day >= first + date_days_in_month(year, c->month))
			day -= 7;
	}
	return day * DAY + c->seconds;
}

static int64_t
floor_days(int64_t seconds)
{
	return (seconds - (seconds % DAY + DAY) % DAY) / DAY;
}

static int
rule_offset(const struct zone_rule *r, int64_t time)
{
	int64_t start, end;
	int year, month, day;
	bool summer;

	if (!r->summer)
		return r->offset;
	date_of_days(floor_days(time + r->offset), &year, &month, &day);
	start = change_time(&r->start, year) - r->offset;
	end = change_time(&r->end, year) - r->summer_offset;
	summer = start < end ? time >= start && time < end
			     : time >= start || time < end;
	return summer ? r->summer_offset : r->offset;
}

/* ---- the file ---- */

struct counts {
	int64_t utc, standard, leap, times, types, names;
};

static bool
read_head(struct span file, struct counts *c)
{
	int64_t *const counts[] = {
	    &c->utc, &c->standard, &c->leap, &c->times, &c->types, &c->names};

	if (file.n < HEAD || !span_starts(file, "TZif") || file.p[4] < '2')
		return false;
	for (size_t i = 0; i < COUNT(counts); i++)
		*counts[i] = big_endian_32(file.p + 20 + 4 * i);
	return true;
}

static int64_t
body_size(const struct counts *c, int time_size)
{
	return c->times * (time_size + 1) + c->types * TYPE_SIZE + c->names +
	    c->leap * (time_size + 4) + c->standard + c->utc;
}

struct span
zone_essence(struct span file)
{
	struct counts c;

	if (!read_head(file, &c) ||
	    (int64_t)file.n < HEAD + body_size(&c, 4) + HEAD)
		return SPAN_NONE;
	return span_skip(file, (size_t)(HEAD + body_size(&c, 4)));
}

/* The line behind the times: the rule, or nothing. */
static bool
read_footer(struct zone *z, struct span rest)
{
	struct span line;

	if (!span_take(&rest, "\n") || span_find(rest, '\n') == NULL)
		return false;
	line = span_cut(&rest, '\n');
	z->rule = (struct zone_rule){.there = false};
	return line.n == 0 || read_rule(&z->rule, line);
}

/* s: as zone_essence gives it. */
static int
read_essence(struct zone *z, struct span s)
{
	struct counts c;
	int64_t size;

	if (!read_head(s, &c))
		return -1;
	size = HEAD + body_size(&c, 8);
	if ((int64_t)s.n < size || c.types == 0)
		return -1;
	z->count = c.times;
	z->type_count = c.types;
	z->times = (const unsigned char *)s.p + HEAD;
	z->kinds = z->times + 8 * c.times;
	z->types = z->kinds + c.times;
	for (int64_t i = 0; i < c.times; i++)
		if (z->kinds[i] >= c.types)
			return -1;
	return read_footer(z, span_skip(s, (size_t)size)) ? 0 : -1;
}

int
zone_read(struct zone *z, struct span file)
{
	struct counts c;

	/* Without the times of 32 bits it begins with its second head. */
	if (read_essence(z, file) == 0)
		return 0;
	if (!read_head(file, &c))
		return -1;
	return read_essence(z, zone_essence(file));
}

static int
type_offset(const struct zone *z, int64_t type)
{
	return (int)(int32_t)big_endian_32(z->types + TYPE_SIZE * type);
}

int
zone_offset(const struct zone *z, int64_t time)
{
	int64_t low = 0, high = z->count;

	/* How many changes there were. */
	while (low < high) {
		int64_t middle = low + (high - low) / 2;

		if (big_endian_64(z->times + 8 * middle) <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == z->count && z->rule.there)
		return rule_offset(&z->rule, time);
	/* RFC 8536, 3.2: type 0 is that before the first change. */
	return z->type_count == 0
	    ? 0
	    : type_offset(z, low == 0 ? 0 : z->kinds[low - 1]);
}

int64_t
zone_time(const struct zone *z, int64_t local)
{
	return local - zone_offset(z, local - zone_offset(z, local));
}
