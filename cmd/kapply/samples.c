/* Part of apply.h: its metrics. */
#include "apply.h"
#include "base/array.h"
#include "kube/recorder.h"
#include "process/clock.h"

static void
add_results(const struct apply_counters *c, struct metric_lines *m)
{
	const struct {
		const char *name;
		uint64_t count;
	} results[] = {
	    {"created", c->created},
	    {"configured", c->applied},
	    {"unchanged", c->unchanged},
	    {"deleted", c->deleted},
	    {"failed", c->failures},
	};

	for (size_t i = 0; i < COUNT(results); i++)
		metric_add(m, METRIC_APPLIED, METRIC_LABELS(results[i].name),
		    (double)results[i].count);
}

/* Primaries with requests in flight right now. */
static void
add_work(struct apply *a, struct metric_lines *m)
{
	uint64_t now = clock_ms();
	const struct key *k;
	bool busy = false;

	efforts_begin(&a->efforts);
	for (size_t i = 0; (k = map_next(&a->keys, &i)) != NULL;) {
		if (k->effort == NULL || k->flying == 0)
			continue;
		effort_busy(k->effort, now - k->busy_ms);
		busy = true;
	}
	if (busy)
		reportfd_again(a->report);
	efforts_metrics(&a->efforts, m);
}

void
samples_add(void *arg, struct metric_lines *m)
{
	struct apply *a = arg;

	add_work(a, m);
	add_results(&a->counters, m);
	metric_add(m, METRIC_STALE, NULL, (double)a->counters.stale);
	metric_add(m, METRIC_PRUNES_HELD, NULL, (double)a->brake.held);
	metric_add(m, METRIC_WRITES_HELD, METRIC_LABELS("kapply"),
	    (double)a->queue.ceiling.held_ms / 1000);
	metric_add(m, METRIC_BAD_LINES, METRIC_LABELS("kapply"),
	    (double)a->counters.bad_lines);
	if (a->recorder != NULL) {
		metric_add(m, METRIC_EVENTS, METRIC_LABELS("sent"),
		    (double)recorder_count(a->recorder));
		metric_add(m, METRIC_EVENTS, METRIC_LABELS("dropped"),
		    (double)recorder_lost(a->recorder));
	}
	if (a->kube != NULL)
		kube_metrics(a->kube, m);
}
