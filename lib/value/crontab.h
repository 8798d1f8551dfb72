/*
 * crontab: schedules, as CronJobs of Kubernetes have them.
 *
 *	MINUTE HOUR DAY-OF-MONTH MONTH DAY-OF-WEEK
 *	@yearly @annually @monthly @weekly @daily @midnight @hourly
 *	@every DURATION
 *
 * Source: robfig/cron v3.0.1, ParseStandard and SpecSchedule.Next, which the
 * CronJob controller uses. The same times come out, also where local time
 * jumps: a time that does not exist is left out, and one that happens twice is
 * there twice.
 * TZ= in a schedule is refused, as the API server refuses it.
 */
#ifndef CRONTAB_H
#define CRONTAB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "value/zone.h"

struct crontab {
	/* Bit n: the number n; bit 63: the field was a star. */
	uint64_t minute, hour, day, month, weekday;
	int64_t every; /* seconds; 0: the fields count */
};

/* No time: the schedule has none in the next (or last) five years. */
#define CRONTAB_NEVER INT64_MIN

/* -1 with err, for users: schedule "61 * * * *": minute 61 is above 59. */
int crontab_parse(struct crontab *c, struct span text, struct err *err);

/* The first time after `time`. */
int64_t crontab_after(
    const struct crontab *c, const struct zone *z, int64_t time);

/*
 * The last time that is not after `time`, but after `since`; CRONTAB_NEVER as
 * `since`: five years ago. Every time that the fields describe counts, also the
 * few beside a change of the offset that crontab_after, as its source, passes over
 * when it comes from the day before. @every counts from `since` and needs it.
 */
int64_t crontab_before(
    const struct crontab *c, const struct zone *z, int64_t time, int64_t since);

#endif
