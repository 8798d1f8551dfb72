#include "sidecar/listener.h"

#include <signal.h>
#include <unistd.h>

/* The sidecar's functions know their owner: it is the first member. */
static struct listener *
owner(struct sidecar *r)
{
	return (struct listener *)r;
}

static int
start_reading(struct sidecar *r, struct err *err)
{
	struct listener *l = owner(r);

	return stage_start(&r->stage, l->pipe[0], l->null_fd, err);
}

/* A recorder that is not ready yet has no handler, and begins anyway. */
static void
ask_for_state(struct sidecar *r)
{
	const struct stage *record = owner(r)->record;

	if (r->stage.starts > 1 && record->pid != 0 && record->ready)
		kill(record->pid, SIGUSR1);
}

static void
pass_on(struct sidecar *r, struct span line)
{
	struct listener *l = owner(r);

	pipestate_report(l->pipestate, l->number, r->stage.name, line);
}

static void
forget(struct sidecar *r)
{
	struct listener *l = owner(r);

	pipestate_forget(l->pipestate, l->number);
}

int
listener_open(struct listener *l, struct err *err)
{
	return stage_pipe(l->pipe, err);
}

void
listener_start(struct listener *l)
{
	l->sidecar.launch = start_reading;
	if (l->needs_state)
		l->sidecar.on_ready = ask_for_state;
	if (l->pipestate != NULL) {
		l->sidecar.on_line = pass_on;
		l->sidecar.on_stop = forget;
	}
	sidecar_start(&l->sidecar);
}

void
listener_release(struct listener *l)
{
	for (int i = 0; i < 2; i++)
		if (l->pipe[i] >= 0)
			close(l->pipe[i]);
	sidecar_release(&l->sidecar);
}
