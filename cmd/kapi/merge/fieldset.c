#include "merge/fieldset.h"

#include <stdlib.h>

static struct fieldset_item *
grow(struct arena *a, struct fieldset *s)
{
	if (s->n == s->max) {
		uint32_t max = s->max == 0 ? 4 : s->max * 2;

		s->items =
		    arena_grow(a, s->items, s->max, max, sizeof(*s->items));
		s->max = max;
	}
	return &s->items[s->n++];
}

struct fieldset *
fieldset_new(struct arena *a)
{
	return arena_zalloc(a, sizeof(struct fieldset));
}

void
fieldset_add(struct arena *a, struct fieldset *s,
    const struct fieldset_element *path, bool member, struct fieldset *children)
{
	if (s->n > 0 &&
	    fieldset_element_cmp(&s->items[s->n - 1].path, path) >= 0)
		s->unsorted = true;
	*grow(a, s) = (struct fieldset_item){*path, member, children};
}

static int
item_cmp(const void *x, const void *y)
{
	const struct fieldset_item *const *i = x, *const *j = y;
	int c = fieldset_element_cmp(&(*i)->path, &(*j)->path);

	return c != 0 ? c : (*i > *j) - (*i < *j);
}

struct fieldset *
fieldset_done(struct arena *a, struct fieldset *s)
{
	if (s == NULL || s->n == 0)
		return NULL;
	if (s->unsorted) {
		struct fieldset_item **order =
		    arena_alloc(a, s->n * sizeof(*order));
		struct fieldset sorted = {NULL, 0, 0, false};

		for (uint32_t i = 0; i < s->n; i++)
			order[i] = &s->items[i];
		qsort(order, s->n, sizeof(*order), item_cmp);
		for (uint32_t i = 0; i < s->n; i++) {
			struct fieldset_item *last =
			    sorted.n == 0 ? NULL : &sorted.items[sorted.n - 1];

			if (last != NULL &&
			    fieldset_element_cmp(
				&last->path, &order[i]->path) == 0) {
				last->member |= order[i]->member;
				last->children = fieldset_union(
				    a, last->children, order[i]->children);
			} else {
				*grow(a, &sorted) = *order[i];
			}
		}
		*s = sorted;
	}
	return s;
}

static struct fieldset *
of(struct arena *a, struct span dotted)
{
	struct fieldset *s = fieldset_new(a);
	struct fieldset_element e =
	    fieldset_element_field(span_cut(&dotted, '.'));

	if (dotted.p == NULL)
		fieldset_add(a, s, &e, true, NULL);
	else
		fieldset_add(a, s, &e, false, of(a, dotted));
	return s;
}

struct fieldset *
fieldset_of(struct arena *a, const char *dotted)
{
	return of(a, span_str(dotted));
}

bool
fieldset_has(const struct fieldset *s, const char *dotted)
{
	struct span rest = span_str(dotted);

	for (;;) {
		struct fieldset_element e =
		    fieldset_element_field(span_cut(&rest, '.'));
		const struct fieldset_item *i = fieldset_find(s, &e);

		if (i == NULL)
			return false;
		if (rest.p == NULL)
			return i->member;
		s = i->children;
	}
}

const struct fieldset_item *
fieldset_find(const struct fieldset *s, const struct fieldset_element *path)
{
	uint32_t low = 0, high = s == NULL ? 0 : s->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int c = fieldset_element_cmp(&s->items[middle].path, path);

		if (c == 0)
			return &s->items[middle];
		if (c < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

bool
fieldset_empty(const struct fieldset *s)
{
	for (uint32_t i = 0; s != NULL && i < s->n; i++)
		if (s->items[i].member || !fieldset_empty(s->items[i].children))
			return false;
	return true;
}

size_t
fieldset_size(const struct fieldset *s)
{
	size_t n = 0;

	for (uint32_t i = 0; s != NULL && i < s->n; i++)
		n += s->items[i].member + fieldset_size(s->items[i].children);
	return n;
}

bool
fieldset_equal(const struct fieldset *x, const struct fieldset *y)
{
	if (x == y)
		return true;
	if (x == NULL || y == NULL)
		return fieldset_empty(x) && fieldset_empty(y);
	if (x->n != y->n)
		return false;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct fieldset_item *p = &x->items[i], *q = &y->items[i];

		if (p->member != q->member ||
		    fieldset_element_cmp(&p->path, &q->path) != 0 ||
		    !fieldset_equal(p->children, q->children))
			return false;
	}
	return true;
}

bool
fieldset_within(const struct fieldset *x, const struct fieldset *y)
{
	uint32_t j = 0;

	for (uint32_t i = 0; x != NULL && i < x->n; i++) {
		const struct fieldset_item *p = &x->items[i], *q;
		int c = -1;

		for (; y != NULL && j < y->n; j++) {
			c = fieldset_element_cmp(&y->items[j].path, &p->path);
			if (c >= 0)
				break;
		}
		q = c == 0 && y != NULL && j < y->n ? &y->items[j] : NULL;
		if (p->member && (q == NULL || !q->member))
			return false;
		if (p->children != NULL &&
		    !fieldset_within(
			p->children, q == NULL ? NULL : q->children))
			return false;
	}
	return true;
}

static uint32_t
count(const struct fieldset *s)
{
	return s == NULL ? 0 : s->n;
}

/* The set with the next path: below 0: x; above 0: y; 0: both. */
static int
next(const struct fieldset *x, uint32_t i, const struct fieldset *y, uint32_t j)
{
	if (j >= count(y))
		return -1;
	if (i >= count(x))
		return 1;
	return fieldset_element_cmp(&x->items[i].path, &y->items[j].path);
}

struct fieldset *
fieldset_union(struct arena *a, struct fieldset *x, struct fieldset *y)
{
	struct fieldset *s;
	uint32_t i = 0, j = 0;

	if (x == NULL || x == y)
		return y;
	if (y == NULL)
		return x;
	s = fieldset_new(a);
	s->max = x->n + y->n;
	s->items = arena_alloc(a, s->max * sizeof(*s->items));
	while (i < x->n || j < y->n) {
		int c = next(x, i, y, j);
		struct fieldset_item *p = &s->items[s->n++];

		if (c > 0) {
			*p = y->items[j++];
			continue;
		}
		*p = x->items[i++];
		if (c < 0)
			continue;
		p->member |= y->items[j].member;
		p->children =
		    fieldset_union(a, p->children, y->items[j].children);
		j++;
	}
	return s;
}

struct fieldset *
fieldset_intersection(
    struct arena *a, const struct fieldset *x, const struct fieldset *y)
{
	struct fieldset *s = NULL;
	uint32_t i = 0, j = 0;

	while (i < count(x) && j < count(y)) {
		int c = next(x, i, y, j);
		struct fieldset_item p;

		if (c < 0) {
			i++;
			continue;
		}
		if (c > 0) {
			j++;
			continue;
		}
		p = x->items[i];
		p.member &= y->items[j].member;
		p.children =
		    fieldset_intersection(a, p.children, y->items[j].children);
		i++;
		j++;
		if (!p.member && p.children == NULL)
			continue;
		if (s == NULL)
			s = fieldset_new(a);
		*grow(a, s) = p;
	}
	return s;
}

enum depth { FLAT, RECURSIVE };

/* The paths of x without those of y: x itself if nothing is removed, so that
 * most of a set is never copied. */
static struct fieldset *
difference(struct arena *a, struct fieldset *x, const struct fieldset *y,
    enum depth depth)
{
	struct fieldset *s = NULL;
	uint32_t i = 0, j = 0;

	if (x == NULL || y == NULL)
		return x;
	while (i < x->n) {
		int c = next(x, i, y, j);
		struct fieldset_item p = x->items[i];

		if (c > 0) {
			j++;
			continue;
		}
		if (c == 0) {
			const struct fieldset_item *q = &y->items[j++];

			p.member = p.member && !q->member;
			p.children = q->member && depth == RECURSIVE
			    ? NULL
			    : difference(a, p.children, q->children, depth);
		}
		if (s == NULL &&
		    (p.member != x->items[i].member ||
			p.children != x->items[i].children)) {
			s = fieldset_new(a);
			s->max = x->n;
			s->items = arena_alloc(a, x->n * sizeof(*s->items));
			memcpy(s->items, x->items, i * sizeof(*s->items));
			s->n = i;
		}
		if (s != NULL && (p.member || p.children != NULL))
			s->items[s->n++] = p;
		i++;
	}
	if (s == NULL)
		return x;
	return s->n == 0 ? NULL : s;
}

struct fieldset *
fieldset_difference(
    struct arena *a, struct fieldset *x, const struct fieldset *y)
{
	return difference(a, x, y, FLAT);
}

struct fieldset *
fieldset_difference_recursive(
    struct arena *a, struct fieldset *x, const struct fieldset *y)
{
	return difference(a, x, y, RECURSIVE);
}

void
fieldset_each(
    const struct fieldset *s, struct buf *scratch, fieldset_fn *fn, void *arg)
{
	size_t before = scratch->len;

	for (uint32_t i = 0; i < count(s); i++) {
		if (!s->items[i].member)
			continue;
		fieldset_element_print(scratch, &s->items[i].path);
		fn(arg, buf_span(scratch));
		buf_truncate(scratch, before);
	}
	for (uint32_t i = 0; i < count(s); i++) {
		if (s->items[i].children == NULL)
			continue;
		fieldset_element_print(scratch, &s->items[i].path);
		fieldset_each(s->items[i].children, scratch, fn, arg);
		buf_truncate(scratch, before);
	}
}
