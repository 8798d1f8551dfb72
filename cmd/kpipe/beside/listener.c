#include "beside/listener.h"

#include <signal.h>
#include <unistd.h>

/* The resident's functions know their owner: it is the first member. */
static struct listener *
owner(struct resident *r)
{
	return (struct listener *)r;
}

static int
start_reading(struct resident *r, struct err *err)
{
	struct listener *l = owner(r);

	return stage_start(&r->stage, l->pipe[0], l->null_fd, err);
}

/* A recorder that is not ready yet has no handler, and begins anyway. */
static void
ask_for_state(struct resident *r)
{
	const struct stage *record = owner(r)->record;

	if (r->stage.starts > 1 && record->pid != 0 && record->ready)
		kill(record->pid, SIGUSR1);
}

static void
pass_on(struct resident *r, struct span line)
{
	struct listener *l = owner(r);

	board_report(l->board, l->number, r->stage.name, line);
}

static void
forget(struct resident *r)
{
	struct listener *l = owner(r);

	board_forget(l->board, l->number);
}

int
listener_open(struct listener *l, struct err *err)
{
	return stage_pipe(l->pipe, err);
}

void
listener_start(struct listener *l)
{
	l->resident.launch = start_reading;
	if (l->needs_state)
		l->resident.on_ready = ask_for_state;
	if (l->board != NULL) {
		l->resident.on_line = pass_on;
		l->resident.on_stop = forget;
	}
	resident_start(&l->resident);
}

void
listener_release(struct listener *l)
{
	for (int i = 0; i < 2; i++)
		if (l->pipe[i] >= 0)
			close(l->pipe[i]);
	resident_release(&l->resident);
}
