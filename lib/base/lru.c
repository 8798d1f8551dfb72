#include "base/lru.h"

#include <stdlib.h>

#include "base/mem.h"

void
lru_init(struct lru *l, size_t entry_size, size_t max)
{
	*l =
	    (struct lru){.entry_size = entry_size, .max = max, .map = MAP_INIT};
}

static void
take_out(struct lru *l, struct lru_entry *e)
{
	*(e->newer != NULL ? &e->newer->older : &l->newest) = e->older;
	*(e->older != NULL ? &e->older->newer : &l->oldest) = e->newer;
}

static void
put_first(struct lru *l, struct lru_entry *e)
{
	e->newer = NULL;
	e->older = l->newest;
	*(e->older != NULL ? &e->older->newer : &l->oldest) = e;
	l->newest = e;
}

static void
forget(struct lru *l, struct lru_entry *e)
{
	take_out(l, e);
	map_del(&l->map, span_str(e->key));
	free(e->key);
	free(e);
}

void
lru_release(struct lru *l)
{
	while (l->newest != NULL)
		forget(l, l->newest);
	map_release(&l->map);
}

void *
lru_touch(struct lru *l, struct span key)
{
	struct lru_entry *e = map_get(&l->map, key);

	if (e != NULL) {
		take_out(l, e);
	} else {
		if (l->map.count >= l->max)
			forget(l, l->oldest);
		e = mem_zalloc(l->entry_size);
		e->key = mem_dup(key.p, key.n);
		map_put(&l->map, span_str(e->key), e);
	}
	put_first(l, e);
	return e;
}
