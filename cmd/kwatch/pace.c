#include "pace.h"

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
look_back(struct pace *p, uint64_t now_ms)
{
	if (p->began_ms != 0 && now_ms - p->began_ms >= PACE_STEADY_MS)
		p->backoff = (struct kube_backoff){0};
	p->began_ms = 0;
}

void
pace_sent(struct pace *p, uint64_t now_ms)
{
	look_back(p, now_ms);
	p->sent_ms = now_ms;
}

void
pace_began(struct pace *p, uint64_t now_ms)
{
	p->began_ms = now_ms;
}

bool
pace_is_short(const struct pace *p, uint64_t now_ms)
{
	return now_ms - p->sent_ms < PACE_SHORT_MS;
}

uint64_t
pace_wait(struct pace *p, enum pace_why why, int64_t told_ms, uint64_t now_ms)
{
	static const uint64_t max_ms[] = {[PACE_FAILED] = FAILED_MAX_MS,
	    [PACE_DENIED] = DENIED_MAX_MS,
	    [PACE_CHEAP] = CHEAP_MAX_MS};
	uint64_t ms;

	look_back(p, now_ms);
	if (told_ms >= 0)
		why = PACE_CHEAP;
	ms = kube_backoff_next(&p->backoff, FIRST_MS, max_ms[why]);
	if (told_ms > TOLD_MAX_MS)
		told_ms = TOLD_MAX_MS;
	return told_ms > (int64_t)ms ? (uint64_t)told_ms : ms;
}

uint64_t
pace_wait_expired(struct pace *p, uint64_t now_ms)
{
	bool first = p->expired_ms == 0 || now_ms - p->expired_ms > QUIET_MS;

	p->expired_ms = now_ms;
	return first ? 0 : pace_wait(p, PACE_FAILED, -1, now_ms);
}
