/* Part of state/entry.h: which objects a primary sees, which kinds an entry uses
 * for what, and what the programs of the entries read. */
#include "state/entry.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/textlist.h"
#include "json/json.h"
#include "json/jvtext.h"
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

/* Members of another instance are only seen as related objects. */
static bool
is_seen(
    const struct entry *e, const struct use *u, const struct cache_object *o)
{
	return u->role != USE_DEPENDENT || marks_is_ours(e, o);
}

static void
add_bucket(const struct entry *e, const struct use *u, struct span key,
    char type, struct cache_object ***list, size_t *count)
{
	const struct entry_bucket *b = index_bucket(e, type, key);

	for (size_t i = 0; b != NULL && i < b->count; i++)
		if (b->links[i].use == u && is_seen(e, u, b->links[i].object))
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

/* The first that is too large; list is owned. */
static const struct cache_object *
first_too_large(struct cache_object **list)
{
	const struct cache_object *found = NULL;

	for (size_t j = 0; list[j] != NULL && found == NULL; j++)
		if (list[j]->too_large)
			found = list[j];
	free(list);
	return found;
}

/* All objects of a use; owned, as of entry_objects. */
static struct cache_object **
all_objects(const struct use *u)
{
	struct cache_object **list = mem_zalloc(2 * sizeof(*list)), *o;
	size_t count = 0;

	for (size_t i = 0; (o = map_next(&u->kind->objects, &i)) != NULL;)
		if (entry_use_covers(u, o))
			add_object(&list, &count, o);
	list[count] = NULL;
	return list;
}

const struct cache_object *
entry_too_large(const struct entry *e, const struct primary *p)
{
	const struct cache_object *found = NULL;

	if (p->object->too_large)
		return p->object;
	for (size_t i = 1; i < e->use_count && found == NULL; i++) {
		const struct use *u = e->uses[i];

		if (u->kind->too_large > 0)
			found = first_too_large(u->conf->map == WATCH_MAP_JQ
				? all_objects(u)
				: entry_objects(e, p, u));
	}
	return found;
}

/* ---- the oldest member ---- */

/* Of which the server says when they were made. */
static bool
is_older(const struct cache_object *a, const struct cache_object *b)
{
	struct span x, y;
	struct buf one = BUF_INIT, other = BUF_INIT;
	int order;

	if (b == NULL)
		return true;
	x = json_raw_string(cache_object_meta(a, "creationTimestamp"));
	y = json_raw_string(cache_object_meta(b, "creationTimestamp"));
	order = span_cmp(x, y);
	if (order == 0) {
		cache_object_add_label(&one, a);
		cache_object_add_label(&other, b);
		order = span_cmp(buf_span(&one), buf_span(&other));
	}
	buf_release(&one);
	buf_release(&other);
	return order < 0;
}

static void
find_oldest(const struct primary *p, struct span key, char type,
    const struct cache_object **oldest)
{
	const struct entry *e = p->entry;
	const struct entry_bucket *b = index_bucket(e, type, key);

	for (size_t i = 0; b != NULL && i < b->count; i++) {
		const struct cache_object *o = b->links[i].object;
		const struct use *u = b->links[i].use;

		if (u->role == USE_DEPENDENT && u->conf->manage &&
		    o->instance != INSTANCES_NONE && !o->retained &&
		    is_older(o, *oldest) &&
		    !marks_is_other_operators(e, o, p->object))
			*oldest = o;
	}
}

const struct cache_object *
entry_oldest_named(const struct primary *p)
{
	const struct cache_object *oldest = NULL;
	struct buf key = BUF_INIT;

	marks_primary_key(&key, p->entry, p->object, MARKS_USUAL);
	find_oldest(p, buf_span(&key), 'm', &oldest);
	buf_reset(&key);
	if (marks_owning_key(&key, p->object))
		find_oldest(p, buf_span(&key), 'u', &oldest);
	buf_release(&key);
	return oldest;
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

/* ---- what is known ---- */

/* Members may be anywhere: those of an earlier version of the file, too. */
static bool
may_have_marks(const struct watch_entry *conf)
{
	return conf->finalizer != NULL || conf->retired_finalizers.count > 0 ||
	    conf->retains;
}

/* Whether a primary sees only objects of its own namespace. */
static bool
stays_at_home(const struct use *u)
{
	const struct watch_entry *entry = u->entry->conf;
	const struct watch_kind *conf = u->conf;

	if (entry->primary.scope == WATCH_CLUSTER || conf->deletes ||
	    conf->patches)
		return false;
	if (u->role == USE_PRIMARY)
		return true;
	if (conf->manage && may_have_marks(entry))
		return false;
	switch (conf->map) {
	case WATCH_MAP_MEMBER:
		return !may_have_marks(entry);
	case WATCH_MAP_LABEL:
	case WATCH_MAP_FIELD:
		return conf->map_namespace == NULL;
	case WATCH_MAP_JQ:
	case WATCH_MAP_ALL:
		break;
	}
	return false;
}

static bool
use_knows(const struct use *u, struct span ns)
{
	const struct textlist *all = &u->conf->namespaces;
	const struct map *listed = &u->kind->listed;
	bool known = all->count > 0 && all->count <= listed->count;

	if (u->kind->complete)
		return true;
	if (stays_at_home(u))
		return map_get(listed, ns) != NULL;
	for (size_t i = 0; i < all->count && known; i++)
		known = map_get(listed, span_str(all->items[i])) != NULL;
	return known;
}

bool
entry_knows(const struct entry *e, struct span ns)
{
	/* Slots are taken by primaries of every namespace. */
	bool known = e->complete || e->conf->throttle_limit == 0;

	for (size_t i = 0; i < e->use_count && known && !e->complete; i++)
		known = use_knows(e->uses[i], ns);
	return known;
}

struct primary **
entry_primaries(const struct entry *e)
{
	return (struct primary **)map_sorted(&e->primaries);
}

/* ---- what programs read ---- */

struct known {
	struct textlist owned, related, operator_keys;
	bool filters;
};

static void
note_known(struct known *k, const struct entry *e)
{
	for (size_t j = 1; j < e->use_count; j++)
		textlist_add(
		    e->uses[j]->role == USE_DEPENDENT ? &k->owned : &k->related,
		    e->uses[j]->name, strlen(e->uses[j]->name));
	jv_object_foreach(e->operator_, key, value)
	{
		struct span s = jvtext_span(key);

		textlist_add(&k->operator_keys, s.p, s.n);
		jv_free(key);
		jv_free(value);
	}
	k->filters = k->filters || e->conf->filter_count > 0;
}

static int
check_entry(
    const struct entry *e, const struct program_known *known, struct err *err)
{
	if (program_check_reads(e->program, known, err) != 0 ||
	    (e->when != NULL && program_check_reads(e->when, known, err) != 0))
		return -1;
	for (size_t j = 1; j < e->use_count; j++)
		if (e->uses[j]->map != NULL &&
		    program_check_reads(e->uses[j]->map, known, err) != 0)
			return -1;
	return 0;
}

/* Whether a primary of the entry may have to be cleaned up by its program. */
static bool
may_finalize(const struct watch_entry *conf)
{
	return conf->finalizer != NULL || conf->retired_finalizers.count > 0 ||
	    conf->when != NULL;
}

/* Of the entries with this program, the first one tells. */
static void
check_finalize(const struct entries *es, const struct entry *e)
{
	const struct entry *first = NULL;

	if (!program_defines(e->program, PROGRAM_FINALIZE))
		return;
	for (size_t i = 0; i < es->count; i++) {
		const struct entry *other = es->items[i];

		if (strcmp(other->conf->program, e->conf->program) != 0)
			continue;
		if (may_finalize(other->conf))
			return;
		if (first == NULL)
			first = other;
	}
	if (first == e)
		program_warn_finalize(e->program);
}

/* A program may be that of several entries, so what all have counts. */
int
entries_check(const struct entries *es, struct err *err)
{
	struct known k = {.filters = false};
	struct program_known known;
	int rc = 0;

	for (size_t i = 0; i < es->count; i++)
		note_known(&k, es->items[i]);
	known = (struct program_known){
	    &k.owned, &k.related, &k.operator_keys, k.filters};
	for (size_t i = 0; i < es->count && rc == 0; i++)
		rc = check_entry(es->items[i], &known, err);
	for (size_t i = 0; i < es->count && rc == 0; i++)
		check_finalize(es, es->items[i]);
	textlist_release(&k.owned);
	textlist_release(&k.related);
	textlist_release(&k.operator_keys);
	return rc;
}
