/*
 * Part of rest/internal.h. scale: an object as autoscaling/v1 Scale, of
 * Deployments, ReplicaSets, StatefulSets, ReplicationControllers and CRDs.
 * Source: ScaleREST of each, and
 * apiextensions-apiserver/pkg/registry/customresource/etcd.go.
 */
#include "rest/internal.h"

#include <string.h>

#include "base/array.h"
#include "crd/crd.h"
#include "merge/managed.h"
#include "reply/cells.h"
#include "reply/columns.h"
#include "reply/reply.h"
#include "request/parameters.h"
#include "rest/rest.h"
#include "text/template.h"
#include "write/convert.h"

struct scaling {
	const char *spec, *status, *selector; /* dotted; selector may be NULL */
};

static const char *
without_dot(struct arena *a, struct span path)
{
	if (path.n > 0 && path.p[0] == '.')
		path = span_skip(path, 1);
	return path.n == 0 ? NULL : arena_str(a, path);
}

static struct scaling
scaling_of(struct arena *a, const struct resource *r)
{
	struct scaling s = {"spec.replicas", "status.replicas", NULL};
	const struct crd_version *v = crd_version_of(r);

	if (v == NULL)
		return s;
	s.spec = without_dot(a, v->scale.spec_replicas);
	s.status = without_dot(a, v->scale.status_replicas);
	s.selector = without_dot(a, v->scale.label_selector);
	return s;
}

static struct span
scale_selector(struct arena *a, const struct resource *r,
    const struct scaling *s, const struct node *object)
{
	struct node *selector, *labels;

	if (r->crd != NULL)
		return s->selector == NULL
		    ? SPAN_NONE
		    : tree_path_text(object, s->selector);
	selector = tree_path(object, "spec.selector");
	if (r->group.n == 0 && selector != NULL) {
		labels = tree_object(a);
		tree_put(a, labels, "matchLabels", selector);
		selector = labels;
	}
	return cells_selector(a, selector, "");
}

static struct node *
scale_of(struct arena *a, const struct resource *r, const struct node *object)
{
	static const char *const kept[] = {
	    "name", "namespace", "uid", "resourceVersion", "creationTimestamp"};
	struct scaling s = scaling_of(a, r);
	struct node *m = tree_object(a), *v;
	struct node *scale = template_tree(
	    a, "{'kind':'Scale','apiVersion':'autoscaling/v1'}", NULL);
	struct node *spec = tree_object(a), *status = tree_object(a);
	struct span selector = scale_selector(a, r, &s, object);

	for (size_t i = 0; i < COUNT(kept); i++)
		if ((v = tree_get(tree_get(object, "metadata"), kept[i])) !=
		    NULL)
			tree_put(a, m, kept[i], v);
	tree_put(a, scale, "metadata", m);
	if (tree_path_int(object, s.spec) != 0)
		tree_put(a, spec, "replicas",
		    tree_int(a, tree_path_int(object, s.spec)));
	tree_put(a, scale, "spec", spec);
	tree_put(a, status, "replicas",
	    tree_int(a, tree_path_int(object, s.status)));
	if (selector.n > 0)
		tree_put(a, status, "selector", tree_string(a, selector));
	tree_put(a, scale, "status", status);
	return scale;
}

/* A resource of Scales, for managedFields and decoding. */
static struct resource
scale_resource(const struct resource *parent)
{
	struct resource s = *parent;

	s.group = span_str("autoscaling");
	s.version = span_str("v1");
	s.api_version = span_str("autoscaling/v1");
	s.kind = span_str("Scale");
	s.schema = schema_builtin(span_str("io.k8s.api.autoscaling.v1.Scale"));
	s.strategy = &columns_scale;
	s.crd = NULL;
	s.has_status = false;
	s.subresource_count = 0;
	return s;
}

/* *scale: the Scale that the client puts, or patches from old; decoded. */
static struct problem *
new_scale(
    struct request *r, struct write *w, struct node *old, struct node **scale)
{
	struct warnings strict = {&r->arena, NULL, 0};
	struct decoding how = {.strict = &strict};
	enum patch_type type;
	struct problem *p;

	if (r->verb == REQUEST_UPDATE) {
		p = rest_body(r, scale, &strict);
		return p != NULL ? p : write_decode(w, *scale, &how);
	}
	rest_patch_type(r, r->resource, &type);
	if (type == PATCH_APPLY) {
		struct err err = ERR_INIT;
		struct node *sent =
		    tree_parse_yaml(&r->arena, r->http->body, NULL, &err);

		if (sent == NULL)
			return problem_bad_request(&r->arena,
			    "error decoding YAML: error converting YAML to "
			    "JSON: %s",
			    err.message);
		return write_apply(w, old, sent, scale);
	}
	p = rest_patched(
	    r, type, w->resource->schema, old, &strict, scale, &how.patched);
	if (p != NULL)
		return p;
	if (how.patched.p == NULL)
		how.patched = span_str("");
	return write_decode(w, *scale, &how);
}

static struct problem *
check_scale(struct request *r, struct write *w, const struct node *scale)
{
	struct causes c = {&r->arena, NULL, 0};
	struct problem *p = write_check_name(w, scale);
	int64_t replicas = 0;

	if (p != NULL)
		return p;
	tree_get_int(tree_path(scale, "spec.replicas"), &replicas);
	/* A CRD's own schema says what is wrong. */
	if (replicas >= 0 || w->resource->crd != NULL)
		return NULL;
	cause_invalid(&c, span_str("spec.replicas"),
	    tree_int(&r->arena, replicas),
	    "must be greater than or equal to 0");
	return problem_invalid_kind(
	    &r->arena, span_str("autoscaling"), span_str("Scale"), r->name, &c);
}

/* The object that a new Scale makes of the old one. */
static struct node *
scaled(struct request *r, const struct node *live, struct node *scale,
    const struct scaling *s)
{
	struct arena *a = &r->arena;
	struct node *object = tree_copy(a, live);
	struct node *m = tree_get(object, "metadata"), *fields;
	struct node *version = tree_path(scale, "metadata.resourceVersion");
	struct node *holder = object;
	const char *path = s->spec, *dot;

	/* Objects on the way to the replicas are made. */
	while ((dot = strchr(path, '.')) != NULL) {
		holder = tree_make(a, holder,
		    arena_str(a, span_make(path, (size_t)(dot - path))));
		path = dot + 1;
	}
	tree_put(a, holder, path,
	    tree_int(a, tree_path_int(scale, "spec.replicas")));
	if (tree_text(version).n > 0)
		tree_put(a, m, "resourceVersion", version);
	fields = managed_from_scale(a, tree_get(m, "managedFields"),
	    tree_path(scale, "metadata.managedFields"),
	    r->resource->api_version, s->spec);
	if (fields != NULL && fields->n > 0)
		tree_put(a, m, "managedFields", fields);
	else
		tree_remove(m, "managedFields");
	return object;
}

static struct problem *
write_scale(struct request *r, struct write *w, struct stored *stored,
    struct node *live)
{
	struct arena *a = &r->arena;
	struct scaling s = scaling_of(a, r->resource);
	struct resource as_scale = scale_resource(r->resource);
	struct write inner = *w;
	struct managed_write managed;
	struct node *old = scale_of(a, r->resource, live), *scale, *fields;
	struct problem *p;

	fields = managed_to_scale(
	    a, tree_path(live, "metadata.managedFields"), s.spec);
	if (fields != NULL)
		tree_put(a, tree_get(old, "metadata"), "managedFields", fields);
	inner.resource = &as_scale;
	inner.subresource = span_str("scale");
	p = new_scale(r, &inner, old, &scale);
	if (p == NULL)
		p = check_scale(r, w, scale);
	if (p != NULL)
		return p;
	if (!inner.managed_done) {
		managed = write_managed(&inner);
		managed_update(&managed, old, scale);
	}
	w->managed_done = true;
	/* A Scale changes the spec, so it is written like an update on the main
	 * path. */
	w->subresource = span_str("");
	return write_update(w, stored, live, scaled(r, live, scale, &s));
}

void
scale_serve(struct request *r)
{
	enum patch_type type = PATCH_NONE;
	struct problem *p = NULL;
	struct stored *stored;
	struct node *live;
	struct write w;

	if (r->verb == REQUEST_PATCH)
		p = rest_patch_type(r, r->resource, &type);
	if (p == NULL && r->verb != REQUEST_GET)
		p = parameters_of_write(r,
		    r->verb == REQUEST_PATCH ? "PatchOptions" : "UpdateOptions",
		    r->verb == REQUEST_PATCH, type == PATCH_APPLY);
	w = rest_write_of(r);
	if (p == NULL)
		p = rest_live(&w, &stored, &live);
	if (p == NULL && r->verb != REQUEST_GET)
		p = write_scale(r, &w, stored, live);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	r->changed = w.changed;
	if (w.stored != NULL)
		live = convert_read(&r->arena, r->resource, w.stored);
	else if (w.result != NULL)
		live = w.result;
	reply_object(r, 200, scale_of(&r->arena, r->resource, live));
}
