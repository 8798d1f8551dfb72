#include "reconciler.h"

#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "decide/userrequest.h"
#include "holder.h"
#include "decide/line.h"
#include "decide/damping.h"
#include "decide/outcome.h"
#include "json/json.h"
#include "json/stream.h"
#include "process/clock.h"
#include "process/log.h"
#include "program/program.h"
#include "record/reading.h"
#include "state/backoff.h"
#include "hiddenreads.h"
#include "state/ratelimit.h"
#include "state/primary.h"
#include "throttle.h"
#include "requeue.h"

enum {
	/* More timers than a test can want from one jump of the clock. */
	MANY_TIMERS = 1000,
	OPEN_MAX = 256 * 1024 /* bytes of texts, while there is work */
};

static void
suspect_orphans(void *arg)
{
	struct reconciler *r = arg;

	if (r->visit == NULL)
		orphans_suspect(&r->orphans);
}

/* Adds p to the queue, if it can be decided about by now. */
static void
dirty(void *arg, struct primary *p)
{
	struct reconciler *r = arg;
	bool known = primary_is_known(p);

	p->work.dirty = true;
	if (known)
		trigger_note(&r->trigger, p);
	if (p->work.queued || !known || !r->gate_open)
		return;
	p->work.queued = true;
	p->work.queued_us = stats_queued(&p->entry->stats);
	fairqueue_add(&r->fairqueue, p);
}

int
reconciler_init(struct reconciler *r, const struct watches *w,
    const char *const *library_dirs, struct out *out, struct err *err)
{
	r->out = out;
	if (r->sched.clock == SCHED_INPUT)
		r->fairqueue.order = FAIRQUEUE_ONE;
	r->es.sched = &r->sched;
	r->es.rate_limited.key = span_str("");
	r->es.dirty = dirty;
	r->es.replaced = damping_replaced;
	r->es.suspect_orphans = suspect_orphans;
	orphans_init(&r->orphans, &r->es, &r->sched);
	r->es.arg = r;
	return entries_init(&r->es, w, library_dirs, err);
}

void
reconciler_release(struct reconciler *r)
{
	/* The schedule goes before the primaries, which contain its
	 * wake-ups. */
	sched_release(&r->sched);
	orphans_release(&r->orphans);
	fairqueue_release(&r->fairqueue);
	entries_release(&r->es);
}

static void
queue_dirty(struct reconciler *r, const struct entry *e)
{
	struct primary **list = entry_primaries(e);

	for (size_t i = 0; i < e->primaries.count; i++)
		if (list[i]->work.dirty)
			dirty(r, list[i]);
	free(list);
}

void
reconciler_open(struct reconciler *r)
{
	r->gate_open = true;
	for (size_t i = 0; i < r->es.count; i++)
		queue_dirty(r, r->es.items[i]);
}

/* Entries that can be decided about from now on. */
static void
start_entries(struct reconciler *r)
{
	struct entry *e;
	bool all = true;

	while ((e = entries_completed(&r->es)) != NULL) {
		throttle_start(&r->es, e);
		queue_dirty(r, e);
		suspect_orphans(r);
	}
	for (size_t i = 0; i < r->es.count; i++) {
		e = r->es.items[i];
		all = all && e->complete;
		if (e->widened)
			queue_dirty(r, e);
		e->widened = false;
	}
	if (all && !r->ready) {
		r->ready = true;
		malloc_trim(0); /* garbage of parsing the initial state */
	}
}

static void
fire(struct reconciler *r, const struct sched_timer *w, unsigned reasons)
{
	struct primary *p = w->owner;

	if (w == &r->es.rate_limited) {
		ratelimit_put(&r->es, RATELIMIT_DUE);
		return;
	}
	if (p == NULL) {
		/* A standby leaves orphans to the leader. */
		if (r->gate_open)
			orphans_look(&r->orphans);
		else
			orphans_suspect(&r->orphans);
		return;
	}
	p->entry->stats.retries++;
	if (reasons & 1u << SCHED_DEADLINE)
		p->work.reminder = true;
	if (reasons & 1u << SCHED_BACKOFF &&
	    backoff_has_failed(&p->entry->backoffs, primary_key(p)))
		primary_recompute(p);
	if (reasons & 1u << SCHED_SLOT)
		throttle_leave(&r->es, p);
	trigger_timers(&r->trigger, reasons);
	dirty(r, p);
	trigger_over(&r->trigger);
}

void
reconciler_clock(struct reconciler *r)
{
	struct primary *p;

	if (!sched_was_set(&r->sched))
		return;
	for (size_t i = 0; i < r->es.count; i++)
		for (size_t j = 0;
		     (p = map_next(&r->es.items[i]->primaries, &j)) != NULL;)
			requeue_clock_set(&r->sched, p);
}

void
reconciler_timers(struct reconciler *r)
{
	struct sched_timer *w;
	unsigned reasons;

	while ((w = sched_due(&r->sched, sched_ticks(&r->sched), &reasons)) !=
	    NULL)
		fire(r, w, reasons);
}

/* Moves the input's clock to this time; timers that are due by then fire one by
 * one. */
void
reconciler_advance(struct reconciler *r, int64_t us)
{
	bool from_1970 = sched_now_us(&r->sched) == 0;
	struct sched_timer *w;
	unsigned reasons, fired = 0;

	for (;;) {
		int64_t due = sched_next(&r->sched);

		if (due == 0 || due > us)
			break;
		sched_advance(&r->sched, due);
		w = sched_due(&r->sched, due, &reasons);
		fire(r, w, reasons);
		while (reconciler_step(r))
			;
		if (++fired == MANY_TIMERS && from_1970)
			log_warning("timers fire for all the time from 1970 to "
				    "the first line with a time: give the "
				    "lines before it a time, too");
	}
	sched_advance(&r->sched, us);
}

/* Whether a stream of a recording has events: other streams do not matter here.
 * A line without a name may be of any stream. */
static bool
has_events(struct span stream)
{
	static const char *const events[] = {"", "events", "all", "live"};

	for (size_t i = 0; i < COUNT(events); i++)
		if (span_is(stream, events[i]))
			return true;
	return false;
}

/*
 * Whether the line is one of a recording that is not an event (doc/recording.md).
 * Such lines change nothing. But a gap means that events may be missing there,
 * and is counted; a segment names the version of its format: err is set
 * (ERR_GONE) if that is another one.
 */
static bool
is_record(const struct event *line, uint64_t *gaps, struct err *err)
{
	struct span record;

	if (!line->is_record)
		return false;
	record = json_raw_string(json_get(line->text, "record"));
	*gaps += span_is(record, "gap") &&
	    has_events(json_raw_string(json_get(line->text, "stream")));
	if (span_is(record, "segment"))
		reading_check_version(json_get(line->text, "version"), err);
	return true;
}

int
reconciler_document(
    struct reconciler *r, const struct event *event, struct err *err)
{
	int rc;

	cache_rest(&r->es.store, OPEN_MAX);
	if (r->sched.clock == SCHED_INPUT && event->time_us >= 0)
		reconciler_advance(r, event->time_us);
	if (is_record(event, &r->counters.gaps, err))
		return err->kind == ERR_NONE ? 0 : -1;
	trigger_event(&r->trigger, event);
	rc = entries_apply(&r->es, event, err);
	r->counters.events += rc == 0;
	trigger_over(&r->trigger);
	start_entries(r);
	return rc;
}

void
reconciler_end_of_input(struct reconciler *r, bool told_to_end)
{
	struct buf names = BUF_INIT;

	r->told_to_end = told_to_end;
	ratelimit_put(&r->es, RATELIMIT_ALL);
	if (r->counters.events == 0)
		r->es.store.live = false; /* the stage before says why */
	if (entries_end(&r->es, &names) > 0) {
		r->incomplete = true;
		if (!r->second)
			log_write(told_to_end ? LOG_INFO : LOG_ERROR, NULL,
			    "the input ends before it is complete: %s",
			    buf_str(&names));
	}
	buf_release(&names);
	start_entries(r);
}

void
reconciler_assume(
    struct reconciler *r, const struct cache *others, struct buf *names)
{
	entries_assume(&r->es, others, names);
	start_entries(r);
}

bool
reconciler_failed(const struct reconciler *r)
{
	return r->counters.bad_lines > 0 || r->counters.failures > 0 ||
	    r->incomplete || r->es.failures > 0;
}

bool
reconciler_say_bad(size_t line, const struct err *err)
{
	bool refused = err->kind == ERR_GONE;

	log_write(refused ? LOG_FATAL : LOG_ERROR, NULL, "line %zu: %s", line,
	    err->message);
	return refused;
}

void
reconciler_say_gaps(uint64_t gaps)
{
	if (gaps > 0)
		log_warning("gaps of the recording, in which events are "
			    "missing: %" PRIu64 "; what followed from these is "
			    "not known",
		    gaps);
}

/* ---- one evaluation ---- */

/* Logs each line of what, behind `before`; returns their number. */
static size_t
say(enum log_level level, const struct primary *p, const char *before,
    struct buf *what)
{
	struct log_about who = primary_about(p);
	size_t count = 0;
	char *rest, *line;

	if (what->len == 0)
		return 0;
	buf_str(what);
	rest = what->data;
	for (; (line = strsep(&rest, "\n")) != NULL; count++)
		log_write(level, &who, "%s%s", before, line);
	return count;
}

/* Whether text differs from the text that was logged last; remembers it. */
static bool
is_news(char **said, const char *text)
{
	if (strcmp(text, *said != NULL ? *said : "") == 0)
		return false;
	free(*said);
	*said = *text != '\0' ? mem_strdup(text) : NULL;
	return true;
}

/* Logs when the annotation kpipe.dev/observe-only comes and goes. */
static void
say_observed_only(struct primary *p, bool observed)
{
	struct log_about who = primary_about(p);

	if (p->said.observed_only != observed)
		log_write(LOG_INFO, &who, "%s",
		    observed ? "only observed, by the annotation "
			       "kpipe.dev/observe-only"
			     : "not only observed any more");
	p->said.observed_only = observed;
}

/* A failure, and invalid values of annotations, are logged once, until they
 * change. */
static void
say_troubles(struct reconciler *r, struct primary *p, struct decision *d)
{
	struct log_about who = primary_about(p);

	p->said.failed = d->failed;
	r->counters.failures += d->failed;
	if (is_news(&p->said.last_error, d->failed ? d->error : "") &&
	    d->failed)
		log_write(LOG_ERROR, &who, "%s", d->error);
	if (is_news(&p->said.complaint, buf_str(&d->complaints)))
		say(LOG_WARNING, p, "", &d->complaints);
}

static void
write_line(struct reconciler *r, const struct buf *line)
{
	if (!r->silent)
		out_line(r->out, buf_span(line));
	r->counters.lines++;
}

/* Prints the line that is due; returns why one was printed. */
static enum line_due
print(struct reconciler *r, struct primary *p, struct decision *d,
    enum line_due due)
{
	struct buf line = BUF_INIT, why = BUF_INIT;

	if (due != LINE_NOTHING)
		line_add(&line, p, d);
	if (line.len >= STREAM_WRITE_MAX) {
		/* Too long for a reader: the status says so instead, without
		 * the length, which depends on what is in the line. */
		buf_addf(&why,
		    "the desired set is longer than %d bytes as one line",
		    STREAM_WRITE_MAX);
		outcome_release(d);
		decide_failure(
		    p, sched_now_us(&r->sched), r->mode, buf_str(&why), d);
		due = line_due(p, d);
		buf_reset(&line);
		line_add(&line, p, d);
		if (line.len >= STREAM_WRITE_MAX)
			due = LINE_NOTHING;
	}
	if (due != LINE_NOTHING) {
		write_line(r, &line);
		damping_hold(p, d);
		line_printed(p, d);
	} else {
		line_shrink(p, d);
	}
	buf_release(&line);
	buf_release(&why);
	return due;
}

static void
decide_now(struct reconciler *r, struct primary *p, struct decision *d)
{
	decide(p, sched_now_us(&r->sched), r->mode, d);
	say(LOG_INFO, p, "", &d->loops_over);
}

/* Logs changes that go on without an end, and decides again: the status has to
 * report them. */
static uint64_t
report_endless(struct reconciler *r, struct primary *p, struct decision *d,
    struct buf *what)
{
	size_t n = say(LOG_WARNING, p, "", what);

	outcome_release(d);
	decide_now(r, p, d);
	buf_release(what);
	return n;
}

static void
add_requeue(struct buf *b, const struct program_requeue *r)
{
	if (r->when == PROGRAM_AFTER)
		buf_addf(b, ", requeue in %.1f s", (double)r->after_ms / 1000);
	else if (r->when == PROGRAM_AT)
		buf_addf(
		    b, ", requeue at %lld", (long long)(r->at_us / 1000000));
}

static size_t
count_points(const struct decision *d, enum point_type type)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++)
		n += d->points[i].target.type == type && !d->points[i].done;
	return n;
}

static void
describe(struct buf *b, const struct decision *d, enum line_due due)
{
	size_t items = count_points(d, POINT_ITEM);
	size_t gone =
	    count_points(d, POINT_DELETE) + count_points(d, POINT_FOREIGN);

	buf_addf(b, "%zu item%s, %zu deletion%s, %zu outstanding", items,
	    items == 1 ? "" : "s", gone, gone == 1 ? "" : "s",
	    d->outstanding_count);
	if (count_points(d, POINT_FINALIZER_ADD) +
		count_points(d, POINT_FINALIZER_REMOVE) >
	    0)
		buf_adds(b, ", finalizer");
	if (count_points(d, POINT_STATUS) > 0)
		buf_adds(b, ", status");
	if (d->failed)
		buf_adds(b, ", failed");
	if (d->primary->plan.fresh)
		buf_adds(b, ", a new plan");
	add_requeue(b, &d->requeue);
	buf_adds(b, due != LINE_NOTHING ? "; a line" : "; no line");
}

/*
 * Logs an evaluation at level debug: its cause and its decision.
 *
 *	MODIFIED ConfigMap/ns/a (and 2 more): 1 item, 0 deletions,
 *	1 outstanding, status; a line
 */
static void
trace(struct primary *p, const struct decision *d, enum line_due due,
    const struct log_about *who)
{
	struct buf b = BUF_INIT;

	if (!log_is_on(LOG_DEBUG))
		return;
	trigger_describe(&b, p);
	buf_adds(&b, ": ");
	describe(&b, d, due);
	log_write(LOG_DEBUG, who, "%s", buf_str(&b));
	p->plan.fresh = false;
	buf_release(&b);
}

static void
evaluate(struct reconciler *r, struct primary *p)
{
	struct stats *stats = &p->entry->stats;
	int64_t began_us = clock_real_us();
	struct cost cost =
	    cost_begin(r->sched.clock == SCHED_INPUT ? COST_NO_TIME
						     : COST_PROGRAMS_AND_OURS);
	struct log_about who = primary_about(p);
	struct buf stay = BUF_INIT, endless = BUF_INIT;
	struct decision d;
	enum line_due due;
	uint64_t n;
	bool over;

	p->work.dirty = false;
	r->counters.evaluations++;
	decide_now(r, p, &d);
	say_observed_only(p, d.observed_only.len > 0);

	/* Differences that stay are logged. After a deadline the items are
	 * applied in a way that shows which differences stay. */
	n = permadiff_tell(&d, &stay);
	say(LOG_WARNING, p,
	    "the difference stays after it was applied and is tolerated: ",
	    &stay);
	buf_release(&stay);
	r->counters.tolerated += n;
	stats->tolerated += n;
	if (p->work.reminder)
		permadiff_try(p, &d);
	if (!program_alive()) { /* the process is about to end */
		outcome_release(&d);
		return;
	}

	due = line_due(p, &d);
	if ((due == LINE_AGAIN && !requeue_again(&r->sched, p)) ||
	    !throttle_allows(&r->es, p, due))
		due = LINE_NOTHING;
	if (due == LINE_NEW && damping_count_repairs(p, &d, &endless) > 0) {
		n = report_endless(r, p, &d, &endless);
		r->counters.loops += n;
		stats->loops += n;
	}
	if ((due == LINE_NEW || due == LINE_NEW_QUIET) &&
	    damping_count_changes(p, &d, &endless)) {
		n = report_endless(r, p, &d, &endless);
		r->counters.unsettled += n;
		stats->unsettled += n;
	}
	due = print(r, p, &d, due);
	stats->sets += due != LINE_NOTHING;
	trace(p, &d, due, &who);
	trigger_forget(p);

	cost_end(&cost);
	fairqueue_charge(&r->fairqueue, p, cost.cpu_us);
	requeue_set(&r->sched, p, &d, due, cost.cpu_us);
	p->work.reminder = false;
	throttle_observe(&r->es, p, &d, due != LINE_NOTHING);
	say_troubles(r, p, &d);
	stats->guessed += !d.failed && hiddenreads(p);
	stats_evaluated(stats, began_us,
	    d.failed				  ? STATS_ERROR
		: d.requeue.when != PROGRAM_NEVER ? STATS_REQUEUE_AFTER
						  : STATS_SUCCESS);
	stats->limited += d.limited && !d.crashed;
	stats->crashed += d.crashed;
	over = d.over;
	outcome_release(&d);
	if (over)
		entries_drop(&r->es, p->object);
}

/* ---- the next primary ---- */

/* Nothing is wanted for p any more: a line without items cancels the requests of
 * its last one. */
static void
cancel(struct reconciler *r, struct primary *p)
{
	bool gone = p->object == NULL,
	     wanted = !gone && p->said.asked_count > 0;
	struct buf line = BUF_INIT;

	/* Writes into an object that is gone need no cancellation. */
	for (size_t i = 0; gone && i < p->said.asked_count; i++)
		wanted = wanted || p->said.asked[i].target.type == POINT_ITEM ||
		    p->said.asked[i].target.type == POINT_DELETE;
	p->work.dirty = false;
	if (wanted) {
		line_add_empty(&line, p);
		write_line(r, &line);
	}
	said_set(p, NULL, 0);
	throttle_leave(&r->es, p);
	sched_clear_all(&r->sched, &p->work.timer);
	buf_release(&line);
}

/* Logs when the annotation comes and goes. */
static bool
is_paused(struct primary *p)
{
	struct log_about who = primary_about(p);
	bool paused = userrequest_paused(p);

	if (p->said.paused != paused)
		log_write(LOG_INFO, &who, "%s",
		    paused ? "paused by the annotation kpipe.dev/paused"
			   : "not paused any more");
	p->said.paused = paused;
	return paused;
}

/* Counts each delay, and logs the first one of a primary. */
static bool
is_limited(struct reconciler *r, struct primary *p)
{
	bool waits = sched_at(&p->work.timer, SCHED_RATE) != 0;
	const struct watch_entry *conf = p->entry->conf;
	struct log_about who = primary_about(p);

	if (!requeue_limits(&r->sched, p)) {
		sched_clear(&r->sched, &p->work.timer, SCHED_RATE);
		return false;
	}
	p->entry->stats.delayed += !waits;
	if (!p->said.limited)
		log_write(LOG_INFO, &who,
		    "changes more often than it is evaluated "
		    "(evaluationsPerMinute: %ld, %s:%d): evaluations are "
		    "delayed, and see the last state",
		    conf->evaluations_per_minute, conf->path, conf->line);
	p->said.limited = true;
	return true;
}

/* How p stands before it is evaluated; STANDS_LIVE: decide() finds out the
 * rest. */
static enum primary_standing
standing_by_turn(struct reconciler *r, struct primary *p)
{
	if (!p->work.dirty)
		return STANDS_QUIET;
	if (!primary_is_known(p))
		return STANDS_UNSEEN;
	if (p->object == NULL)
		return STANDS_GONE;
	if (holder_look(p))
		return STANDS_HELD;
	if (r->visit != NULL) /* the visitor makes the other checks */
		return STANDS_LIVE;
	if (is_paused(p))
		return STANDS_PAUSED;
	if (userrequest_again(p)) {
		primary_forget(p);
		sched_clear_but(&r->sched, &p->work.timer, SCHED_SLOT);
		backoff_hurry(&p->entry->backoffs, primary_key(p));
	}
	if (requeue_back_off(&r->sched, p))
		return STANDS_BACKING_OFF;
	return is_limited(r, p) ? STANDS_LIMITED : STANDS_LIVE;
}

bool
reconciler_step(struct reconciler *r)
{
	struct primary *p = r->gate_open ? fairqueue_take(&r->fairqueue) : NULL;
	enum primary_standing standing;
	unsigned todo;

	if (p == NULL)
		return false;
	cache_rest(&r->es.store, OPEN_MAX);
	p->work.queued = false;
	stats_taken(&p->entry->stats, p->work.queued_us);
	standing = standing_by_turn(r, p);
	todo = decide_steps(standing);
	if (r->visit != NULL &&
	    (standing == STANDS_GONE || standing == STANDS_LIVE)) {
		r->visit(r->visit_arg, p);
		trigger_forget(p);
		p->work.dirty = false;
	} else if (standing == STANDS_LIVE) {
		evaluate(r, p);
	}
	if (todo & STEP_CANCEL)
		cancel(r, p);
	if (todo & STEP_FORGET) {
		map_del(&p->entry->primaries, primary_key(p));
		primary_free(p);
	}
	return true;
}

void
reconciler_rest(struct reconciler *r)
{
	cache_rest(&r->es.store, 0);
	if (!r->ready || r->trimmed)
		return;
	r->trimmed = true;
	malloc_trim(0); /* garbage of the first evaluations */
}
