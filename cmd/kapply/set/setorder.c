#include "set/setorder.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"

/* ---- what is after what ---- */

/* The items that a key of `after` may mean, by their keys. */
static void
find_named(const struct set *s, struct map *named)
{
	for (size_t n = 0; n < s->count; n++)
		if (s->items[n].op == OP_APPLY &&
		    s->items[n].partial != PARTIAL_RELEASE)
			map_put(named, span_str(s->items[n].key), &s->items[n]);
}

static int
bad_list(struct span key, struct err *err)
{
	return err_set(err, ERR_PERMANENT,
	    "reconcile.after[\"%.*s\"] is not a list of texts", SPAN_ARG(key));
}

/* Items that are not in the line are as desired. */
static int
read_after(
    struct set *s, const struct map *named, struct span after, struct err *err)
{
	for (struct json_members m = json_members(after); json_member(&m);) {
		struct span key =
		    json_name(span_make(m.key.p - 1, m.key.n + 2), &s->names);
		struct item *i = map_get(named, key), *other;
		struct json_elements e = json_elements(m.value);

		if (json_type(m.value) != JSON_ARRAY)
			return bad_list(key, err);
		while (json_element(&e)) {
			if (json_type(e.value) != JSON_STRING)
				return bad_list(key, err);
			other = map_get(named, json_name(e.value, &s->names));
			if (i == NULL || other == NULL)
				continue;
			i->after.at = mem_grow(
			    i->after.at, i->after.count, sizeof(*i->after.at));
			i->after.at[i->after.count++] =
			    (size_t)(other - s->items);
			s->has_after = true;
		}
	}
	return 0;
}

static void
read_independent(
    struct set *s, const struct map *named, struct span independent)
{
	struct json_elements e = json_elements(independent);

	while (json_element(&e)) {
		struct item *i = map_get(named, json_name(e.value, &s->names));

		if (i != NULL)
			i->independent = true;
	}
}

/* ---- the order ---- */

enum place_state { NOT_MET, BELOW, PLACED };

/* A walk from items to those that they are after. */
struct walk {
	struct set *set;
	unsigned char *states; /* enum place_state, by item */
	size_t *order;	       /* places of items */
	size_t placed;
	struct step {
		size_t item, next; /* the next that it is after */
	} * steps;
	size_t depth;
};

static void
enter(struct walk *w, size_t item)
{
	w->states[item] = BELOW;
	w->steps[w->depth++] = (struct step){item, 0};
}

/* Goes to the next one that the last item of the walk is after, or back. */
static int
walk_on(struct walk *w, struct err *err)
{
	struct step *last = &w->steps[w->depth - 1];
	struct item *i = &w->set->items[last->item];
	size_t other;

	if (last->next == i->after.count) {
		w->states[last->item] = PLACED;
		w->order[w->placed++] = last->item;
		w->depth--;
		if (w->depth == 0)
			return 0;
		/* The one before is after i. */
		last--;
		if (w->set->items[last->item].phase < i->phase)
			w->set->items[last->item].phase = i->phase;
		return 0;
	}
	other = i->after.at[last->next++];
	if (w->states[other] == BELOW)
		return err_set(err, ERR_PERMANENT,
		    "reconcile.after: %s is after itself, by way of %s",
		    w->set->items[other].key, i->key);
	if (w->states[other] == NOT_MET)
		enter(w, other);
	else if (i->phase < w->set->items[other].phase)
		i->phase = w->set->items[other].phase;
	return 0;
}

static int
walk(struct walk *w, struct err *err)
{
	int rc = 0;

	for (size_t n = 0; n < w->set->count && rc == 0; n++) {
		if (w->states[n] == NOT_MET)
			enter(w, n);
		while (w->depth > 0 && rc == 0)
			rc = walk_on(w, err);
	}
	return rc;
}

/* One walk over the items per phase. */
static void
sort(struct set *s, const size_t *order)
{
	struct item *sorted = mem_array(NULL, s->count, sizeof(*sorted));
	size_t *now = mem_array(NULL, s->count, sizeof(*now));
	size_t n = 0;

	for (int p = PHASE_LOOK; p < PHASE_END; p++)
		for (size_t i = 0; i < s->count; i++) {
			size_t from = order != NULL ? order[i] : i;

			if (s->items[from].phase != (enum phase)p)
				continue;
			now[from] = n;
			sorted[n++] = s->items[from];
		}
	for (size_t i = 0; i < s->count; i++)
		for (size_t k = 0; k < sorted[i].after.count; k++)
			sorted[i].after.at[k] = now[sorted[i].after.at[k]];
	free(now);
	free(s->items);
	s->items = sorted;
}

int
setorder_sort(struct set *s, const struct setorder_said *said, struct err *err)
{
	struct walk w = {.set = s};
	struct map named = MAP_INIT;
	int rc = 0;

	if (said->after.n > 0 || said->independent.n > 0) {
		find_named(s, &named);
		rc = read_after(s, &named, said->after, err);
		read_independent(s, &named, said->independent);
		map_release(&named);
	}
	if (rc == 0 && s->has_after) {
		w.states = mem_zalloc(s->count);
		w.order = mem_array(NULL, s->count, sizeof(*w.order));
		w.steps = mem_array(NULL, s->count, sizeof(*w.steps));
		rc = walk(&w, err);
	}
	if (rc == 0)
		sort(s, w.order);
	free(w.states);
	free(w.order);
	free(w.steps);
	return rc;
}

/* ---- the current phase ---- */

struct item *
setorder_next(const struct set *s, size_t *n)
{
	while (*n < s->count) {
		struct item *i = &s->items[(*n)++];

		if (i->phase == s->phase)
			return i;
	}
	return NULL;
}

bool
setorder_is_blocked(const struct set *s, const struct item *i)
{
	for (size_t n = 0; n < i->after.count; n++)
		if (s->items[i->after.at[n]].state != ITEM_DONE)
			return true;
	return false;
}

struct setorder_tally
setorder_count(const struct set *s)
{
	size_t in[ITEM_STATES] = {0}, blocked = 0;
	const struct item *i;

	for (size_t n = 0; (i = setorder_next(s, &n)) != NULL;) {
		in[i->state]++;
		blocked +=
		    i->state == ITEM_WAITING && setorder_is_blocked(s, i);
	}
	return (struct setorder_tally){.waiting = in[ITEM_WAITING] - blocked,
	    .blocked = blocked,
	    .flying = in[ITEM_LOOKUP] + in[ITEM_FLYING],
	    .retry = in[ITEM_BACKOFF] + in[ITEM_OVERDUE] + in[ITEM_FAILED],
	    .backoff = in[ITEM_BACKOFF],
	    .refused = in[ITEM_REFUSED],
	    .stale = in[ITEM_STALE]};
}

/* ---- items that move ---- */

/* The phase to which the item moves on, so that nothing waits for it; its own:
 * it stays. */
static enum phase
next_phase(const struct item *i)
{
	if (i->always && i->phase < PHASE_DELETE)
		return PHASE_DELETE;
	return i->independent && i->phase >= PHASE_SCOPES &&
		i->phase < PHASE_REST
	    ? i->phase + 1
	    : i->phase;
}

/* Moves on all that is not done, if that is only what may move on. */
static bool
move_on(struct set *s)
{
	bool any = false;
	struct item *i;

	for (size_t n = 0; (i = setorder_next(s, &n)) != NULL;)
		if (i->state != ITEM_DONE && next_phase(i) == i->phase)
			return false;
	for (size_t n = 0; (i = setorder_next(s, &n)) != NULL;) {
		any = any || i->state != ITEM_DONE;
		if (i->state != ITEM_DONE)
			i->phase = next_phase(i);
	}
	return any;
}

/* Whether an item of a later phase may be sent in this one: as soon as what it
 * is after is done. */
static bool
comes_early(const struct set *s, const struct item *i)
{
	return i->phase > s->phase && i->state != ITEM_DONE &&
	    (i->phase == PHASE_DELETE ? i->always : i->independent);
}

bool
setorder_move(struct set *s, const struct setorder_tally *t)
{
	bool any = false;

	if (s->phase >= PHASE_DELETE)
		return false;
	if (move_on(s))
		return true;
	/* Something may still be done, or a newer line comes. Without the
	 * finalizers nothing is done at all. */
	if (s->phase < PHASE_SCOPES || t->backoff + t->stale > 0)
		return false;
	for (size_t n = 0; n < s->count; n++)
		if (comes_early(s, &s->items[n])) {
			s->items[n].phase = s->phase;
			any = true;
		}
	return any;
}

/* ---- what is said ---- */

const struct item **
setorder_causes(const struct set *s)
{
	const struct item **causes;

	if (!s->has_after)
		return NULL;
	causes = mem_zalloc(s->count * sizeof(*causes));
	/* The others of an item stand before it. */
	for (size_t n = 0; n < s->count; n++) {
		const struct item *i = &s->items[n];

		for (size_t k = 0; i->state == ITEM_WAITING &&
		     causes[n] == NULL && k < i->after.count;
		     k++) {
			size_t at = i->after.at[k];

			causes[n] = itemstate_has_failed(s->items[at].state)
			    ? &s->items[at]
			    : causes[at];
		}
	}
	return causes;
}
