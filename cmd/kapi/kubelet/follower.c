#include "kubelet/follower.h"

#include "kubelet/echoed.h"
#include "kubelet/podcontainer.h"
#include "kubelet/script.h"
#include "type/api.h"
#include "write/convert.h"

static struct span
log_of(struct arena *a, const struct follower *f, const struct node *pod)
{
	struct span text = script_text(a, pod,
	    f->options.previous ? "previous-logs" : "logs", f->container);

	return text.p != NULL || f->options.previous
	    ? text
	    : echoed_text(a, pod, f->container);
}

/* How much of text was told. A last line without an end got one. */
static size_t
told_of(const struct follower *f, struct span text)
{
	struct span told = buf_span(&f->told);

	if (text.n < told.n || !span_eq(span_make(text.p, told.n), told))
		return 0;
	if (text.n > told.n && told.n > 0 && told.p[told.n - 1] != '\n')
		return text.p[told.n] == '\n' ? told.n + 1 : 0;
	return told.n;
}

/* False: it was stopped. */
static bool
tell(struct follower *f, struct arena *a, const struct node *pod)
{
	struct span text = log_of(a, f, pod);
	size_t done = told_of(f, text);
	struct buf lines = BUF_INIT;
	struct span s;

	logs_select(text, done,
	    podcontainer_began_us(pod, f->container, f->options.previous),
	    &f->options, &lines);
	/* Of what comes later every line is wanted. */
	f->options.tail = -1;
	buf_reset(&f->told);
	buf_addspan(&f->told, text);
	s = arena_span(a, buf_span(&lines));
	buf_release(&lines);
	if (s.n > 0)
		f->on_lines(f->arg, s);
	return f->hooked;
}

static void
end(struct follower *f)
{
	if (!f->hooked)
		return;
	follower_stop(f);
	f->on_end(f->arg);
}

/* After the change was told to all: callbacks may write and free. */
static void
look(void *arg)
{
	struct follower *f = arg;
	struct request *r = f->request;
	const struct stored *o =
	    store_get(r->resource->collection, r->namespace_, r->name);
	struct arena a = ARENA_INIT;
	struct node *pod = o == NULL ? NULL : convert_tree(&a, o);
	bool goes_on = pod != NULL && tell(f, &a, pod);

	if (f->hooked &&
	    (!goes_on || f->options.limit == 0 ||
		!podcontainer_runs(pod, f->container)))
		end(f);
	arena_release(&a);
}

static void
see(void *arg, struct collection *c, const struct store_change *change)
{
	struct follower *f = arg;
	const struct request *r = f->request;

	(void)c;
	if (!span_eq(change->now->name, r->name) ||
	    !span_eq(change->now->namespace_, r->namespace_))
		return;
	if (!loop_timer_armed(&f->timer))
		loop_after(r->api->loop, &f->timer, 0, look, f);
}

void
follower_start(struct follower *f, const struct node *pod)
{
	struct request *r = f->request;

	f->hook = (struct store_hook){see, f, NULL};
	f->hooked = true;
	store_add_hook(r->api->store, r->resource->collection, &f->hook);
	if (tell(f, &r->arena, pod) &&
	    (!f->options.follow || f->options.previous ||
		f->options.limit == 0 || !podcontainer_runs(pod, f->container)))
		end(f);
}

void
follower_stop(struct follower *f)
{
	struct request *r = f->request;

	if (!f->hooked)
		return;
	f->hooked = false;
	store_remove_hook(r->api->store, r->resource->collection, &f->hook);
	loop_cancel(r->api->loop, &f->timer);
	buf_release(&f->told);
}
