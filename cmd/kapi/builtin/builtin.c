#include "builtin/builtin.h"

#include <stdlib.h>

#include "builtin/topics.h"
#include "type/decode.h"
#include "type/default.h"
#include "type/encode.h"

struct node *
builtin_item(const struct node *array, size_t i)
{
	return tree_is(array, NODE_ARRAY) && i < array->n ? array->items[i]
							  : NULL;
}

bool
builtin_same_member(const struct node *x, const struct node *y, const char *key)
{
	const struct node *m = rule_given(x, key), *n = rule_given(y, key);

	return (tree_empty(m) && tree_empty(n)) || tree_equal(m, n);
}

void
builtin_keep_member(struct arena *a, const struct node *live,
    struct node *object, const char *key)
{
	struct node *was = rule_given(live, key);

	if (was == NULL)
		tree_remove(object, key);
	else
		tree_put(a, object, key, was);
}

void
builtin_default(struct arena *a, const struct resource *r, struct node *object)
{
	if (!tree_is(object, NODE_OBJECT))
		return;
	if (r->strategy->defaults != NULL)
		r->strategy->defaults(a, object);
	ruletable_default(a, r->group, r->plural, " defaults", object);
}

struct problem *
builtin_decode(struct arena *a, const struct resource *r, struct node *object,
    struct warnings *unknown, bool strategic)
{
	struct warnings none = {a, NULL, 0};
	struct problem *p;

	if (unknown == NULL)
		unknown = &none;
	p = strategic ? decode_converted(a, r->schema, object, unknown)
		      : decode_builtin(a, r->schema, object, unknown);
	if (p != NULL)
		return p;
	default_fill(a, r->schema, object);
	builtin_default(a, r, object);
	return NULL;
}

/* The status of an object whose status was never written. */
static void
empty_status(const struct change_of *x, struct node *object)
{
	const struct schema *s = x->resource->schema;
	const struct field *f =
	    s == NULL ? NULL : schema_field(s, span_str("status"));
	struct node *status = tree_object(x->arena);

	tree_put(x->arena, object, "status", status);
	if (f != NULL && f->schema != NULL)
		default_fill(x->arena, f->schema, status);
}

static bool
outside_spec(struct span key)
{
	return span_is(key, "metadata") || span_is(key, "status") ||
	    span_is(key, "apiVersion") || span_is(key, "kind");
}

/* Whether anything changed that is neither metadata nor status. */
static bool
spec_changed(const struct node *live, const struct node *object)
{
	for (size_t i = 0; i < object->n; i++)
		if (!outside_spec(object->members[i].key) &&
		    !tree_empty(object->members[i].value) &&
		    !tree_equal(object->members[i].value,
			tree_get_span(live, object->members[i].key)))
			return true;
	for (size_t i = 0; i < live->n; i++)
		if (!outside_spec(live->members[i].key) &&
		    !tree_empty(live->members[i].value) &&
		    tree_empty(tree_get_span(object, live->members[i].key)))
			return true;
	return false;
}

static void
count_generation(
    const struct change_of *x, enum generation how, struct node *object)
{
	struct node *meta = rule_given(object, "metadata");
	const struct node *was = rule_given(x->live, "metadata");

	if (meta == NULL)
		return;
	if (x->live == NULL) {
		if (how == GENERATION_NONE || how == GENERATION_CHANGES)
			tree_remove(meta, "generation");
		else
			tree_put(x->arena, meta, "generation",
			    tree_int(x->arena, 1));
		return;
	}
	builtin_keep_member(x->arena, was, meta, "generation");
	if (x->subresource.n > 0 && !span_is(x->subresource, "scale") &&
	    how == GENERATION_ANNOTATIONS)
		return;
	if ((how >= GENERATION_CHANGES && spec_changed(x->live, object)) ||
	    (how == GENERATION_ANNOTATIONS &&
		!builtin_same_member(was, meta, "annotations")))
		tree_put(x->arena, meta, "generation",
		    tree_int(x->arena, rule_int(was, "generation", 0) + 1));
}

/* On /status: everything but metadata and status is kept. */
static void
keep_spec(const struct change_of *x, struct node *object)
{
	for (size_t i = object->n; i > 0; i--) {
		struct span key = object->members[i - 1].key;
		if (!outside_spec(key) && tree_get_span(x->live, key) == NULL)
			tree_remove_span(object, key);
	}
	for (size_t i = 0; i < x->live->n; i++)
		if (!outside_spec(x->live->members[i].key))
			tree_set(x->arena, object, x->live->members[i].key,
			    x->live->members[i].value);
}

void
builtin_prepare(const struct change_of *change, struct node *object)
{
	struct change_of x = *change;
	const struct strategy *k = x.resource->strategy;

	if (!tree_is(object, NODE_OBJECT))
		return;
	if (span_is(x.subresource, "scale"))
		x.subresource = SPAN_NONE;
	if (x.live != NULL &&
	    (span_is(x.subresource, "status") ||
		span_is(x.subresource, "approval"))) {
		keep_spec(&x, object);
		ruletable_prepare(&x, " status prepare", object);
		if (k->prepare_status != NULL)
			k->prepare_status(&x, object);
		count_generation(&x, GENERATION_NONE, object);
		return;
	}
	if (x.resource->has_status) {
		if (x.live != NULL)
			builtin_keep_member(x.arena, x.live, object, "status");
		else if (!(k->traits & TRAIT_BRINGS_STATUS))
			empty_status(&x, object);
	}
	ruletable_prepare(&x, " prepare", object);
	if (k->prepare != NULL)
		k->prepare(&x, object);
	count_generation(&x, k->generation, object);
}

void
builtin_validate(
    struct causes *c, const struct change_of *change, const struct node *object)
{
	struct change_of x = *change;
	const struct strategy *k = x.resource->strategy;
	bool status = span_is(x.subresource, "status");
	validate_fn *fn = status ? k->validate_status : k->validate;

	if (!tree_is(object, NODE_OBJECT))
		return;
	if (span_is(x.subresource, "scale"))
		x.subresource = SPAN_NONE;
	if (fn != NULL)
		fn(c, &x, object);
	else
		ruletable_check(c, &x, status ? " status" : "", object);
}

struct problem *
builtin_admit(const struct change_of *x, const struct node *object)
{
	admit_fn *fn = x->resource->strategy->admit;

	return fn == NULL || x->subresource.n > 0 ? NULL : fn(x, object);
}

void
builtin_encode(struct arena *a, const struct resource *r, struct node *object)
{
	encode_builtin(a, r->schema, object);
}
