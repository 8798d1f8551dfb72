#include "failure/restart.h"

uint64_t
restart_next(struct restart *b, uint64_t ran_ms, uint32_t random)
{
	uint64_t delay = RESTART_FIRST_MS;

	if (ran_ms >= RESTART_GOOD_RUN_MS)
		b->crashes = 0;
	if (b->crashes++ == 0)
		return 0;
	for (unsigned i = 2; i < b->crashes && delay < RESTART_MAX_MS; i++)
		delay *= 2;
	if (delay > RESTART_MAX_MS)
		delay = RESTART_MAX_MS;
	return delay + random % (delay / 4 + 1);
}
