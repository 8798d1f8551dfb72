/*
 * What is posted to a Pod: the binding to a node. Source: pkg/registry/core/
 * pod/storage/storage.go.
 */
#include "rest/subresource.h"

#include "reply/reply.h"
#include "request/parameters.h"
#include "rest/internal.h"
#include "text/gotext.h"
#include "type/encode.h"
#include "type/objectmeta.h"

struct node *
subresource_success(struct arena *a)
{
	struct node *s = tree_object(a);

	tree_put(a, s, "kind", tree_str(a, "Status"));
	tree_put(a, s, "apiVersion", tree_str(a, "v1"));
	tree_put(a, s, "metadata", tree_object(a));
	tree_put(a, s, "status", tree_str(a, "Success"));
	tree_put(a, s, "code", tree_int(a, 201));
	return s;
}

struct problem *
subresource_posted(
    struct request *r, struct write *w, const char *kind, struct node **object)
{
	struct warnings strict = {&r->arena, NULL, 0};
	struct problem *p = rest_body(r, object, &strict);
	struct span name;

	if (p == NULL)
		p = write_check_lifecycle(w);
	if (p != NULL)
		return p;
	name = tree_path_text(*object, "metadata.name");
	if (!span_eq(name, r->name))
		return problem_bad_request(&r->arena,
		    "name in URL does not match name in %s object", kind);
	return NULL;
}

static struct problem *
check_binding(
    struct request *r, const struct node *pod, const struct node *binding)
{
	struct span node = tree_path_text(pod, "spec.nodeName");
	const char *why = NULL;

	if (tree_path(pod, "metadata.deletionTimestamp") != NULL)
		why = arena_printf(&r->arena,
		    "pod %.*s is being deleted, cannot be assigned to a host",
		    SPAN_ARG(r->name))
			  .p;
	else if (node.n > 0)
		why = arena_printf(&r->arena,
		    "pod %.*s is already assigned to node %.*s",
		    SPAN_ARG(r->name), SPAN_ARG(gotext_quote(&r->arena, node)))
			  .p;
	else if (tree_count(tree_path(pod, "spec.schedulingGates")) > 0)
		why = arena_printf(&r->arena,
		    "pod %.*s has non-empty .spec.schedulingGates",
		    SPAN_ARG(r->name))
			  .p;
	if (why != NULL) {
		struct problem *p =
		    problem_conflict(&r->arena, r->resource, r->name, why);

		p->kind = span_str("pods/binding");
		p->message = arena_printf(&r->arena,
		    "Operation cannot be fulfilled on pods/binding %.*s: %s",
		    SPAN_ARG(gotext_quote(&r->arena, r->name)), why);
		return p;
	}
	if (tree_path_text(binding, "target.name").n == 0)
		return problem_make(
		    &r->arena, 500, NULL, "target.name: Required value");
	return NULL;
}

static void
merge_texts(struct arena *a, struct node *into, const char *key,
    const struct node *from)
{
	struct node *m = tree_get(into, "metadata");
	const struct node *add = tree_get(tree_get(from, "metadata"), key);

	for (size_t i = 0; i < tree_count(add); i++)
		tree_set(a, tree_make(a, m, key), add->members[i].key,
		    add->members[i].value);
}

void
subresource_set_pod_condition(struct arena *a, struct node *pod,
    const char *type, const char *reason, const char *message)
{
	struct node *status = tree_make(a, pod, "status");
	struct node *list = tree_get(status, "conditions"), *c = tree_object(a);

	if (!tree_is(list, NODE_ARRAY)) {
		list = tree_array(a);
		tree_put(a, status, "conditions", list);
	}
	for (size_t i = 0; i < list->n; i++)
		if (tree_text_is(tree_get(list->items[i], "type"), type))
			tree_remove_at(list, i--);
	tree_put(a, c, "type", tree_str(a, type));
	tree_put(a, c, "status", tree_str(a, "True"));
	tree_put(a, c, "lastProbeTime", tree_null(a));
	tree_put(
	    a, c, "lastTransitionTime", tree_string(a, objectmeta_time_now(a)));
	if (reason != NULL)
		tree_put(a, c, "reason", tree_str(a, reason));
	if (message != NULL)
		tree_put(a, c, "message", tree_str(a, message));
	tree_append(a, list, c);
}

void
subresource_serve_binding(struct request *r)
{
	struct problem *p =
	    parameters_of_write(r, "CreateOptions", false, false);
	struct arena *a = &r->arena;
	struct node *binding, *pod;
	struct stored *stored;
	struct write w = rest_write_of(r);

	if (p == NULL)
		p = subresource_posted(r, &w, "Binding", &binding);
	if (p == NULL)
		p = rest_live(&w, &stored, &pod);
	if (p == NULL)
		p = check_binding(r, pod, binding);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	tree_put(a, tree_make(a, pod, "spec"), "nodeName",
	    tree_path(binding, "target.name"));
	merge_texts(a, pod, "annotations", binding);
	merge_texts(a, pod, "labels", binding);
	subresource_set_pod_condition(a, pod, "PodScheduled", NULL, NULL);
	/* The server writes this past its strategies, too. */
	encode_builtin(a, r->resource->schema, pod);
	write_put(&w, pod, pod);
	r->changed = w.changed;
	reply_object(r, 201, subresource_success(a));
}
