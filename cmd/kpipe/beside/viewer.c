#include "beside/viewer.h"

#include <signal.h>
#include <unistd.h>

/* The resident's functions know their owner: it is the first member. */
static int
start_view(struct resident *r, struct err *err)
{
	struct viewer *v = (struct viewer *)r;

	return stage_start(&r->stage, v->pipe[0], v->null_fd, err);
}

/* A recorder that is not ready yet has no handler, and begins anyway. */
static void
ask_for_state(struct resident *r)
{
	const struct stage *record = ((struct viewer *)r)->record;

	if (r->stage.starts > 1 && record->pid != 0 && record->ready)
		kill(record->pid, SIGUSR1);
}

int
viewer_open(struct viewer *v, struct err *err)
{
	return stage_pipe(v->pipe, err);
}

void
viewer_start(struct viewer *v)
{
	v->resident.launch = start_view;
	v->resident.on_ready = ask_for_state;
	resident_start(&v->resident);
}

void
viewer_release(struct viewer *v)
{
	for (int i = 0; i < 2; i++)
		if (v->pipe[i] >= 0)
			close(v->pipe[i]);
	resident_release(&v->resident);
}
