#include "decide/finalizer.h"

#include <stdlib.h>
#include <string.h>

#include "decide/patches.h"
#include "decide/points.h"
#include "json/json.h"
#include "program/program.h"
#include "state/marks.h"

static bool
has_some(struct span list)
{
	struct json_elements e = json_elements(list);

	return json_element(&e);
}

/* Whether it would stay when the primary is gone, and is not to. */
static bool
stays(const struct primary *p, enum marks_life life, struct span ns,
    struct span finalizers)
{
	return program_defines(p->entry->program, PROGRAM_FINALIZE) ||
	    (life == MARKS_USUAL &&
		(!marks_can_own(p->object, ns) || has_some(finalizers)));
}

/* One that is not created is a member if it exists. */
static bool
item_stays(const struct primary *p, const struct desired_item *i)
{
	struct span text = primary_item_text(i);
	struct span ns = span_make(i->key, strnlen(i->key, i->key_len));

	if (i->marks & ITEM_PATCH)
		return true;
	return !(i->marks & (ITEM_EXISTING | ITEM_NAMED)) &&
	    stays(
		p, desired_life(i), ns, json_path(text, "metadata.finalizers"));
}

static bool
member_stays(const struct primary *p, const struct cache_object *o)
{
	return o != p->object && marks_is_member(p->entry, o, p->object) &&
	    stays(p, o->retained ? MARKS_RETAINED : MARKS_USUAL,
		cache_object_namespace(o), SPAN_NONE);
}

bool
finalizer_is_needed(const struct primary *p, const struct desired *set)
{
	const struct entry *e = p->entry;
	bool needed = patches_any(p);

	for (size_t i = 0; i < set->count && !needed; i++)
		needed = item_stays(p, &set->items[i]);
	for (size_t i = 0; i < e->use_count && !needed; i++) {
		const struct use *u = e->uses[i];
		struct cache_object **list;

		if (u->role != USE_DEPENDENT || !u->conf->manage)
			continue;
		list = entry_objects(e, p, u);
		for (size_t j = 0; list[j] != NULL && !needed; j++)
			needed = member_stays(p, list[j]);
		free(list);
	}
	return needed;
}

void
finalizer_point(struct decision *d, enum point_type type, const char *name)
{
	struct buf what = BUF_INIT;

	buf_addf(&what, "finalizer %s %s",
	    type == POINT_FINALIZER_ADD ? "add" : "remove", name);
	points_add(d, type, &what);
}

void
finalizer_retire(struct decision *d)
{
	const struct cache_object *o = d->primary->object;
	const struct textlist *list =
	    &d->primary->entry->conf->retired_finalizers;

	for (size_t i = 0; i < list->count; i++)
		if (cache_object_has_finalizer(o, list->items[i]))
			finalizer_point(
			    d, POINT_FINALIZER_REMOVE, list->items[i]);
}
