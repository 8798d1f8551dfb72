#include "state/naming.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/fieldpath.h"
#include "json/json.h"
#include "state/primary.h"

/* The name of an object, and the primaries that have it. */
struct naming {
	struct use *use;
	struct primary **primaries;
	size_t count;
	size_t key_len;
	char key[]; /* "NAMESPACE\0NAME" */
};

/* The names in the fields of a primary, while they are read. */
struct named_objects {
	const struct primary *primary;
	struct use *use;
	struct naming **list;
	size_t count;
};

static struct span
naming_key(const struct naming *n)
{
	return span_make(n->key, n->key_len);
}

/* A fieldpath_fn. A value that is not a name names nothing. */
static void
collect(void *arg, struct span value)
{
	struct named_objects *c = arg;
	const struct watch_kind *conf = c->use->conf;
	struct buf scratch = BUF_INIT, key = BUF_INIT;
	struct span name = json_string(value, &scratch);
	struct span ns = cache_object_namespace(c->primary->object);
	struct naming *n;

	if (conf->map_namespace != NULL)
		ns = span_str(conf->map_namespace);
	if (conf->scope == WATCH_CLUSTER)
		ns = SPAN_NONE;
	cache_add_key(&key, ns, name);
	n = map_get(&c->use->named, buf_span(&key));
	if (n == NULL && name.n > 0) {
		n = mem_zalloc(sizeof(*n) + key.len);
		n->use = c->use;
		n->key_len = key.len;
		memcpy(n->key, key.data, key.len);
		map_put(&c->use->named, naming_key(n), n);
	}
	if (n != NULL) {
		c->list = mem_grow(c->list, c->count, sizeof(struct naming *));
		c->list[c->count++] = n;
	}
	buf_release(&key);
	buf_release(&scratch);
}

static int
by_address(const void *a, const void *b)
{
	uintptr_t x = (uintptr_t) * (struct naming *const *)a;
	uintptr_t y = (uintptr_t) * (struct naming *const *)b;

	return (x > y) - (x < y);
}

/* Sorted, each once. */
static void
collect_all(struct named_objects *c)
{
	const struct entry *e = c->primary->entry;
	size_t kept = 0;

	for (size_t i = 0; c->primary->object != NULL && i < e->use_count;
	     i++) {
		const struct textlist *paths = &e->uses[i]->conf->map_fields;

		c->use = e->uses[i];
		for (size_t j = 0; j < paths->count; j++)
			fieldpath_each(paths->items[j],
			    cache_object_text(c->primary->object), collect, c);
	}
	if (c->count > 1)
		qsort(c->list, c->count, sizeof(struct naming *), by_address);
	for (size_t i = 0; i < c->count; i++)
		if (kept == 0 || c->list[kept - 1] != c->list[i])
			c->list[kept++] = c->list[i];
	c->count = kept;
}

static bool
has(struct naming *const *list, size_t count, const struct naming *n)
{
	return count > 0 &&
	    bsearch(&n, list, count, sizeof(struct naming *), by_address) !=
	    NULL;
}

static void
naming_free(struct naming *n)
{
	free(n->primaries);
	free(n);
}

static void
drop(struct naming *n, const struct primary *p)
{
	size_t i = 0;

	while (n->primaries[i] != p)
		i++;
	n->primaries[i] = n->primaries[--n->count];
	if (n->count == 0) {
		map_del(&n->use->named, naming_key(n));
		naming_free(n);
	}
}

void
naming_update(struct primary *p)
{
	struct named_objects c = {.primary = p};
	struct naming **old = p->names;
	size_t old_count = p->name_count;

	collect_all(&c);
	for (size_t i = 0; i < c.count; i++) {
		struct naming *n = c.list[i];

		if (has(old, old_count, n))
			continue;
		n->primaries =
		    mem_grow(n->primaries, n->count, sizeof(struct primary *));
		n->primaries[n->count++] = p;
	}
	for (size_t i = 0; i < old_count; i++)
		if (!has(c.list, c.count, old[i]))
			drop(old[i], p);
	free(old);
	p->names = c.list;
	p->name_count = c.count;
}

void
naming_dirty(
    struct entries *es, const struct use *u, const struct cache_object *o)
{
	const struct naming *n = map_get(&u->named, cache_object_key(o));

	for (size_t i = 0; n != NULL && i < n->count; i++)
		es->dirty(es->arg, n->primaries[i]);
}

struct cache_object *
naming_next(const struct primary *p, const struct use *u, size_t *i)
{
	struct cache_object *o = NULL;

	while (o == NULL && *i < p->name_count) {
		const struct naming *n = p->names[(*i)++];

		if (n->use == u)
			o = cache_get(u->kind, naming_key(n));
	}
	return o;
}

void
naming_release(struct use *u)
{
	struct naming *n;

	for (size_t i = 0; (n = map_next(&u->named, &i)) != NULL;)
		naming_free(n);
	map_release(&u->named);
}
