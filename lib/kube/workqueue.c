#include "kube/workqueue.h"

#include <stdlib.h>

#include "base/mem.h"
#include "process/clock.h"

enum {
	GATE_FIRST_MS = 200,
	GATE_MAX_MS = 15000,
	WRITERS = 4096, /* more names than this at once are not told apart */
	WINDOW_MS = CEILING_BURST_S * 1000
};

struct work_class {
	char *name;
	size_t max; /* 0: none */
	size_t active;
	struct work_line waiting;
};

struct ceiling_writer {
	char *name;
	uint64_t count;
};

/* ---- the limit of writes ---- */

static void
forget_writers(struct ceiling *c)
{
	struct ceiling_writer *w;

	for (size_t i = 0; (w = map_next(&c->writers, &i)) != NULL;) {
		free(w->name);
		free(w);
	}
	map_release(&c->writers);
	c->writes = 0;
}

static void
refill(struct ceiling *c, uint64_t now_ms)
{
	int64_t full = (int64_t)c->limit * 1000 * CEILING_BURST_S;
	uint64_t passed = now_ms - c->at_ms;

	if (passed > WINDOW_MS)
		passed = WINDOW_MS;
	c->left += (int64_t)passed * c->limit;
	c->at_ms = now_ms;
	if (c->left < full)
		return;
	c->left = full;
	c->hit = false;
}

void
workqueue_limit(struct workqueue *q, long writes, work_held_fn *held)
{
	uint64_t now_ms = clock_ms();

	q->ceiling = (struct ceiling){.limit = writes,
	    .left = (int64_t)writes * 1000 * CEILING_BURST_S,
	    .at_ms = now_ms,
	    .from_ms = now_ms};
	q->held = held;
}

void
workqueue_wrote(struct workqueue *q, struct span who)
{
	struct ceiling *c = &q->ceiling;
	uint64_t now_ms = clock_ms();
	struct ceiling_writer *w;

	if (c->limit == 0)
		return;
	refill(c, now_ms);
	c->left -= 1000;
	if (now_ms - c->from_ms >= WINDOW_MS && !c->hit) {
		forget_writers(c);
		c->from_ms = now_ms;
	}
	c->writes++;
	w = map_get(&c->writers, who);
	if (w == NULL && c->writers.count < WRITERS) {
		w = mem_zalloc(sizeof(*w));
		w->name = mem_dup(who.p, who.n);
		map_put(&c->writers, span_make(w->name, who.n), w);
	}
	if (w != NULL)
		w->count++;
}

/* Tells the owner which writer has written most. */
static void
tell_held(struct workqueue *q)
{
	const struct ceiling *c = &q->ceiling;
	const struct ceiling_writer *w, *most = NULL;
	struct buf b = BUF_INIT;

	for (size_t i = 0; (w = map_next(&c->writers, &i)) != NULL;)
		if (most == NULL || w->count > most->count)
			most = w;
	buf_addf(&b,
	    "more writes than %ld a second (--max-writes-per-second): what is "
	    "beyond waits; of the last %llu, %llu are for %s",
	    c->limit, (unsigned long long)c->writes,
	    (unsigned long long)(most != NULL ? most->count : 0),
	    most != NULL ? most->name : "");
	q->held(q->arg, buf_str(&b));
	buf_release(&b);
}

static void
waited(void *arg)
{
	struct workqueue *q = arg;

	q->waiting = false;
}

/* Nothing is ready, or the bucket has not a whole write left. */
static bool
must_wait(struct workqueue *q)
{
	struct ceiling *c = &q->ceiling;
	uint64_t ms;

	if (q->waiting || TAILQ_EMPTY(&q->ready.all))
		return true;
	if (c->limit == 0)
		return false;
	refill(c, clock_ms());
	if (c->left >= 1000)
		return false;
	ms = (uint64_t)((1000 - c->left + c->limit - 1) / c->limit);
	q->waiting = true;
	loop_after(q->loop, &q->ceiling_timer, ms, waited, q);
	c->held_ms += ms;
	if (!c->hit)
		tell_held(q);
	c->hit = true;
	return true;
}

/* ---- lines ---- */

/* The line in which a key waits: for room in its class, or for a request. */
static struct work_line *
line_of(struct workqueue *q, struct work *w)
{
	return w->class == NULL || w->admitted ? &q->ready : &w->class->waiting;
}

static void
line_drop(struct workqueue *q, struct work *w)
{
	TAILQ_REMOVE(&line_of(q, w)->all, w, next);
	w->queued = false;
}

void
workqueue_init(
    struct workqueue *q, struct loop *l, size_t limit, work_fn *run, void *arg)
{
	*q = (struct workqueue){
	    .loop = l, .limit = limit, .run = run, .arg = arg};
	TAILQ_INIT(&q->ready.all);
}

void
workqueue_release(struct workqueue *q)
{
	struct work_class *c;

	loop_cancel(q->loop, &q->timer);
	loop_cancel(q->loop, &q->ceiling_timer);
	forget_writers(&q->ceiling);
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
		TAILQ_INIT(&c->waiting.all);
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
	class_admit(w->class, w);
	TAILQ_INSERT_TAIL(&line_of(q, w)->all, w, next);
	w->queued = true;
}

void
workqueue_rest(struct workqueue *q, struct work *w)
{
	struct work_class *c = w->class;
	struct work *first;

	if (w->queued)
		line_drop(q, w);
	if (w->runnable)
		q->runnable--;
	w->runnable = false;
	if (!w->admitted)
		return;
	w->admitted = false;
	c->active--;
	while ((first = TAILQ_FIRST(&c->waiting.all)) != NULL &&
	    class_admit(c, first)) {
		TAILQ_REMOVE(&c->waiting.all, first, next);
		TAILQ_INSERT_TAIL(&q->ready.all, first, next);
	}
}

bool
workqueue_full(const struct workqueue *q)
{
	return q->runnable >= 2 * q->limit;
}

/* ---- requests ---- */

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
		return false; /* the request was still under way */
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

void
workqueue_pump(struct workqueue *q)
{
	for (;;) {
		size_t room = q->paused ? 0 : q->closed ? 1 : q->limit;
		struct work *w;

		if (q->in_flight >= room || must_wait(q))
			return;
		w = TAILQ_FIRST(&q->ready.all);
		line_drop(q, w);
		q->run(q->arg, w);
	}
}
