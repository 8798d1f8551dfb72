/*
 * Schedules, against crontab/cases.tsv: what robfig/cron v3.0.1 says (record.go).
 */
#include "value/crontab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "process/file.h"
#include "program/zones.h"
#include "tap.h"

static int64_t
number(struct span s)
{
	char text[32] = "";

	if (span_is(s, "never"))
		return CRONTAB_NEVER;
	memcpy(text, s.p, s.n < sizeof(text) - 1 ? s.n : sizeof(text) - 1);
	return strtoll(text, NULL, 10);
}

/* Where clocks jump at midnight, or by half an hour, the source gives a few
 * times that the fields do not describe. */
static bool
is_odd(struct span zone)
{
	return span_is(zone, "Asia/Beirut") ||
	    span_is(zone, "America/Sao_Paulo") ||
	    span_is(zone, "Australia/Lord_Howe");
}

/* A next time is the last one of the second in which it is there. */
static const char *
wrong_last(const struct crontab *c, const struct zone *z, int64_t next)
{
	if (next == CRONTAB_NEVER || c->every > 0)
		return NULL;
	if (crontab_before(c, z, next, CRONTAB_NEVER) != next)
		return "the time itself is not the last one";
	if (crontab_before(c, z, next, next) != CRONTAB_NEVER)
		return "a last time that is not after `since`";
	return NULL;
}

static const char *
wrong(struct span line, struct buf *b)
{
	struct span schedule = span_cut(&line, '\t');
	struct span name = span_cut(&line, '\t');
	int64_t time = number(span_cut(&line, '\t'));
	struct err err = ERR_INIT;
	struct zone zone;
	struct crontab cron;
	int64_t next;

	if (zones_find(name, &zone, &err) != 0)
		buf_adds(b, err.message);
	else if (crontab_parse(&cron, schedule, &err) != 0)
		return span_is(line, "error") ? NULL : "is refused";
	if (span_is(line, "error"))
		return "is not refused";
	next = crontab_after(&cron, &zone, time);
	if (next == number(line))
		return is_odd(name) ? NULL : wrong_last(&cron, &zone, next);
	buf_addf(b, "%lld, not %lld", (long long)next, (long long)number(line));
	return buf_str(b);
}

static void
test_recorded(const char *path)
{
	struct buf text = BUF_INIT, b = BUF_INIT;
	struct err err = ERR_INIT;
	struct span rest;
	int count = 0, failed = 0;

	if (file_read(path, 64, &text, &err) != 0)
		printf("Bail out! %s\n", err.message);
	for (rest = buf_span(&text); rest.n > 0; buf_reset(&b)) {
		struct span line = span_cut(&rest, '\n');
		const char *why = wrong(line, &b);

		count++;
		if (why == NULL)
			continue;
		failed++;
		printf("# %.*s: %s\n", SPAN_ARG(line), why);
	}
	ok(count > 100 && failed == 0, "the times of robfig/cron");
	buf_release(&text);
	buf_release(&b);
}

static void
test_messages(void)
{
	static const struct {
		const char *schedule, *message;
	} cases[] = {{"61 * * * *", "minute 61 is above 59"},
	    {"* * 0 * *", "day of month 0 is below 1"},
	    {"* * * * 7", "day of week 7 is above 6"},
	    {"* 5-2 * * *", "hour: the range 5-2 is backwards"},
	    {"1-2-3 * * * *", "minute \"1-2-3\" has too many hyphens"},
	    {"1/2/3 * * * *", "minute \"1/2/3\" has too many slashes"},
	    {"*/0 * * * *", "minute \"*/0\" has a step of 0"},
	    {"x * * * *", "minute \"x\" is not a number"},
	    {"* * * Janx *", "month \"Janx\" is not a number, nor a name"},
	    {"* * * *",
		"has 4 fields, not the five of minute, hour, day of month, "
		"month, day of week"},
	    {"TZ=UTC * * * * *", "a time zone is not part of a schedule"},
	    {"@every 1d", "time: unknown unit \"d\" in duration \"1d\""},
	    {"@reboot",
		"only @yearly, @annually, @monthly, @weekly, @daily, "
		"@midnight, @hourly and @every begin with @"}};
	struct buf want = BUF_INIT;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct err err = ERR_INIT;
		struct crontab c;

		buf_reset(&want);
		buf_addf(&want, "schedule \"%s\": %s", cases[i].schedule,
		    cases[i].message);
		crontab_parse(&c, span_str(cases[i].schedule), &err);
		is(err.message, buf_str(&want), cases[i].schedule);
	}
	buf_release(&want);
}

enum { AFTER = -1 }; /* in place of `since`: the next time, not the last one */

static const struct {
	const char *schedule, *zone;
	int64_t time, since, want;
	const char *what;
} times[] = {
    /* 2025-10-26: 02:30 happens at 00:30 and at 01:30 UTC. */
    {"30 2 * * *", "Europe/Berlin", 1761440400, CRONTAB_NEVER, 1761438600,
	"the hour is there twice: the first"},
    {"30 * * * *", "Europe/Berlin", 1761442200, CRONTAB_NEVER, 1761442200,
	"... and the second"},
    {"30 2 * * *", "Europe/Berlin", 1761445000, CRONTAB_NEVER, 1761442200,
	"... which counts for a fixed hour, too"},
    {"0 0 29 2 *", "UTC", 1767225600, CRONTAB_NEVER, 1709164800,
	"two years back"},
    {"0 0 30 2 *", "UTC", 1767225600, CRONTAB_NEVER, CRONTAB_NEVER, "never"},
    {"0 0 * * *", "UTC", 1767225600, 1767225600, CRONTAB_NEVER,
	"not after since"},
    {"0 0 * * *", "UTC", 1767225600, 1767225599, 1767225600,
	"just after since"},
    {"0 0 * * *", "UTC", 100, 200, CRONTAB_NEVER, "since is later"},
    {"@every 1h", "UTC", 10000, 1000, 8200, "@every counts from since"},
    {"@every 1h", "UTC", 4599, 1000, CRONTAB_NEVER, "... and not yet"},

    /* In Lima 1994 began at one: no month before that is gone back to. */
    {"57 21 8 5,10 *", "America/Lima", 757522536, AFTER, 768452220,
	"a year that does not begin at midnight"},
    /* Apia left 2011-12-30 out: after the 29th came the 31st. */
    {"0 0 30 12 *", "Pacific/Apia", 1325116800, AFTER, 1356775200,
	"a day that does not exist"},
    {"0 12 * * *", "Pacific/Apia", 1325199600, AFTER, 1325282400,
	"... noon of the next one"},
};

static void
test_times(void)
{
	for (size_t i = 0; i < COUNT(times); i++) {
		struct err err = ERR_INIT;
		struct crontab c;
		struct zone z;
		int64_t got;

		ok(crontab_parse(&c, span_str(times[i].schedule), &err) == 0 &&
			zones_find(span_str(times[i].zone), &z, &err) == 0,
		    times[i].schedule);
		got = times[i].since == AFTER
		    ? crontab_after(&c, &z, times[i].time)
		    : crontab_before(&c, &z, times[i].time, times[i].since);
		if (!ok(got == times[i].want, times[i].what))
			printf("# %lld, not %lld\n", (long long)got,
			    (long long)times[i].want);
	}
}

/* Reads a copy of its own size, so that a sanitizer sees what is behind it. */
static bool
reads(struct span file)
{
	char *copy = malloc(file.n > 0 ? file.n : 1);
	struct zone z;
	bool good;

	memcpy(copy, file.p, file.n);
	good = zone_read(&z, span_make(copy, file.n)) == 0;
	for (int64_t t = -5000000000; good && t < 5000000000; t += 100000000)
		zone_time(&z, t);
	free(copy);
	return good;
}

/* Broken files are refused, or give some offset. */
static void
test_broken_files(void)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	size_t cut = 0, whole = 0;
	struct span essence;

	if (file_read("t/unit/ireconcile/crontab/zoneinfo/Europe/Dublin", 1, &b,
		&err) != 0)
		printf("Bail out! %s\n", err.message);
	for (size_t n = 0; n < b.len; n++)
		cut += !reads(span_make(b.data, n));
	ok(cut == b.len, "a file that is cut anywhere is refused");
	essence = zone_essence(buf_span(&b));
	ok(reads(buf_span(&b)) && essence.n < b.len && reads(essence),
	    "the whole one is not, nor its second part");
	for (size_t i = 0; i < b.len; i++) {
		b.data[i] = (char)(b.data[i] ^ 0x55);
		whole += reads(buf_span(&b));
		b.data[i] = (char)(b.data[i] ^ 0x55);
	}
	ok(whole < b.len, "a byte that is wrong does no harm");
	buf_release(&b);
}

int
main(void)
{
	const char *path = getenv("CASES");
	struct zone z;
	struct err err = ERR_INIT;

	setenv("TZDIR", "t/unit/ireconcile/crontab/zoneinfo", 1);
	zones_init();
	ok(zones_find(span_str("UTC"), &z, &err) == 0, "UTC needs no file");
	zones_find(span_str("Europe/Berlin"), &z, &err);
	is(err.message,
	    "time zone \"Europe/Berlin\" is not installed: no time zones are "
	    "(package tzdata)",
	    "nothing was read");
	zones_load();
	zones_find(span_str("Mars/Olympus\n"), &z, &err);
	is(err.message, "time zone \"Mars/Olympus\\n\" is unknown",
	    "an unknown zone");
	test_recorded(
	    path == NULL ? "t/unit/ireconcile/crontab/cases.tsv" : path);
	test_messages();
	test_times();
	test_broken_files();
	zones_free();
	return tap_done();
}
