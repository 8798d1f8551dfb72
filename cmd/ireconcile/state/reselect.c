/* Part of state/entry.h: what is not selected any more, by its labels or by those
 * of its namespace, and what is selected again. */
#include "state/entry.h"

#include <stdlib.h>

#include "conf/selector.h"
#include "process/log.h"
#include "state/index.h"
#include "state/marks.h"
#include "state/primary.h"

/* ---- what is not selected any more ---- */

/* A finalizer of the entry, perhaps a retired one, that o has and that no line
 * removes. */
static const char *
finalizer_left(const struct primary *p, const struct cache_object *o)
{
	const struct watch_entry *conf = p->entry->conf;
	const struct textlist *retired = &conf->retired_finalizers;
	const char *name = conf->finalizer;
	struct target removal;
	bool left;

	for (size_t i = 0; i < retired->count &&
	     (name == NULL || !cache_object_has_finalizer(o, name));
	     i++)
		name = retired->items[i];
	removal = said_target(
	    POINT_FINALIZER_REMOVE, span_str(name), SPAN_NONE, SPAN_NONE);
	left = name != NULL && cache_object_has_finalizer(o, name) &&
	    said_find(&p->said, &removal) == NULL;
	said_target_release(&removal);
	return left ? name : NULL;
}

void
entries_tell_unselected(
    const struct cache_object *o, const struct cache_object *gone)
{
	bool sure = gone->uid_len > 0 && !o->terminating && !gone->terminating;

	for (size_t i = 0; i < o->kind->use_count; i++) {
		const struct use *u = o->kind->uses[i];
		const struct primary *p =
		    map_get(&u->entry->primaries, cache_object_key(o));
		struct log_about who;
		const char *name;

		if (u->role != USE_PRIMARY || u->conf->selector == NULL ||
		    p == NULL || p->object != o ||
		    marks_claim(u->entry, o, NULL) == MARKS_OTHERS)
			continue;
		/* gone may have a finalizer that was set just before; but an
		 * object that kwatch made up has none, so o counts, too. */
		name = finalizer_left(p, gone);
		if (name == NULL)
			name = finalizer_left(p, o);
		if (name == NULL)
			continue;
		who = primary_about(p);
		log_write(LOG_WARNING, &who,
		    "%sselector \"%s\" does not select it any more, and it "
		    "has the finalizer %s: what was made for it stays, and a "
		    "deletion waits for that; label it so that it is selected, "
		    "or remove the finalizer when all is cleaned up",
		    sure ? "" : "gone, or ", u->conf->selector, name);
	}
}

/* ---- namespaces that are selected ---- */

/* A primary is not seen any more; counted if it will hang. */
static size_t
lose_primary(struct entries *es, struct use *u, struct cache_object *o)
{
	const struct primary *p =
	    map_get(&u->entry->primaries, cache_object_key(o));
	size_t hangs = p != NULL && p->object == o &&
	    marks_claim(u->entry, o, NULL) != MARKS_OTHERS &&
	    finalizer_left(p, o) != NULL;

	entries_drop_primary(es, u->entry, o);
	return hangs;
}

/* An object of u, of a namespace that is selected from now on, or not. */
static size_t
reselect_object(
    struct entries *es, struct use *u, struct cache_object *o, bool selected)
{
	if (u->role == USE_PRIMARY) {
		if (!selected)
			return lose_primary(es, u, o);
		if (entry_use_covers(u, o))
			entries_put_primary(es, u->entry, o);
		return 0;
	}
	index_unlink(es, o);
	index_link(es, o);
	if (u->conf->map == WATCH_MAP_FIELD)
		index_dirty_named(es, u, o);
	return 0;
}

/* Whether items of p may be refused for the namespace, or were. */
static bool
desires_in(const struct primary *p, const struct use *u, struct span ns)
{
	bool found = p->desired.failed;

	for (size_t i = 0; i < p->desired.count && !found; i++)
		found = p->desired.items[i].kind == u->kind &&
		    span_is(ns, p->desired.items[i].key);
	return found;
}

static void
reselect(struct entries *es, struct use *u, struct span ns, bool selected)
{
	const struct cache_room *room = cache_room(&es->store, ns);
	struct log_about who = {.controller = u->entry->conf->name};
	size_t hang = 0;
	struct primary **all;

	for (size_t i = 0; room != NULL && i < room->count; i++)
		if (room->list[i]->kind == u->kind)
			hang += reselect_object(es, u, room->list[i], selected);
	if (hang > 0)
		log_write(LOG_WARNING, &who,
		    "namespace %.*s has no longer the labels %s: %zu there "
		    "have a finalizer, and are not served: what was made for "
		    "them stays, and a deletion waits; label the namespace, or "
		    "remove the finalizers when all is cleaned up",
		    SPAN_ARG(ns), u->conf->namespace_selector, hang);
	all = entry_primaries(u->entry);
	for (size_t i = 0; i < u->entry->primaries.count; i++) {
		bool desires = u->conf->manage && desires_in(all[i], u, ns);

		if (desires)
			primary_recompute(all[i]);
		if (desires || u->conf->map == WATCH_MAP_ALL)
			es->dirty(es->arg, all[i]);
	}
	free(all);
}

static bool
is_selected(const struct use *u, const struct cache_object *o)
{
	return o != NULL &&
	    selector_matches(
		u->conf->namespace_selector, cache_object_meta(o, "labels"));
}

void
entries_reselect(struct entries *es, const struct cache_object *o,
    const struct cache_object *old)
{
	struct span ns = cache_object_name(o != NULL ? o : old);

	for (size_t i = 0; i < es->count; i++) {
		const struct entry *e = es->items[i];

		for (size_t j = 0; j < e->use_count; j++) {
			struct use *u = e->uses[j];

			if (u->conf->namespace_selector != NULL &&
			    entry_use_names(u, ns) &&
			    is_selected(u, o) != is_selected(u, old))
				reselect(es, u, ns, is_selected(u, o));
		}
	}
}
