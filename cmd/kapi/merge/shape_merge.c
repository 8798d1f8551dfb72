/*
 * Part of merge/shape.h. Trees and sets changed by a schema:
 * structured-merge-diff/typed/{merge,remove,reconcile_schema}.go.
 */
#include "merge/shape.h"

static struct node *
merge_maps(struct arena *a, struct shape s, const struct node *base,
    const struct node *over)
{
	struct node *out = tree_object(a);

	for (uint32_t i = 0; base != NULL && i < base->n; i++) {
		const struct member *m = &base->members[i];
		const struct node *other = tree_get_span(over, m->key);
		bool declared;

		tree_set(a, out, m->key,
		    shape_merge(a, shape_member(s, m->key, &declared), m->value,
			other));
	}
	for (uint32_t i = 0; over != NULL && i < over->n; i++) {
		const struct member *m = &over->members[i];

		if (base == NULL || tree_get_span(base, m->key) == NULL)
			tree_set(a, out, m->key, m->value);
	}
	return out;
}

/* Two lists on their way into one. */
struct lists {
	struct arena *arena;
	struct shape item;
	struct shape_items base, over;
	struct shape_entry **in_over; /* for each of base */
	bool *merged;		      /* for each of over, by its number */
	uint32_t *shared;	      /* numbers in over of what both have */
	uint32_t shared_count, next_shared;
	struct node *out;
};

static uint32_t
number(const struct shape_items *items, const struct shape_entry *e)
{
	return (uint32_t)(e - items->entries);
}

/* Takes the item n of over, merged with the item of that path in base. */
static void
take_over(struct lists *l, uint32_t n)
{
	struct shape_entry *e = &l->over.entries[n];
	struct shape_entry *b = shape_items_find(&l->base, &e->path);
	const struct node *value = e->value;

	/* An item that base has several times is not merged, but replaced. */
	if (b != NULL && b->same == 1)
		value = shape_merge(l->arena, l->item, b->value, value);
	tree_append(l->arena, l->out, (struct node *)value);
	l->merged[n] = true;
	if (l->next_shared < l->shared_count && l->shared[l->next_shared] == n)
		l->next_shared++;
}

static struct node *
merge_lists(struct arena *a, struct shape s, const struct node *base,
    const struct node *over)
{
	struct lists l = {.arena = a, .item = shape_item(s)};
	uint32_t k = 0, j = 0;

	shape_items(a, s, base, &l.base);
	shape_items(a, s, over, &l.over);
	l.out = tree_array(a);
	l.merged = arena_zalloc(a, l.over.n * sizeof(*l.merged));
	l.shared = arena_alloc(a, l.over.n * sizeof(*l.shared));
	l.in_over = arena_alloc(a, l.base.n * sizeof(struct shape_entry *));
	for (uint32_t i = 0; i < l.base.n; i++)
		l.in_over[i] =
		    shape_items_find(&l.over, &l.base.entries[i].path);
	for (uint32_t i = 0; i < l.over.n; i++)
		if (shape_items_find(&l.base, &l.over.entries[i].path) != NULL)
			l.shared[l.shared_count++] = i;
	while (k < l.base.n || j < l.over.n) {
		const struct shape_entry *e =
		    k < l.base.n ? l.in_over[k] : NULL;
		bool shared = l.next_shared < l.shared_count;

		if (k < l.base.n && e == NULL) {
			tree_append(l.arena, l.out,
			    (struct node *)l.base.entries[k++].value);
			continue;
		}
		if (k < l.base.n && j < l.over.n) {
			if (number(&l.over, e) == j) {
				take_over(&l, j++);
				k++;
				continue;
			}
			/* Both lists have the item, but another shared item
			 * comes first. */
			if (shared &&
			    l.shared[l.next_shared] != number(&l.over, e)) {
				k++;
				continue;
			}
		}
		if (k < l.base.n && l.merged[number(&l.over, e)])
			k++;
		if (j < l.over.n)
			take_over(&l, j++);
	}
	return l.out;
}

struct node *
shape_merge(struct arena *a, struct shape s, const struct node *base,
    const struct node *over)
{
	enum atom atom;
	enum node_kind kind;

	if (over == NULL || base == over)
		return (struct node *)base;
	if (base == NULL)
		return (struct node *)over;
	atom = shape_pick(shape_atoms(s, over));
	if (over->kind == NODE_NULL)
		atom = shape_pick(shape_atoms(s, base));
	kind = atom == ATOM_MAP ? NODE_OBJECT : NODE_ARRAY;
	if (atom == ATOM_SCALAR || atom == ATOM_NONE || shape_atomic(s, atom))
		return (struct node *)over;
	if (base->kind != kind || base->n == 0)
		return (struct node *)(over->kind == kind || base->n == 0
			? over
			: base);
	/* A null or empty value removes nothing. */
	if (over->kind != kind || over->n == 0)
		return (struct node *)base;
	return atom == ATOM_MAP ? merge_maps(a, s, base, over)
				: merge_lists(a, s, base, over);
}

static struct node *
list_without(struct arena *a, struct shape s, const struct node *value,
    const struct fieldset *set)
{
	struct node *out = tree_array(a);
	struct shape of = shape_item(s);

	for (uint32_t i = 0; i < value->n; i++) {
		struct node *item = value->items[i];
		const struct fieldset_item *found = NULL;
		struct fieldset_element e;
		const char *problem;

		if (shape_item_path(a, s, item, &e, &problem) == 0)
			found = fieldset_find(set, &e);
		if (found != NULL && found->member)
			continue;
		if (found != NULL && !fieldset_empty(found->children))
			item = shape_without(a, of, item, found->children);
		tree_append(a, out, item);
	}
	return out;
}

struct node *
shape_without(struct arena *a, struct shape s, const struct node *value,
    const struct fieldset *set)
{
	struct node *out;

	switch (shape_pick(shape_atoms(s, value))) {
	case ATOM_MAP:
		if (!tree_is(value, NODE_OBJECT) || shape_atomic(s, ATOM_MAP))
			return tree_null(a);
		out = tree_object(a);
		for (uint32_t i = 0; i < value->n; i++) {
			const struct member *m = &value->members[i];
			struct fieldset_element e =
			    fieldset_element_field(m->key);
			const struct fieldset_item *found =
			    fieldset_find(set, &e);
			struct node *kept = m->value;
			bool declared;

			if (found != NULL && found->member)
				continue;
			if (found != NULL && !fieldset_empty(found->children))
				kept = shape_without(a,
				    shape_member(s, m->key, &declared), kept,
				    found->children);
			tree_set(a, out, m->key, kept);
		}
		break;
	case ATOM_LIST:
		if (!tree_is(value, NODE_ARRAY) || shape_atomic(s, ATOM_LIST))
			return tree_null(a);
		out = list_without(a, s, value, set);
		break;
	default:
		return (struct node *)value;
	}
	return out->n == 0 ? tree_null(a) : out;
}

/* The shape below an element of a set, as far as the schema tells. */
static struct shape
below(struct shape s, const struct fieldset_element *e, bool *declared)
{
	unsigned atoms = shape_atoms(s, NULL);

	*declared = false;
	if (e->kind == PATH_FIELD && (atoms & ATOM_MAP))
		return shape_member(s, e->name, declared);
	if (e->kind == PATH_KEY && (atoms & ATOM_LIST))
		return shape_item(s);
	return (struct shape){.kind = SHAPE_NONE};
}

struct fieldset *
shape_with_named(struct arena *a, struct shape s, struct fieldset *set)
{
	struct fieldset *out;

	if (set == NULL)
		return NULL;
	out = fieldset_new(a);
	out->max = set->n;
	out->items = arena_alloc(a, set->n * sizeof(*out->items));
	for (uint32_t i = 0; i < set->n; i++) {
		struct fieldset_item *p = &out->items[out->n++];
		bool declared;

		*p = set->items[i];
		if (p->children == NULL)
			continue;
		p->children = shape_with_named(
		    a, below(s, &p->path, &declared), p->children);
		p->member |= declared;
	}
	return out;
}

struct fieldset *
shape_reconcile(struct arena *a, struct shape s, struct fieldset *set)
{
	struct fieldset *out = NULL;

	if (s.kind != SHAPE_TYPED)
		return set;
	for (uint32_t i = 0; set != NULL && i < set->n; i++) {
		struct fieldset_item p = set->items[i];
		bool declared;
		struct shape of;

		if (p.children == NULL)
			continue;
		of = below(s, &p.path, &declared);
		if (p.path.kind == PATH_VALUE || p.path.kind == PATH_INDEX)
			of = shape_item(s);
		if (shape_atomic(of, shape_pick(shape_atoms(of, NULL)))) {
			p.member = true;
			p.children = NULL;
		} else {
			p.children = shape_reconcile(a, of, p.children);
		}
		if (p.member == set->items[i].member &&
		    p.children == set->items[i].children)
			continue;
		if (out == NULL) {
			out = fieldset_new(a);
			out->n = out->max = set->n;
			out->items =
			    arena_alloc(a, set->n * sizeof(*out->items));
			memcpy(out->items, set->items,
			    set->n * sizeof(*out->items));
		}
		out->items[i] = p;
	}
	return out != NULL ? out : set;
}
