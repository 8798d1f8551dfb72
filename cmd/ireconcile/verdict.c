#include "verdict.h"

#include "process/log.h"

/* Whether it was asked at all; *answered becomes false if it never answered. */
static bool
was_asked(const struct entry *e, bool *answered)
{
	uint64_t answers = stats_answers(&e->stats);
	uint64_t failures = e->stats.results[STATS_ERROR];

	if (failures > 0 && answers == 0) {
		*answered = false;
		log_error("%s never gave an answer for a %s: each of its "
			  "evaluations failed",
		    e->conf->program, e->conf->name);
	}
	return failures + answers > 0;
}

static bool
has_shown_something(const struct reconciler *r)
{
	bool asked = false, answered = true;

	for (size_t i = 0; i < r->es.count; i++)
		asked = was_asked(r->es.items[i], &answered) || asked;
	if (!asked && !r->incomplete)
		log_error("the input has no primary of the watches file that "
			  "could be decided about");
	return asked && answered;
}

int
verdict(const struct reconciler *r, bool must_answer)
{
	if (must_answer &&
	    (!has_shown_something(r) || r->incomplete ||
		r->counters.bad_lines > 0))
		return VERDICT_UNKNOWN;
	return reconciler_failed(r) ? VERDICT_NO : VERDICT_YES;
}
