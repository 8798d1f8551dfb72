#include "requeue.h"

#include "decide/userrequest.h"
#include "json/json.h"
#include "state/backoff.h"

static const int64_t second = 1000000;
enum { FIRST_S = 10, LAST_S = 600, SHORTEST_MS = 100, AGAIN_BURST = 5 };
/* Ten of the shortest requeues at once, then one per SHORTEST_MS. */
enum { SOON_US = 10 * SHORTEST_MS * 1000 };

/* The shortest time, so that a user's annotation on an object cannot delay all
 * others. */
static uint64_t
at_least_shortest(uint64_t ms)
{
	return ms < SHORTEST_MS ? SHORTEST_MS : ms;
}

static void
set_period(struct sched *s, struct primary *p)
{
	int64_t now = sched_ticks(s);
	uint64_t asked = userrequest_period_ms(p);
	int64_t period = (int64_t)at_least_shortest(asked) * 1000;

	if (asked == 0)
		sched_clear(s, &p->work.timer, SCHED_PERIOD);
	else if (sched_at(&p->work.timer, SCHED_PERIOD) == 0 ||
	    sched_at(&p->work.timer, SCHED_PERIOD) > now + period)
		sched_set(s, &p->work.timer, SCHED_PERIOD, now + period);
}

/* Plans the requeue at a time of day; at once if that has passed. */
static void
set_time(struct sched *s, struct primary *p)
{
	/* The wall clock is read first: so it may be late by a microsecond, but
	 * never early. */
	int64_t wall = sched_now_us(s), now = sched_ticks(s);
	int64_t wait = p->work.requeue_at_us - wall;

	if (wait < 0)
		wait = 0;
	/* A program that always asks for a tiny requeue is called less
	 * often. */
	if (wait < SHORTEST_MS * 1000) {
		if (p->work.soon_us > now + SOON_US)
			wait = SHORTEST_MS * 1000;
		p->work.soon_us =
		    (p->work.soon_us > now ? p->work.soon_us : now) +
		    SHORTEST_MS * 1000;
	}
	sched_set(s, &p->work.timer, SCHED_REQUEUE, now + wait);
}

static void
set_requeue(struct sched *s, struct primary *p, const struct decision *d)
{
	int64_t wait;

	sched_clear(s, &p->work.timer, SCHED_REQUEUE);
	p->work.requeue_at_us = 0;
	/* A time counts as passed only if it was before the call: it may have
	 * passed during the call. */
	if (d->requeue.when == PROGRAM_AT && d->requeue.at_us > d->now_us) {
		p->work.requeue_at_us = d->requeue.at_us;
		set_time(s, p);
	} else if (d->requeue.when == PROGRAM_AFTER) {
		wait = (int64_t)at_least_shortest(d->requeue.after_ms) * 1000;
		sched_set(
		    s, &p->work.timer, SCHED_REQUEUE, sched_ticks(s) + wait);
	}
}

void
requeue_clock_set(struct sched *s, struct primary *p)
{
	if (p->work.requeue_at_us != 0 &&
	    sched_at(&p->work.timer, SCHED_REQUEUE) != 0)
		set_time(s, p);
}

static void
set_held(struct sched *s, struct primary *p, const struct decision *d)
{
	sched_clear(s, &p->work.timer, SCHED_HELD);
	if (d->held_until_us != 0)
		sched_set(s, &p->work.timer, SCHED_HELD,
		    sched_ticks(s) + d->held_until_us - d->now_us);
}

/* A burst of turns at once, then one after each interval; *used_us is when the
 * last one that was taken ends. Takes one, and returns 0; otherwise returns when
 * there is one. */
static int64_t
take_turn(int64_t *used_us, int64_t burst, int64_t interval_us, int64_t now)
{
	int64_t free_at = *used_us - (burst - 1) * interval_us;

	if (free_at > now)
		return free_at;
	*used_us = (*used_us > now ? *used_us : now) + interval_us;
	return 0;
}

/* Allows AGAIN_BURST tries at once, then one per second: for a primary that
 * changes all the time, more tries do not help. */
bool
requeue_again(struct sched *s, struct primary *p)
{
	int64_t free_at =
	    take_turn(&p->work.again_us, AGAIN_BURST, second, sched_ticks(s));

	if (free_at != 0)
		sched_set(s, &p->work.timer, SCHED_AGAIN, free_at);
	return free_at == 0;
}

static void
set_backoff(struct sched *s, struct primary *p, const struct decision *d,
    uint64_t took_us)
{
	struct map *all = &p->entry->backoffs;
	int64_t now = sched_ticks(s);

	sched_clear(s, &p->work.timer, SCHED_BACKOFF);
	if (d->limited || d->crashed)
		sched_set(s, &p->work.timer, SCHED_BACKOFF,
		    backoff_failed(all, primary_key(p), now));
	else
		backoff_went_well(all, primary_key(p), now, took_us);
}

static void
set_deadline(struct sched *s, struct primary *p, const struct decision *d,
    enum line_due printed)
{
	bool open = false;

	for (size_t i = 0; i < d->count; i++)
		open = open || !(d->points[i].done || d->points[i].again);
	if (d->stays && (!open || p->said.asked_count == 0)) {
		if (p->work.reminder || p->work.deadline_us != LAST_S * second)
			sched_set(s, &p->work.timer, SCHED_DEADLINE,
			    sched_ticks(s) + LAST_S * second);
		p->work.deadline_us = LAST_S * second;
		return;
	}
	if (!open || p->said.asked_count == 0) {
		p->work.deadline_us = 0;
		sched_clear(s, &p->work.timer, SCHED_DEADLINE);
		return;
	}
	/* At a deadline a changed status does not count as new: it may only
	 * follow the time. */
	if (printed == LINE_NEW || p->work.deadline_us == 0 ||
	    (printed == LINE_NEW_QUIET && !p->work.reminder))
		p->work.deadline_us = FIRST_S * second;
	else if (printed == LINE_REMINDER || printed == LINE_NEW_QUIET)
		p->work.deadline_us *= 2;
	if (p->work.deadline_us > (uint64_t)(LAST_S * second))
		p->work.deadline_us = LAST_S * second;
	if (printed != LINE_NOTHING ||
	    sched_at(&p->work.timer, SCHED_DEADLINE) == 0)
		sched_set(s, &p->work.timer, SCHED_DEADLINE,
		    sched_ticks(s) + (int64_t)p->work.deadline_us);
}

void
requeue_set(struct sched *s, struct primary *p, const struct decision *d,
    enum line_due printed, uint64_t took_us)
{
	set_deadline(s, p, d, printed);
	set_requeue(s, p, d);
	set_period(s, p);
	set_held(s, p, d);
	set_backoff(s, p, d, took_us);
}

bool
requeue_back_off(struct sched *s, struct primary *p)
{
	int64_t until =
	    backoff_until(&p->entry->backoffs, primary_key(p), sched_ticks(s));

	if (until != 0)
		sched_set(s, &p->work.timer, SCHED_BACKOFF, until);
	return until != 0;
}

/* A few at once, up to half of what a minute may have; the others so far apart
 * that no minute has more. */
bool
requeue_limits(struct sched *s, struct primary *p)
{
	enum { BURST = 5 };
	int64_t most = p->entry->conf->evaluations_per_minute;
	int64_t burst = most < 2 * BURST ? (most + 1) / 2 : BURST;
	int64_t apart = (60 * second + most - burst) / (most - burst + 1);
	int64_t now = sched_ticks(s), free_at;

	/* now 0: the input has not told the time yet. */
	if (most == 0 || now == 0)
		return false;
	free_at = take_turn(&p->work.evaluated_us, burst, apart, now);
	if (free_at != 0)
		sched_set(s, &p->work.timer, SCHED_RATE, free_at);
	return free_at != 0;
}
