#include "write/write.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "crd/crd.h"
#include "merge/managed.h"
#include "merge/patch.h"
#include "text/gotext.h"
#include "type/encode.h"
#include "type/objectmeta.h"
#include "type/strategy.h"
#include "value/objref.h"
#include "write/convert.h"

enum { GENERATE_TRIES = 8 };

static const struct steps *
steps_of(const struct write *w)
{
	return w->resource->strategy->steps;
}

static struct change_of
change(const struct write *w, const struct node *live)
{
	return (struct change_of){
	    w->arena, w->resource, w->api->store, w->subresource, live};
}

static struct stored *
find(const struct write *w, const struct node *object)
{
	const struct node *m = tree_get(object, "metadata");

	return store_get(w->resource->collection,
	    w->resource->namespaced ? tree_text(tree_get(m, "namespace"))
				    : SPAN_NONE,
	    tree_text(tree_get(m, "name")));
}

/* A free name, in as many tries as the server makes. */
static void
generate_name(struct write *w, struct node *object)
{
	struct node *m = tree_get(object, "metadata");
	struct span prefix = tree_text(tree_get(m, "generateName"));

	for (int i = 1; i < GENERATE_TRIES && find(w, object) != NULL; i++)
		tree_put(w->arena, m, "name",
		    tree_string(
			w->arena, objectmeta_generate_name(w->arena, prefix)));
}

static struct problem *
already_exists(struct write *w, const struct node *object,
    const struct stored *there, bool generated)
{
	struct span name = tree_path_text(object, "metadata.name");
	struct problem *p = problem_already_exists(
	    w->arena, w->resource, arena_span(w->arena, name));

	if (generated) {
		p->message = arena_printf(w->arena,
		    "%.*s, the server was not able to generate a unique name "
		    "for the object",
		    SPAN_ARG(p->message));
		p->retry_after = 1;
	}
	if (memmem(there->json->p, there->json->n, "\"deletionTimestamp\"",
		19) != NULL &&
	    tree_path(convert_tree(w->arena, there),
		"metadata.deletionTimestamp") != NULL)
		p->message = arena_printf(w->arena,
		    "object is being deleted: %.*s", SPAN_ARG(p->message));
	return p;
}

/* A 422. The kind is that of the object, which may differ from the kind of a
 * CRD. The group is that of the collection: Events of events.k8s.io are kept in
 * the core group. */
static struct problem *
invalid(struct write *w, const struct node *object, const struct causes *c)
{
	return problem_invalid_kind(w->arena,
	    store_collection_group(w->resource->collection),
	    tree_text(tree_get(object, "kind")),
	    tree_path_text(object, "metadata.name"), c);
}

/* 0, and text that is not a number, count as none. */
static bool
names_version(const struct node *object)
{
	struct span text = tree_path_text(object, "metadata.resourceVersion");
	uint64_t version;

	return span_number(text, UINT64_MAX, &version) && version != 0;
}

static struct problem *
check_create(struct write *w, const struct node *object, bool generated)
{
	const struct steps *steps = steps_of(w);
	struct change_of x = change(w, NULL);
	struct causes c = {w->arena, NULL, 0};
	struct stored *there;
	struct problem *p;

	objectmeta_validate(&c, w->resource, object);
	steps->validate(&c, &x, object);
	if (c.n > 0)
		return invalid(w, object, &c);
	steps->warn(&x, object, w->warnings);
	p = w->may_create != NULL && !w->posted ? w->may_create(w->request)
						: NULL;
	if (p == NULL)
		p = steps->admit(&x, object);
	if (p != NULL)
		return p;
	if (w->posted && !w->dry_run && names_version(object))
		return problem_make(w->arena, 500, NULL,
		    "resourceVersion should not be set on objects to be "
		    "created");
	there = find(w, object);
	return there == NULL ? NULL
			     : already_exists(w, object, there, generated);
}

/* Does what a webhook would do, as the plan of faults says: a merge patch, whose
 * fields have no manager. */
static struct problem *
mutate(struct write *w, struct node **object)
{
	struct warnings unknown = {w->arena, NULL, 0};
	struct problem *p;

	if (w->mutation == NULL)
		return NULL;
	p = patch_merge(w->arena, *object, w->mutation, object);
	return p != NULL ? p
			 : steps_of(w)->decode(
			       w->arena, w->resource, *object, &unknown, false);
}

struct problem *
write_create(struct write *w, struct node *object)
{
	struct node *m = tree_make(w->arena, object, "metadata");
	struct change_of x = change(w, NULL);
	struct managed_write managed;
	struct problem *p;
	bool generated = tree_text(tree_get(m, "name")).n == 0 &&
	    tree_text(tree_get(m, "generateName")).n > 0;

	if (steps_of(w)->refuse_create != NULL &&
	    (p = steps_of(w)->refuse_create(w->arena, w->resource,
		 tree_text(tree_get(m, "name")))) != NULL)
		return p;
	write_dedup_owners(w, object, false);
	if (!w->managed_done) {
		managed = write_managed(w);
		managed_update(&managed, NULL, object);
	}
	if (w->name.p == NULL)
		w->name = tree_text(tree_get(m, "name"));
	p = write_check_lifecycle(w);
	if (p == NULL && w->guard != NULL)
		p = w->guard(w->request, NULL, object);
	if (p == NULL)
		p = mutate(w, &object);
	if (p != NULL)
		return p;
	objectmeta_create(
	    w->arena, w->resource, object, objectmeta_time_now(w->arena));
	if (generated)
		generate_name(w, object);
	steps_of(w)->prepare(&x, object);
	p = check_create(w, object, generated);
	if (p != NULL)
		return p;
	steps_of(w)->encode(w->arena, w->resource, object);
	w->created = true;
	write_put(w, object, NULL);
	return NULL;
}

/* Optimistic locking. If the client names no version, that of live is taken, or
 * the kind refuses the write. */
static struct problem *
check_version(struct write *w, const struct node *live, struct node *object)
{
	struct node *m = tree_make(w->arena, object, "metadata");
	struct node *sent = tree_get(m, "resourceVersion");
	struct span now = tree_path_text(live, "metadata.resourceVersion");
	struct span version = tree_text(sent);
	struct causes c = {w->arena, NULL, 0};
	bool zero = version.n == 0 || span_is(version, "0");

	if (zero &&
	    (w->internal ||
		!(w->resource->strategy->traits & TRAIT_NEEDS_VERSION))) {
		tree_put(
		    w->arena, m, "resourceVersion", tree_string(w->arena, now));
		return NULL;
	}
	if (zero) {
		cause_invalid(&c, span_str("metadata.resourceVersion"),
		    tree_int(w->arena, 0), "must be specified for an update");
		return problem_invalid_kind(w->arena, w->resource->group,
		    w->resource->plural, w->name, &c);
	}
	for (size_t i = 0; i < version.n; i++)
		if (!span_is_digit(version.p[i]))
			return problem_make(w->arena, 500, NULL,
			    "strconv.ParseUint: parsing %.*s: invalid syntax",
			    SPAN_ARG(gotext_quote(w->arena, version)));
	if (span_eq(version, now))
		return NULL;
	return problem_conflict(w->arena, w->resource, w->name,
	    "the object has been modified; please apply your changes to the "
	    "latest version and try again");
}

static void
keep_generation(struct arena *a, const struct node *live, struct node *object)
{
	struct node *m = tree_get(object, "metadata");
	struct node *v = tree_path(live, "metadata.generation");

	if (v == NULL)
		tree_remove(m, "generation");
	else
		tree_put(a, m, "generation", v);
}

/* Nothing holds the object any more: the update that took away the last
 * finalizer deletes it. */
static bool
ends_deletion(
    const struct write *w, const struct node *live, const struct node *object)
{
	const struct node *old = tree_get(live, "metadata");
	int64_t grace = 0;

	if (tree_get(old, "deletionTimestamp") == NULL ||
	    tree_count(tree_path(object, "metadata.finalizers")) > 0)
		return false;
	if (w->resource->strategy->deletion == DELETION_NAMESPACE &&
	    tree_count(tree_path(object, "spec.finalizers")) > 0)
		return false;
	tree_get_int(tree_get(old, "deletionGracePeriodSeconds"), &grace);
	return grace == 0;
}

struct problem *
write_update(struct write *w, struct stored *stored, const struct node *live,
    struct node *object)
{
	struct change_of x = change(w, live);
	struct managed_write managed;
	struct problem *p;
	static const char *const kept[] = {
	    "creationTimestamp", "deletionTimestamp"};
	static const char *const default_to[] = {
	    "uid", "deletionGracePeriodSeconds"};
	const struct node *old;
	struct node *m, *v;
	const struct steps *steps = steps_of(w);
	struct causes c = {w->arena, NULL, 0};

	if (!w->managed_done) {
		managed = write_managed(w);
		managed_update(&managed, live, object);
	}
	write_dedup_owners(w, object, true);
	p = w->guard == NULL ? NULL : w->guard(w->request, live, object);
	if (p == NULL)
		p = mutate(w, &object);
	if (p == NULL)
		p = check_version(w, live, object);
	if (p != NULL)
		return p;
	keep_generation(w->arena, live, object);
	steps->prepare(&x, object);
	/* Fields that an update cannot change. */
	old = tree_get(live, "metadata");
	m = tree_get(object, "metadata");
	tree_remove(m, "selfLink");
	for (size_t i = 0; i < 2; i++)
		if ((v = tree_get(old, kept[i])) != NULL)
			tree_put(w->arena, m, kept[i], v);
	for (size_t i = 0; i < 2; i++)
		if ((v = tree_get(old, default_to[i])) != NULL &&
		    tree_empty(tree_get(m, default_to[i])))
			tree_put(w->arena, m, default_to[i], v);
	objectmeta_validate_named(&c, w->resource, object, NAME_SEGMENT);
	objectmeta_validate_update(&c, w->resource, live, object);
	/* The strategy of the kind makes these checks again, and the causes
	 * show each error twice. */
	if (c.n > 0) {
		objectmeta_validate_update(&c, w->resource, live, object);
		if (w->resource->strategy->traits & TRAIT_VALIDATES_TWICE)
			objectmeta_validate(&c, w->resource, object);
	}
	steps->validate(&c, &x, object);
	if (c.n > 0)
		return invalid(w, object, &c);
	steps->warn(&x, object, w->warnings);
	p = steps->admit(&x, object);
	if (p != NULL)
		return p;
	steps->encode(w->arena, w->resource, object);
	w->result = object;
	if (managed_settle(live, object)) {
		w->stored = stored;
		return NULL;
	}
	if (ends_deletion(w, live, object)) {
		write_delete(w, stored);
		return NULL;
	}
	write_put(w, object, live);
	return NULL;
}

struct problem *
write_apply(struct write *w, const struct node *live,
    const struct node *applied, struct node **object)
{
	struct managed_write managed = write_managed(w);
	struct problem *p = managed_apply(&managed, live, applied, object);

	if (p != NULL)
		return p;
	w->managed_done = true;
	p = steps_of(w)->decode(w->arena, w->resource, *object, NULL, true);
	return p != NULL && steps_of(w)->strategic
	    ? managed_unconverted(w->arena, applied, p)
	    : p;
}

/* ---- into the store ---- */

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
		/* A dry run shows the object as it would come back from the
		 * store. */
		steps->keep(w->arena, w->api->registry, w->resource, object);
		steps->read(w->arena, w->resource, object);
		return;
	}
	set_version(w->arena, object, store_next_version(w->api->store));
	/* People read this text: metadata has the order in which Go writes
	 * ObjectMeta. */
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
	store_by(w->api->store, w->request);
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
	store_by(w->api->store, w->request);
	store_delete(w->api->store, w->resource->collection, object);
	w->changed = true;
}

/* The schema of an apiVersion that managedFields names; NULL if there is none.
 * A version of a CRD counts even if it is not served. */
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
