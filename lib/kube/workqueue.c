#include "kube/workqueue.h"

#include <stdlib.h>

#include "base/mem.h"
#include "process/clock.h"

enum { GATE_FIRST_MS = 200, GATE_MAX_MS = 15000 };

struct work_class {
	char *name;
	size_t max; /* 0: none */
	size_t active;
	struct work_line waiting;
};

static void
line_add(struct work_line *line, struct work *w)
{
	w->next = NULL;
	w->queued = true;
	*line->last = w;
	line->last = &w->next;
}

void
workqueue_limit(struct workqueue *q, long writes, work_held_fn *held)
{
	ceiling_init(&q->ceiling, writes, clock_ms());
	q->held = held;
}

void
workqueue_wrote(struct workqueue *q, struct span who)
{
	ceiling_write(&q->ceiling, who, clock_ms());
}

static struct work *
line_take(struct work_line *line)
{
	struct work *w = line->first;

	if (w == NULL)
		return NULL;
	line->first = w->next;
	if (line->first == NULL)
		line->last = &line->first;
	w->next = NULL;
	w->queued = false;
	return w;
}

static bool
line_drop(struct work_line *line, struct work *w)
{
	struct work **at = &line->first;

	while (*at != NULL && *at != w)
		at = &(*at)->next;
	if (*at == NULL)
		return false;
	*at = w->next;
	if (line->last == &w->next)
		line->last = at;
	w->next = NULL;
	w->queued = false;
	return true;
}

void
workqueue_init(
    struct workqueue *q, struct loop *l, size_t limit, work_fn *run, void *arg)
{
	*q = (struct workqueue){
	    .loop = l, .limit = limit, .run = run, .arg = arg};
	q->ready.last = &q->ready.first;
}

void
workqueue_release(struct workqueue *q)
{
	struct work_class *c;

	loop_cancel(q->loop, &q->timer);
	loop_cancel(q->loop, &q->ceiling_timer);
	ceiling_release(&q->ceiling);
	for (size_t i = 0; (c = map_next(&q->classes, &i)) != NULL;) {
		free(c->name);
		free(c);
	}
	map_release(&q->classes);
}

void
workqueue_classify(
    struct workqueue *q, struct work *w, struct span name, size_t max)
{
	struct work_class *c = map_get(&q->classes, name);

	if (c == NULL) {
		c = mem_zalloc(sizeof(*c));
		c->name = mem_dup(name.p, name.n);
		c->waiting.last = &c->waiting.first;
		map_put(&q->classes, span_str(c->name), c);
	}
	c->max = max;
	if (!w->admitted && !w->queued)
		w->class = c;
}

static bool
class_admit(struct work_class *c, struct work *w)
{
	if (c == NULL || w->admitted)
		return true;
	if (c->max != 0 && c->active >= c->max)
		return false;
	c->active++;
	w->admitted = true;
	return true;
}

void
workqueue_push(struct workqueue *q, struct work *w)
{
	if (!w->runnable) {
		w->runnable = true;
		q->runnable++;
	}
	if (w->queued)
		return;
	if (class_admit(w->class, w))
		line_add(&q->ready, w);
	else
		line_add(&w->class->waiting, w);
}

void
workqueue_rest(struct workqueue *q, struct work *w)
{
	struct work_class *c = w->class;
	struct work *waiter;

	if (w->queued && !line_drop(&q->ready, w) && c != NULL)
		line_drop(&c->waiting, w);
	if (w->runnable)
		q->runnable--;
	w->runnable = false;
	if (!w->admitted)
		return;
	w->admitted = false;
	c->active--;
	while (c->waiting.first != NULL && class_admit(c, c->waiting.first)) {
		waiter = line_take(&c->waiting);
		line_add(&q->ready, waiter);
	}
}

bool
workqueue_full(const struct workqueue *q)
{
	return q->runnable >= 2 * q->limit;
}

void
workqueue_started(struct workqueue *q)
{
	q->in_flight++;
}

static void
try_again(void *arg)
{
	struct workqueue *q = arg;

	q->paused = false;
}

bool
workqueue_ended(struct workqueue *q, int code)
{
	bool news;

	q->in_flight--;
	if (code != 0) {
		news = q->announced;
		q->closed = q->paused = q->announced = false;
		q->backoff = (struct kube_backoff){0};
		loop_cancel(q->loop, &q->timer);
		return news;
	}
	if (q->paused)
		return false; /* one of those that were still under way */
	/* A single broken connection is normal; it is reported if the next one
	 * fails, too. */
	news = q->closed && !q->announced;
	q->announced = q->announced || news;
	q->closed = q->paused = true;
	loop_after(q->loop, &q->timer,
	    kube_backoff_next(&q->backoff, GATE_FIRST_MS, GATE_MAX_MS),
	    try_again, q);
	return news;
}

static size_t
room(const struct workqueue *q)
{
	if (q->paused)
		return 0;
	return q->closed ? 1 : q->limit;
}

static void
waited(void *arg)
{
	struct workqueue *q = arg;

	q->waiting = false;
}

static bool
must_wait(struct workqueue *q)
{
	struct ceiling_most most;
	uint64_t ms;

	if (q->waiting || q->ready.first == NULL)
		return true;
	ms = ceiling_wait(&q->ceiling, clock_ms());
	if (ms == 0)
		return false;
	q->waiting = true;
	loop_after(q->loop, &q->ceiling_timer, ms, waited, q);
	if (ceiling_hold(&q->ceiling, ms, &most))
		q->held(q->arg, &most);
	return true;
}

void
workqueue_pump(struct workqueue *q)
{
	while (q->in_flight < room(q) && !must_wait(q))
		q->run(q->arg, line_take(&q->ready));
}
