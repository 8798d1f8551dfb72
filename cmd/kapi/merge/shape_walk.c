/*
 * Part of merge/shape.h. The fields of an object, and the difference of two:
 * structured-merge-diff/typed/{tofieldset,compare}.go.
 */
#include "merge/shape.h"

/* The paths below one value, and whether the value itself is in the set. */
struct part {
	struct fieldset *children;
	bool self;
};

static struct part set_of(
    struct arena *a, struct shape s, const struct node *value);

static void
add(struct arena *a, struct fieldset **s, const struct fieldset_element *e,
    bool member, struct fieldset *children)
{
	if (!member && children == NULL)
		return;
	if (*s == NULL)
		*s = fieldset_new(a);
	fieldset_add(a, *s, e, member, children);
}

static struct fieldset *
set_of_map(struct arena *a, struct shape s, const struct node *value)
{
	struct fieldset *set = NULL;

	for (uint32_t i = 0; i < value->n; i++) {
		const struct member *m = &value->members[i];
		struct fieldset_element e = fieldset_element_field(m->key);
		bool declared;
		struct part p =
		    set_of(a, shape_member(s, m->key, &declared), m->value);

		p.self |= !declared || m->value->kind == NODE_NULL ||
		    (m->value->kind == NODE_OBJECT && m->value->n == 0);
		add(a, &set, &e, p.self, p.children);
	}
	return fieldset_done(a, set);
}

static struct part
set_of(struct arena *a, struct shape s, const struct node *value)
{
	struct part p = {NULL, false};

	switch (shape_pick(shape_atoms(s, value))) {
	case ATOM_SCALAR:
		p.self = true;
		break;
	case ATOM_MAP:
		p.self = shape_atomic(s, ATOM_MAP);
		if (!p.self && tree_is(value, NODE_OBJECT))
			p.children = set_of_map(a, s, value);
		break;
	case ATOM_LIST:
		p.self = shape_atomic(s, ATOM_LIST);
		if (!p.self && tree_is(value, NODE_ARRAY)) {
			struct shape of = shape_item(s);
			struct fieldset *set = NULL;
			struct shape_items items;

			shape_items(a, s, value, &items);
			for (uint32_t i = 0; i < items.n;
			     i += (uint32_t)items.sorted[i]->same) {
				const struct shape_entry *e = items.sorted[i];
				struct fieldset *children = NULL;

				if (e->same == 1)
					children =
					    set_of(a, of, e->value).children;
				add(a, &set, &e->path, true, children);
			}
			p.children = fieldset_done(a, set);
		}
		break;
	case ATOM_NONE:
		break;
	}
	return p;
}

struct fieldset *
shape_set(struct arena *a, struct shape s, const struct node *value)
{
	return set_of(a, s, value).children;
}

enum { REMOVED, MODIFIED, ADDED, CHANGES };

struct change {
	struct fieldset *set[CHANGES]; /* below the value; not sorted yet */
	bool self[CHANGES];
};

struct compare {
	struct arena *arena;
	bool bad;
};

static void compare(struct compare *c, struct shape s, const struct node *from,
    const struct node *to, struct change *change);

static void
compare_leaf(
    const struct node *from, const struct node *to, struct change *change)
{
	if (from == NULL)
		change->self[ADDED] = true;
	else if (to == NULL)
		change->self[REMOVED] = true;
	else if (!tree_equal(from, to))
		change->self[MODIFIED] = true;
}

static void
compare_below(struct compare *c, const struct fieldset_element *e,
    struct shape s, const struct node *from, const struct node *to,
    struct change *change)
{
	struct change below = {{NULL, NULL, NULL}, {false, false, false}};

	compare(c, s, from, to, &below);
	for (int i = 0; i < CHANGES; i++)
		add(c->arena, &change->set[i], e, below.self[i],
		    fieldset_done(c->arena, below.set[i]));
}

static void
compare_member(struct compare *c, struct shape s, struct span name,
    const struct node *from, const struct node *to, struct change *change)
{
	struct fieldset_element e = fieldset_element_field(name);
	bool declared;

	if (from != to)
		compare_below(
		    c, &e, shape_member(s, name, &declared), from, to, change);
}

static const struct node *
same_member(const struct node *n, struct span key, uint32_t at)
{
	if (n == NULL)
		return NULL;
	/* Mostly both have the same members in the same order. */
	if (at < n->n && span_eq(n->members[at].key, key))
		return n->members[at].value;
	return tree_get_span(n, key);
}

static void
compare_maps(struct compare *c, struct shape s, const struct node *from,
    const struct node *to, struct change *change)
{
	uint32_t found = 0;

	for (uint32_t i = 0; from != NULL && i < from->n; i++) {
		const struct member *m = &from->members[i];
		const struct node *other = same_member(to, m->key, i);

		found += other != NULL;
		compare_member(c, s, m->key, m->value, other, change);
	}
	if (to == NULL || found == to->n)
		return;
	for (uint32_t i = 0; i < to->n; i++) {
		const struct member *m = &to->members[i];

		if (same_member(from, m->key, i) == NULL)
			compare_member(c, s, m->key, NULL, m->value, change);
	}
}

static bool
same_values(
    struct shape_entry *const *x, struct shape_entry *const *y, int32_t n)
{
	for (int32_t i = 0; i < n; i++)
		if (!tree_equal(x[i]->value, y[i]->value))
			return false;
	return true;
}

/* All items of one path, on either side: several are as one value. */
static void
compare_entries(struct compare *c, struct shape of,
    struct shape_entry *const *from, struct shape_entry *const *to,
    struct change *change)
{
	int32_t n = from == NULL ? 0 : from[0]->same;
	int32_t m = to == NULL ? 0 : to[0]->same;
	const struct fieldset_element *e =
	    n > 0 ? &from[0]->path : &to[0]->path;

	if (n <= 1 && m <= 1) {
		compare_below(c, e, of, n == 0 ? NULL : from[0]->value,
		    m == 0 ? NULL : to[0]->value, change);
	} else if (n >= 2 && m >= 2) {
		if (n != m || !same_values(from, to, n))
			add(c->arena, &change->set[MODIFIED], e, true, NULL);
	} else if (n >= 2) {
		if (m == 1)
			compare_below(c, e, of, NULL, to[0]->value, change);
		add(c->arena, &change->set[REMOVED], e, true, NULL);
	} else {
		if (n == 1)
			compare_below(c, e, of, from[0]->value, NULL, change);
		add(c->arena, &change->set[ADDED], e, true, NULL);
	}
}

static void
compare_lists(struct compare *c, struct shape s, const struct node *from,
    const struct node *to, struct change *change)
{
	struct shape of = shape_item(s);
	struct shape_items x, y;
	uint32_t i = 0, j = 0;

	if (from != NULL && to != NULL && tree_equal(from, to))
		return;
	shape_items(c->arena, s, from, &x);
	shape_items(c->arena, s, to, &y);
	c->bad |= x.bad || y.bad;
	while (i < x.n || j < y.n) {
		int cmp = i == x.n ? 1
		    : j == y.n	   ? -1
				   : fieldset_element_cmp(
					 &x.sorted[i]->path, &y.sorted[j]->path);

		compare_entries(c, of, cmp > 0 ? NULL : &x.sorted[i],
		    cmp < 0 ? NULL : &y.sorted[j], change);
		if (cmp <= 0)
			i += (uint32_t)x.sorted[i]->same;
		if (cmp >= 0)
			j += (uint32_t)y.sorted[j]->same;
	}
}

/* True: it was a leaf. */
static bool
compare_atom(struct compare *c, struct shape s, enum atom atom,
    const struct node *from, const struct node *to, struct change *change)
{
	const struct node *x = from, *y = to;

	if (atom == ATOM_NONE) {
		c->bad = true;
		return true;
	}
	if (atom == ATOM_SCALAR) {
		compare_leaf(from, to, change);
		return true;
	}
	if (!tree_is(from, atom == ATOM_MAP ? NODE_OBJECT : NODE_ARRAY))
		x = NULL;
	if (!tree_is(to, atom == ATOM_MAP ? NODE_OBJECT : NODE_ARRAY))
		y = NULL;
	if (shape_atomic(s, atom) ||
	    (tree_count(x) == 0 && tree_count(y) == 0)) {
		compare_leaf(from, to, change);
		return true;
	}
	if (atom == ATOM_MAP)
		compare_maps(c, s, x, y, change);
	else
		compare_lists(c, s, x, y, change);
	return false;
}

static void
compare(struct compare *c, struct shape s, const struct node *from,
    const struct node *to, struct change *change)
{
	unsigned x = shape_atoms(s, from), y = shape_atoms(s, to);
	enum atom atom = shape_pick(to == NULL ? x : y);
	bool leaf;

	if (!shape_fits(s, shape_pick(x), from) ||
	    !shape_fits(s, shape_pick(y), to))
		c->bad = true;
	if (from != NULL && to != NULL && x != y)
		compare_atom(c, s, shape_pick(x), from, to, change);
	leaf = compare_atom(c, s, atom, from, to, change);
	if (!leaf && from == NULL)
		change->self[ADDED] = true;
	else if (!leaf && to == NULL)
		change->self[REMOVED] = true;
}

int
shape_compare(struct arena *a, struct shape s, const struct node *from,
    const struct node *to, struct shape_difference *d)
{
	struct compare c = {a, false};
	struct change change = {{NULL, NULL, NULL}, {false, false, false}};

	compare(&c, s, from, to, &change);
	d->removed = fieldset_done(a, change.set[REMOVED]);
	d->modified = fieldset_done(a, change.set[MODIFIED]);
	d->added = fieldset_done(a, change.set[ADDED]);
	return c.bad ? -1 : 0;
}
