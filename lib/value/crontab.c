#include "value/crontab.h"

#include "base/array.h"
#include "base/quote.h"
#include "value/date.h"
#include "value/duration.h"

#define STAR (UINT64_C(1) << 63)

enum {
	FIELDS = 5,
	YEARS = 5, /* robfig/cron searches as far */
	SHOWN = 64,
	MINUTE = 60,
	HOUR = 3600,
	DAY = 86400
};

/* ---- the text ---- */

static const char *const months[] = {"jan", "feb", "mar", "apr", "may", "jun",
    "jul", "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const weekdays[] = {
    "sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};

static const struct crontab_field {
	const char *name;
	unsigned min, max;
	const char *const *names; /* the first one is min */
} fields[FIELDS] = {{"minute", 0, 59, NULL}, {"hour", 0, 23, NULL},
    {"day of month", 1, 31, NULL}, {"month", 1, 12, months},
    {"day of week", 0, 6, weekdays}};

/* "* 5": as text for a message, not too much of it. */
static const char *
shown(struct buf *b, struct span text)
{
	bool cut = text.n > SHOWN;

	buf_reset(b);
	quote_text(b, cut ? span_make(text.p, SHOWN) : text);
	if (cut)
		buf_adds(b, "...");
	return buf_str(b);
}

static int
wrong_part(const struct crontab_field *f, struct span part, const char *why,
    struct err *err)
{
	struct buf b = BUF_INIT;

	err_set(
	    err, ERR_PERMANENT, "%s \"%s\" %s", f->name, shown(&b, part), why);
	buf_release(&b);
	return -1;
}

/* A number, or a name. *n may be out of bounds. */
static int
read_number(const struct crontab_field *f, struct span text, uint64_t *n,
    struct err *err)
{
	for (unsigned i = 0; f->names != NULL && f->names[i] != NULL; i++)
		if (span_is_caseless(text, f->names[i])) {
			*n = f->min + i;
			return 0;
		}
	if (text.n > 1 && *text.p == '+')
		text = span_skip(text, 1);
	if (!span_number(text, INT64_MAX, n))
		return wrong_part(f, text,
		    f->names == NULL ? "is not a number"
				     : "is not a number, nor a name",
		    err);
	return 0;
}

static int
check_bounds(
    const struct crontab_field *f, uint64_t low, uint64_t high, struct err *err)
{
	uint64_t outside = low < f->min ? low : high;

	if (low < f->min || high > f->max)
		return err_set(err, ERR_PERMANENT, "%s %llu is %s %u", f->name,
		    (unsigned long long)outside,
		    low < f->min ? "below" : "above",
		    low < f->min ? f->min : f->max);
	if (low > high)
		return err_set(err, ERR_PERMANENT,
		    "%s: the range %llu-%llu is backwards", f->name,
		    (unsigned long long)low, (unsigned long long)high);
	return 0;
}

/* The first part of low-high/step. As in the source, what follows "*-" does
 * not count. */
static int
read_bounds(const struct crontab_field *f, struct span range, uint64_t *low,
    uint64_t *high, bool *star, struct err *err)
{
	struct span rest = range;
	struct span first = span_cut(&rest, '-');

	*star = span_is(first, "*") || span_is(first, "?");
	*low = f->min;
	*high = f->max;
	if (*star)
		return 0;
	if (read_number(f, first, low, err) != 0)
		return -1;
	*high = *low;
	if (rest.p == NULL)
		return 0;
	if (span_find(rest, '-') != NULL)
		return wrong_part(f, range, "has too many hyphens", err);
	return read_number(f, rest, high, err);
}

/* low-high/step, and so on. */
static int
read_range(const struct crontab_field *f, struct span part, uint64_t *bits,
    struct err *err)
{
	struct span step_text = part;
	struct span range = span_cut(&step_text, '/');
	uint64_t low, high, step = 1;
	bool star;

	if (read_bounds(f, range, &low, &high, &star, err) != 0)
		return -1;
	if (step_text.p != NULL) {
		if (span_find(step_text, '/') != NULL)
			return wrong_part(f, part, "has too many slashes", err);
		if (read_number(&(struct crontab_field){f->name, 0, 0, NULL},
			step_text, &step, err) != 0)
			return -1;
		/* N/STEP is N-MAX/STEP. */
		if (span_find(range, '-') == NULL)
			high = f->max;
	}
	if (check_bounds(f, low, high, err) != 0)
		return -1;
	if (step == 0)
		return wrong_part(f, part, "has a step of 0", err);
	if (star && step == 1)
		*bits |= STAR;
	for (; low <= high; low += step)
		*bits |= UINT64_C(1) << low;
	return 0;
}

static int
read_field(const struct crontab_field *f, struct span text, uint64_t *bits,
    struct err *err)
{
	*bits = 0;
	while (text.p != NULL) {
		struct span part = span_cut(&text, ',');

		if (part.n > 0 && read_range(f, part, bits, err) != 0)
			return -1;
	}
	return 0;
}

static struct span
next_word(struct span *rest)
{
	size_t n = 0;
	struct span word;

	*rest = span_trim_start(*rest, SPAN_SPACE);
	while (n < rest->n && !span_is_among(rest->p[n], SPAN_SPACE))
		n++;
	word = span_make(rest->p, n);
	*rest = span_skip(*rest, n);
	return word;
}

static int
read_fields(struct crontab *c, struct span text, struct err *err)
{
	uint64_t *const bits[FIELDS] = {
	    &c->minute, &c->hour, &c->day, &c->month, &c->weekday};
	struct span words[FIELDS];
	int count = 0;

	for (struct span w = next_word(&text); w.n > 0; w = next_word(&text)) {
		if (count < FIELDS)
			words[count] = w;
		count++;
	}
	if (count != FIELDS)
		return err_set(err, ERR_PERMANENT,
		    "has %d fields, not the five of minute, hour, day of "
		    "month, month, day of week",
		    count);
	for (int i = 0; i < FIELDS; i++)
		if (read_field(&fields[i], words[i], bits[i], err) != 0)
			return -1;
	return 0;
}

static int
read_every(struct crontab *c, struct span text, struct err *err)
{
	struct buf wrong = BUF_INIT, line = BUF_INIT;
	int64_t ns;
	int rc = duration_parse(text, &ns, &wrong);

	if (rc == 0)
		c->every = ns < 1000000000 ? 1 : ns / 1000000000;
	else
		err_set(
		    err, ERR_PERMANENT, "%s", shown(&line, buf_span(&wrong)));
	buf_release(&line);
	buf_release(&wrong);
	return rc;
}

static int
read_text(struct crontab *c, struct span text, struct err *err)
{
	static const struct {
		const char *name, *meaning;
	} names[] = {{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"},
	    {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
	    {"@daily", "0 0 * * *"}, {"@midnight", "0 0 * * *"},
	    {"@hourly", "0 * * * *"}};

	if (span_starts(text, "TZ=") || span_starts(text, "CRON_TZ="))
		return err_set(err, ERR_PERMANENT,
		    "a time zone is not part of a schedule");
	for (size_t i = 0; i < COUNT(names); i++)
		if (span_is(text, names[i].name))
			return read_fields(c, span_str(names[i].meaning), err);
	if (span_take(&text, "@every "))
		return read_every(c, text, err);
	if (span_starts(text, "@"))
		return err_set(err, ERR_PERMANENT,
		    "only @yearly, @annually, @monthly, @weekly, @daily, "
		    "@midnight, @hourly and @every begin with @");
	return read_fields(c, text, err);
}

int
crontab_parse(struct crontab *c, struct span text, struct err *err)
{
	struct buf b = BUF_INIT;

	*c = (struct crontab){.every = 0};
	if (read_text(c, text, err) == 0)
		return 0;
	err_prefix(err, "schedule \"%s\"", shown(&b, text));
	buf_release(&b);
	return -1;
}

/* ---- times ---- */

struct moment {
	int64_t time;
	int64_t midnight; /* midnight of the local day, as if it were UTC */
	int year, month, day, hour, minute, second, weekday;
};

static void
set(struct moment *m, const struct zone *z, int64_t time)
{
	int64_t local = time + zone_offset(z, time);
	int rest = (int)((local % DAY + DAY) % DAY);
	int64_t days = (local - rest) / DAY;

	m->time = time;
	m->midnight = local - rest;
	date_of_days(days, &m->year, &m->month, &m->day);
	m->hour = rest / HOUR;
	m->minute = rest % HOUR / MINUTE;
	m->second = rest % MINUTE;
	m->weekday = (int)((days + 4) % 7 + 7) % 7;
}

static bool
has(uint64_t bits, int n)
{
	return bits >> n & 1;
}

/* Both have to hold if one of them is a star, else one is enough. */
static bool
day_matches(const struct crontab *c, const struct moment *m)
{
	bool day = has(c->day, m->day);
	bool weekday = has(c->weekday, m->weekday);

	return (c->day | c->weekday) & STAR ? day && weekday : day || weekday;
}

/*
 * to_month, to_day, to_hour and to_minute move on to a unit that matches. The
 * first move of all (*moved) goes to the begin of the unit. False: the next larger
 * unit has begun on the way, and has to be looked at again.
 */

static bool
to_month(const struct crontab *c, const struct zone *z, struct moment *m,
    bool *moved)
{
	while (!has(c->month, m->month)) {
		int64_t clock = HOUR * m->hour + MINUTE * m->minute + m->second;
		int next;

		if (!*moved) {
			set(m, z,
			    zone_time(z, m->midnight - (m->day - 1) * DAY));
			clock = HOUR * m->hour + MINUTE * m->minute + m->second;
		}
		*moved = true;
		/* zone_time of the first of the month may be in the month
		 * before, if summer time begins at that midnight: next counts
		 * from where *m is. */
		next = m->month % 12 + 1;
		set(m, z,
		    zone_time(z,
			(date_to_days(m->year + (next == 1), next, 1) + m->day -
			    1) * DAY +
			    clock));
		if (m->month == 1)
			return false;
	}
	return true;
}

static bool
to_day(const struct crontab *c, const struct zone *z, struct moment *m,
    bool *moved)
{
	while (!day_matches(c, m)) {
		int64_t clock, before;

		if (!*moved)
			set(m, z, zone_time(z, m->midnight));
		*moved = true;
		before = m->time;
		clock = HOUR * m->hour + MINUTE * m->minute + m->second;
		set(m, z, zone_time(z, m->midnight + DAY + clock));
		/* There is no such day (Pacific/Apia, 2011-12-30): the source
		 * does not end here. */
		if (m->time < before + DAY / 2)
			set(m, z, m->time + DAY);
		/* A day that does not begin at midnight. */
		if (m->hour > 12)
			set(m, z, m->time + (24 - m->hour) * HOUR);
		else if (m->hour > 0)
			set(m, z, m->time - m->hour * HOUR);
		if (m->day == 1)
			return false;
	}
	return true;
}

static bool
to_hour(const struct crontab *c, const struct zone *z, struct moment *m,
    bool *moved)
{
	while (!has(c->hour, m->hour)) {
		if (!*moved)
			set(m, z, zone_time(z, m->midnight + m->hour * HOUR));
		*moved = true;
		set(m, z, m->time + HOUR);
		if (m->hour == 0)
			return false;
	}
	return true;
}

static bool
to_minute(const struct crontab *c, const struct zone *z, struct moment *m,
    bool *moved)
{
	while (!has(c->minute, m->minute)) {
		if (!*moved)
			set(m, z,
			    m->time - (m->time % MINUTE + MINUTE) % MINUTE);
		*moved = true;
		set(m, z, m->time + MINUTE);
		if (m->minute == 0)
			return false;
	}
	return true;
}

int64_t
crontab_after(const struct crontab *c, const struct zone *z, int64_t time)
{
	struct moment m;
	bool moved = false;
	int last_year;

	if (c->every > 0)
		return time + c->every;
	set(&m, z, time + 1);
	last_year = m.year + YEARS;
	while (m.year <= last_year) {
		if (!to_month(c, z, &m, &moved) || !to_day(c, z, &m, &moved) ||
		    !to_hour(c, z, &m, &moved) || !to_minute(c, z, &m, &moved))
			continue;
		if (m.second == 0)
			return m.time;
		moved = true;
		set(&m, z, m.time + MINUTE - m.second);
	}
	return CRONTAB_NEVER;
}

/* ---- backwards ---- */

/* Minutes back to one that may match; 0: this one does. */
static int
minutes_back(const struct crontab *c, const struct moment *m)
{
	if (!has(c->month, m->month) || !day_matches(c, m))
		return m->hour * 60 + m->minute + 1;
	if (!has(c->hour, m->hour))
		return m->minute + 1;
	return !has(c->minute, m->minute);
}

int64_t
crontab_before(
    const struct crontab *c, const struct zone *z, int64_t time, int64_t since)
{
	int64_t first = time - YEARS * INT64_C(366) * DAY;
	struct moment m;

	if (c->every > 0 && (since == CRONTAB_NEVER || time - since < c->every))
		return CRONTAB_NEVER;
	if (c->every > 0)
		return time - (time - since) % c->every;
	if (since != CRONTAB_NEVER && since > first)
		first = since;
	set(&m, z, time);
	set(&m, z, time - m.second);
	while (m.time > first) {
		int minutes = minutes_back(c, &m);
		int64_t before = m.time - minutes * MINUTE;

		if (minutes == 0)
			return m.time;
		/* Past a change of the offset, minute by minute. */
		if (zone_offset(z, before) != zone_offset(z, m.time))
			before = m.time - MINUTE;
		set(&m, z, before);
	}
	return CRONTAB_NEVER;
}
