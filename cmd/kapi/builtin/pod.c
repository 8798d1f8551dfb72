/*
 * Part of builtin/topics.h. Pods as objects: what the server adds to a new
 * one, and what of it can change. Sources:
 * pkg/registry/core/pod/strategy.go, ValidatePodUpdate,
 * plugin/pkg/admission/{priority,defaulttolerationseconds}.
 */
#include "base/array.h"
#include "builtin/topics.h"
#include "type/objectmeta.h"

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

/* priority and preemptionPolicy, from the class that is named. */
static void
set_priority(const struct change_of *x, struct node *spec)
{
	struct span name = tree_text(rule_given(spec, "priorityClassName"));
	struct stored *class = NULL;
	struct node *n = NULL, *v;

	if (x->store != NULL && name.n > 0)
		class = store_get(
		    store_collection(x->store, span_str("scheduling.k8s.io"),
			span_str("priorityclasses")),
		    SPAN_NONE, name);
	if (class != NULL)
		n = tree_parse(x->arena,
		    arena_span(x->arena, text_span(class->json)), TREE_LIMITS,
		    NULL, NULL);
	if (span_is(name, "system-node-critical"))
		builtin_default_int(x->arena, spec, "priority", 2000001000);
	else if (span_is(name, "system-cluster-critical"))
		builtin_default_int(x->arena, spec, "priority", 2000000000);
	v = rule_given(n, "value");
	if (v != NULL)
		tree_put(x->arena, spec, "priority", v);
	builtin_default_int(x->arena, spec, "priority", 0);
	v = rule_given(n, "preemptionPolicy");
	if (v != NULL)
		tree_put(x->arena, spec, "preemptionPolicy", v);
	builtin_default_text(
	    x->arena, spec, "preemptionPolicy", "PreemptLowerPriority");
}

static void
gated_condition(struct arena *a, struct node *status)
{
	struct node *condition = tree_object(a), *all = tree_array(a);

	tree_put(a, condition, "type", tree_str(a, "PodScheduled"));
	tree_put(a, condition, "status", tree_str(a, "False"));
	tree_put(a, condition, "lastProbeTime", tree_null(a));
	tree_put(a, condition, "lastTransitionTime",
	    tree_string(a, objectmeta_time_now(a)));
	tree_put(a, condition, "reason", tree_str(a, "SchedulingGated"));
	tree_put(a, condition, "message",
	    tree_str(
		a, "Scheduling is blocked due to non-empty scheduling gates"));
	tree_append(a, all, condition);
	tree_put(a, status, "conditions", all);
}

static void
prepare_create(const struct change_of *x, struct node *object)
{
	struct node *spec = rule_given(object, "spec");
	struct node *status = tree_object(x->arena);

	tree_put(x->arena, object, "status", status);
	if (!tree_is(spec, NODE_OBJECT))
		return;
	set_priority(x, spec);
	add_toleration(x->arena, spec, "node.kubernetes.io/not-ready");
	add_toleration(x->arena, spec, "node.kubernetes.io/unreachable");
	tree_put(x->arena, status, "phase", tree_str(x->arena, "Pending"));
	if (tree_count(rule_given(spec, "schedulingGates")) > 0)
		gated_condition(x->arena, status);
	tree_put(x->arena, status, "qosClass",
	    tree_copy(x->arena, pod_qos(x->arena, spec)));
}

/* Restores members that only a node or the server writes, if left out. */
static void
prepare_update(const struct change_of *x, struct node *object)
{
	static const char *const kept[] = {"priority", "preemptionPolicy"};
	struct node *spec = rule_given(object, "spec");
	const struct node *was = rule_given(x->live, "spec");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	for (size_t i = 0; i < 2; i++)
		if (rule_given(spec, kept[i]) == NULL)
			builtin_keep_member(x->arena, was, spec, kept[i]);
	add_toleration(x->arena, spec, "node.kubernetes.io/not-ready");
	add_toleration(x->arena, spec, "node.kubernetes.io/unreachable");
}

void
pod_prepare(const struct change_of *x, struct node *object)
{
	/* apis/meta/v1 ResetObjectMetaForStatus */
	static const char *const kept[] = {"labels", "annotations",
	    "finalizers", "ownerReferences", "deletionTimestamp"};
	struct node *added;

	if (x->live == NULL) {
		prepare_create(x, object);
	} else if (span_is(x->subresource, "ephemeralcontainers") ||
	    span_is(x->subresource, "resize")) {
		for (size_t i = 0; i < COUNT(kept); i++)
			builtin_keep_member(x->arena,
			    rule_given(x->live, "metadata"),
			    rule_given(object, "metadata"), kept[i]);
		builtin_keep_member(x->arena, x->live, object, "status");
		if (span_is(x->subresource, "resize")) {
			resize_prepare(x, object);
			return;
		}
		added = tree_path(object, "spec.ephemeralContainers");
		tree_put(x->arena, object, "spec",
		    tree_copy(x->arena, rule_given(x->live, "spec")));
		if (added != NULL)
			tree_put(x->arena, rule_given(object, "spec"),
			    "ephemeralContainers", added);
	} else {
		prepare_update(x, object);
	}
}

void
pod_status_prepare(const struct change_of *x, struct node *object)
{
	struct node *meta = rule_given(object, "metadata");
	const struct node *was = rule_given(x->live, "metadata");
	struct node *status = tree_make(x->arena, object, "status");

	builtin_keep_member(x->arena, was, meta, "ownerReferences");
	builtin_keep_member(x->arena, was, meta, "deletionTimestamp");
	if (tree_empty(rule_given(status, "qosClass")))
		builtin_keep_member(x->arena, rule_given(x->live, "status"),
		    status, "qosClass");
}

/* False: the containers differ, and later checks would make no sense. */
static bool
same_containers(struct causes *c, const struct at *at, const struct node *spec,
    const struct node *was, const char *key)
{
	const struct node *all = rule_given(spec, key), *container;

	if (tree_count(all) != tree_count(rule_given(was, key))) {
		rule_fail_forbidden(c, AT(at, key),
		    "pod updates may not add or remove containers");
		return false;
	}
	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++)
		if (tree_empty(rule_given(container, "image")))
			rule_fail_required(
			    c, AT(AT_INDEX(AT(at, key), i), "image"), "");
	return true;
}

/* False: an error was added that ends the checks. */
static bool
check_deadline(struct causes *c, const struct at *at, const struct node *spec,
    const struct node *was)
{
	const struct node *n = rule_given(spec, "activeDeadlineSeconds");
	const struct node *o = rule_given(was, "activeDeadlineSeconds");
	int64_t now, before;

	at = AT(at, "activeDeadlineSeconds");
	if (tree_get_int(n, &now)) {
		if (now < 0 || now > INT32_MAX) {
			rule_fail_int(c, at, now,
			    "must be between 0 and 2147483647, inclusive");
			return false;
		}
		if (tree_get_int(o, &before) && before < now) {
			rule_fail_int(c, at, now,
			    "must be less than or equal to previous value");
			return false;
		}
	} else if (o != NULL) {
		rule_fail_invalid(c, at, NULL,
		    "must not update from a positive integer to nil value");
	}
	return true;
}

static bool
holds(const struct node *array, const struct node *item)
{
	const struct node *each;

	for (size_t i = 0; (each = builtin_item(array, i)) != NULL; i++)
		if (tree_equal(each, item))
			return true;
	return false;
}

static void
check_tolerations_kept(struct causes *c, const struct at *at,
    const struct node *spec, const struct node *was)
{
	const struct node *each, *now = rule_given(spec, "tolerations");

	for (size_t i = 0;
	     (each = builtin_item(rule_given(was, "tolerations"), i)) != NULL;
	     i++) {
		const struct node *t;
		bool found = false;
		for (size_t k = 0; (t = builtin_item(now, k)) != NULL; k++) {
			/* The seconds may change. */
			found = found ||
			    (builtin_same_member(t, each, "key") &&
				builtin_same_member(t, each, "operator") &&
				builtin_same_member(t, each, "value") &&
				builtin_same_member(t, each, "effect"));
		}
		if (!found) {
			rule_fail_forbidden(c, AT(at, "tolerations"),
			    "existing toleration can not be modified except "
			    "its tolerationSeconds");
			return;
		}
	}
}

static void
check_gates_only_go(struct causes *c, const struct at *at,
    const struct node *spec, const struct node *was)
{
	const struct node *gate, *before = rule_given(was, "schedulingGates");

	for (size_t i = 0;
	     (gate = builtin_item(rule_given(spec, "schedulingGates"), i)) !=
	     NULL;
	     i++)
		if (!holds(before, gate))
			rule_fail_forbidden(c,
			    AT(AT_INDEX(AT(at, "schedulingGates"), i), "name"),
			    rule_say(c,
				"only deletion is allowed, but found new "
				"scheduling gate '%.*s'",
				SPAN_ARG(tree_text(rule_given(gate, "name")))));
}

static void
same_images(
    struct arena *a, struct node *spec, const struct node *was, const char *key)
{
	struct node *container;

	for (size_t i = 0;
	     (container = builtin_item(rule_given(spec, key), i)) != NULL; i++)
		builtin_keep_member(a, builtin_item(rule_given(was, key), i),
		    container, "image");
}

static void
check_pod_update(struct causes *c, const struct at *at,
    const struct node *object, const struct node *live)
{
	const struct node *was = rule_given(live, "spec");
	struct node *spec = rule_given(object, "spec");

	if (!same_containers(c, at, spec, was, "containers") ||
	    !same_containers(c, at, spec, was, "initContainers") ||
	    !check_deadline(c, at, spec, was))
		return;
	check_tolerations_kept(c, at, spec, was);
	check_gates_only_go(c, at, spec, was);
	if (tree_equal(spec, was))
		return;
	spec = tree_copy(c->arena, spec);
	same_images(c->arena, spec, was, "containers");
	same_images(c->arena, spec, was, "initContainers");
	builtin_keep_member(c->arena, was, spec, "activeDeadlineSeconds");
	builtin_keep_member(c->arena, was, spec, "schedulingGates");
	builtin_keep_member(c->arena, was, spec, "tolerations");
	if (rule_int(was, "terminationGracePeriodSeconds", 0) < 0 &&
	    rule_int(spec, "terminationGracePeriodSeconds", 0) == 1)
		builtin_keep_member(
		    c->arena, was, spec, "terminationGracePeriodSeconds");
	if (tree_count(rule_given(was, "schedulingGates")) > 0) {
		builtin_keep_member(c->arena, was, spec, "nodeSelector");
		builtin_keep_member(c->arena, was, spec, "affinity");
	}
	/* The real server appends a diff in Go's words. */
	if (!tree_equal(spec, was))
		rule_fail_forbidden(c, at,
		    "pod updates may not change fields other than "
		    "`spec.containers[*].image`,"
		    "`spec.initContainers[*].image`,"
		    "`spec.activeDeadlineSeconds`,"
		    "`spec.tolerations` (only additions to existing "
		    "tolerations),"
		    "`spec.terminationGracePeriodSeconds` (allow it to be set "
		    "to 1 if it was previously negative)\n");
}

void
pod_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");

	if (span_is(x->subresource, "resize")) {
		resize_validate(c, x, object);
		return;
	}
	if (x->subresource.n > 0)
		return;
	ruletable_part(c, x, at, spec, ".podspec", "pod");
	if (x->live != NULL) {
		check_pod_update(c, at, object, x->live);
		return;
	}
	if (tree_count(rule_given(spec, "ephemeralContainers")) > 0)
		rule_fail_forbidden(c, AT(at, "ephemeralContainers"),
		    "cannot be set on create");
	if (!tree_empty(rule_given(spec, "nodeName")) &&
	    tree_count(rule_given(spec, "schedulingGates")) > 0)
		rule_fail_forbidden(c, AT(at, "nodeName"),
		    "cannot be set until all schedulingGates have been "
		    "cleared");
}
