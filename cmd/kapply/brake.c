#include "brake.h"

#include <stdlib.h>

#include "mem.h"

void
brake_init(struct brake *b, size_t limit)
{
	*b = (struct brake){
	    .limit = limit, .times = mem_array(NULL, limit, sizeof(*b->times))};
}

void
brake_release(struct brake *b)
{
	free(b->times);
	b->times = NULL;
}

bool
brake_pass(struct brake *b, uint64_t now_ms)
{
	if (b->limit == 0)
		return true;
	if (b->held > 0)
		return false;
	if (b->count >= b->limit &&
	    now_ms - b->times[b->count % b->limit] < BRAKE_MS)
		return false;
	b->times[b->count++ % b->limit] = now_ms;
	return true;
}

bool
brake_hold(struct brake *b)
{
	return b->held++ == 0;
}

bool
brake_let_go(struct brake *b)
{
	return --b->held == 0;
}
