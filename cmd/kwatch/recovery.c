#include "recovery.h"

/* How a cell of the table spells its step. */
enum {
	never = STEP_NEVER,
	RESUME = STEP_RESUME,
	CUT_SHORT = STEP_CUT_SHORT,
	COMPARE = STEP_COMPARE,
	SPOILED = STEP_SPOILED,
	RELIST = STEP_RELIST,
	UNPAGED = STEP_UNPAGED,
	LIST = STEP_LIST,
	UNREACHABLE = STEP_UNREACHABLE,
	SMALLER = STEP_SMALLER,
	LOST = STEP_LOST,
	DOUBT = STEP_DOUBT,
	COMPLAIN = STEP_COMPLAIN,
	MISTRUST = STEP_MISTRUST
};

/* clang-format off */
static const unsigned char steps[RECOVERY_ENDS][WATCH_STATES] = {
/*                     listing      initial      watching     lasting */
[END_NOT_YET]       = {never,       never,       never,       never},
[END_CLOSED]        = {never,       CUT_SHORT,   RESUME,      RESUME},
[END_EMPTY]         = {never,       CUT_SHORT,   CUT_SHORT,   RESUME},
[END_EVENT_EXPIRED] = {never,       COMPARE,     RELIST,      RELIST},
[END_EVENT_FIRST]   = {never,       LIST,        never,       never},
[END_EVENT]         = {never,       SPOILED,     SPOILED,     SPOILED},
[END_UNREACHABLE]   = {UNREACHABLE, UNREACHABLE, UNREACHABLE, RESUME},
[END_TIMED_OUT]     = {UNREACHABLE, UNREACHABLE, UNREACHABLE, UNREACHABLE},
[END_TOO_LARGE]     = {SMALLER,     SMALLER,     SMALLER,     SMALLER},
[END_NOT_FOUND]     = {LOST,        LOST,        LOST,        LOST},
[END_EXPIRED]       = {UNPAGED,     COMPARE,     COMPARE,     COMPARE},
[END_DENIED]        = {COMPLAIN,    COMPLAIN,    COMPLAIN,    COMPLAIN},
[END_REFUSED]       = {COMPLAIN,    LIST,        MISTRUST,    MISTRUST},
[END_FAILED]        = {COMPLAIN,    COMPLAIN,    COMPLAIN,    COMPLAIN},
[END_DENIED_FIRST]  = {DOUBT,       DOUBT,       DOUBT,       DOUBT},
};
/* clang-format on */

enum recovery_step
recovery_step(enum watch_state state, enum recovery_end end)
{
	return steps[end][state];
}

enum recovery_end
recovery_end_of(const struct kube_error *e)
{
	if (e->too_large)
		return END_TOO_LARGE;
	if (kube_error_of_denial(e))
		return END_DENIED;
	switch (e->code) {
	case 0:
		return e->timed_out ? END_TIMED_OUT : END_UNREACHABLE;
	case 404:
		return END_NOT_FOUND;
	case 410:
		return END_EXPIRED;
	case 429:
		return END_FAILED;
	default:
		return e->code >= 400 && e->code < 500 ? END_REFUSED
						       : END_FAILED;
	}
}

/* ---- delays ---- */

enum {
	FIRST_MS = 800,
	FAILED_MAX_MS = 15000,
	DENIED_MAX_MS = 8000,
	CHEAP_MAX_MS = 4000,
	TOLD_MAX_MS = 60000, /* even if the server asks for more */
	QUIET_MS = 120000    /* a later expired version counts as the first */
};

/* The old stream is over. */
static void
look_back(struct recovery *r, uint64_t now_ms)
{
	if (r->began_ms != 0 && now_ms - r->began_ms >= RECOVERY_STEADY_MS)
		r->backoff = (struct kube_backoff){0};
	r->began_ms = 0;
}

void
recovery_sent(struct recovery *r, uint64_t now_ms)
{
	look_back(r, now_ms);
	r->sent_ms = now_ms;
}

bool
recovery_is_short(const struct recovery *r, uint64_t now_ms)
{
	return now_ms - r->sent_ms < RECOVERY_SHORT_MS;
}

uint64_t
recovery_wait(
    struct recovery *r, enum recovery_why why, int64_t told_ms, uint64_t now_ms)
{
	static const uint64_t max_ms[] = {[RECOVERY_FAILED] = FAILED_MAX_MS,
	    [RECOVERY_DENIED] = DENIED_MAX_MS,
	    [RECOVERY_CHEAP] = CHEAP_MAX_MS};
	uint64_t ms;

	look_back(r, now_ms);
	if (told_ms >= 0)
		why = RECOVERY_CHEAP;
	ms = kube_backoff_next(&r->backoff, FIRST_MS, max_ms[why]);
	if (told_ms > TOLD_MAX_MS)
		told_ms = TOLD_MAX_MS;
	return told_ms > (int64_t)ms ? (uint64_t)told_ms : ms;
}

uint64_t
recovery_wait_expired(struct recovery *r, uint64_t now_ms)
{
	bool first = r->expired_ms == 0 || now_ms - r->expired_ms > QUIET_MS;

	r->expired_ms = now_ms;
	return first ? 0 : recovery_wait(r, RECOVERY_FAILED, -1, now_ms);
}
