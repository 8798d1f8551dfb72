/*
 * What is posted to a Pod: Eviction and Binding. Source: pkg/registry/core/
 * pod/storage/{eviction,storage}.go.
 */
#include "rest_internal.h"

#include <string.h>

#include "objectmeta.h"
#include "options.h"
#include "rest.h"
#include "rest_delete.h"

static struct node *
success(struct arena *a)
{
	struct node *s = node_object(a);

	node_put(a, s, "kind", node_str(a, "Status"));
	node_put(a, s, "apiVersion", node_str(a, "v1"));
	node_put(a, s, "metadata", node_object(a));
	node_put(a, s, "status", node_str(a, "Success"));
	node_put(a, s, "code", node_int(a, 201));
	return s;
}

/* The posted object, of the subresource's own kind. */
static struct problem *
posted(struct request *r, const char *kind, struct node **object)
{
	struct warnings strict = {&r->arena, NULL, 0};
	struct problem *p = rest_body(r, object, &strict);
	struct span name;

	if (p != NULL)
		return p;
	name = node_path_text(*object, "metadata.name");
	if (!span_eq(name, r->name))
		return problem_bad_request(&r->arena,
		    "name in URL does not match name in %s object", kind);
	return NULL;
}

/* A budget's selector is one of matchLabels (and expressions, which are
 * looked at for In and NotIn only where a budget has them: rare). */
static bool
selects(const struct node *selector, const struct node *labels)
{
	const struct node *match = node_get(selector, "matchLabels");

	for (size_t i = 0; i < node_count(match); i++)
		if (!span_eq(node_text(match->members[i].value),
			node_text(
			    node_get_span(labels, match->members[i].key))))
			return false;
	return selector != NULL;
}

static bool
pod_needs_no_budget(const struct node *pod)
{
	struct span phase = node_path_text(pod, "status.phase");

	return span_is(phase, "Succeeded") || span_is(phase, "Failed") ||
	    span_is(phase, "Pending") ||
	    node_path(pod, "metadata.deletionTimestamp") != NULL;
}

static struct problem *
budget_is_spent(struct arena *a, const struct node *budget)
{
	struct problem *p = problem_make(a, 429, "TooManyRequests",
	    "Cannot evict pod as it would violate the pod's disruption "
	    "budget.");
	struct cause *c = arena_zalloc(a, sizeof *c);
	int64_t healthy = 0, desired = 0;

	node_get_int(node_path(budget, "status.currentHealthy"), &healthy);
	node_get_int(node_path(budget, "status.desiredHealthy"), &desired);
	c->reason = span_str("DisruptionBudget");
	c->message = arena_printf(a,
	    "The disruption budget %.*s needs %d healthy pods and has %d "
	    "currently",
	    SPAN_ARG(node_path_text(budget, "metadata.name")), (int)desired,
	    (int)healthy);
	p->causes = c;
	p->cause_count = 1;
	p->has_details = true;
	return p;
}

/* One disruption less is allowed; a problem if none is. */
static struct problem *
spend(struct request *r, struct resource *budgets, struct stored *o)
{
	struct rest_writer w = {r->api, &r->arena, SPAN_NONE};
	struct node *budget = rest_tree(&r->arena, o), *status;
	struct span now = time_now(&r->arena);
	int64_t allowed = 0;

	node_get_int(node_path(budget, "status.disruptionsAllowed"), &allowed);
	if (allowed <= 0)
		return budget_is_spent(&r->arena, budget);
	if (r->dry_run)
		return NULL;
	status = node_make(&r->arena, budget, "status");
	node_put(&r->arena, status, "disruptionsAllowed",
	    node_int(&r->arena, allowed - 1));
	node_set(&r->arena, node_make(&r->arena, status, "disruptedPods"),
	    r->name, node_string(&r->arena, now));
	return rest_update(&w, budgets, span_str("status"), budget);
}

static struct problem *
check_budgets(struct request *r, const struct node *pod)
{
	struct resource *budgets = registry_storage(r->api->registry,
	    span_str("policy"), span_str("poddisruptionbudgets"));
	const struct node *labels = node_path(pod, "metadata.labels");
	struct stored *o, *found = NULL;
	struct span after = SPAN_NONE;

	if (budgets == NULL || pod_needs_no_budget(pod))
		return NULL;
	while ((o = store_next(budgets->collection, r->namespace_, after)) !=
	    NULL) {
		after = o->key;
		if (!selects(
			node_path(rest_tree(&r->arena, o), "spec.selector"),
			labels))
			continue;
		if (found != NULL)
			return problem_make(&r->arena, 500, NULL,
			    "This pod has more than one PodDisruptionBudget, "
			    "which the eviction subresource does not support.");
		found = o;
	}
	return found == NULL ? NULL : spend(r, budgets, found);
}

static void
options_in(struct node *eviction, struct delete_options *o)
{
	const struct node *d = node_get(eviction, "deleteOptions");

	o->has_grace =
	    node_get_int(node_get(d, "gracePeriodSeconds"), &o->grace_seconds);
	o->policy = node_text(node_get(d, "propagationPolicy"));
	o->uid = node_path_text(d, "preconditions.uid");
	o->version = node_path_text(d, "preconditions.resourceVersion");
	o->dry_run = node_count(node_get(d, "dryRun")) > 0;
}

void
eviction_serve(struct request *r)
{
	struct problem *p = options_of_write(r, "CreateOptions", false, false);
	struct delete_options options = {0};
	struct node *eviction, *pod;
	struct stored *stored;
	struct write w = rest_write_of(r);

	if (p == NULL)
		p = posted(r, "Eviction", &eviction);
	if (p == NULL)
		p = rest_live(&w, &stored, &pod);
	if (p == NULL) {
		options_in(eviction, &options);
		options.dry_run = options.dry_run || r->dry_run;
		r->dry_run = options.dry_run;
		p = check_budgets(r, pod);
	}
	w.subresource = span_str("");
	if (p == NULL)
		p = write_delete_object(&w, &options);
	r->changed = w.changed;
	if (p != NULL)
		reply_problem(r, p);
	else
		reply_object(r, 201, success(&r->arena));
}

static struct problem *
check_binding(
    struct request *r, const struct node *pod, const struct node *binding)
{
	struct span node = node_path_text(pod, "spec.nodeName");
	const char *why = NULL;

	if (node_path(pod, "metadata.deletionTimestamp") != NULL)
		why = arena_printf(&r->arena,
		    "pod %.*s is being deleted, cannot be assigned to a host",
		    SPAN_ARG(r->name))
			  .p;
	else if (node.n > 0)
		why = arena_printf(&r->arena,
		    "pod %.*s is already assigned to node %.*s",
		    SPAN_ARG(r->name), SPAN_ARG(go_quote(&r->arena, node)))
			  .p;
	else if (node_count(node_path(pod, "spec.schedulingGates")) > 0)
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
		    SPAN_ARG(go_quote(&r->arena, r->name)), why);
		return p;
	}
	if (node_path_text(binding, "target.name").n == 0)
		return problem_make(
		    &r->arena, 500, NULL, "target.name: Required value");
	return NULL;
}

static void
merge_texts(struct arena *a, struct node *into, const char *key,
    const struct node *from)
{
	struct node *m = node_get(into, "metadata");
	const struct node *add = node_get(node_get(from, "metadata"), key);

	for (size_t i = 0; i < node_count(add); i++)
		node_set(a, node_make(a, m, key), add->members[i].key,
		    add->members[i].value);
}

static void
set_scheduled(struct arena *a, struct node *pod)
{
	struct node *status = node_make(a, pod, "status");
	struct node *list = node_get(status, "conditions"), *c = node_object(a);

	if (list == NULL) {
		list = node_array(a);
		node_put(a, status, "conditions", list);
	}
	for (size_t i = 0; i < list->n; i++)
		if (node_text_is(
			node_get(list->items[i], "type"), "PodScheduled"))
			node_remove_at(list, i--);
	node_put(a, c, "type", node_str(a, "PodScheduled"));
	node_put(a, c, "status", node_str(a, "True"));
	node_put(a, c, "lastProbeTime", node_null(a));
	node_put(a, c, "lastTransitionTime", node_string(a, time_now(a)));
	node_append(a, list, c);
}

void
binding_serve(struct request *r)
{
	struct problem *p = options_of_write(r, "CreateOptions", false, false);
	struct arena *a = &r->arena;
	struct node *binding, *pod;
	struct stored *stored;
	struct write w = rest_write_of(r);

	if (p == NULL)
		p = posted(r, "Binding", &binding);
	if (p == NULL)
		p = rest_live(&w, &stored, &pod);
	if (p == NULL)
		p = check_binding(r, pod, binding);
	if (p != NULL) {
		reply_problem(r, p);
		return;
	}
	node_put(a, node_make(a, pod, "spec"), "nodeName",
	    node_path(binding, "target.name"));
	merge_texts(a, pod, "annotations", binding);
	merge_texts(a, pod, "labels", binding);
	set_scheduled(a, pod);
	/* The server writes this past its strategies, too. */
	encode_builtin(a, r->resource->schema, pod);
	write_put(&w, pod, pod);
	r->changed = w.changed;
	reply_object(r, 201, success(a));
}
