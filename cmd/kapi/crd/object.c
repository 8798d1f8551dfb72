/* Part of crd/crd.h: objects of a CRD. */
#include <stdlib.h>
#include <string.h>

#include "crd/check.h"
#include "crd/crd.h"
#include "crd/prune.h"
#include "text/gotext.h"
#include "text/number.h"
#include "text/texts.h"
#include "type/default.h"

static struct problem *
decode_metadata(struct arena *a, struct node *object, struct span path,
    struct warnings *unknown)
{
	struct node *metadata = tree_get(object, "metadata");
	struct warnings part = {.arena = a};
	struct problem *p;

	if (metadata == NULL)
		return NULL;
	if (metadata->kind == NODE_NULL) {
		tree_put(a, object, "metadata", tree_object(a));
		return NULL;
	}
	p = decode_builtin(a, schema_object_meta(), metadata, &part);
	if (unknown != NULL && p == NULL) {
		/* Adds the notes of this part, with its path in front of the
		 * field. */
		static const char head[] = "unknown field \"";

		for (size_t i = 0; i < part.n; i++) {
			struct span s = part.items[i];

			if (s.n > sizeof head - 1 &&
			    memcmp(s.p, head, sizeof head - 1) == 0)
				s = arena_printf(a, "%s%.*s.%.*s", head,
				    SPAN_ARG(path),
				    (int)(s.n - (sizeof head - 1)),
				    s.p + sizeof head - 1);
			decode_warning_add(unknown, s);
		}
	}
	return p;
}

struct embedded_walk {
	struct arena *arena;
	struct warnings *unknown;
	struct problem *problem;
};

static struct span
metadata_text(struct arena *a, const struct node *metadata)
{
	struct buf b = BUF_INIT;

	if (metadata == NULL)
		return SPAN_NONE;
	tree_write_sorted(&b, metadata);
	return tree_keep(a, &b);
}

static void
decode_embedded_meta(struct embedded_walk *w, struct node *n, struct span path)
{
	static const char *const keys[] = {"apiVersion", "kind"};
	struct span shown;

	for (size_t i = 0; i < 2; i++) {
		struct node *v = tree_get(n, keys[i]);

		if (v == NULL || v->kind == NODE_STRING)
			continue;
		w->problem = problem_bad_request(w->arena,
		    "%.*s.%s: Invalid value: %.*s: must be a string",
		    SPAN_ARG(path), keys[i],
		    SPAN_ARG(gotext_value(w->arena, v)));
		return;
	}
	shown = metadata_text(w->arena, tree_get(n, "metadata"));
	path = cause_path_field(w->arena, path, span_str("metadata"));
	w->problem = decode_metadata(w->arena, n, path, w->unknown);
	if (w->problem != NULL)
		w->problem->message = arena_printf(w->arena,
		    "%.*s: Invalid value: %.*s: %.*s", SPAN_ARG(path),
		    SPAN_ARG(shown), SPAN_ARG(w->problem->message));
}

/* Resources within the object, along the schema. */
static void
decode_embedded(struct embedded_walk *w, const struct schema *s, struct node *n,
    struct span path)
{
	if (s == NULL || w->problem != NULL)
		return;
	if (s->embedded && n->kind == NODE_OBJECT)
		decode_embedded_meta(w, n, path);
	for (size_t i = 0; n->kind == NODE_OBJECT && i < n->n; i++) {
		struct span key = n->members[i].key;

		if ((s->embedded || path.p == NULL) && prune_is_meta_field(key))
			continue;
		decode_embedded(w, prune_member(s, key), n->members[i].value,
		    cause_path_field(w->arena, path, key));
	}
	for (size_t i = 0; n->kind == NODE_ARRAY && i < n->n; i++)
		decode_embedded(w, prune_item(s), n->items[i],
		    cause_path_index(w->arena, path, i));
}

struct problem *
crd_decode(struct arena *a, const struct resource *r, struct node *object,
    struct warnings *unknown)
{
	const struct crd_version *v = crd_version_of(r);
	struct warnings own = {.arena = a};
	struct embedded_walk w = {a, &own, NULL};

	w.problem = decode_metadata(a, object, span_str("metadata"), &own);
	if (w.problem != NULL)
		return w.problem;
	if (!r->crd->preserve_unknown) {
		prune_object(a, r->schema, object, &own);
		/* The validation refuses the nulls of an apply. */
		if (unknown != NULL)
			prune_drop_nulls(r->schema, object);
	}
	if (v->has_embedded)
		decode_embedded(&w, r->schema, object, SPAN_NONE);
	if (w.problem != NULL)
		return w.problem;
	for (size_t i = 0; unknown != NULL && i < own.n; i++)
		decode_warning_add(unknown, own.items[i]);
	default_fill(a, r->schema, object);
	return NULL;
}

static void
prune_silently(struct arena *a, const struct resource *r, struct node *object)
{
	if (r->crd->preserve_unknown)
		return;
	prune_object(a, r->schema, object, NULL);
	prune_drop_nulls(r->schema, object);
}

void
crd_read(struct arena *a, const struct resource *r, struct node *object)
{
	if (span_eq(tree_path_text(object, "apiVersion"), r->api_version))
		return;
	tree_put_first(a, object, "kind", tree_string(a, r->kind));
	tree_put_first(a, object, "apiVersion", tree_string(a, r->api_version));
	prune_silently(a, r, object);
}

void
crd_refresh(struct arena *a, const struct resource *r, struct node *object)
{
	struct span version = tree_path_text(object, "apiVersion");
	const struct resource *from = r;

	for (size_t i = 0; i < r->crd->version_count; i++)
		if (span_eq(r->crd->versions[i].resource->api_version, version))
			from = r->crd->versions[i].resource;
	prune_silently(a, from, object);
	default_fill(a, from->schema, object);
	crd_read(a, r, object);
}

/* The API server keeps these objects in Go maps, which are written sorted. */
static void
sort_members(struct node *n)
{
	for (size_t i = 0; n->kind == NODE_ARRAY && i < n->n; i++)
		sort_members(n->items[i]);
	if (n->kind != NODE_OBJECT)
		return;
	for (size_t i = 0; i < n->n; i++)
		sort_members(n->members[i].value);
	for (size_t i = 1; i < n->n; i++)
		if (span_cmp(n->members[i - 1].key, n->members[i].key) > 0) {
			qsort(n->members, n->n, sizeof *n->members, texts_cmp);
			n->index = NULL; /* the index has the old order */
			break;
		}
}

void
crd_keep(struct arena *a, const struct resource *r, struct node *object)
{
	struct node *kind, *version;

	crd_read(a, r, object);
	default_fill(a, r->schema, object);
	kind = tree_get(object, "kind");
	version = tree_get(object, "apiVersion");
	number_normalize(a, object);
	sort_members(object);
	/* A stored object begins with apiVersion and kind. */
	if (kind != NULL)
		tree_put_first(a, object, "kind", kind);
	if (version != NULL)
		tree_put_first(a, object, "apiVersion", version);
}

/* On /status, all but the status comes from what is stored. */
static void
keep_all_but_status(
    struct arena *a, const struct node *live, struct node *object)
{
	struct node *status = tree_get(object, "status");
	struct node *managed = tree_path(object, "metadata.managedFields");
	struct node *copy = tree_copy(a, live);
	struct node *metadata = tree_make(a, copy, "metadata");

	tree_remove(metadata, "managedFields");
	if (managed != NULL)
		tree_put(a, metadata, "managedFields", managed);
	tree_remove(copy, "status");
	if (status != NULL)
		tree_put(a, copy, "status", status);
	*object = *copy;
}

void
crd_prepare(struct arena *a, const struct resource *r, struct span subresource,
    const struct node *live, struct node *object)
{
	struct node *metadata;
	int64_t generation = 1;

	if (live != NULL && span_is(subresource, "status")) {
		keep_all_but_status(a, live, object);
		return;
	}
	if (r->has_status) {
		const struct node *status = tree_get(live, "status");

		tree_remove(object, "status");
		if (status != NULL)
			tree_put(a, object, "status", tree_copy(a, status));
	}
	if (live != NULL) {
		if (!tree_get_int(
			tree_path(live, "metadata.generation"), &generation))
			generation = 0;
		generation += !tree_equal_but(live, object, "metadata", NULL);
	}
	metadata = tree_make(a, object, "metadata");
	tree_put(a, metadata, "generation", tree_int(a, generation));
}

/* The value at .spec.replicas; *at is where an accessor gave up. */
static const struct node *
value_at(
    const struct node *object, struct span path, bool *broken, struct span *at)
{
	const struct node *n = object;
	const char *p = path.p + 1, *end = path.p + path.n;

	*broken = false;
	*at = path;
	while (n != NULL && path.n > 1 && p <= end) {
		const char *dot = memchr(p, '.', (size_t)(end - p));
		size_t length = (size_t)((dot ? dot : end) - p);

		if (n->kind != NODE_OBJECT) {
			*broken = true;
			*at = span_make(path.p, (size_t)(p - path.p) + length);
			return n;
		}
		n = tree_get_span(n, span_make(p, length));
		p += length + 1;
	}
	return n;
}

static const char *
accessor_error(
    struct arena *a, const struct node *n, struct span at, const char *expected)
{
	return arena_printf(a,
	    "%.*s accessor error: %.*s is of the type %s, expected %s",
	    SPAN_ARG(at), SPAN_ARG(gotext_value(a, n)), gotext_type(n),
	    expected)
	    .p;
}

static void
check_replicas(struct causes *c, const struct node *object, struct span path)
{
	bool broken;
	struct span at;
	const struct node *n = value_at(object, path, &broken, &at);
	int64_t value = 0;
	bool is_int = !broken && n != NULL && n->kind == NODE_NUMBER &&
	    number_is_int(n, &value);

	if (n == NULL)
		return;
	if (!is_int)
		cause_invalid(c, path, tree_int(c->arena, 0),
		    accessor_error(c->arena, n, at,
			broken ? "map[string]interface{}" : "int64"));
	else if (value < 0)
		cause_invalid(c, path, n, "should be a non-negative integer");
	else if (value > INT32_MAX)
		cause_invalid(
		    c, path, n, "should be less than or equal to 2147483647");
}

static void
check_lists(struct causes *c, const struct resource *r, const struct node *live,
    const struct node *object)
{
	struct causes own = {.arena = c->arena}, old = {.arena = c->arena};

	crd_check_lists(&own, r->schema, object);
	if (own.n == 0)
		return;
	if (live != NULL)
		crd_check_lists(&old, r->schema, live);
	for (size_t i = 0; old.n == 0 && i < own.n; i++)
		cause_add(c, arena_str(c->arena, own.items[i].reason),
		    own.items[i].field, own.items[i].message);
}

static void
check_schema(struct causes *c, const struct resource *r, bool status,
    const struct node *live, const struct node *object)
{
	const struct node *value = tree_get(object, "status");
	const struct schema_rules *rules;

	if (!status) {
		check_valid(c, r->schema, object, live);
		return;
	}
	rules = structural_property(r->schema->rules, span_str("status"));
	if (value != NULL && rules != NULL)
		crd_check(c, rules, span_str("status"), value,
		    tree_get(live, "status"));
}

void
crd_validate(struct causes *c, const struct resource *r,
    struct span subresource, const struct node *live, const struct node *object)
{
	const struct crd_version *v = crd_version_of(r);
	bool status = span_is(subresource, "status");
	struct span kind = tree_path_text(object, "kind");
	struct span version = tree_path_text(object, "apiVersion");
	size_t before = c->n;
	static const char *const blocking[] = {"FieldValueNotSupported",
	    "FieldValueRequired", "FieldValueTooLong", "FieldValueTooMany",
	    "FieldValueTypeInvalid"};

	if (!span_eq(kind, r->kind))
		cause_invalid_text(c, span_str("kind"), kind,
		    arena_printf(c->arena, "must be %.*s", SPAN_ARG(r->kind))
			.p);
	if (!span_eq(version, r->api_version))
		cause_invalid_text(c, span_str("apiVersion"), version,
		    arena_printf(
			c->arena, "must be %.*s", SPAN_ARG(r->api_version))
			.p);
	if (c->n != before)
		return;
	check_schema(c, r, status, live, object);
	if (v->has_scale) {
		if (!span_is(subresource, "status"))
			check_replicas(c, object, v->scale.spec_replicas);
		check_replicas(c, object, v->scale.status_replicas);
		if (v->scale.label_selector.n > 0) {
			bool broken;
			struct span at;
			const struct node *n = value_at(
			    object, v->scale.label_selector, &broken, &at);

			if (n != NULL && n->kind != NODE_STRING)
				cause_invalid_text(c, v->scale.label_selector,
				    span_str(""),
				    accessor_error(c->arena, n, at,
					broken ? "map[string]interface{}"
					       : "string"));
		}
	}
	if (v->has_embedded && !status)
		crd_check_embedded(c, r->schema, object);
	check_lists(c, r, live, object);
	/* Says that CEL rules were not checked if an error keeps the API server
	 * from evaluating them, though kapi never evaluates any. */
	for (size_t i = 0; v->has_rules && i < c->n; i++)
		for (size_t k = 0; k < 5; k++)
			if (span_is(c->items[i].reason, blocking[k])) {
				cause_invalid(c, span_str("<nil>"), NULL,
				    "some validation rules were not checked "
				    "because the object was invalid; correct "
				    "the existing errors to complete "
				    "validation");
				return;
			}
}

struct problem *
crd_refuses_create(struct arena *a, const struct resource *r, struct span name)
{
	if (!r->crd->terminating)
		return NULL;
	return problem_forbidden(a, r, name,
	    "create not allowed while custom resource definition is "
	    "terminating");
}

void
crd_warn(const struct resource *r, const struct node *live,
    const struct node *object, struct warnings *w)
{
	const struct node *all = tree_path(object, "metadata.finalizers");
	size_t n = tree_items(all), found = 0;
	struct span *names;

	(void)r;
	if (n == 0)
		return;
	names = arena_alloc(w->arena, n * sizeof *names);
	for (size_t i = 0; i < n; i++) {
		struct span name = tree_text(all->items[i]);

		if (name.n == 0 || span_find(name, '/') != NULL ||
		    span_is(name, "orphan") ||
		    span_is(name, "foregroundDeletion") ||
		    span_is(name, "kubernetes") ||
		    tree_has_text(tree_path(live, "metadata.finalizers"), name))
			continue;
		names[found++] = name;
	}
	texts_sort(names, found);
	for (size_t i = 0; i < found; i++) {
		bool dotted = span_find(names[i], '.') != NULL;

		decode_warning_add(w,
		    arena_printf(w->arena,
			"metadata.finalizers: %.*s: prefer a domain-qualified "
			"finalizer name %sto avoid accidental conflicts with "
			"other finalizer writers",
			SPAN_ARG(gotext_quote(w->arena, names[i])),
			dotted ? "including a path (/) " : ""));
	}
}
