#include "state/stats.h"

#include "process/clock.h"
#include "state/entry.h"

static double
seconds_since(int64_t us)
{
	int64_t passed = clock_real_us() - us;

	return passed > 0 ? (double)passed / 1e6 : 0;
}

int64_t
stats_queued(struct stats *s)
{
	s->adds++;
	s->queued++;
	return clock_real_us();
}

void
stats_taken(struct stats *s, int64_t queued_us)
{
	s->queued--;
	metric_observe(
	    &s->wait, METRIC_QUEUE_DURATION, seconds_since(queued_us));
}

void
stats_evaluated(struct stats *s, int64_t began_us, enum stats_result result)
{
	double seconds = seconds_since(began_us);

	s->results[result]++;
	metric_observe(&s->work, METRIC_QUEUE_WORK, seconds);
	metric_observe(&s->reconcile, METRIC_RECONCILE_TIME, seconds);
}

static void
add_results(const struct stats *s, const char *name, struct metric_lines *m)
{
	static const char *const results[] = {[STATS_SUCCESS] = "success",
	    [STATS_ERROR] = "error",
	    [STATS_REQUEUE_AFTER] = "requeue_after"};
	const struct metric_labels *by = METRIC_LABELS(name);
	uint64_t errors = s->results[STATS_ERROR];

	for (size_t i = 0; i < STATS_RESULTS; i++)
		metric_add(m, METRIC_RECONCILE_TOTAL,
		    METRIC_LABELS(name, results[i]), (double)s->results[i]);
	/* The series is always 0: programs give a time for each requeue. */
	metric_add(
	    m, METRIC_RECONCILE_TOTAL, METRIC_LABELS(name, "requeue"), 0);
	metric_add(m, METRIC_RECONCILE_ERRORS, by, (double)errors);
	metric_add(m, METRIC_RECONCILE_TERMINAL_ERRORS, by,
	    (double)(errors - s->limited - s->crashed));
	metric_add(m, METRIC_RECONCILE_PANICS, by, (double)s->crashed);
	metric_add(m, METRIC_RECONCILE_TIMEOUTS, by, (double)s->limited);
	metric_add_histogram(m, METRIC_RECONCILE_TIME, by, &s->reconcile);
}

static void
add_queue(const struct stats *s, const char *name, struct metric_lines *m)
{
	const struct metric_labels *by = METRIC_LABELS(name, name);

	/* There is one priority; controller-runtime begins with 0. */
	metric_add(m, METRIC_QUEUE_DEPTH, METRIC_LABELS(name, name, "0"),
	    (double)s->queued);
	metric_add(m, METRIC_QUEUE_ADDS, by, (double)s->adds);
	metric_add(m, METRIC_QUEUE_RETRIES, by, (double)s->retries);
	metric_add_histogram(m, METRIC_QUEUE_DURATION, by, &s->wait);
	metric_add_histogram(m, METRIC_QUEUE_WORK, by, &s->work);
	/* No evaluation is under way during a report. kapply adds its part when
	 * it has seen a set; the series exist before that. */
	metric_add(m, METRIC_ACTIVE_WORKERS, METRIC_LABELS(name), 0);
	metric_add(m, METRIC_QUEUE_UNFINISHED, by, 0);
	metric_add(m, METRIC_QUEUE_LONGEST, by, 0);
}

void
stats_metrics(
    const struct entries *es, uint64_t bad_lines, struct metric_lines *m)
{
	for (size_t i = 0; i < es->count; i++) {
		const struct entry *e = es->items[i];
		const struct stats *s = &e->stats;
		const char *name = e->conf->name;
		const struct metric_labels *by = METRIC_LABELS(name);

		add_results(s, name, m);
		add_queue(s, name, m);
		metric_add(m, METRIC_PRIMARIES, by, (double)e->primaries.count);
		metric_add(m, METRIC_PRIMARIES_HELD, by, (double)e->held);
		metric_add(m, METRIC_ORPHANS, by, (double)e->orphans);
		metric_add(m, METRIC_SETS, by, (double)s->sets);
		metric_add(m, METRIC_TOLERATED, by, (double)s->tolerated);
		metric_add(m, METRIC_LOOPS, by, (double)s->loops);
		metric_add(m, METRIC_UNSETTLED, by, (double)s->unsettled);
		metric_add(m, METRIC_DELAYED, by, (double)s->delayed);
	}
	for (size_t i = 0; i < es->store.kind_count; i++) {
		const struct cache_kind *k = es->store.kinds[i];

		metric_add(m, METRIC_OBJECTS, METRIC_LABELS(k->name),
		    (double)k->objects.count);
		metric_add(m, METRIC_TOO_LARGE, METRIC_LABELS(k->name),
		    (double)k->too_large);
	}
	metric_add(m, METRIC_UNPROVEN, NULL, (double)es->unproven);
	metric_add(m, METRIC_BAD_LINES, METRIC_LABELS("ireconcile"),
	    (double)bad_lines);
}
