#include "reply/wait.h"

#include "reply/journal.h"
#include "request/request.h"

/* In the arena of r. */
struct wait {
	struct request *r;
	struct timer timer;
	loop_fn *then;
	void *arg;
};

static void
over(void *arg)
{
	struct wait *w = arg;

	httpd_on_close(w->r->exchange, NULL, NULL);
	w->then(w->arg);
}

static void
gave_up(void *arg)
{
	struct wait *w = arg;

	loop_cancel(w->r->api->loop, &w->timer);
	journal_write(w->r->api->journal, w->r, 0, SPAN_NONE);
	request_free(w->r);
}

void
wait_then(struct request *r, uint64_t ms, loop_fn *then, void *arg)
{
	struct wait *w = arena_zalloc(&r->arena, sizeof *w);

	w->r = r;
	w->then = then;
	w->arg = arg;
	httpd_on_close(r->exchange, gave_up, w);
	loop_after(r->api->loop, &w->timer, ms, over, w);
}
