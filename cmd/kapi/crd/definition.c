/*
 * Part of crd/crd.h: CustomResourceDefinitions as objects: defaults,
 * preparation, warnings.
 */
#include <string.h>

#include "base/array.h"
#include "crd/conditions.h"
#include "crd/crd.h"
#include "text/format.h"
#include "text/gotext.h"
#include "text/template.h"
#include "text/texts.h"

/* Adds the storage version to status.storedVersions. */
static void
add_stored_version(struct arena *a, struct node *object)
{
	const struct node *versions = tree_path(object, "spec.versions");
	struct node *status = tree_make(a, object, "status");
	struct node *stored = tree_make_array(a, status, "storedVersions");

	for (size_t i = 0; i < tree_items(versions); i++) {
		const struct node *v = versions->items[i];
		struct span name = tree_path_text(v, "name");

		if (!tree_true(tree_get(v, "storage")))
			continue;
		if (!tree_has_text(stored, name))
			tree_append(a, stored, tree_string(a, name));
		return;
	}
}

void
crd_definition_default(struct arena *a, struct node *object)
{
	struct node *spec = tree_make(a, object, "spec");
	struct node *status = tree_make(a, object, "status");
	struct node *names;
	struct span kind;
	struct node *conversion, *service;

	if (spec->kind != NODE_OBJECT || status->kind != NODE_OBJECT)
		return;
	names = tree_make(a, spec, "names");
	kind = tree_path_text(names, "kind");
	if (tree_path_text(names, "singular").n == 0 && kind.n > 0)
		tree_put(
		    a, names, "singular", tree_string(a, arena_lower(a, kind)));
	if (tree_path_text(names, "listKind").n == 0 && kind.n > 0)
		tree_put(a, names, "listKind",
		    tree_string(
			a, arena_printf(a, "%.*sList", SPAN_ARG(kind))));
	conversion = tree_get(spec, "conversion");
	if (!tree_is(conversion, NODE_OBJECT)) {
		conversion = tree_object(a);
		tree_put(a, conversion, "strategy", tree_str(a, "None"));
		tree_put(a, spec, "conversion", conversion);
	}
	service = tree_path(conversion, "webhook.clientConfig.service");
	if (tree_is(service, NODE_OBJECT) && tree_get(service, "port") == NULL)
		tree_put(a, service, "port", tree_int(a, 443));
	if (tree_count(tree_get(status, "storedVersions")) == 0)
		add_stored_version(a, object);
}

/* The finalizer that makes a deletion wait for the objects. */
static void
add_finalizer(struct arena *a, struct node *object)
{
	static const char name[] = "customresourcecleanup.apiextensions.k8s.io";
	struct node *all =
	    tree_make_array(a, tree_make(a, object, "metadata"), "finalizers");

	if (!tree_has_text(all, span_str(name)))
		tree_append(a, all, tree_str(a, name));
}

void
crd_definition_prepare(struct arena *a, struct span subresource,
    const struct node *live, struct node *object)
{
	const struct node *kept;
	int64_t generation = 1;

	if (live != NULL && span_is(subresource, "status")) {
		kept = tree_get(live, "spec");
		tree_put(a, object, "spec", tree_copy(a, kept));
		return;
	}
	kept = tree_get(live, "status");
	tree_put(a, object, "status",
	    /* The types have no omitempty, so all fields are written. */
	    kept == NULL ? template_tree(a,
			       "{'conditions':null,'acceptedNames':"
			       "{'plural':'','kind':''}}",
			       NULL)
			 : tree_copy(a, kept));
	if (live != NULL) {
		if (!tree_get_int(
			tree_path(live, "metadata.generation"), &generation))
			generation = 0;
		generation += !tree_equal(
		    tree_get(live, "spec"), tree_get(object, "spec"));
	}
	tree_put(a, tree_make(a, object, "metadata"), "generation",
	    tree_int(a, generation));
	add_stored_version(a, object);
}

void
crd_definition_delete(struct arena *a, struct node *object, struct span now)
{
	struct node *metadata = tree_make(a, object, "metadata");

	if (tree_get(metadata, "deletionTimestamp") == NULL)
		tree_put(a, metadata, "deletionTimestamp", tree_string(a, now));
	add_finalizer(a, object);
	conditions_set(a, object,
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
	struct span format = tree_path_text(schema, "format");
	struct span type = tree_path_text(schema, "type");

	if (tree_count(tree_get(schema, "x-kubernetes-validations")) > 0)
		w->rules = true;
	if (format.n == 0 || format_known(type, format))
		return;
	w->items = arena_more(w->arena, w->items, w->n, sizeof *w->items);
	w->items[w->n++] = format;
}

static void
walk_schema(struct format_walk *w, const struct node *schema)
{
	static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
	const struct node *below;

	if (!tree_is(schema, NODE_OBJECT))
		return;
	note_format(w, schema);
	walk_schema(w, tree_get(schema, "items"));
	for (size_t k = 0; k < COUNT(lists); k++) {
		below = tree_get(schema, lists[k]);
		for (size_t i = 0; i < tree_items(below); i++)
			walk_schema(w, below->items[i]);
	}
	walk_schema(w, tree_get(schema, "not"));
	below = tree_get(schema, "properties");
	for (size_t i = 0; i < tree_members(below); i++)
		walk_schema(w, below->members[i].value);
	walk_schema(w, tree_get(schema, "additionalProperties"));
}

static void
walk_definition(struct format_walk *w, const struct node *definition)
{
	const struct node *all = tree_path(definition, "spec.versions");

	for (size_t i = 0; i < tree_items(all); i++)
		walk_schema(
		    w, tree_path(all->items[i], "schema.openAPIV3Schema"));
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
		if (!texts_have(before.items, before.n, now.items[i]))
			decode_warning_add(w,
			    arena_printf(a, "unrecognized format %.*s",
				SPAN_ARG(gotext_quote(a, now.items[i]))));
	if (now.rules)
		decode_warning_add(w,
		    span_str("x-kubernetes-validations are not evaluated: kapi "
			     "has no CEL"));
}
