/*
 * Part of builtin/topics.h. Pods as objects: what the server adds to a new
 * one, and what of it can change. Sources:
 * pkg/registry/core/pod/strategy.go, ValidatePodUpdate,
 * plugin/pkg/admission/{priority,defaulttolerationseconds}.
 */
#include "base/array.h"
#include "builtin/topics.h"

static bool
has_quantities(const struct node *container, const char *which, bool *both)
{
	const struct node *list =
	    rule_given(rule_given(container, "resources"), which);
	struct quantity q;
	bool cpu, memory;

	cpu = rule_quantity_get(rule_given(list, "cpu"), &q) && q.value != 0;
	memory =
	    rule_quantity_get(rule_given(list, "memory"), &q) && q.value != 0;
	*both = cpu && memory;
	return cpu || memory;
}

static bool
requests_are_limits(const struct node *container)
{
	static const char *const names[] = {"cpu", "memory"};
	const struct node *resources = rule_given(container, "resources");
	const struct node *limits = rule_given(resources, "limits");
	const struct node *requests = rule_given(resources, "requests");

	for (size_t i = 0; i < 2; i++)
		if (rule_quantity_cmp(rule_given(limits, names[i]),
			rule_given(requests, names[i])) != 0)
			return false;
	return true;
}

/* Source: pkg/apis/core/helper/qos. */
const struct node *
pod_qos(struct arena *a, const struct node *spec)
{
	static const char *const lists[] = {"containers", "initContainers"};
	bool any = false, guaranteed = true;
	const struct node *container;

	for (size_t l = 0; l < 2; l++) {
		const struct node *all = rule_given(spec, lists[l]);
		for (size_t i = 0; (container = builtin_item(all, i)) != NULL;
		     i++) {
			bool both, other;
			any = has_quantities(container, "requests", &other) ||
			    any;
			any = has_quantities(container, "limits", &both) || any;
			guaranteed = guaranteed && both &&
			    requests_are_limits(container);
		}
	}
	if (!any)
		return tree_str(a, "BestEffort");
	return tree_str(a, guaranteed ? "Guaranteed" : "Burstable");
}

static bool
tolerates(const struct node *tolerations, const char *taint)
{
	const struct node *t;

	for (size_t i = 0; (t = builtin_item(tolerations, i)) != NULL; i++) {
		const struct node *key = rule_given(t, "key");
		const struct node *effect = rule_given(t, "effect");
		if ((tree_empty(key) || tree_text_is(key, taint)) &&
		    (tree_empty(effect) || tree_text_is(effect, "NoExecute")))
			return true;
	}
	return false;
}

static void
add_toleration(struct arena *a, struct node *spec, const char *taint)
{
	struct node *tolerations = rule_given(spec, "tolerations");
	struct node *t;

	if (tolerates(tolerations, taint))
		return;
	if (!tree_is(tolerations, NODE_ARRAY)) {
		tolerations = tree_array(a);
		tree_put(a, spec, "tolerations", tolerations);
	}
	t = tree_object(a);
	tree_put(a, t, "key", tree_str(a, taint));
	tree_put(a, t, "operator", tree_str(a, "Exists"));
	tree_put(a, t, "effect", tree_str(a, "NoExecute"));
	tree_put(a, t, "tolerationSeconds", tree_int(a, 300));
	tree_append(a, tolerations, t);
}

static void
default_priority(struct arena *a, struct node *spec, int64_t value)
{
	if (rule_given(spec, "priority") == NULL)
		tree_put(a, spec, "priority", tree_int(a, value));
}

/* priority and preemptionPolicy, from the class that is named. */
static void
set_priority(const struct change_of *x, struct node *spec)
{
	struct span name = tree_text(rule_given(spec, "priorityClassName"));
	struct node *n =
	    admit_object(x, "scheduling.k8s.io", "priorityclasses", name);
	struct node *v;

	if (span_is(name, "system-node-critical"))
		default_priority(x->arena, spec, 2000001000);
	else if (span_is(name, "system-cluster-critical"))
		default_priority(x->arena, spec, 2000000000);
	v = rule_given(n, "value");
	if (v != NULL)
		tree_put(x->arena, spec, "priority", v);
	default_priority(x->arena, spec, 0);
	v = rule_given(n, "preemptionPolicy");
	if (v != NULL)
		tree_put(x->arena, spec, "preemptionPolicy", v);
	if (tree_empty(rule_given(spec, "preemptionPolicy")))
		tree_put(x->arena, spec, "preemptionPolicy",
		    tree_str(x->arena, "PreemptLowerPriority"));
}

void
pod_prepare(const struct change_of *x, struct node *object)
{
	struct arena *a = x->arena;
	struct node *spec = rule_given(object, "spec"), *added;

	if (span_is(x->subresource, "resize")) {
		resize_prepare(x, object);
	} else if (span_is(x->subresource, "ephemeralcontainers")) {
		added = rule_given(spec, "ephemeralContainers");
		spec = tree_copy(a, rule_given(x->live, "spec"));
		tree_put(a, object, "spec", spec);
		if (added != NULL)
			tree_put(a, spec, "ephemeralContainers", added);
	} else if (tree_is(spec, NODE_OBJECT)) {
		if (x->live == NULL) {
			set_priority(x, spec);
			tree_put(a, rule_given(object, "status"), "qosClass",
			    tree_copy(a, pod_qos(a, spec)));
		}
		add_toleration(a, spec, "node.kubernetes.io/not-ready");
		add_toleration(a, spec, "node.kubernetes.io/unreachable");
	}
}

/* The tolerations of the Pod before are kept; their seconds may change. */
void
pod_tolerations(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *each, *t;

	for (size_t i = 0; (each = builtin_item(p->was, i)) != NULL; i++) {
		bool found = false;

		for (size_t k = 0; (t = builtin_item(p->n, k)) != NULL; k++)
			found = found ||
			    (builtin_same_member(t, each, "key") &&
				builtin_same_member(t, each, "operator") &&
				builtin_same_member(t, each, "value") &&
				builtin_same_member(t, each, "effect"));
		if (!found) {
			rule_fail_forbidden(run->causes, p->at,
			    "existing toleration can not be modified except "
			    "its tolerationSeconds");
			return;
		}
	}
}
