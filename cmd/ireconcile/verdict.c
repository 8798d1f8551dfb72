#include "verdict.h"

#include <inttypes.h>
#include <unistd.h>

#include "process/log.h"

/* Whether a program was asked, and each that was asked gave an answer. */
static bool
has_shown_something(const struct reconciler *r)
{
	bool asked = false, answered = true;

	for (size_t i = 0; i < r->es.count; i++) {
		const struct entry *e = r->es.items[i];
		uint64_t failures = e->stats.results[STATS_ERROR];
		uint64_t answers = e->stats.results[STATS_SUCCESS] +
		    e->stats.results[STATS_REQUEUE_AFTER];

		asked = asked || failures + answers > 0;
		if (failures > 0 && answers == 0) {
			answered = false;
			log_error("%s never gave an answer for a %s: each of "
				  "its evaluations failed",
			    e->conf->program, e->conf->name);
		}
		if (answers > 0 && e->stats.guessed == answers) {
			answered = false;
			log_error("each answer of %s for a %s is of values "
				  "that the input hides: record them with "
				  "kwatch --show-secrets, of values that may "
				  "be shown",
			    e->conf->program, e->conf->name);
		}
	}
	if (!asked && !r->incomplete)
		log_error("the input has no primary of the watches file that "
			  "could be decided about");
	return asked && answered;
}

static void
say_guesses(const struct reconciler *r)
{
	uint64_t guessed = 0, taken = 0;

	for (size_t i = 0; i < r->es.count; i++) {
		guessed += r->es.items[i]->stats.guessed;
		taken += r->es.items[i]->stats.taken;
	}
	if (taken > 0)
		log_info("values that the input hides, and that were taken for "
			 "those that are desired: %" PRIu64,
		    taken);
	if (guessed > 0)
		log_warning("evaluations that look into values which the input "
			    "hides: %" PRIu64 "; with the values they may "
			    "decide otherwise",
		    guessed);
}

/* Logs the primaries that another instance holds: nothing is known about
 * them. */
static bool
say_held(const struct reconciler *r)
{
	size_t held = 0, all = 0;

	for (size_t i = 0; i < r->es.count; i++) {
		held += r->es.items[i]->held;
		all += r->es.items[i]->primaries.count;
	}
	if (held > 0)
		log_warning(
		    "%zu of %zu primaries are other instances': nothing "
		    "is decided about them. To see what such an "
		    "instance would do, have its name: of "
		    "\"ops/memcached\", POD_NAMESPACE=ops "
		    "OPERATOR_NAME=memcached kpipe --dry-run",
		    held, all);
	return held > 0;
}

/* With the real clock a file is decided about only at its end. If all agrees,
 * nothing is printed; so the log says that primaries were looked at. */
static void
say_silence(const struct reconciler *r)
{
	size_t all = 0;

	if (r->sched.clock == SCHED_INPUT || r->told_to_end || r->incomplete ||
	    r->counters.lines > 0 || reconciler_failed(r) ||
	    lseek(STDIN_FILENO, 0, SEEK_CUR) < 0)
		return;
	for (size_t i = 0; i < r->es.count; i++)
		all += r->es.items[i]->primaries.count;
	if (all > 0)
		log_info("compared %zu primar%s: nothing is to be changed at "
			 "the end of the input; --clock=input replays what was "
			 "decided on the way",
		    all, all == 1 ? "y" : "ies");
}

int
verdict(const struct reconciler *r, bool must_answer)
{
	bool left = !r->told_to_end && say_held(r);

	say_guesses(r);
	reconciler_say_gaps(r->counters.gaps);
	if (!left)
		say_silence(r);
	if (must_answer &&
	    (!has_shown_something(r) || r->incomplete ||
		r->counters.bad_lines + r->counters.gaps > 0))
		return VERDICT_UNKNOWN;
	return left || reconciler_failed(r) ? VERDICT_NO : VERDICT_YES;
}
