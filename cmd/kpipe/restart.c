#include "restart.h"

uint64_t
backoff_next(struct backoff *b, uint64_t ran_ms, uint32_t random)
{
	uint64_t delay = BACKOFF_FIRST_MS;

	if (ran_ms >= BACKOFF_GOOD_RUN_MS)
		b->crashes = 0;
	if (b->crashes++ == 0)
		return 0;
	for (unsigned i = 2; i < b->crashes && delay < BACKOFF_MAX_MS; i++)
		delay *= 2;
	if (delay > BACKOFF_MAX_MS)
		delay = BACKOFF_MAX_MS;
	return delay + random % (delay / 4 + 1);
}
