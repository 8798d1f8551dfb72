#include "read/watch_index.h"

#include <stdlib.h>

#include "base/mem.h"
#include "read/watch_hub.h"
#include "type/api.h"

static void
walk(struct watch_bucket *b, const struct store_change *c,
    struct watch_frames *f)
{
	if (b == NULL)
		return;
	for (struct watcher *w = b->first; w != NULL; w = w->next)
		if (w->live && !w->dead && watch_event_offer(w, c, f) != 0)
			watch_hub_close(w, false);
}

static void
on_change(void *arg, struct collection *c, const struct store_change *change)
{
	struct watched *of = arg;
	const struct stored *o = change->now;
	struct watch_frames f = {.n = 0};
	struct watcher *w;

	(void)c;
	of->hub->walking = true;
	walk(map_get(&of->by_key, o->key), change, &f);
	if (o->namespace_.n > 0)
		walk(map_get(&of->by_namespace, o->namespace_), change, &f);
	walk(&of->all, change, &f);
	of->hub->walking = false;
	watch_frames_release(&f);
	/* Frees what died during a walk. */
	while ((w = of->hub->graveyard) != NULL) {
		of->hub->graveyard = w->next_dead;
		watch_index_remove(w);
		free(w);
	}
}

static struct watched *
watched_of(struct watch_hub *h, struct collection *c)
{
	struct watched *w;

	for (w = h->collections; w != NULL; w = w->next)
		if (w->collection == c)
			return w;
	w = mem_zalloc(sizeof(*w));
	w->collection = c;
	w->hub = h;
	w->hook = (struct store_hook){on_change, w, NULL};
	w->all.of = w;
	w->next = h->collections;
	h->collections = w;
	store_add_hook(h->api->store, c, &w->hook);
	return w;
}

/* Takes key. */
static struct watch_bucket *
bucket_of(struct watched *w, struct map *m, struct span key)
{
	struct watch_bucket *b = map_get(m, key);

	if (b != NULL)
		return b;
	b = mem_zalloc(sizeof(*b));
	b->key = span_make(mem_dup(key.p, key.n), key.n);
	b->of = w;
	b->is_name = m == &w->by_key;
	map_put(m, b->key, b);
	return b;
}

/* The smallest list that holds all that w may be interested in. */
static struct watch_bucket *
choose(struct watched *of, struct watcher *w)
{
	const struct request *r = w->request;
	const struct selection *s = &w->options.selection;
	struct span ns = r->namespace_.n > 0 ? r->namespace_ : s->namespace_;

	if (!r->resource->namespaced)
		return s->name.n > 0 ? bucket_of(of, &of->by_key, s->name)
				     : &of->all;
	if (ns.n == 0)
		return &of->all;
	if (s->name.n == 0)
		return bucket_of(of, &of->by_namespace, ns);
	return bucket_of(of, &of->by_key,
	    arena_printf(&w->request->arena, "%.*s/%.*s", SPAN_ARG(ns),
		SPAN_ARG(s->name)));
}

void
watch_index_add(struct watch_hub *h, struct watcher *w)
{
	struct watch_bucket *b =
	    choose(watched_of(h, w->resource->collection), w);

	w->bucket = b;
	w->next = b->first;
	w->link = &b->first;
	if (b->first != NULL)
		b->first->link = &w->next;
	b->first = w;
}

void
watch_index_remove(struct watcher *w)
{
	struct watch_bucket *b = w->bucket;

	if (b == NULL)
		return;
	*w->link = w->next;
	if (w->next != NULL)
		w->next->link = w->link;
	w->bucket = NULL;
	if (b->first != NULL || b == &b->of->all)
		return;
	map_del(b->is_name ? &b->of->by_key : &b->of->by_namespace, b->key);
	free((char *)(uintptr_t)b->key.p);
	free(b);
}

static struct watcher *
find(struct watch_bucket *b, const struct resource *r)
{
	struct watcher *w = b == NULL ? NULL : b->first;

	while (w != NULL && (w->dead || (r != NULL && w->resource != r)))
		w = w->next;
	return w;
}

struct watcher *
watch_index_any(const struct watch_hub *h, const struct resource *r)
{
	struct watcher *w;
	struct watch_bucket *b;

	for (struct watched *of = h->collections; of != NULL; of = of->next) {
		if ((w = find(&of->all, r)) != NULL)
			return w;
		for (size_t i = 0;
		     (b = map_next(&of->by_namespace, &i)) != NULL;)
			if ((w = find(b, r)) != NULL)
				return w;
		for (size_t i = 0; (b = map_next(&of->by_key, &i)) != NULL;)
			if ((w = find(b, r)) != NULL)
				return w;
	}
	return NULL;
}
