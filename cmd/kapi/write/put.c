/*
 * Part of write/write.h: the last steps: what is kept, and what is there no
 * more.
 */
#include "write/write.h"

#include <inttypes.h>

#include "base/array.h"
#include "crd/crd.h"
#include "merge/managed.h"
#include "type/objectmeta.h"
#include "value/objref.h"
#include "write/convert.h"

static void
set_version(struct arena *a, struct node *object, uint64_t version)
{
	struct node *m = tree_make(a, object, "metadata");

	tree_put(a, m, "resourceVersion",
	    tree_string(a, arena_printf(a, "%" PRIu64, version)));
}

void
write_put(struct write *w, struct node *object, const struct node *live)
{
	const struct steps *steps = w->resource->strategy->steps;
	struct span version;
	static const char *const order[] = {"name", "generateName", "namespace",
	    "selfLink", "uid", "resourceVersion", "generation",
	    "creationTimestamp", "deletionTimestamp",
	    "deletionGracePeriodSeconds", "labels", "annotations",
	    "ownerReferences", "finalizers", "managedFields"};
	struct node *m;
	size_t at = 0;

	w->result = object;
	if (w->dry_run) {
		version = tree_path_text(live, "metadata.resourceVersion");
		if (version.n > 0)
			tree_put(w->arena, tree_get(object, "metadata"),
			    "resourceVersion", tree_string(w->arena, version));
		/* As it would come back from the store. */
		steps->keep(w->arena, w->api->registry, w->resource, object);
		steps->read(w->arena, w->resource, object);
		return;
	}
	set_version(w->arena, object, store_next_version(w->api->store));
	/* The order in which Go writes ObjectMeta: what people see. */
	m = tree_get(object, "metadata");
	if (tree_is(m, NODE_OBJECT) && m->n <= 16) {
		for (size_t i = 0; i < COUNT(order); i++) {
			struct span key = span_str(order[i]);
			size_t k = at;
			struct member found;

			while (k < m->n && !span_eq(m->members[k].key, key))
				k++;
			if (k == m->n)
				continue;
			found = m->members[k];
			for (; k > at; k--)
				m->members[k] = m->members[k - 1];
			m->members[at++] = found;
		}
	}
	steps->keep(w->arena, w->api->registry, w->resource, object);
	w->stored = store_put(w->api->store, w->resource->collection, object);
	w->changed = true;
}

void
write_delete(struct write *w, struct stored *stored)
{
	struct node *object = convert_tree(w->arena, stored);

	if (w->dry_run)
		return;
	set_version(w->arena, object, store_next_version(w->api->store));
	store_delete(w->api->store, w->resource->collection, object);
	w->changed = true;
}

/* As of the writes of one resource: a version of a CRD counts if it is not
 * served, too. */
static const struct schema *
schema_of_version(void *arg, struct span api_version)
{
	const struct write *w = arg;
	const struct crd *crd = w->resource->crd;
	struct span group, version;

	for (size_t i = 0; crd != NULL && i < crd->version_count; i++)
		if (span_eq(
			crd->versions[i].resource->api_version, api_version))
			return crd->versions[i].schema;
	objref_split(api_version, &group, &version);
	return crd == NULL &&
		resource_has_version(w->api->registry, group, version)
	    ? w->resource->schema
	    : NULL;
}

struct managed_write
write_managed(const struct write *w)
{
	const struct resource *r = w->resource;

	return (struct managed_write){.arena = w->arena,
	    .schema = r->schema,
	    .manager = w->manager,
	    .subresource = w->subresource,
	    .api_version = r->api_version,
	    .kind = r->kind,
	    .now = objectmeta_time_now(w->arena),
	    .force = w->force,
	    .resets = r->strategy->resets,
	    .has_status = r->has_status,
	    /* A Scale is of no group that is served here. */
	    .schema_of =
		span_is(w->subresource, "scale") ? NULL : schema_of_version,
	    .schema_arg = (void *)w};
}

struct problem *
write_check_lifecycle(struct write *w)
{
	struct resource *namespaces =
	    resource_core(w->api->registry, "namespaces");
	struct stored *o;
	struct problem *p;
	struct cause *c;

	if (w->internal || !w->resource->namespaced || namespaces == NULL)
		return NULL;
	o = store_get(namespaces->collection, SPAN_NONE, w->namespace_);
	if (o == NULL)
		return problem_not_found(w->arena, namespaces, w->namespace_);
	if (memmem(o->json->p, o->json->n, "\"Terminating\"", 13) == NULL ||
	    !span_is(tree_path_text(convert_tree(w->arena, o), "status.phase"),
		"Terminating"))
		return NULL;
	p = problem_forbidden(w->arena, w->resource, w->name,
	    arena_printf(w->arena,
		"unable to create new content in namespace %.*s because it is "
		"being terminated",
		SPAN_ARG(w->namespace_))
		.p);
	c = arena_zalloc(w->arena, sizeof *c);
	c->reason = span_str("NamespaceTerminating");
	c->message = arena_printf(w->arena,
	    "namespace %.*s is being terminated", SPAN_ARG(w->namespace_));
	c->field = span_str("metadata.namespace");
	p->causes = c;
	p->cause_count = 1;
	return p;
}
