#include "state/fairqueue.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "state/primary.h"

struct nsqueue {
	struct heap_slot slot; /* first: in the heap while a primary waits */
	uint64_t used_us;      /* at least that of the queue served last */
	struct primary *first, **end;
	size_t key_len;
	char key[];
};

static struct span
nsqueue_key(const struct nsqueue *queue)
{
	return span_make(queue->key, queue->key_len);
}

static void
add_key(const struct fairqueue *q, const struct primary *p, struct buf *key)
{
	if (q->order == FAIRQUEUE_ONE)
		return;
	buf_adds(key, p->namespace_);
	if (*p->namespace_ == '\0') {
		buf_addc(key, '\0');
		buf_adds(key, p->name);
	}
}

/* Whether the queue can be forgotten. */
static bool
is_over(const void *value, const void *arg)
{
	const struct nsqueue *queue = value;
	const struct fairqueue *q = arg;

	return !heap_has(queue) && queue->used_us <= q->now_us;
}

static struct nsqueue *
nsqueue_of(struct fairqueue *q, const struct primary *p)
{
	struct buf key = BUF_INIT;
	struct nsqueue *queue;

	add_key(q, p, &key);
	queue = map_get(&q->all, buf_span(&key));
	if (queue == NULL) {
		if (q->all.count > 2 * q->waiting.count + 256)
			map_sweep(&q->all, is_over, q);
		queue = mem_zalloc(sizeof(*queue) + key.len + 1);
		queue->used_us = q->now_us;
		queue->end = &queue->first;
		queue->key_len = key.len;
		if (key.len > 0)
			memcpy(queue->key, key.data, key.len);
		map_put(&q->all, nsqueue_key(queue), queue);
	}
	buf_release(&key);
	return queue;
}

static bool
before(const void *first, const void *second)
{
	const struct nsqueue *a = first, *b = second;
	uint64_t x = a->used_us / FAIRQUEUE_SLICE_US;
	uint64_t y = b->used_us / FAIRQUEUE_SLICE_US;

	return x != y ? x < y : a->first->work.arrival < b->first->work.arrival;
}

void
fairqueue_add(struct fairqueue *q, struct primary *p)
{
	struct nsqueue *queue = nsqueue_of(q, p);

	p->work.next = NULL;
	p->work.arrival = ++q->arrivals;
	*queue->end = p;
	queue->end = &p->work.next;
	if (heap_has(queue))
		return;
	if (queue->used_us < q->now_us)
		queue->used_us = q->now_us;
	heap_put(&q->waiting, queue, before);
}

struct primary *
fairqueue_take(struct fairqueue *q)
{
	struct nsqueue *queue = heap_first(&q->waiting);
	struct primary *p;

	if (queue == NULL)
		return NULL;
	if (queue->used_us > q->now_us)
		q->now_us = queue->used_us;
	p = queue->first;
	queue->first = p->work.next;
	if (queue->first != NULL) {
		heap_put(&q->waiting, queue, before);
		return p;
	}
	queue->end = &queue->first;
	heap_del(&q->waiting, queue, before);
	return p;
}

void
fairqueue_charge(struct fairqueue *q, const struct primary *p, uint64_t us)
{
	struct nsqueue *queue;

	if (q->order == FAIRQUEUE_ONE)
		return;
	queue = nsqueue_of(q, p);
	queue->used_us += us;
	if (heap_has(queue))
		heap_put(&q->waiting, queue, before);
}

void
fairqueue_release(struct fairqueue *q)
{
	struct nsqueue *queue;

	heap_release(&q->waiting);
	for (size_t i = 0; (queue = map_next(&q->all, &i)) != NULL;)
		free(queue);
	map_release(&q->all);
	*q = (struct fairqueue){.order = q->order};
}
