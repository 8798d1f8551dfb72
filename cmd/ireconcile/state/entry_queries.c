/* Part of state/entry.h: which objects a primary sees, and which kinds an entry
 * uses for what. */
#include "state/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "state/index.h"
#include "state/marks.h"
#include "state/naming.h"
#include "state/primary.h"
#include "value/objref.h"

static int
by_key(const void *a, const void *b)
{
	const struct cache_object *const *x = a, *const *y = b;

	return span_cmp(cache_object_key(*x), cache_object_key(*y));
}

static void
add_object(struct cache_object ***list, size_t *count, struct cache_object *o)
{
	(*list)[(*count)++] = o;
	/* With room for the NULL. */
	*list = mem_grow(*list, *count, sizeof(**list));
}

static void
add_bucket(const struct entry *e, const struct use *u, struct span key,
    char type, struct cache_object ***list, size_t *count)
{
	const struct entry_bucket *b = index_bucket(e, type, key);

	for (size_t i = 0; b != NULL && i < b->count; i++)
		if (b->links[i].use == u)
			add_object(list, count, b->links[i].object);
}

static void
add_members(const struct entry *e, const struct use *u,
    const struct cache_object *primary, struct cache_object ***list,
    size_t *count)
{
	struct buf key = BUF_INIT;

	marks_primary_key(&key, e, primary, MARKS_USUAL);
	add_bucket(e, u, buf_span(&key), 'm', list, count);
	buf_reset(&key);
	marks_primary_key(&key, e, primary, MARKS_RETAINED);
	add_bucket(e, u, buf_span(&key), 'm', list, count);
	buf_reset(&key);
	if (marks_owning_key(&key, primary))
		add_bucket(e, u, buf_span(&key), 'u', list, count);
	buf_release(&key);
}

struct cache_object **
entry_objects(
    const struct entry *e, const struct primary *p, const struct use *u)
{
	struct cache_object **list = mem_zalloc(2 * sizeof(*list)), *o;
	size_t count = 0, kept = 0;

	if (u->conf->map == WATCH_MAP_ALL) {
		for (size_t i = 0;
		     (o = map_next(&u->kind->objects, &i)) != NULL;)
			if (entry_use_covers(u, o))
				add_object(&list, &count, o);
	} else if (u->conf->map == WATCH_MAP_FIELD) {
		for (size_t i = 0; (o = naming_next(p, u, &i)) != NULL;)
			if (entry_use_covers(u, o))
				add_object(&list, &count, o);
	} else {
		add_bucket(e, u, primary_key(p), 'k', &list, &count);
		if (p->object != NULL)
			add_members(e, u, p->object, &list, &count);
	}
	if (count > 1)
		qsort(list, count, sizeof(*list), by_key);
	for (size_t i = 0; i < count; i++)
		if (kept == 0 || list[kept - 1] != list[i])
			list[kept++] = list[i];
	list[kept] = NULL;
	return list;
}

bool
entry_shows(const struct entry *e, const struct primary *p, const struct use *u,
    const struct cache_object *o)
{
	struct cache_object **list;
	bool found = false;

	if (u->conf->map == WATCH_MAP_ALL)
		return entry_use_covers(u, o);
	list = entry_objects(e, p, u);
	for (size_t i = 0; list[i] != NULL && !found; i++)
		found = list[i] == o;
	free(list);
	return found;
}

static bool
is_of_kind(const struct use *u, struct span api_version, struct span kind)
{
	return span_is(kind, u->conf->kind) &&
	    span_is(objref_group(api_version), u->conf->group);
}

struct use *
entry_managed(const struct entry *e, struct span api_version, struct span kind)
{
	for (size_t i = 0; i < e->use_count; i++) {
		struct use *u = e->uses[i];

		if (u->role == USE_DEPENDENT && u->conf->manage &&
		    is_of_kind(u, api_version, kind))
			return u;
	}
	return NULL;
}

struct use *
entry_deletable(
    const struct entry *e, struct span api_version, struct span kind)
{
	for (size_t i = 0; i < e->use_count; i++) {
		struct use *u = e->uses[i];

		if (u->role == USE_RELATED && u->conf->deletes &&
		    is_of_kind(u, api_version, kind))
			return u;
	}
	return NULL;
}

struct use *
entry_patchable(
    const struct entry *e, struct span api_version, struct span kind)
{
	for (size_t i = 0; i < e->use_count; i++)
		if (e->uses[i]->conf->patches &&
		    is_of_kind(e->uses[i], api_version, kind))
			return e->uses[i];
	return NULL;
}

struct primary **
entry_primaries(const struct entry *e)
{
	return (struct primary **)map_sorted(&e->primaries);
}
