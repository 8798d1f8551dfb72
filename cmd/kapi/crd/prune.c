#include "crd/prune.h"

#include <stdlib.h>

#include "crd/findings.h"
#include "text/texts.h"
#include "type/decode.h"

struct walk {
	struct arena *arena;
	bool note;
	struct span *paths;
	size_t n;
};

bool
prune_is_meta_field(struct span key)
{
	return span_is(key, "apiVersion") || span_is(key, "kind") ||
	    span_is(key, "metadata");
}

const struct schema *
prune_member(const struct schema *s, struct span key)
{
	const struct field *f;

	if (s == NULL)
		return NULL;
	if (s->kind == SCHEMA_MAP)
		return s->element->schema;
	f = schema_field(s, key);
	return f == NULL ? NULL : f->schema;
}

const struct schema *
prune_item(const struct schema *s)
{
	return s != NULL && s->kind == SCHEMA_LIST ? s->element->schema : NULL;
}

/* UNKNOWN_STAYS: unknown fields stay; known fields are pruned inside as
 * ever. */
enum unknown { UNKNOWN_GOES, UNKNOWN_STAYS };

static void prune(struct walk *w, const struct schema *s, struct node *n,
    const struct findings_place *place);

static void
prune_members(struct walk *w, const struct schema *s, struct node *n,
    const struct findings_place *place, enum unknown unknown)
{
	bool resource = s != NULL && (s->embedded || place == NULL);
	bool dropped = false;

	for (uint32_t i = 0; i < n->n; i++) {
		struct member m = n->members[i];
		struct findings_place here = {place, PLACE_PROPERTY, m.key, 0};
		const struct schema *sub = prune_member(s, m.key);

		if (!(resource && prune_is_meta_field(m.key))) {
			if (sub != NULL) {
				prune(w, sub, m.value, &here);
			} else if (unknown == UNKNOWN_GOES) {
				if (w->note) {
					w->paths = arena_more(w->arena,
					    w->paths, w->n, sizeof *w->paths);
					w->paths[w->n++] = findings_place_text(
					    w->arena, &here);
				}
				n->members[i].value = NULL;
				dropped = true;
			}
		}
	}
	if (dropped)
		tree_sweep(n);
}

static void
prune_kept(struct walk *w, const struct schema *s, struct node *n,
    const struct findings_place *place)
{
	if (s == NULL)
		return;
	if (n->kind == NODE_OBJECT)
		prune_members(w, s, n, place, UNKNOWN_STAYS);
	for (size_t i = 0; n->kind == NODE_ARRAY && i < n->n; i++) {
		struct findings_place here = {place, PLACE_INDEX, SPAN_NONE, i};

		prune_kept(w, prune_item(s), n->items[i], &here);
	}
}

static void
prune(struct walk *w, const struct schema *s, struct node *n,
    const struct findings_place *place)
{
	if (s != NULL && s->preserve_unknown) {
		prune_kept(w, s, n, place);
		return;
	}
	if (n->kind == NODE_OBJECT)
		prune_members(w, s, n, place, UNKNOWN_GOES);
	for (size_t i = 0; n->kind == NODE_ARRAY && i < n->n; i++) {
		struct findings_place here = {place, PLACE_INDEX, SPAN_NONE, i};

		prune(w, prune_item(s), n->items[i], &here);
	}
}

void
prune_object(struct arena *a, const struct schema *s, struct node *object,
    struct warnings *unknown)
{
	struct walk w = {.arena = a, .note = unknown != NULL};

	prune(&w, s, object, NULL);
	texts_sort(w.paths, w.n);
	for (size_t i = 0; i < w.n; i++)
		decode_warning_add(unknown,
		    arena_printf(
			a, "unknown field \"%.*s\"", SPAN_ARG(w.paths[i])));
}

static bool
has_default(const struct schema *s, struct span key)
{
	const struct field *f;

	if (s->kind == SCHEMA_MAP)
		return s->element->default_value != NULL;
	f = schema_field(s, key);
	return f != NULL && f->default_value != NULL;
}

void
prune_drop_nulls(const struct schema *s, struct node *n)
{
	bool dropped = false;

	for (size_t i = 0; n->kind == NODE_ARRAY && i < n->n; i++)
		prune_drop_nulls(prune_item(s), n->items[i]);
	if (n->kind != NODE_OBJECT)
		return;
	for (uint32_t i = 0; i < n->n; i++) {
		struct member m = n->members[i];
		const struct schema *sub = prune_member(s, m.key);

		if (m.value->kind == NODE_NULL && sub != NULL &&
		    !sub->nullable && !has_default(s, m.key)) {
			n->members[i].value = NULL;
			dropped = true;
		} else {
			prune_drop_nulls(sub, m.value);
		}
	}
	if (dropped)
		tree_sweep(n);
}
