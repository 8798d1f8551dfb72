#include "crd/crd.h"

#include <stdlib.h>

#include "base/mem.h"
#include "crd/conditions.h"
#include "crd/structural.h"

static const unsigned all_verbs = VERB_GET | VERB_LIST | VERB_WATCH |
    VERB_CREATE | VERB_UPDATE | VERB_PATCH | VERB_DELETE |
    VERB_DELETECOLLECTION;
static const unsigned sub_verbs = VERB_GET | VERB_PATCH | VERB_UPDATE;

const struct crd *
crd_ref(const struct crd *c)
{
	if (c != NULL)
		((struct crd *)c)->refs++;
	return c;
}

void
crd_unref(const struct crd *c)
{
	struct crd *own = (struct crd *)c;

	if (own == NULL || --own->refs > 0)
		return;
	arena_release(&own->arena);
	free(own);
}

const struct crd_version *
crd_version_of(const struct resource *r)
{
	const struct crd *c = r->crd;

	for (size_t i = 0; c != NULL && i < c->version_count; i++)
		if (c->versions[i].resource == r)
			return &c->versions[i];
	return NULL;
}

struct resource *
crd_storage(struct resource *r)
{
	const struct crd *c = r->crd;

	for (size_t i = 0; c != NULL && i < c->version_count; i++)
		if (c->versions[i].storage)
			return c->versions[i].resource;
	return r;
}

static void
selectable_fill(struct arena *a, struct crd_version *v, const struct node *json)
{
	const struct node *fields = tree_get(json, "selectableFields");
	size_t n = tree_items(fields);
	struct span *all = arena_alloc(a, n * sizeof *all);

	for (size_t i = 0; i < n; i++)
		all[i] = tree_path_text(fields->items[i], "jsonPath");
	v->selectable = all;
	v->selectable_count = n;
}

static void
columns_fill(struct arena *a, struct crd_version *v, const struct node *array)
{
	size_t n = tree_items(array);
	struct crd_column *all = arena_zalloc(a, n * sizeof *all);

	for (size_t i = 0; i < n; i++) {
		const struct node *c = array->items[i];

		all[i].name = tree_path_text(c, "name");
		all[i].type = tree_path_text(c, "type");
		all[i].format = tree_path_text(c, "format");
		all[i].description = tree_path_text(c, "description");
		all[i].json_path = tree_path_text(c, "jsonPath");
		tree_get_int(tree_get(c, "priority"), &all[i].priority);
	}
	v->columns = all;
	v->column_count = n;
}

static void
subresources_fill(struct crd_version *v, const struct node *json)
{
	const struct node *sub = tree_get(json, "subresources");
	const struct node *scale = tree_get(sub, "scale");

	v->has_status = tree_is(tree_get(sub, "status"), NODE_OBJECT);
	v->has_scale = tree_is(scale, NODE_OBJECT);
	if (!v->has_scale)
		return;
	v->scale.spec_replicas = tree_path_text(scale, "specReplicasPath");
	v->scale.status_replicas = tree_path_text(scale, "statusReplicasPath");
	v->scale.label_selector = tree_path_text(scale, "labelSelectorPath");
}

/* Whether key is anywhere in a schema with a value that counts. */
static bool
schema_has(const struct node *n, const char *key)
{
	for (size_t i = 0; i < tree_items(n); i++)
		if (schema_has(n->items[i], key))
			return true;
	for (size_t i = 0; i < tree_members(n); i++) {
		const struct member *m = &n->members[i];

		if (span_is(m->key, key) && !tree_empty(m->value) &&
		    m->value->kind != NODE_FALSE)
			return true;
		if (!span_is(m->key, "default") && !span_is(m->key, "enum") &&
		    !span_is(m->key, "example") && schema_has(m->value, key))
			return true;
	}
	return false;
}

/* v1 and above, then v1beta1, then v1alpha1, then any other name: a number
 * that is greater for what the API server prefers. */
static long
version_rank(struct span name)
{
	const char *p = name.p, *end = name.p + name.n;
	long major = 0, minor = 0, stage = 2;

	if (p == end || *p++ != 'v' || p == end || *p < '1' || *p > '9')
		return -1;
	for (; p < end && span_is_digit(*p) && major < 10000; p++)
		major = major * 10 + (*p - '0');
	if (p == end)
		return (stage * 100000 + major) * 100000;
	stage = *p == 'b' ? 1 : 0;
	if (end - p > 4 && memcmp(p, "beta", 4) == 0)
		p += 4;
	else if (end - p > 5 && memcmp(p, "alpha", 5) == 0)
		p += 5;
	else
		return -1;
	for (; p < end && span_is_digit(*p) && minor < 10000; p++)
		minor = minor * 10 + (*p - '0');
	return p == end ? (stage * 100000 + major) * 100000 + minor : -1;
}

static void
resource_fill(struct crd *c, struct crd_version *v, const struct node *names,
    const struct strategy *strategy)
{
	struct resource *r = arena_zalloc(&c->arena, sizeof *r);
	struct subresource *all;
	size_t n = 0;

	r->strategy = strategy;
	r->group = c->group;
	r->version = v->name;
	r->api_version = arena_printf(
	    &c->arena, "%.*s/%.*s", SPAN_ARG(c->group), SPAN_ARG(v->name));
	r->plural = c->plural;
	r->singular = c->singular;
	r->kind = c->kind;
	r->list_kind = c->list_kind;
	r->short_names = tree_texts(
	    &c->arena, tree_get(names, "shortNames"), &r->short_name_count);
	r->categories = tree_texts(
	    &c->arena, tree_get(names, "categories"), &r->category_count);
	r->namespaced = c->namespaced;
	r->verbs = c->terminating
	    ? all_verbs & ~(unsigned)(VERB_CREATE | VERB_UPDATE | VERB_PATCH)
	    : all_verbs;
	all = arena_zalloc(&c->arena, 2 * sizeof *all);
	if (v->has_status)
		all[n++] = (struct subresource){
		    span_str("status"), c->group, v->name, c->kind, sub_verbs};
	if (v->has_scale)
		all[n++] = (struct subresource){span_str("scale"),
		    span_str("autoscaling"), span_str("v1"), span_str("Scale"),
		    sub_verbs};
	r->subresources = all;
	r->subresource_count = n;
	r->schema = v->schema;
	r->storage = v->storage;
	r->crd = c;
	r->has_status = v->has_status;
	v->resource = r;
}

static void
names_fill(
    struct crd *c, const struct node *definition, const struct node *names)
{
	c->name = tree_path_text(definition, "metadata.name");
	c->uid = tree_path_text(definition, "metadata.uid");
	c->group = tree_path_text(definition, "spec.group");
	c->plural = tree_path_text(names, "plural");
	c->singular = tree_path_text(names, "singular");
	c->kind = tree_path_text(names, "kind");
	c->list_kind = tree_path_text(names, "listKind");
	c->namespaced =
	    tree_text_is(tree_path(definition, "spec.scope"), "Namespaced");
	c->preserve_unknown =
	    tree_true(tree_path(definition, "spec.preserveUnknownFields"));
	c->terminating = conditions_true(definition, "Terminating");
}

struct crd *
crd_make(const struct node *definition, const struct strategy *strategy,
    struct err *err)
{
	struct crd *c = mem_zalloc(sizeof *c);
	const struct node *own, *names, *versions;

	c->refs = 1;
	own = tree_clone(&c->arena, definition);
	names = tree_path(own, "status.acceptedNames");
	names_fill(c, own, names);
	versions = tree_path(own, "spec.versions");
	if (c->plural.n == 0 || c->kind.n == 0 || c->group.n == 0 ||
	    !tree_is(versions, NODE_ARRAY)) {
		crd_unref(c);
		err_set(err, ERR_PERMANENT, "the definition has no names");
		return NULL;
	}
	c->version_count = versions->n;
	c->versions =
	    arena_zalloc(&c->arena, c->version_count * sizeof *c->versions);
	for (size_t i = 0; i < c->version_count; i++) {
		const struct node *json = versions->items[i];
		struct crd_version *v = &c->versions[i];

		v->name = tree_path_text(json, "name");
		v->served = tree_true(tree_get(json, "served"));
		v->storage = tree_true(tree_get(json, "storage"));
		v->deprecated = tree_true(tree_get(json, "deprecated"));
		v->deprecation_warning =
		    tree_path_text(json, "deprecationWarning");
		columns_fill(
		    &c->arena, v, tree_get(json, "additionalPrinterColumns"));
		selectable_fill(&c->arena, v, json);
		subresources_fill(v, json);
		v->schema_json = tree_path(json, "schema.openAPIV3Schema");
		v->has_embedded = schema_has(
		    v->schema_json, "x-kubernetes-embedded-resource");
		v->has_rules =
		    schema_has(v->schema_json, "x-kubernetes-validations");
		v->schema = structural_schema(
		    &c->arena, v->schema_json, c->preserve_unknown);
		resource_fill(c, v, names, strategy);
	}
	for (size_t i = 0; i < c->version_count; i++) {
		/* A deprecated version without a warning of its own gets one
		 * that names the best version that is served and not
		 * deprecated. */
		const struct crd_version *best = NULL;
		struct crd_version *v = &c->versions[i];

		if (!v->deprecated || v->deprecation_warning.p != NULL)
			continue;
		v->deprecation_warning = arena_printf(&c->arena,
		    "%.*s/%.*s %.*s is deprecated", SPAN_ARG(c->group),
		    SPAN_ARG(v->name), SPAN_ARG(c->kind));
		for (size_t k = 0; k < c->version_count; k++) {
			const struct crd_version *o = &c->versions[k];

			if (o->served && !o->deprecated &&
			    version_rank(o->name) > version_rank(v->name) &&
			    (best == NULL ||
				version_rank(o->name) >
				    version_rank(best->name)))
				best = o;
		}
		if (best != NULL)
			v->deprecation_warning =
			    arena_printf(&c->arena, "%.*s; use %.*s/%.*s %.*s",
				SPAN_ARG(v->deprecation_warning),
				SPAN_ARG(c->group), SPAN_ARG(best->name),
				SPAN_ARG(c->kind));
	}
	return c;
}
