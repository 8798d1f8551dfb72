#include "state/view.h"

#include <stdlib.h>

#include "state/marks.h"
#include "state/primary.h"

void
view_init(struct view *v, const struct primary *p, int64_t now_us)
{
	*v = (struct view){.entry = p->entry, .primary = p, .now_us = now_us};
	if (p->entry->conf->random && p->object != NULL)
		marks_random_key(&v->input.random, p->entry, p->object);
}

void
view_release(struct view *v)
{
	v->input.random = (struct random_key){RANDOM_OFF, {0}, {0}};
	buf_release(&v->base);
	buf_release(&v->owned);
	buf_release(&v->outcome);
	buf_release(&v->loops);
}

/* Adds all uses in a role, each with its objects. */
static void
add_role(const struct view *v, enum use_role role, enum arguments_part part,
    struct buf *out)
{
	for (size_t i = 0; i < v->entry->use_count; i++) {
		const struct use *u = v->entry->uses[i];
		struct cache_object **list;

		if (u->role != role)
			continue;
		arguments_add(out, part, span_str(u->name));
		if (role == USE_DEPENDENT && u->seen_by == 0 && !v->whole)
			continue;
		list = entry_objects(v->entry, v->primary, u);
		for (size_t j = 0; list[j] != NULL; j++)
			arguments_add(
			    out, ARGUMENTS_OBJECT, cache_object_text(list[j]));
		free(list);
	}
}

static void
add_base(struct view *v)
{
	arguments_add(
	    &v->base, ARGUMENTS_PRIMARY, cache_object_text(v->primary->object));
	add_role(v, USE_RELATED, ARGUMENTS_RELATED, &v->base);
	arguments_add(&v->base, ARGUMENTS_OPERATOR,
	    span_str(v->entry->conf->operator_json));
}

/* Sets a text, with a new number if it has none. */
static void
set_text(struct view *v, enum arguments_text which, struct buf *text)
{
	if (v->input.texts[which].id == 0)
		v->input.texts[which].id = arguments_id();
	v->input.texts[which].text = buf_span(text);
}

static void
set_outcome(struct view *v, struct span outstanding)
{
	struct buf fresh = BUF_INIT;

	arguments_add(&fresh, ARGUMENTS_LOOPS,
	    v->loops.len > 0 ? buf_span(&v->loops) : span_str("[]"));
	if (v->entry->outstanding_seen_by != 0 || v->whole)
		buf_addspan(&fresh, outstanding);
	if (!span_eq(buf_span(&fresh), buf_span(&v->outcome)))
		v->input.texts[ARGUMENTS_TEXT_OUTCOME].id = 0;
	buf_release(&v->outcome);
	v->outcome = fresh;
	set_text(v, ARGUMENTS_TEXT_OUTCOME, &v->outcome);
}

const struct arguments *
view_input(
    struct view *v, unsigned what, struct span outstanding, const char *error)
{
	struct arguments *in = &v->input;

	if (v->base.len == 0)
		add_base(v);
	if ((what & VIEW_OWNED) && v->owned.len == 0)
		add_role(v, USE_DEPENDENT, ARGUMENTS_OWNED, &v->owned);
	if (what & VIEW_OUTCOME)
		set_outcome(v, outstanding);
	if (v->primary->plan.text.len == 0)
		what &= ~(unsigned)VIEW_PLAN;
	in->error = SPAN_NONE;
	if ((what & VIEW_OUTCOME) && error != NULL)
		in->error = span_str(error);
	in->has = (what & VIEW_OWNED ? ARGUMENTS_HAS_OWNED : 0) |
	    (what & VIEW_NOW ? ARGUMENTS_HAS_NOW : 0) |
	    (what & VIEW_OUTCOME ? ARGUMENTS_HAS_OUTCOME : 0) |
	    (what & VIEW_PLAN ? ARGUMENTS_HAS_PLAN : 0);
	in->now = (double)v->now_us / 1e6;
	set_text(v, ARGUMENTS_TEXT_BASE, &v->base);
	set_text(v, ARGUMENTS_TEXT_OWNED, &v->owned);
	in->texts[ARGUMENTS_TEXT_PLAN].id = v->primary->plan.id;
	in->texts[ARGUMENTS_TEXT_PLAN].text = buf_span(&v->primary->plan.text);
	return in;
}

static uint64_t
mix(uint64_t h, uint64_t v)
{
	h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
	return h * 0xff51afd7ed558ccdu;
}

uint64_t
view_fingerprint(const struct view *v, unsigned calls)
{
	uint64_t h = mix(1, v->primary->object->serial);

	for (size_t i = 0; i < v->entry->use_count; i++) {
		const struct use *u = v->entry->uses[i];
		struct cache_object **list;

		if (u->role != USE_RELATED && (u->seen_by & calls) == 0)
			continue;
		h = mix(h, i + 1);
		list = entry_objects(v->entry, v->primary, u);
		for (size_t j = 0; list[j] != NULL; j++)
			h = mix(h, list[j]->serial);
		free(list);
	}
	return h != 0 ? h : 1;
}
