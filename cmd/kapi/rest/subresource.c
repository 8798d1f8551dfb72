/*
 * Part of rest/internal.h. POST to a subresource of a Pod: the binding to a
 * node, which can also be posted to the collection of Bindings. Source:
 * BindingREST and LegacyBindingREST of
 * pkg/registry/core/pod/storage/storage.go.
 */
#include "rest/internal.h"

#include "reply/reply.h"
#include "request/parameters.h"
#include "text/gotext.h"
#include "text/template.h"
#include "type/encode.h"
#include "type/objectmeta.h"

struct node *
subresource_success(struct arena *a)
{
	return template_tree(a,
	    "{'kind':'Status','apiVersion':'v1','metadata':{},"
	    "'status':'Success','code':201}",
	    NULL);
}

/* ValidatePodBinding */
static struct problem *
check_target(struct arena *a, const struct node *binding)
{
	struct span kind = tree_path_text(binding, "target.kind");
	bool known = kind.n == 0 || span_is(kind, "Node");
	bool named = tree_path_text(binding, "target.name").n > 0;
	struct span said = SPAN_NONE;

	if (known && named)
		return NULL;
	if (!known)
		said = arena_printf(a,
		    "target.kind: Unsupported value: %.*s: supported values: "
		    "\"Node\", \"<empty>\"",
		    SPAN_ARG(gotext_quote(a, kind)));
	return problem_make(a, 500, NULL, "%s%.*s%s%s%s",
	    known || named ? "" : "[", SPAN_ARG(said),
	    known || named ? "" : ", ",
	    named ? "" : "target.name: Required value",
	    known || named ? "" : "]");
}

static struct problem *
check_pod(struct write *w, const struct node *pod)
{
	struct arena *a = w->arena;
	struct span node = tree_path_text(pod, "spec.nodeName"), why;
	struct problem *p;

	if (tree_path(pod, "metadata.deletionTimestamp") != NULL)
		why = arena_printf(a,
		    "pod %.*s is being deleted, cannot be assigned to a host",
		    SPAN_ARG(w->name));
	else if (node.n > 0)
		why =
		    arena_printf(a, "pod %.*s is already assigned to node %.*s",
			SPAN_ARG(w->name), SPAN_ARG(gotext_quote(a, node)));
	else if (tree_count(tree_path(pod, "spec.schedulingGates")) > 0)
		why = arena_printf(a,
		    "pod %.*s has non-empty .spec.schedulingGates",
		    SPAN_ARG(w->name));
	else
		return NULL;
	p = problem_conflict(a, w->resource, w->name, why.p);
	p->kind = span_str("pods/binding");
	p->message = arena_printf(a,
	    "Operation cannot be fulfilled on pods/binding %.*s: %.*s",
	    SPAN_ARG(gotext_quote(a, w->name)), SPAN_ARG(why));
	return p;
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
	struct node *list = tree_make_array(a, status, "conditions"), *c;

	for (size_t i = 0; i < list->n; i++)
		if (tree_text_is(tree_get(list->items[i], "type"), type))
			tree_remove_at(list, i--);
	c = template_tree(a,
	    "{'type':%,'status':'True','lastProbeTime':null,"
	    "'lastTransitionTime':%}",
	    (struct span[]){span_str(type), objectmeta_time_now(a)});
	if (reason != NULL)
		tree_put(a, c, "reason", tree_str(a, reason));
	if (message != NULL)
		tree_put(a, c, "message", tree_str(a, message));
	tree_append(a, list, c);
}

/* The Binding in the body. Below a Pod its uid is a precondition. */
static struct problem *
posted_binding(struct request *r, struct write *w, struct node **binding)
{
	struct resource *pods = resource_core(r->api->registry, "pods");
	struct problem *p;

	w->resource = resource_core(r->api->registry, "bindings");
	p = rest_object(r, w, binding);
	if (p == NULL)
		p = write_check_namespace(w, *binding);
	w->resource = r->resource;
	if (p == NULL) {
		w->name = tree_path_text(*binding, "metadata.name");
		p = write_check_lifecycle(w);
	}
	if (p != NULL)
		return p;
	w->resource = pods;
	if (r->subresource.n == 0)
		objectmeta_wipe(*binding);
	else if (!span_eq(w->name, r->name))
		return problem_bad_request(&r->arena,
		    "name in URL does not match name in Binding object");
	p = check_target(&r->arena, *binding);
	if (p == NULL && w->name.n == 0)
		p = problem_bad_request(&r->arena, "Name parameter required.");
	return p;
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
		p = posted_binding(r, &w, &binding);
	if (p == NULL)
		p = rest_live(&w, &stored, &pod);
	if (p == NULL)
		p = rest_precondition(&w, pod, binding, "uid");
	if (p == NULL)
		p = rest_precondition(&w, pod, binding, "resourceVersion");
	if (p == NULL)
		p = check_pod(&w, pod);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	tree_put(a, tree_make(a, pod, "spec"), "nodeName",
	    tree_path(binding, "target.name"));
	merge_texts(a, pod, "annotations", binding);
	merge_texts(a, pod, "labels", binding);
	subresource_set_pod_condition(a, pod, "PodScheduled", NULL, NULL);
	/* The server, too, writes the binding without the strategy of Pods. */
	encode_builtin(a, w.resource->schema, pod);
	write_put(&w, pod, pod);
	r->changed = w.changed;
	reply_object(r, 201, subresource_success(a));
}
