/*
 * Part of program/natives.h. schedules: cron for programs.
 *
 * Times are Unix seconds; fractions are cut off. null: no such time.
 */
#include "program/natives.h"

#include <math.h>

#include "json/jvtext.h"
#include "value/crontab.h"
#include "program/zones.h"

#define FIRST INT64_C(-62167219200) /* 0000-01-01 */
#define LAST INT64_C(253402300800)  /* behind 9999-12-31 */

struct question {
	struct crontab cron;
	struct zone zone;
	int64_t time, since;
};

static int
read_time(jv x_peek, const char *what, int64_t *time, struct err *err)
{
	double d = jv_get_kind(x_peek) == JV_KIND_NUMBER
	    ? jv_number_value(x_peek)
	    : NAN;

	if (!(d >= (double)FIRST && d < (double)LAST))
		return err_set(err, ERR_PERMANENT,
		    "%s: a number of seconds within the years 0 to 9999, not "
		    "%s",
		    what,
		    isnan(d) ? jv_kind_name(jv_get_kind(x_peek)) : "that many");
	*time = (int64_t)floor(d);
	return 0;
}

/* [schedule, time, zone, since]; the last two may be null, or missing. */
static int
read_question(jv x, const char *what, struct question *q, struct err *err)
{
	jv schedule = jv_array_get(jv_copy(x), 0);
	jv time = jv_array_get(jv_copy(x), 1);
	jv zone = jv_array_get(jv_copy(x), 2);
	jv since = jv_array_get(x, 3);
	int rc = 0;

	q->zone = ZONE_UTC;
	q->since = CRONTAB_NEVER;
	if (jv_get_kind(schedule) != JV_KIND_STRING)
		rc = err_set(
		    err, ERR_PERMANENT, "%s: the schedule is not text", what);
	else
		rc = crontab_parse(&q->cron, jvtext_span(schedule), err);
	if (rc == 0)
		rc = read_time(time, what, &q->time, err);
	if (rc == 0 && jv_get_kind(since) > JV_KIND_NULL)
		rc = read_time(since, what, &q->since, err);
	if (rc == 0 && jv_get_kind(zone) == JV_KIND_STRING)
		rc = zones_find(jvtext_span(zone), &q->zone, err);
	else if (rc == 0 && jv_get_kind(zone) > JV_KIND_NULL)
		rc = err_set(
		    err, ERR_PERMANENT, "%s: the time zone is not text", what);
	jv_free(schedule);
	jv_free(time);
	jv_free(zone);
	jv_free(since);
	return rc;
}

static jv
give_time(int64_t time)
{
	return time >= FIRST && time < LAST ? jv_number((double)time)
					    : jv_null();
}

static jv
cron_next(jv x)
{
	struct err err = ERR_INIT;
	struct question q;

	if (read_question(x, "cron_next", &q, &err) != 0)
		return jv_invalid_with_msg(jv_string(err.message));
	return give_time(crontab_after(&q.cron, &q.zone, q.time));
}

static jv
cron_last(jv x)
{
	struct err err = ERR_INIT;
	struct question q;

	if (read_question(x, "cron_last", &q, &err) != 0)
		return jv_invalid_with_msg(jv_string(err.message));
	if (q.cron.every > 0 && q.since == CRONTAB_NEVER)
		return jv_invalid_with_msg(
		    jv_string("cron_last: @every needs a time to count from, "
			      "the fourth argument"));
	return give_time(crontab_before(&q.cron, &q.zone, q.time, q.since));
}

const struct native schedules_natives[] = {{"cron_next", cron_next},
    {"cron_last", cron_last}, {"zoned_cron_next", cron_next},
    {"zoned_cron_last", cron_last}, {NULL, NULL}};
