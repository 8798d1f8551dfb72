#include "lifecycle.h"

/* How a cell of the table spells its step. */
enum {
	never = LIFECYCLE_NEVER,
	stay = LIFECYCLE_STAY,
	LAUNCH = LIFECYCLE_LAUNCH,
	SETTLE = LIFECYCLE_SETTLE,
	STOP = LIFECYCLE_STOP,
	HALT = LIFECYCLE_HALT,
	FAIL = LIFECYCLE_FAIL,
	KILL = LIFECYCLE_KILL,
	OVERDUE = LIFECYCLE_OVERDUE,
	RELEASE = LIFECYCLE_RELEASE,
	RETIRE = LIFECYCLE_RETIRE,
	UNSEAT = LIFECYCLE_UNSEAT,
	CUT = LIFECYCLE_CUT,
	DRAIN = LIFECYCLE_DRAIN,
	RESTART = LIFECYCLE_RESTART,
	END = LIFECYCLE_END
};

/* clang-format off */
static const unsigned char steps[LIFECYCLE_PHASES][LIFECYCLE_EVENTS] = {
/* timeout  failed lost    unled  path-end gone     last   told   again  give-up
*/
[LIFECYCLE_WAITING] = {
   LAUNCH,  never, never,  never, never,   never,   never, END,   never, END},
[LIFECYCLE_RUNNING] = {
   never,   FAIL,  SETTLE, STOP,  RELEASE, RESTART, END,   DRAIN, never, HALT},
[LIFECYCLE_ONCE] = {
   never,   FAIL,  stay,   never, never,   never,   END,   KILL,  KILL,  HALT},
[LIFECYCLE_SETTLING] = {
   STOP,    never, stay,   STOP,  RELEASE, RESTART, END,   stay,  KILL,  HALT},
[LIFECYCLE_STOPPING] = {
   KILL,    never, stay,   KILL,  RELEASE, RESTART, END,   stay,  KILL,  KILL},
[LIFECYCLE_RELEASING] = {
   UNSEAT,  never, never,  never, never,   RESTART, END,   stay,  CUT,   stay},
[LIFECYCLE_DRAINING] = {
   OVERDUE, never, stay,   stay,  RETIRE,  never,   END,   never, KILL,  KILL},
[LIFECYCLE_RETIRING] = {
   UNSEAT,  never, never,  never, never,   never,   END,   never, CUT,   stay},
[LIFECYCLE_ENDED] = {
   never,   never, never,  never, never,   never,   never, stay,  stay,  stay},
};
/* clang-format on */

static const char *const phases[LIFECYCLE_PHASES] = {"waiting", "running",
    "once", "settling", "stopping", "releasing", "draining", "retiring",
    "ended"};

static const char *const events[LIFECYCLE_EVENTS] = {"timeout", "failed",
    "lost", "unled", "path-end", "gone", "last", "told", "again", "give-up"};

enum lifecycle_step
lifecycle_step(enum lifecycle_phase phase, enum lifecycle_event event)
{
	return steps[phase][event];
}

enum lifecycle_phase
lifecycle_next(enum lifecycle_phase phase, enum lifecycle_step step)
{
	switch (step) {
	case LIFECYCLE_LAUNCH:
		return LIFECYCLE_RUNNING;
	case LIFECYCLE_SETTLE:
		return LIFECYCLE_SETTLING;
	case LIFECYCLE_STOP:
	case LIFECYCLE_HALT:
	case LIFECYCLE_FAIL:
		return LIFECYCLE_STOPPING;
	case LIFECYCLE_RELEASE:
		return LIFECYCLE_RELEASING;
	case LIFECYCLE_RETIRE:
		return LIFECYCLE_RETIRING;
	case LIFECYCLE_DRAIN:
		return LIFECYCLE_DRAINING;
	case LIFECYCLE_RESTART:
		return LIFECYCLE_WAITING;
	case LIFECYCLE_END:
		return LIFECYCLE_ENDED;
	default:
		return phase;
	}
}

const char *
lifecycle_phase_name(enum lifecycle_phase phase)
{
	return phases[phase];
}

const char *
lifecycle_event_name(enum lifecycle_event event)
{
	return events[event];
}
