#include "lifecycle.h"

#include "base/buf.h"
#include "tap.h"

/* Events that cannot happen in a phase, and why. */
static const struct {
	const char *phase, *events;
} never[LIFECYCLE_PHASES] = {
    /* Nothing runs. */
    {"waiting", " failed lost unled path-end gone last again"},
    /* No timer; and after the order to end it drains. */
    {"running", " timeout again"},
    /* No timer and no kelect; and this is the last generation. */
    {"once", " timeout unled path-end gone"},
    /* All stages were started. */
    {"settling", " failed"},
    {"stopping", " failed"},
    /* Only kelect runs. */
    {"releasing", " failed lost unled path-end"},
    /* It was told to end, so this is the last generation. */
    {"draining", " failed gone told"},
    {"retiring", " failed lost unled path-end gone told"},
    {"ended", " timeout failed lost unled path-end gone last"},
};

static void
test_table_has_no_holes(void)
{
	for (unsigned p = 0; p < LIFECYCLE_PHASES; p++) {
		struct buf b = BUF_INIT;
		bool full = true;

		for (unsigned e = 0; e < LIFECYCLE_EVENTS; e++) {
			enum lifecycle_step step = lifecycle_step(p, e);

			full = full && step != LIFECYCLE_MISSING;
			if (step == LIFECYCLE_NEVER)
				buf_addf(&b, " %s", lifecycle_event_name(e));
		}
		is(lifecycle_phase_name(p), never[p].phase, "a phase");
		ok(full, "... has a step for each event");
		is(buf_str(&b), never[p].events, "... and these cannot happen");
		buf_release(&b);
	}
}

static enum lifecycle_phase
after(enum lifecycle_phase phase, enum lifecycle_event event)
{
	return lifecycle_next(phase, lifecycle_step(phase, event));
}

static bool
only(enum lifecycle_step step, enum lifecycle_phase phase,
    enum lifecycle_event event)
{
	for (unsigned p = 0; p < LIFECYCLE_PHASES; p++)
		for (unsigned e = 0; e < LIFECYCLE_EVENTS; e++)
			if (lifecycle_step(p, e) == step &&
			    (e != event ||
				(phase != LIFECYCLE_PHASES && p != phase)))
				return false;
	return true;
}

static void
test_generations_do_not_overlap(void)
{
	bool gone = true;

	ok(only(LIFECYCLE_LAUNCH, LIFECYCLE_WAITING, LIFECYCLE_TIMEOUT),
	    "stages are started only when the back-off is over");
	ok(only(LIFECYCLE_RESTART, LIFECYCLE_PHASES, LIFECYCLE_GONE),
	    "... which begins only when nothing runs");
	ok(only(LIFECYCLE_RELEASE, LIFECYCLE_PHASES, LIFECYCLE_PATH_END) &&
		only(LIFECYCLE_RETIRE, LIFECYCLE_PHASES, LIFECYCLE_PATH_END),
	    "kelect gives up the lease only when no writer runs");
	for (unsigned p = 1; p < LIFECYCLE_PHASES; p++)
		for (unsigned e = 0; e < LIFECYCLE_EVENTS; e++)
			if (lifecycle_step(p, e) == LIFECYCLE_END)
				gone = gone && e == LIFECYCLE_LAST;
	ok(gone, "kpipe ends only when nothing runs");
}

static void
test_told_to_end(void)
{
	for (unsigned p = 0; p < LIFECYCLE_ENDED; p++) {
		enum lifecycle_phase next = after(p, LIFECYCLE_TOLD);

		if (next != LIFECYCLE_ENDED)
			next = after(next, LIFECYCLE_LAST);
		is(lifecycle_phase_name(next), "ended", never[p].phase);
	}
}

/* While anything runs, a second order to end is a stronger one, and the end of
 * a time changes something. */
static void
test_no_wait_is_endless(void)
{
	for (unsigned p = 0; p < LIFECYCLE_ENDED; p++) {
		enum lifecycle_step again = lifecycle_step(p, LIFECYCLE_AGAIN);

		ok(again == LIFECYCLE_KILL || again == LIFECYCLE_CUT ||
			again == LIFECYCLE_NEVER,
		    "told again");
		ok(lifecycle_step(p, LIFECYCLE_TIMEOUT) != LIFECYCLE_STAY,
		    "... and the end of a time");
	}
}

/* A generation from its start to its end: phase by phase. */
static void
test_courses(void)
{
	static const struct {
		enum lifecycle_event events[8];
		size_t count;
		const char *phases;
	} courses[] = {
	    {{LIFECYCLE_TIMEOUT, LIFECYCLE_LOST, LIFECYCLE_LOST,
		 LIFECYCLE_TIMEOUT, LIFECYCLE_PATH_END, LIFECYCLE_GONE},
		6, " running settling settling stopping releasing waiting"},
	    {{LIFECYCLE_TIMEOUT, LIFECYCLE_UNLED, LIFECYCLE_GONE}, 3,
		" running stopping waiting"},
	    {{LIFECYCLE_TIMEOUT, LIFECYCLE_FAILED, LIFECYCLE_TIMEOUT,
		 LIFECYCLE_GONE},
		4, " running stopping stopping waiting"},
	    {{LIFECYCLE_TIMEOUT, LIFECYCLE_TOLD, LIFECYCLE_LOST,
		 LIFECYCLE_PATH_END, LIFECYCLE_TIMEOUT, LIFECYCLE_LAST},
		6, " running draining draining retiring retiring ended"},
	    {{LIFECYCLE_TIMEOUT, LIFECYCLE_GIVE_UP, LIFECYCLE_LOST,
		 LIFECYCLE_LAST},
		4, " running stopping stopping ended"},
	};

	for (size_t i = 0; i < sizeof(courses) / sizeof(*courses); i++) {
		enum lifecycle_phase phase = LIFECYCLE_WAITING;
		struct buf b = BUF_INIT;

		for (size_t j = 0; j < courses[i].count; j++) {
			phase = after(phase, courses[i].events[j]);
			buf_addf(&b, " %s", lifecycle_phase_name(phase));
		}
		is(buf_str(&b), courses[i].phases, "the course of a run");
		buf_release(&b);
	}
}

int
main(void)
{
	test_table_has_no_holes();
	test_generations_do_not_overlap();
	test_told_to_end();
	test_no_wait_is_endless();
	test_courses();
	return tap_done();
}
