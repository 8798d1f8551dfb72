/* Part of set/set.h: what a set takes over from an older one of its key. */
#include "set/set.h"

#include <string.h>

static bool
same_wish(const struct item *a, const struct item *b)
{
	return a->known == b->known && a->exactly == b->exactly &&
	    a->partial == b->partial && span_eq(a->known_uid, b->known_uid) &&
	    span_eq(a->id.uid, b->id.uid) &&
	    span_eq(a->id.api_version, b->id.api_version) &&
	    a->foreign == b->foreign && span_eq(a->version, b->version) &&
	    span_eq(a->origin, b->origin) && span_eq(a->text, b->text);
}

/* Accepted just now: not sent again, but for what is about the primary, which may
 * have changed since. */
static void
inherit_success(
    struct item *i, struct item *old, uint64_t recent_ms, uint64_t now_ms)
{
	if (i->op == OP_OWNER || i->op == OP_ADD_FINALIZERS ||
	    i->op == OP_REMOVE_FINALIZERS ||
	    now_ms - old->accepted_ms >= recent_ms)
		return;
	i->state = old->state;
	i->accepted_ms = old->accepted_ms;
	i->found = old->found;
	old->found = NULL;
}

/* Failed: the back-off goes on, unless the failure was for an object that was in
 * the way and is gone. */
static void
inherit_failure(struct item *i, struct item *old, uint64_t now_ms)
{
	i->state = old->state;
	i->failure = old->failure;
	i->live_uid = old->live_uid;
	i->step = old->step;
	i->patch = old->patch;
	i->by = old->by;
	i->list_sent = old->list_sent;
	/* The object is applied again, and the former owner's fields are looked
	 * for again. */
	if (old->adoption != ADOPTION_NONE)
		i->adoption = ADOPTION_BEGUN;
	i->held = old->held;
	old->held = PRUNELIMIT_OFF;
	old->failure.error = old->live_uid = old->patch = old->by = NULL;
	if (i->vacated && i->failure.reason != NULL)
		i->failure.retry.due_ms = now_ms;
}

static void
inherit(struct set *s, struct item *i, struct item *old, uint64_t recent_ms,
    uint64_t now_ms)
{
	enum item_action action = itemstate_action(old->state, EVENT_SAME);

	i->denied = old->denied;
	old->denied = NULL;
	/* That it waits for another one was said. */
	if (old->state == ITEM_WAITING && i->state == ITEM_WAITING &&
	    i->after.count > 0) {
		i->failure.error = old->failure.error;
		i->failure.reported = old->failure.reported;
		old->failure.error = NULL;
	}
	/* A deletion is not held back any more if the primary goes, too. */
	if (!same_wish(i, old) || (old->held && s->deleting))
		return;
	if (action == ACTION_RECALL)
		inherit_success(i, old, recent_ms, now_ms);
	else if (action == ACTION_KEEP)
		inherit_failure(i, old, now_ms);
}

void
set_inherit(
    struct set *s, struct set *older, uint64_t recent_ms, uint64_t now_ms)
{
	/* The items of both sets are in the same order: an item is mostly at
	 * the same place, or a few places further. */
	for (size_t i = 0, at = 0; i < s->count && older->count > 0; i++)
		for (size_t n = 0; n < older->count; n++) {
			size_t j = (at + n) % older->count;
			struct item *now = &s->items[i];
			struct item *old = &older->items[j];

			if (now->op != old->op ||
			    strcmp(now->key, old->key) != 0)
				continue;
			at = j + 1;
			inherit(s, now, old, recent_ms, now_ms);
			break;
		}
	s->held_told = older->held_told;
	s->error_sent = older->error_sent;
	s->error_sent_ms = older->error_sent_ms;
	older->error_sent = NULL;
}
