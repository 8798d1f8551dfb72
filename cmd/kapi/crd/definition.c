/* CustomResourceDefinitions as objects: defaults, preparation, warnings. */
#include <string.h>

#include "crd/conditions.h"
#include "crd/crd.h"
#include "text/format.h"

bool
crd_is_definition(const struct resource *r)
{
	return span_is(r->group, "apiextensions.k8s.io") &&
	    span_is(r->plural, "customresourcedefinitions");
}

static struct span
lower(struct arena *a, struct span s)
{
	char *text = arena_str(a, s);

	for (size_t i = 0; i < s.n; i++)
		if (text[i] >= 'A' && text[i] <= 'Z')
			text[i] = (char)(text[i] - 'A' + 'a');
	return span_make(text, s.n);
}

/* Adds the storage version to status.storedVersions. */
static void
add_stored_version(struct arena *a, struct node *object)
{
	const struct node *versions = node_path(object, "spec.versions");
	struct node *status = node_make(a, object, "status");
	struct node *stored = node_get(status, "storedVersions");

	if (!node_is(stored, NODE_ARRAY)) {
		stored = node_array(a);
		node_put(a, status, "storedVersions", stored);
	}
	for (size_t i = 0; node_is(versions, NODE_ARRAY) && i < versions->n;
	     i++) {
		const struct node *v = versions->items[i];
		struct span name = node_path_text(v, "name");

		if (!node_true(node_get(v, "storage")))
			continue;
		for (size_t k = 0; k < stored->n; k++)
			if (span_eq(node_text(stored->items[k]), name))
				return;
		node_append(a, stored, node_string(a, name));
		return;
	}
}

static void
default_names(struct arena *a, struct node *spec)
{
	struct node *names = node_make(a, spec, "names");
	struct span kind = node_path_text(names, "kind");

	if (node_path_text(names, "singular").n == 0 && kind.n > 0)
		node_put(a, names, "singular", node_string(a, lower(a, kind)));
	if (node_path_text(names, "listKind").n == 0 && kind.n > 0)
		node_put(a, names, "listKind",
		    node_string(
			a, arena_printf(a, "%.*sList", SPAN_ARG(kind))));
}

static void
default_conversion(struct arena *a, struct node *spec)
{
	struct node *conversion = node_get(spec, "conversion");
	struct node *service;

	if (!node_is(conversion, NODE_OBJECT)) {
		conversion = node_object(a);
		node_put(a, conversion, "strategy", node_str(a, "None"));
		node_put(a, spec, "conversion", conversion);
	}
	service = node_path(conversion, "webhook.clientConfig.service");
	if (node_is(service, NODE_OBJECT) && node_get(service, "port") == NULL)
		node_put(a, service, "port", node_int(a, 443));
}

void
crd_definition_default(struct arena *a, struct node *object)
{
	struct node *spec = node_make(a, object, "spec");
	struct node *status = node_make(a, object, "status");

	if (spec->kind != NODE_OBJECT || status->kind != NODE_OBJECT)
		return;
	default_names(a, spec);
	default_conversion(a, spec);
	if (node_count(node_get(status, "storedVersions")) == 0)
		add_stored_version(a, object);
}

/* The status of a definition that nobody has looked at; its types have no
 * omitempty, so they are written. */
static struct node *
empty_status(struct arena *a)
{
	struct node *status = node_object(a), *names = node_object(a);

	node_put(a, names, "plural", node_str(a, ""));
	node_put(a, names, "kind", node_str(a, ""));
	node_put(a, status, "conditions", node_null(a));
	node_put(a, status, "acceptedNames", names);
	return status;
}

static void
set_generation(struct arena *a, const struct node *live, struct node *object)
{
	int64_t generation = 1;

	if (live != NULL) {
		if (!node_get_int(
			node_path(live, "metadata.generation"), &generation))
			generation = 0;
		generation += !node_equal(
		    node_get(live, "spec"), node_get(object, "spec"));
	}
	node_put(a, node_make(a, object, "metadata"), "generation",
	    node_int(a, generation));
}

/* The finalizer that makes a deletion wait for the objects. */
static void
add_finalizer(struct arena *a, struct node *object)
{
	static const char name[] = "customresourcecleanup.apiextensions.k8s.io";
	struct node *metadata = node_make(a, object, "metadata");
	struct node *all = node_get(metadata, "finalizers");

	if (!node_is(all, NODE_ARRAY)) {
		all = node_array(a);
		node_put(a, metadata, "finalizers", all);
	}
	for (size_t i = 0; i < all->n; i++)
		if (node_text_is(all->items[i], name))
			return;
	node_append(a, all, node_str(a, name));
}

void
crd_definition_prepare(struct arena *a, struct span subresource,
    const struct node *live, struct node *object)
{
	const struct node *kept;

	if (live != NULL && span_is(subresource, "status")) {
		kept = node_get(live, "spec");
		node_put(a, object, "spec", node_copy(a, kept));
		return;
	}
	kept = node_get(live, "status");
	node_put(a, object, "status",
	    kept == NULL ? empty_status(a) : node_copy(a, kept));
	set_generation(a, live, object);
	add_stored_version(a, object);
}

void
crd_definition_delete(struct arena *a, struct node *object, struct span now)
{
	struct node *metadata = node_make(a, object, "metadata");

	if (node_get(metadata, "deletionTimestamp") == NULL)
		node_put(a, metadata, "deletionTimestamp", node_string(a, now));
	add_finalizer(a, object);
	condition_set(a, object,
	    &(struct condition){"Terminating", "True",
		"InstanceDeletionPending",
		span_str("CustomResourceDefinition marked for deletion; "
			 "CustomResource deletion will begin soon")},
	    now);
}

/* ---- warnings ---- */

struct format_walk {
	struct arena *arena;
	struct span *items;
	size_t n;
	bool rules;
};

static void
note_format(struct format_walk *w, const struct node *schema)
{
	struct span format = node_path_text(schema, "format");
	struct span type = node_path_text(schema, "type");

	if (node_count(node_get(schema, "x-kubernetes-validations")) > 0)
		w->rules = true;
	if (format.n == 0 || format_known(type, format))
		return;
	w->items = arena_more(w->arena, w->items, w->n, sizeof *w->items);
	w->items[w->n++] = format;
}

static void walk_schema(struct format_walk *w, const struct node *schema);

static void
walk_list(struct format_walk *w, const struct node *array)
{
	for (size_t i = 0; node_is(array, NODE_ARRAY) && i < array->n; i++)
		walk_schema(w, array->items[i]);
}

static void
walk_schema(struct format_walk *w, const struct node *schema)
{
	const struct node *properties;

	if (!node_is(schema, NODE_OBJECT))
		return;
	note_format(w, schema);
	walk_schema(w, node_get(schema, "items"));
	walk_list(w, node_get(schema, "allOf"));
	walk_list(w, node_get(schema, "anyOf"));
	walk_list(w, node_get(schema, "oneOf"));
	walk_schema(w, node_get(schema, "not"));
	properties = node_get(schema, "properties");
	for (size_t i = 0;
	     node_is(properties, NODE_OBJECT) && i < properties->n; i++)
		walk_schema(w, properties->members[i].value);
	walk_schema(w, node_get(schema, "additionalProperties"));
}

static void
walk_definition(struct format_walk *w, const struct node *definition)
{
	const struct node *all = node_path(definition, "spec.versions");

	for (size_t i = 0; node_is(all, NODE_ARRAY) && i < all->n; i++)
		walk_schema(
		    w, node_path(all->items[i], "schema.openAPIV3Schema"));
}

static bool
noted(const struct format_walk *w, struct span format)
{
	for (size_t i = 0; i < w->n; i++)
		if (span_eq(w->items[i], format))
			return true;
	return false;
}

void
crd_definition_warn(struct arena *a, const struct node *live,
    const struct node *object, struct warnings *w)
{
	struct format_walk now = {.arena = a}, before = {.arena = a};

	walk_definition(&now, object);
	if (live != NULL)
		walk_definition(&before, live);
	for (size_t i = 0; i < now.n; i++)
		if (!noted(&before, now.items[i]))
			warning_add(w,
			    arena_printf(a, "unrecognized format %.*s",
				SPAN_ARG(go_quote(a, now.items[i]))));
	if (now.rules)
		warning_add(w,
		    span_str("x-kubernetes-validations are not evaluated: "
			     "kapi has no CEL"));
}
