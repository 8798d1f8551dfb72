#include "kube/reach.h"

#include "process/log.h"

enum { FIRST_MS = 500, MAX_MS = 15000 };

static void ask(void *arg);

static void
answered(void *arg, const struct kube_error *e)
{
	struct reach *r = arg;
	struct err err = ERR_INIT;

	if (e == NULL) {
		if (r->said)
			log_info("%s answers again", kube_server(r->kube));
		r->done(r->arg, NULL);
		return;
	}
	if (e->kind == ERR_PERMANENT && (e->code == 0 || r->hasty)) {
		err_set(&err, ERR_PERMANENT, "%s", e->message);
		r->done(r->arg, &err);
		return;
	}
	if (!r->said)
		log_warning("cannot read what %s serves: %s; trying again",
		    kube_server(r->kube), e->message);
	r->said = true;
	loop_after(r->loop, &r->timer,
	    kube_backoff_next(&r->backoff, FIRST_MS, MAX_MS), ask, r);
}

static void
ask(void *arg)
{
	struct reach *r = arg;

	discovery_refresh(r->discovery, answered, r);
}

void
reach_start(struct reach *r, enum reach_how how, struct loop *l, struct kube *k,
    struct discovery *d, reach_done_fn *done, void *arg)
{
	*r = (struct reach){.loop = l,
	    .kube = k,
	    .discovery = d,
	    .done = done,
	    .arg = arg,
	    .hasty = how == REACH_HASTY};
	ask(r);
}
