#include "tree/tree.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"

/* Objects of fewer members are walked. */
enum { INDEX_FROM = 24 };

struct node_index {
	uint32_t mask;
	struct node_slot {
		uint32_t member; /* index of a member + 1; 0: free */
		uint32_t hash;	 /* the upper half, to compare before keys */
	} slots[];
};

static struct node *
make(struct arena *a, enum node_kind kind)
{
	struct node *n = arena_zalloc(a, sizeof(*n));

	n->kind = kind;
	return n;
}

struct span
tree_keep(struct arena *a, struct buf *b)
{
	struct span s = arena_span(a, buf_span(b));

	buf_release(b);
	return s;
}

struct node *
tree_null(struct arena *a)
{
	return make(a, NODE_NULL);
}

struct node *
tree_bool(struct arena *a, bool value)
{
	return make(a, value ? NODE_TRUE : NODE_FALSE);
}

struct node *
tree_int(struct arena *a, int64_t value)
{
	return tree_number(a, arena_printf(a, "%" PRId64, value));
}

struct node *
tree_number(struct arena *a, struct span digits)
{
	struct node *n = make(a, NODE_NUMBER);

	n->text = digits;
	return n;
}

struct node *
tree_string(struct arena *a, struct span text)
{
	struct node *n = make(a, NODE_STRING);

	n->text = text.p == NULL ? span_str("") : text;
	return n;
}

struct node *
tree_str(struct arena *a, const char *text)
{
	return tree_string(a, span_str(text));
}

struct node *
tree_array(struct arena *a)
{
	return make(a, NODE_ARRAY);
}

struct node *
tree_object(struct arena *a)
{
	return make(a, NODE_OBJECT);
}

static void
index_member(struct node *n, uint32_t i)
{
	struct node_index *index = n->index;
	uint64_t hash = hash_text(n->members[i].key);
	uint32_t at = (uint32_t)hash & index->mask;

	while (index->slots[at].member != 0)
		at = (at + 1) & index->mask;
	index->slots[at] = (struct node_slot){i + 1, (uint32_t)(hash >> 32)};
}

static void
index_make(struct arena *a, struct node *n)
{
	uint32_t slots = 64;

	while (slots < n->n * 4)
		slots *= 2;
	n->index = arena_zalloc(
	    a, sizeof(*n->index) + slots * sizeof(*n->index->slots));
	n->index->mask = slots - 1;
	for (uint32_t i = 0; i < n->n; i++)
		index_member(n, i);
}

static struct node *
copy(struct arena *a, const struct node *n, bool text)
{
	struct node *c = arena_alloc(a, sizeof(*c));

	*c = *n;
	c->max = n->n;
	switch (n->kind) {
	case NODE_NUMBER:
	case NODE_STRING:
		if (text)
			c->text = arena_span(a, n->text);
		break;
	case NODE_ARRAY:
		c->items = arena_alloc(a, n->n * sizeof(*c->items));
		for (uint32_t i = 0; i < n->n; i++)
			c->items[i] = copy(a, n->items[i], text);
		break;
	case NODE_OBJECT:
		c->members = arena_alloc(a, n->n * sizeof(*c->members));
		for (uint32_t i = 0; i < n->n; i++) {
			const struct member *m = &n->members[i];

			c->members[i].key =
			    text ? arena_span(a, m->key) : m->key;
			c->members[i].value = copy(a, m->value, text);
		}
		c->index = NULL;
		if (c->n >= INDEX_FROM)
			index_make(a, c);
		break;
	default:
		break;
	}
	return c;
}

struct node *
tree_copy(struct arena *a, const struct node *n)
{
	return copy(a, n, false);
}

struct node *
tree_clone(struct arena *a, const struct node *n)
{
	return copy(a, n, true);
}

bool
tree_is(const struct node *n, enum node_kind kind)
{
	return n != NULL && n->kind == kind;
}

struct span
tree_text(const struct node *n)
{
	return tree_is(n, NODE_STRING) ? n->text : SPAN_NONE;
}

bool
tree_text_is(const struct node *n, const char *text)
{
	return tree_is(n, NODE_STRING) && span_is(n->text, text);
}

bool
tree_true(const struct node *n)
{
	return tree_is(n, NODE_TRUE);
}

double
tree_double(const struct node *n)
{
	char digits[64];

	if (!tree_is(n, NODE_NUMBER))
		return 0;
	if (n->text.n >= sizeof(digits)) {
		char *all = mem_dup(n->text.p, n->text.n);
		double value = strtod(all, NULL);

		free(all);
		return value;
	}
	memcpy(digits, n->text.p, n->text.n);
	digits[n->text.n] = '\0';
	return strtod(digits, NULL);
}

bool
tree_get_int(const struct node *n, int64_t *value)
{
	double d;

	if (!tree_is(n, NODE_NUMBER))
		return false;
	if (json_int(n->text, value))
		return true;
	d = tree_double(n);
	/* 2^63 is a double; anything below fits. */
	if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0) ||
	    (double)(int64_t)d != d)
		return false;
	*value = (int64_t)d;
	return true;
}

size_t
tree_count(const struct node *n)
{
	return tree_is(n, NODE_ARRAY) || tree_is(n, NODE_OBJECT) ? n->n : 0;
}

struct node *
tree_strings(struct arena *a, const struct span *texts, size_t n)
{
	struct node *array = tree_array(a);

	for (size_t i = 0; i < n; i++)
		tree_append(a, array, tree_string(a, texts[i]));
	return array;
}

struct span *
tree_texts(struct arena *a, const struct node *array, size_t *n)
{
	struct span *all =
	    arena_alloc(a, (tree_items(array) + 1) * sizeof(*all));

	*n = 0;
	for (uint32_t i = 0; i < tree_items(array); i++)
		if (tree_is(array->items[i], NODE_STRING))
			all[(*n)++] = array->items[i]->text;
	return all;
}

struct node *
tree_find(const struct node *array, const char *key, const char *text)
{
	for (uint32_t i = 0; i < tree_items(array); i++)
		if (tree_text_is(tree_get(array->items[i], key), text))
			return array->items[i];
	return NULL;
}

bool
tree_has_text(const struct node *array, struct span text)
{
	for (uint32_t i = 0; i < tree_items(array); i++)
		if (tree_is(array->items[i], NODE_STRING) &&
		    span_eq(array->items[i]->text, text))
			return true;
	return false;
}

uint32_t
tree_items(const struct node *n)
{
	return tree_is(n, NODE_ARRAY) ? n->n : 0;
}

uint32_t
tree_members(const struct node *n)
{
	return tree_is(n, NODE_OBJECT) ? n->n : 0;
}

bool
tree_empty(const struct node *n)
{
	if (n == NULL || n->kind == NODE_NULL)
		return true;
	if (n->kind == NODE_STRING)
		return n->text.n == 0;
	return (n->kind == NODE_ARRAY || n->kind == NODE_OBJECT) && n->n == 0;
}

static struct member *
find(const struct node *n, struct span key)
{
	if (!tree_is(n, NODE_OBJECT))
		return NULL;
	if (n->index != NULL) {
		const struct node_index *index = n->index;
		uint64_t hash = hash_text(key);
		const struct node_slot *slot;

		for (uint32_t at = (uint32_t)hash & index->mask;
		     slot = &index->slots[at], slot->member != 0;
		     at = (at + 1) & index->mask) {
			struct member *m = &n->members[slot->member - 1];

			if (slot->hash == (uint32_t)(hash >> 32) &&
			    span_eq(m->key, key))
				return m;
		}
		return NULL;
	}
	for (uint32_t i = 0; i < n->n; i++)
		if (span_eq(n->members[i].key, key))
			return &n->members[i];
	return NULL;
}

struct node *
tree_get_span(const struct node *n, struct span key)
{
	const struct member *m = find(n, key);

	return m == NULL ? NULL : m->value;
}

struct node *
tree_get(const struct node *n, const char *key)
{
	return tree_get_span(n, span_str(key));
}

struct node *
tree_path(const struct node *n, const char *dotted)
{
	const char *dot;

	while (n != NULL && (dot = strchr(dotted, '.')) != NULL) {
		n = tree_get_span(n, span_make(dotted, (size_t)(dot - dotted)));
		dotted = dot + 1;
	}
	return n == NULL ? NULL : tree_get(n, dotted);
}

struct span
tree_path_text(const struct node *n, const char *dotted)
{
	return tree_text(tree_path(n, dotted));
}

int64_t
tree_path_int(const struct node *n, const char *dotted)
{
	int64_t value = 0;

	return tree_get_int(tree_path(n, dotted), &value) ? value : 0;
}

static void
room(struct arena *a, struct node *n, size_t size)
{
	uint32_t max;

	if (n->n < n->max)
		return;
	max = n->max < 8 ? 8 : n->max * 2;
	n->items = arena_grow(a, n->items, n->n, max, size);
	n->max = max;
}

void
tree_set(
    struct arena *a, struct node *object, struct span key, struct node *value)
{
	struct member *m = find(object, key);

	if (m != NULL) {
		m->value = value;
		return;
	}
	room(a, object, sizeof(struct member));
	object->members[object->n++] = (struct member){key, value};
	if (object->index != NULL && object->n * 2 <= object->index->mask)
		index_member(object, object->n - 1);
	else if (object->n >= INDEX_FROM)
		index_make(a, object);
}

void
tree_put(
    struct arena *a, struct node *object, const char *key, struct node *value)
{
	tree_set(a, object, span_str(key), value);
}

void
tree_put_first(
    struct arena *a, struct node *object, const char *key, struct node *value)
{
	struct member *m;
	struct member first = {span_str(key), value};
	size_t before;

	tree_put(a, object, key, value);
	m = find(object, first.key);
	before = (size_t)(m - object->members);
	memmove(object->members + 1, object->members, before * sizeof(*m));
	object->members[0] = first;
	if (object->index != NULL)
		index_make(a, object);
}

struct node *
tree_make(struct arena *a, struct node *object, const char *key)
{
	struct node *n = tree_get(object, key);

	if (n == NULL || n->kind == NODE_NULL) {
		n = tree_object(a);
		tree_put(a, object, key, n);
	}
	return n;
}

struct node *
tree_make_array(struct arena *a, struct node *object, const char *key)
{
	struct node *n = tree_get(object, key);

	if (!tree_is(n, NODE_ARRAY)) {
		n = tree_array(a);
		tree_put(a, object, key, n);
	}
	return n;
}

static int
compare_members(const void *x, const void *y)
{
	const struct member *a = x, *b = y;

	return span_cmp(a->key, b->key);
}

void
tree_sort(struct arena *a, struct node *object)
{
	if (object->n > 1)
		qsort(object->members, object->n, sizeof *object->members,
		    compare_members);
	if (object->index != NULL)
		index_make(a, object);
}

bool
tree_remove_span(struct node *object, struct span key)
{
	struct member *m = find(object, key);

	if (m == NULL)
		return false;
	object->n--;
	memmove(
	    m, m + 1, (size_t)(object->members + object->n - m) * sizeof(*m));
	object->index = NULL;
	return true;
}

void
tree_sweep(struct node *object)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < object->n; i++)
		if (object->members[i].value != NULL)
			object->members[kept++] = object->members[i];
	if (kept != object->n)
		object->index = NULL;
	object->n = kept;
}

bool
tree_remove(struct node *object, const char *key)
{
	return tree_remove_span(object, span_str(key));
}

void
tree_append(struct arena *a, struct node *array, struct node *item)
{
	room(a, array, sizeof(struct node *));
	array->items[array->n++] = item;
}

void
tree_insert(struct arena *a, struct node *array, size_t at, struct node *item)
{
	room(a, array, sizeof(struct node *));
	memmove(array->items + at + 1, array->items + at,
	    (array->n - at) * sizeof(struct node *));
	array->items[at] = item;
	array->n++;
}

void
tree_remove_at(struct node *array, size_t at)
{
	array->n--;
	memmove(array->items + at, array->items + at + 1,
	    (array->n - at) * sizeof(struct node *));
}

static bool
members_equal(const struct node *x, const struct node *y)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct member *m = &x->members[i];
		/* Two versions of an object mostly have the same order, so the
		 * same index is tried first. */
		const struct node *other = y->members[i].value;

		if (!span_eq(m->key, y->members[i].key))
			other = tree_get_span(y, m->key);
		if (other == NULL || !tree_equal(m->value, other))
			return false;
	}
	return true;
}

bool
tree_equal(const struct node *x, const struct node *y)
{
	if (x == y)
		return true;
	if (x == NULL || y == NULL || x->kind != y->kind)
		return false;
	switch (x->kind) {
	case NODE_NUMBER:
		int64_t k, j;

		if (span_eq(x->text, y->text))
			return true;
		if (tree_get_int(x, &k) && tree_get_int(y, &j))
			return k == j;
		return tree_double(x) == tree_double(y);
	case NODE_STRING:
		return span_eq(x->text, y->text);
	case NODE_ARRAY:
		if (x->n != y->n)
			return false;
		for (uint32_t i = 0; i < x->n; i++)
			if (!tree_equal(x->items[i], y->items[i]))
				return false;
		return true;
	case NODE_OBJECT:
		return x->n == y->n && members_equal(x, y);
	default:
		return true;
	}
}

bool
tree_equal_but(const struct node *x, const struct node *y, const char *member,
    const char *other)
{
	const char *const keys[] = {member, other};
	uint32_t nx = tree_members(x), ny = tree_members(y);

	if (!tree_is(x, NODE_OBJECT) || !tree_is(y, NODE_OBJECT))
		return tree_equal(x, y);
	for (size_t k = 0; k < 2 && keys[k] != NULL; k++) {
		nx -= tree_get(x, keys[k]) != NULL;
		ny -= tree_get(y, keys[k]) != NULL;
	}
	for (uint32_t i = 0; nx == ny && i < tree_members(x); i++) {
		struct span key = x->members[i].key;

		if (!span_is(key, member) &&
		    !(other != NULL && span_is(key, other)) &&
		    !tree_equal(x->members[i].value, tree_get_span(y, key)))
			return false;
	}
	return nx == ny;
}
