#include "decide/finalizer.h"

#include <stdlib.h>
#include <string.h>

#include "decide/patches.h"
#include "decide/points.h"
#include "decide/refuse.h"
#include "json/json.h"
#include "program/program.h"
#include "state/marks.h"

static bool
has_some(struct span list)
{
	struct json_elements e = json_elements(list);

	return json_element(&e);
}

/*
 * Whether an object of kind k needs cleaning up: the program finalizes; or the
 * object is to go with its primary, and Kubernetes would not delete it (it
 * cannot have this owner), would not finish (it has finalizers of its own), or
 * would delete other objects with it.
 */
static bool
needs_finalizer(const struct primary *p, const struct cache_kind *k,
    enum marks_life life, struct span ns, struct span finalizers)
{
	return program_defines(p->entry->program, PROGRAM_FINALIZE) ||
	    (life == MARKS_USUAL &&
		(!marks_can_own(p->object, ns) || has_some(finalizers) ||
		    refuse_guards(k)));
}

/* Whether the object of an item needs cleaning up. An item that is not created
 * is a member if it exists. */
static bool
item_stays(const struct primary *p, const struct desired_item *i)
{
	struct span text = primary_item_text(i);
	struct span ns = span_make(i->key, strnlen(i->key, i->key_len));

	if (i->marks & ITEM_PATCH)
		return true;
	return !(i->marks & (ITEM_EXISTING | ITEM_NAMED)) &&
	    needs_finalizer(p, i->kind, desired_life(i), ns,
		json_path(text, "metadata.finalizers"));
}

static bool
member_stays(const struct primary *p, const struct cache_object *o)
{
	return o != p->object && marks_is_member(p->entry, o, p->object) &&
	    needs_finalizer(p, o->kind,
		o->retained ? MARKS_RETAINED : MARKS_USUAL,
		cache_object_namespace(o), SPAN_NONE);
}

bool
finalizer_is_needed(const struct primary *p, const struct desired *set)
{
	struct cache_object **list = decide_managed(p);
	bool needed = patches_any(p);

	for (size_t i = 0; i < set->count && !needed; i++)
		needed = item_stays(p, &set->items[i]);
	for (size_t i = 0; list[i] != NULL && !needed; i++)
		needed = member_stays(p, list[i]);
	free(list);
	return needed;
}

void
finalizer_retire(struct decision *d)
{
	const struct cache_object *o = d->primary->object;
	const struct textlist *list =
	    &d->primary->entry->conf->retired_finalizers;

	for (size_t i = 0; i < list->count; i++)
		if (cache_object_has_finalizer(o, list->items[i]))
			points_add(d, POINT_FINALIZER_REMOVE,
			    span_str(list->items[i]));
}

bool
finalizer_leaves(const struct decision *d)
{
	bool removed = false;

	for (size_t i = 0; i < d->count && !removed; i++)
		removed = d->points[i].target.type == POINT_FINALIZER_REMOVE;
	return removed && d->set != &d->primary->desired;
}

/* Whether members may be where this run does not look for primaries. */
static bool
follows_primary(const struct entry *e)
{
	bool follows = false;

	for (size_t i = 0; i < e->use_count && !follows; i++) {
		const struct use *u = e->uses[i];

		follows = u->role == USE_DEPENDENT && u->conf->manage &&
		    u->conf->scope == WATCH_NAMESPACED && u->conf->follows;
	}
	return follows;
}

void
finalizer_tell_unseen(struct decision *d)
{
	const struct entry *e = d->primary->entry;
	const struct textlist *list = &e->conf->left_out;
	struct buf b = BUF_INIT;

	if (list->count == 0 || !e->conf->marks ||
	    e->conf->primary.scope == WATCH_CLUSTER || !follows_primary(e))
		return;
	buf_adds(&b, "its finalizer is removed without a look at ");
	for (size_t i = 0; i < list->count; i++)
		buf_addf(&b, "%s%s", i > 0 ? ", " : "", list->items[i]);
	buf_addf(&b,
	    ", which %s:%d names and this run leaves out (-n): what was made "
	    "there for it stays; a run that sees it calls it an orphan",
	    e->conf->path, e->conf->line);
	points_note(d, NOTICE_UNSEEN, buf_str(&b));
	buf_release(&b);
}
