/* Entries of managedFields: apimachinery/pkg/util/managedfields/internal/
 * managedfields.go, capmanagers.go. */
#include "merge/managed_entry.h"

#include <stdlib.h>

#include "base/map.h"
#include "json/json.h"

enum { MAX_UPDATERS = 10 };
#define ANCIENT "ancient-changes"

static int
identity_cmp(const struct managed_entry *x, const struct managed_entry *y)
{
	int c = (int)y->applied - (int)x->applied;

	if (c == 0)
		c = span_cmp(x->manager, y->manager);
	if (c == 0)
		c = span_cmp(x->subresource, y->subresource);
	/* For an Apply the version does not count: the manager is the same in
	 * all. */
	return c != 0 || x->applied ? c
				    : span_cmp(x->api_version, y->api_version);
}

struct managed_entry *
managed_entries_add(struct managed_entries *e, const struct managed_entry *who)
{
	e->items = arena_more(e->arena, e->items, e->n, sizeof(*e->items));
	e->items[e->n] = *who;
	return &e->items[e->n++];
}

struct managed_entry *
managed_entries_find(struct managed_entries *e, const struct managed_entry *who)
{
	for (size_t i = 0; i < e->n; i++)
		if (identity_cmp(&e->items[i], who) == 0)
			return &e->items[i];
	return NULL;
}

static struct span
text_of(const struct node *entry, const char *key)
{
	return tree_text(tree_get(entry, key));
}

static int
decode_one(struct managed_entries *e, const struct node *n, size_t number,
    enum entries_from from, struct err *err)
{
	struct managed_entry x = {.stored = from == FROM_STORE ? n : NULL};
	struct span operation = text_of(n, "operation");
	struct span type = text_of(n, "fieldsType");

	x.applied = span_is(operation, "Apply");
	x.manager = text_of(n, "manager");
	x.api_version = text_of(n, "apiVersion");
	x.subresource = text_of(n, "subresource");
	x.time = text_of(n, "time");
	x.fields = tree_get(n, "fieldsV1");
	if (from == FROM_STORE) {
		managed_entries_add(e, &x);
		return 0;
	}
	if (!x.applied && !span_is(operation, "Update"))
		return err_set(err, ERR_PERMANENT,
		    "operation must be `Apply` or `Update`");
	if (x.api_version.n == 0)
		return err_set(
		    err, ERR_PERMANENT, "apiVersion must not be empty");
	if (type.n == 0)
		return err_set(err, ERR_PERMANENT,
		    "missing fieldsType in managed fields entry %zu", number);
	if (!span_is(type, "FieldsV1"))
		return err_set(err, ERR_PERMANENT,
		    "invalid fieldsType \"%.*s\" in managed fields entry %zu",
		    SPAN_ARG(type), number);
	if (fieldset_parse(e->arena, x.fields, &x.set, err) != 0)
		return -1;
	x.fields = NULL;
	managed_entries_add(e, &x);
	return 0;
}

static int
pointer_cmp(const void *x, const void *y)
{
	const struct managed_entry *const *i = x, *const *j = y;
	int c = identity_cmp(*i, *j);

	return c != 0 ? c : (*i > *j) - (*i < *j);
}

int
managed_entries_decode(struct managed_entries *e, struct arena *a,
    const struct node *array, enum entries_from from, struct err *err)
{
	*e = (struct managed_entries){.arena = a};
	for (size_t i = 0; i < tree_count(array); i++)
		if (!tree_is(array, NODE_ARRAY) ||
		    decode_one(e, array->items[i], i, from, err) != 0)
			return -1;
	if (from == FROM_CLIENT) {
		/* The last of the entries of one identity counts. */
		struct managed_entry **sorted =
		    arena_alloc(e->arena, e->n * sizeof(*sorted));
		struct managed_entries once = {.arena = e->arena};

		for (size_t i = 0; i < e->n; i++)
			sorted[i] = &e->items[i];
		qsort(sorted, e->n, sizeof(*sorted), pointer_cmp);
		for (size_t i = 0; i < e->n; i++)
			if (i + 1 == e->n ||
			    identity_cmp(sorted[i], sorted[i + 1]) != 0)
				managed_entries_add(&once, sorted[i]);
		*e = once;
	} else
		e->stored = array;
	return 0;
}

struct fieldset *
managed_entry_set(
    struct managed_entries *e, struct managed_entry *x, const struct shape *s)
{
	struct fieldset *now;

	if (x->fields != NULL) {
		if (fieldset_parse(e->arena, x->fields, &x->set, NULL) != 0)
			x->set = NULL;
		x->fields = NULL;
	}
	now = s == NULL ? x->set : shape_reconcile(e->arena, *s, x->set);
	if (now != x->set)
		managed_entry_set_fields(x, now);
	return x->set;
}

void
managed_entry_set_fields(struct managed_entry *x, struct fieldset *set)
{
	x->set = set;
	x->fields = NULL;
	x->stored = NULL;
}

void
managed_entries_sweep(struct managed_entries *e)
{
	size_t kept = 0;

	for (size_t i = 0; i < e->n; i++) {
		const struct managed_entry *x = &e->items[i];

		if (x->fields != NULL || !fieldset_empty(x->set))
			e->items[kept++] = *x;
	}
	e->n = kept;
}

static int
age_cmp(const void *x, const void *y)
{
	const struct managed_entry *i = *(struct managed_entry *const *)x;
	const struct managed_entry *j = *(struct managed_entry *const *)y;
	int c = span_cmp(i->time, j->time);

	return c != 0 ? c : identity_cmp(i, j);
}

/* Updates of one version that become one entry. */
struct bucket {
	struct managed_entry
	    *into;  /* the bucket that is there, or the oldest */
	bool first; /* into is such an oldest one */
	struct fieldset **sets;
	size_t n;
};

static struct bucket *
bucket_of(
    struct managed_entries *e, struct map *buckets, struct managed_entry *x)
{
	struct bucket *b = map_get(buckets, x->api_version);

	if (b == NULL) {
		b = arena_zalloc(e->arena, sizeof(*b));
		map_put(buckets, x->api_version, b);
	}
	return b;
}

static void
into_bucket(
    struct managed_entries *e, struct bucket *b, struct managed_entry *x)
{
	b->sets = arena_more(e->arena, b->sets, b->n, sizeof(*b->sets));
	b->sets[b->n++] = managed_entry_set(e, x, NULL);
	if (x == b->into)
		return;
	b->into->time = x->time;
	managed_entry_set_fields(x, NULL);
}

/* The union of n sets, made from the unions of both halves: thousands of sets
 * cost their paths times log n. */
static struct fieldset *
union_of(struct arena *a, struct fieldset **sets, size_t n)
{
	if (n <= 1)
		return n == 0 ? NULL : sets[0];
	return fieldset_union(
	    a, union_of(a, sets, n / 2), union_of(a, sets + n / 2, n - n / 2));
}

static void
fill_buckets(struct managed_entries *e, struct map *buckets)
{
	struct bucket *b;

	for (size_t i = 0; (b = map_next(buckets, &i)) != NULL;) {
		if (b->n == 0)
			continue;
		into_bucket(e, b, b->into);
		if (b->first) {
			b->into->manager = span_str(ANCIENT);
			b->into->subresource = SPAN_NONE;
		}
		managed_entry_set_fields(
		    b->into, union_of(e->arena, b->sets, b->n));
	}
}

void
managed_entries_cap(struct managed_entries *e)
{
	struct managed_entry **oldest =
	    arena_alloc(e->arena, e->n * sizeof(*oldest));
	struct map buckets = MAP_INIT;
	size_t n = 0, left;

	for (size_t i = 0; i < e->n; i++)
		if (!e->items[i].applied)
			oldest[n++] = &e->items[i];
	if (n <= MAX_UPDATERS)
		return;
	qsort(oldest, n, sizeof(*oldest), age_cmp);
	for (size_t i = 0; i < n; i++)
		if (span_is(oldest[i]->manager, ANCIENT) &&
		    oldest[i]->subresource.n == 0)
			bucket_of(e, &buckets, oldest[i])->into = oldest[i];
	left = n;
	for (size_t i = 0; i < n && left > MAX_UPDATERS; i++) {
		struct bucket *b = bucket_of(e, &buckets, oldest[i]);

		if (b->into == NULL) {
			b->into = oldest[i];
			b->first = true;
		} else if (b->into != oldest[i]) {
			into_bucket(e, b, oldest[i]);
			left--;
		}
	}
	fill_buckets(e, &buckets);
	map_release(&buckets);
	managed_entries_sweep(e);
}

struct span
managed_entry_identity(struct arena *a, const struct managed_entry *x)
{
	struct buf b = BUF_INIT;

	buf_adds(&b, "{\"manager\":");
	json_add_string(&b, x->manager);
	buf_adds(&b, ",\"operation\":");
	json_add_str(&b, x->applied ? "Apply" : "Update");
	if (!x->applied) {
		buf_adds(&b, ",\"apiVersion\":");
		json_add_string(&b, x->api_version);
	}
	if (x->subresource.n > 0) {
		buf_adds(&b, ",\"subresource\":");
		json_add_string(&b, x->subresource);
	}
	buf_addc(&b, '}');
	return tree_keep(a, &b);
}

static int
written_cmp(const void *x, const void *y)
{
	const struct managed_entry *i = x, *j = y;
	int c = (int)j->applied - (int)i->applied;

	if (c == 0)
		c = span_cmp(i->time, j->time);
	if (c == 0)
		c = span_cmp(i->manager, j->manager);
	if (c == 0)
		c = span_cmp(i->api_version, j->api_version);
	return c != 0 ? c : span_cmp(i->subresource, j->subresource);
}

static void
put_text(struct arena *a, struct node *n, const char *key, struct span text)
{
	if (text.n > 0)
		tree_put(a, n, key, tree_string(a, text));
}

static struct node *
encode_one(struct managed_entries *e, struct managed_entry *x)
{
	struct arena *a = e->arena;
	struct node *n;

	if (x->stored != NULL)
		return (struct node *)x->stored;
	n = tree_object(a);
	put_text(a, n, "manager", x->manager);
	tree_put(
	    a, n, "operation", tree_str(a, x->applied ? "Apply" : "Update"));
	put_text(a, n, "apiVersion", x->api_version);
	put_text(a, n, "time", x->time);
	tree_put(a, n, "fieldsType", tree_str(a, "FieldsV1"));
	tree_put(
	    a, n, "fieldsV1", fieldset_node(a, managed_entry_set(e, x, NULL)));
	put_text(a, n, "subresource", x->subresource);
	return n;
}

static bool
as_stored(const struct managed_entries *e)
{
	if (e->stored == NULL || e->n != tree_count(e->stored))
		return false;
	for (size_t i = 0; i < e->n; i++)
		if (e->items[i].stored != e->stored->items[i])
			return false;
	return true;
}

struct node *
managed_entries_encode(struct managed_entries *e)
{
	struct node *array;

	if (e->n == 0)
		return NULL;
	if (as_stored(e))
		return (struct node *)e->stored;
	qsort(e->items, e->n, sizeof(*e->items), written_cmp);
	array = tree_array(e->arena);
	for (size_t i = 0; i < e->n; i++)
		tree_append(e->arena, array, encode_one(e, &e->items[i]));
	return array;
}
