/*
 * Part of rest/internal.h. Eviction: a deletion that a budget can forbid.
 * Source: pkg/registry/core/pod/storage/eviction.go.
 */
#include "reply/reply.h"
#include "request/parameters.h"
#include "rest/internal.h"
#include "rest/rest.h"
#include "type/objectmeta.h"
#include "write/convert.h"

/* A budget's selector is one of matchLabels (and expressions, which are
 * looked at for In and NotIn only where a budget has them: rare). */
static bool
selects(const struct node *selector, const struct node *labels)
{
	const struct node *match = tree_get(selector, "matchLabels");

	for (size_t i = 0; i < tree_count(match); i++)
		if (!span_eq(tree_text(match->members[i].value),
			tree_text(
			    tree_get_span(labels, match->members[i].key))))
			return false;
	return selector != NULL;
}

static bool
pod_needs_no_budget(const struct node *pod)
{
	struct span phase = tree_path_text(pod, "status.phase");

	return span_is(phase, "Succeeded") || span_is(phase, "Failed") ||
	    span_is(phase, "Pending") ||
	    tree_path(pod, "metadata.deletionTimestamp") != NULL;
}

static struct problem *
too_many(struct arena *a, struct span why)
{
	struct problem *p = problem_make(a, 429, "TooManyRequests",
	    "Cannot evict pod as it would violate the pod's disruption "
	    "budget.");
	struct cause *c = arena_zalloc(a, sizeof *c);

	c->reason = span_str("DisruptionBudget");
	c->message = why;
	p->causes = c;
	p->cause_count = 1;
	p->has_details = true;
	return p;
}

static void
set_insufficient(struct arena *a, struct node *budget)
{
	struct node *status = tree_get(budget, "status");
	struct node *c = tree_find(
	    tree_get(status, "conditions"), "type", "DisruptionAllowed");

	if (c == NULL) {
		c = tree_object(a);
		tree_put(a, c, "type", tree_str(a, "DisruptionAllowed"));
		tree_append(a, tree_make_array(a, status, "conditions"), c);
	}
	if (!tree_text_is(tree_get(c, "status"), "False"))
		tree_put(a, c, "lastTransitionTime",
		    tree_string(a, objectmeta_time_now(a)));
	tree_put(a, c, "status", tree_str(a, "False"));
	tree_put(a, c, "reason", tree_str(a, "InsufficientPods"));
	tree_put(a, c, "message", tree_str(a, ""));
	tree_put(a, c, "observedGeneration",
	    tree_int(a, tree_path_int(budget, "status.observedGeneration")));
}

/* Takes one from the disruptions that the budget allows; a problem if it allows
 * none. */
static struct problem *
spend(struct request *r, struct resource *budgets, struct stored *o)
{
	struct rest_writer w = {r->api, &r->arena, span_str("kube-apiserver")};
	struct node *budget = convert_tree(&r->arena, o), *status;
	struct span now = objectmeta_time_now(&r->arena);
	int64_t allowed = tree_path_int(budget, "status.disruptionsAllowed");

	if (tree_path_int(budget, "status.observedGeneration") <
	    tree_path_int(budget, "metadata.generation")) {
		struct problem *p = too_many(&r->arena,
		    arena_printf(&r->arena,
			"The disruption budget %.*s is still being processed "
			"by the server.",
			SPAN_ARG(tree_path_text(budget, "metadata.name"))));

		p->retry_after = 10;
		return p;
	}
	if (allowed <= 0) {
		struct span name = tree_path_text(budget, "metadata.name");
		int64_t healthy =
		    tree_path_int(budget, "status.currentHealthy");
		int64_t desired =
		    tree_path_int(budget, "status.desiredHealthy");
		const struct node *c =
		    tree_find(tree_path(budget, "status.conditions"), "type",
			"DisruptionAllowed");
		struct span said = tree_text(tree_get(c, "message"));
		struct span reason = tree_text(tree_get(c, "reason"));

		if (!tree_text_is(tree_get(c, "status"), "False"))
			said.n = 0;
		if (said.n > 0 && span_is(reason, "SyncFailed"))
			return too_many(&r->arena,
			    arena_printf(&r->arena,
				"The disruption budget %.*s does not allow "
				"evicting pods currently because it failed "
				"sync: %.*s",
				SPAN_ARG(name), SPAN_ARG(said)));
		if (healthy <= desired)
			return too_many(&r->arena,
			    arena_printf(&r->arena,
				"The disruption budget %.*s needs %d healthy "
				"pods and has %d currently",
				SPAN_ARG(name), (int)desired, (int)healthy));
		if (said.n > 0)
			return too_many(&r->arena,
			    arena_printf(&r->arena,
				"The disruption budget %.*s does not allow "
				"evicting pods currently (%.*s): %.*s",
				SPAN_ARG(name), SPAN_ARG(reason),
				SPAN_ARG(said)));
		return too_many(&r->arena,
		    arena_printf(&r->arena,
			"The disruption budget %.*s does not allow evicting "
			"pods currently",
			SPAN_ARG(name)));
	}
	if (r->dry_run)
		return NULL;
	status = tree_make(&r->arena, budget, "status");
	tree_put(&r->arena, status, "disruptionsAllowed",
	    tree_int(&r->arena, allowed - 1));
	if (allowed == 1)
		set_insufficient(&r->arena, budget);
	tree_set(&r->arena, tree_make(&r->arena, status, "disruptedPods"),
	    r->name, tree_string(&r->arena, now));
	return rest_update(&w, budgets, span_str("status"), budget);
}

static struct problem *
check_budgets(struct request *r, const struct node *pod)
{
	struct resource *budgets = resource_storage(r->api->registry,
	    span_str("policy"), span_str("poddisruptionbudgets"));
	const struct node *labels = tree_path(pod, "metadata.labels");
	struct stored *o, *found = NULL;
	struct span after = SPAN_NONE;

	if (budgets == NULL || pod_needs_no_budget(pod))
		return NULL;
	while ((o = store_next(budgets->collection, r->namespace_, after)) !=
	    NULL) {
		after = o->key;
		if (!selects(
			tree_path(convert_tree(&r->arena, o), "spec.selector"),
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

/* Sets the condition of the Pod that says why it is deleted. */
static struct problem *
say_why(struct request *r, struct write *w, const struct delete_options *o,
    struct stored *stored, struct node *pod)
{
	struct write say = *w;
	struct node *said = tree_copy(&r->arena, pod);
	struct problem *p = delete_preconditions(w, pod, o);

	if (p != NULL)
		return p;
	subresource_set_pod_condition(&r->arena, said, "DisruptionTarget",
	    "EvictionByEvictionAPI", "Eviction API: evicting");
	say.subresource = span_str("status");
	say.managed_done = true;
	p = write_update(&say, stored, pod, said);
	w->changed = say.changed;
	return p;
}

/* The posted Eviction, about the Pod of the URL. */
static struct problem *
posted_eviction(struct request *r, struct write *w, struct node **eviction)
{
	struct problem *p = rest_posted(r, w, eviction);

	if (p == NULL)
		p = write_check_lifecycle(w);
	if (p != NULL)
		return p;
	if (!span_eq(tree_path_text(*eviction, "metadata.name"), r->name))
		return problem_bad_request(&r->arena,
		    "name in URL does not match name in Eviction object");
	return NULL;
}

void
evict_serve(struct request *r)
{
	struct problem *p =
	    parameters_of_write(r, "CreateOptions", false, false);
	struct delete_options options = {0};
	struct node *eviction, *pod;
	struct stored *stored;
	struct write w = rest_write_of(r);

	if (p == NULL)
		p = posted_eviction(r, &w, &eviction);
	if (p == NULL)
		p = rest_live(&w, &stored, &pod);
	if (p == NULL) {
		const struct node *d = tree_get(eviction, "deleteOptions");

		options.has_grace = tree_get_int(
		    tree_get(d, "gracePeriodSeconds"), &options.grace_seconds);
		options.policy = tree_text(tree_get(d, "propagationPolicy"));
		options.uid = tree_path_text(d, "preconditions.uid");
		options.version =
		    tree_path_text(d, "preconditions.resourceVersion");
		options.dry_run = tree_count(tree_get(d, "dryRun")) > 0;
		options.dry_run = options.dry_run || r->dry_run;
		r->dry_run = options.dry_run;
		p = check_budgets(r, pod);
	}
	w.subresource = span_str("");
	if (p == NULL && !options.dry_run) {
		p = say_why(r, &w, &options, stored, pod);
		options.version = SPAN_NONE;
	}
	if (p == NULL)
		p = delete_object(&w, &options);
	r->changed = w.changed;
	if (p != NULL)
		reply_problem(r, p);
	else
		reply_object(r, 201, subresource_success(&r->arena));
}
