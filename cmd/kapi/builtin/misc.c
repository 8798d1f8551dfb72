/*
 * RBAC, autoscalers, disruption budgets, leases, priority classes, nodes,
 * events, webhooks. Sources: pkg/apis/GROUP/validation and defaults.go.
 */
#include "builtin/topics.h"

#include "type/objectmeta.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"

void
rolebinding_default(struct arena *a, struct node *object)
{
	struct node *subject;

	default_text(
	    a, default_object(a, object, "roleRef"), "apiGroup", RBAC_GROUP);
	for (size_t i = 0;
	     (subject = each_of(given(object, "subjects"), i)) != NULL; i++)
		if (text_is_any(
			given(subject, "kind"), "User", "Group", (char *)NULL))
			default_text(a, subject, "apiGroup", RBAC_GROUP);
}

static void
check_rule(struct causes *c, const struct at *at, const struct node *rule,
    bool namespaced)
{
	const struct node *urls = given(rule, "nonResourceURLs");

	if (tree_count(given(rule, "verbs")) == 0)
		fail_required(c, AT(at, "verbs"),
		    "verbs must contain at least one value");
	if (tree_count(urls) > 0) {
		if (namespaced)
			fail_invalid(c, AT(at, "nonResourceURLs"), urls,
			    "namespaced rules cannot apply to non-resource "
			    "URLs");
		if (tree_count(given(rule, "apiGroups")) > 0 ||
		    tree_count(given(rule, "resources")) > 0 ||
		    tree_count(given(rule, "resourceNames")) > 0)
			fail_invalid(c, AT(at, "nonResourceURLs"), urls,
			    "rules cannot apply to both regular resources and "
			    "non-resource URLs");
		return;
	}
	if (tree_count(given(rule, "apiGroups")) == 0)
		fail_required(c, AT(at, "apiGroups"),
		    "resource rules must supply at least one api group");
	if (tree_count(given(rule, "resources")) == 0)
		fail_required(c, AT(at, "resources"),
		    "resource rules must supply at least one resource");
}

void
role_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *rule;
	const struct node *sum = given(object, "aggregationRule");

	for (size_t i = 0; (rule = each_of(given(object, "rules"), i)) != NULL;
	     i++)
		check_rule(c, AT_INDEX(AT(NULL, "rules"), i), rule,
		    x->resource->namespaced);
	if (sum != NULL && tree_count(given(sum, "clusterRoleSelectors")) == 0)
		fail_required(c,
		    AT(AT(NULL, "aggregationRule"), "clusterRoleSelectors"),
		    "at least one clusterRoleSelector required if "
		    "aggregationRule is non-nil");
}

static void
check_subject(struct causes *c, const struct at *at, const struct node *s,
    bool namespaced)
{
	const struct node *kind = given(s, "kind");
	const struct node *name = given(s, "name");
	const struct node *group = given(s, "apiGroup");

	if (tree_empty(name))
		fail_required(c, AT(at, "name"), "");
	if (tree_text_is(kind, "ServiceAccount")) {
		if (!tree_empty(name))
			check_dns_subdomain(c, AT(at, "name"), tree_text(name));
		if (!tree_empty(group))
			fail_unsupported(
			    c, AT(at, "apiGroup"), group, "", (char *)NULL);
		if (!namespaced && tree_empty(given(s, "namespace")))
			fail_required(c, AT(at, "namespace"), "");
	} else if (text_is_any(kind, "User", "Group", (char *)NULL)) {
		if (!tree_text_is(group, RBAC_GROUP))
			fail_unsupported(c, AT(at, "apiGroup"), group,
			    RBAC_GROUP, (char *)NULL);
	} else {
		fail_unsupported(c, AT(at, "kind"), kind, "ServiceAccount",
		    "User", "Group", (char *)NULL);
	}
}

static const struct node *
go_role_ref(struct arena *a, const struct node *ref)
{
	struct node *n = tree_object(a);

	tree_put(a, n, "APIGroup",
	    tree_string(a, tree_text(given(ref, "apiGroup"))));
	tree_put(a, n, "Kind", tree_string(a, tree_text(given(ref, "kind"))));
	tree_put(a, n, "Name", tree_string(a, tree_text(given(ref, "name"))));
	return n;
}

void
rolebinding_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "roleRef");
	const struct node *ref = given(object, "roleRef"), *subject;
	const struct node *kind = given(ref, "kind");
	bool namespaced = x->resource->namespaced;

	if (!tree_text_is(given(ref, "apiGroup"), RBAC_GROUP))
		fail_unsupported(c, AT(at, "apiGroup"), given(ref, "apiGroup"),
		    RBAC_GROUP, (char *)NULL);
	if (namespaced &&
	    !text_is_any(kind, "Role", "ClusterRole", (char *)NULL))
		fail_unsupported(c, AT(at, "kind"), kind, "Role", "ClusterRole",
		    (char *)NULL);
	if (!namespaced && !tree_text_is(kind, "ClusterRole"))
		fail_unsupported(
		    c, AT(at, "kind"), kind, "ClusterRole", (char *)NULL);
	if (tree_empty(given(ref, "name")))
		fail_required(c, AT(at, "name"), "");
	for (size_t i = 0;
	     (subject = each_of(given(object, "subjects"), i)) != NULL; i++)
		check_subject(
		    c, AT_INDEX(AT(NULL, "subjects"), i), subject, namespaced);
	if (x->live != NULL && !same_member(x->live, object, "roleRef"))
		fail_invalid(
		    c, at, go_role_ref(c->arena, ref), "cannot change roleRef");
}

static struct node *
scaling_policy(struct arena *a, const char *type, int64_t value)
{
	struct node *n = tree_object(a);

	tree_put(a, n, "type", tree_str(a, type));
	tree_put(a, n, "value", tree_int(a, value));
	tree_put(a, n, "periodSeconds", tree_int(a, 15));
	return n;
}

static void
default_scaling(struct arena *a, struct node *behavior, const char *key)
{
	struct node *rules = default_object(a, behavior, key), *policies;
	bool up = strcmp(key, "scaleUp") == 0;

	if (up)
		default_int(a, rules, "stabilizationWindowSeconds", 0);
	default_text(a, rules, "selectPolicy", "Max");
	if (given(rules, "policies") != NULL)
		return;
	policies = tree_array(a);
	if (up)
		tree_append(a, policies, scaling_policy(a, "Pods", 4));
	tree_append(a, policies, scaling_policy(a, "Percent", 100));
	tree_put(a, rules, "policies", policies);
}

void
autoscaler_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec");
	struct node *metrics, *metric, *resource, *target;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	default_int(a, spec, "minReplicas", 1);
	if (given(spec, "behavior") != NULL) {
		default_scaling(a, given(spec, "behavior"), "scaleUp");
		default_scaling(a, given(spec, "behavior"), "scaleDown");
	}
	if (tree_count(given(spec, "metrics")) > 0 ||
	    !tree_text_is(given(object, "apiVersion"), "autoscaling/v2"))
		return;
	metrics = tree_array(a);
	metric = tree_object(a);
	resource = tree_object(a);
	target = tree_object(a);
	tree_put(a, target, "type", tree_str(a, "Utilization"));
	tree_put(a, target, "averageUtilization", tree_int(a, 80));
	tree_put(a, resource, "name", tree_str(a, "cpu"));
	tree_put(a, resource, "target", target);
	tree_put(a, metric, "type", tree_str(a, "Resource"));
	tree_put(a, metric, "resource", resource);
	tree_append(a, metrics, metric);
	tree_put(a, spec, "metrics", metrics);
}

static bool
scales_to_zero(const struct node *metrics)
{
	const struct node *m;

	for (size_t i = 0; (m = each_of(metrics, i)) != NULL; i++)
		if (text_is_any(
			given(m, "type"), "Object", "External", (char *)NULL))
			return true;
	return false;
}

void
autoscaler_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec");
	const struct node *ref = given(spec, "scaleTargetRef");
	struct span api = tree_text(given(ref, "apiVersion"));
	int64_t min, max = int_or(spec, "maxReplicas", 0);
	bool has_min = tree_get_int(given(spec, "minReplicas"), &min);

	(void)x;
	if (has_min && min < 1)
		fail_int(c, AT(at, "minReplicas"), min,
		    "must be greater than or equal to 1");
	if (max == 0)
		fail_required(
		    c, AT(at, "maxReplicas"), "must be set and greater than 0");
	else if (max < 0)
		fail_int(c, AT(at, "maxReplicas"), max,
		    "must be greater than or equal to 1");
	if (has_min && max < min)
		fail_int(c, AT(at, "maxReplicas"), max,
		    "must be greater than or equal to `minReplicas`");
	if (tree_empty(given(ref, "kind")))
		fail_required(c, AT(AT(at, "scaleTargetRef"), "kind"), "");
	if (tree_empty(given(ref, "name")))
		fail_required(c, AT(AT(at, "scaleTargetRef"), "name"), "");
	if (span_find(api, '/') == NULL)
		fail_text(c, AT(AT(at, "scaleTargetRef"), "apiVersion"), api,
		    "apiVersion must specify API group");
	if (has_min && min == 0 && !scales_to_zero(given(spec, "metrics")))
		fail_forbidden(c, AT(at, "metrics"),
		    "must specify at least one Object or External metric to "
		    "support scaling to zero replicas");
}

/* A struct of the server's own, said with all its members. */
static const struct node *
go_budget(struct arena *a, const struct node *spec)
{
	static const char *const keys[][2] = {{"MinAvailable", "minAvailable"},
	    {"Selector", "selector"}, {"MaxUnavailable", "maxUnavailable"},
	    {"UnhealthyPodEvictionPolicy", "unhealthyPodEvictionPolicy"}};
	struct node *n = tree_object(a);

	for (size_t i = 0; i < 4; i++) {
		tree_put(a, n, keys[i][0], given_or_null(a, spec, keys[i][1]));
	}
	return n;
}

void
controllerrevision_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *data = given(object, "data");

	check_nonnegative(c, NULL, object, "revision");
	if (x->live != NULL)
		check_immutable(c, NULL, x->live, object, "data");
	else if (data == NULL)
		fail_required(c, AT(NULL, "data"), "data is mandatory");
	else if (data->kind != NODE_OBJECT)
		fail_required(
		    c, AT(NULL, "data"), "data must be a valid JSON object");
}

void
budget_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const limits[] = {"minAvailable", "maxUnavailable"};
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec"), *n;

	(void)x;
	if (given(spec, limits[0]) != NULL && given(spec, limits[1]) != NULL)
		fail_invalid(c, at, go_budget(c->arena, spec),
		    "minAvailable and maxUnavailable cannot be both set");
	for (size_t i = 0; i < 2; i++) {
		if ((n = given(spec, limits[i])) == NULL)
			continue;
		check_int_or_percent(c, AT(at, limits[i]), n);
		if (is_percent(n) && int_or_percent(n) > 100)
			fail_invalid(c, AT(at, limits[i]), n,
			    "must not be greater than 100%");
	}
	check_selector(c, AT(at, "selector"), given(spec, "selector"));
	n = given(spec, "unhealthyPodEvictionPolicy");
	if (n != NULL &&
	    !text_is_any(n, "AlwaysAllow", "IfHealthyBudget", (char *)NULL))
		fail_unsupported(c, AT(at, "unhealthyPodEvictionPolicy"), n,
		    "AlwaysAllow", "IfHealthyBudget", (char *)NULL);
}

/* The feature that these are for is off by default. */
void
lease_prepare(const struct change_of *x, struct node *object)
{
	struct node *spec = given(object, "spec");
	const struct node *was = given(x->live, "spec");

	if (spec == NULL)
		return;
	keep_member(x->arena, was, spec, "strategy");
	keep_member(x->arena, was, spec, "preferredHolder");
}

void
lease_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec");
	int64_t n;

	(void)x;
	if (tree_get_int(given(spec, "leaseDurationSeconds"), &n) && n <= 0)
		fail_int(c, AT(at, "leaseDurationSeconds"), n,
		    "must be greater than 0");
	if (tree_get_int(given(spec, "leaseTransitions"), &n) && n < 0)
		fail_int(c, AT(at, "leaseTransitions"), n,
		    "must be greater than or equal to 0");
}

void
priorityclass_default(struct arena *a, struct node *object)
{
	default_text(a, object, "preemptionPolicy", "PreemptLowerPriority");
}

void
priorityclass_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	enum { HIGHEST_OF_USERS = 1000000000 };
	struct span name = tree_path_text(object, "metadata.name");

	if (x->live != NULL) {
		if (!same_member(x->live, object, "value"))
			fail_forbidden(c, AT(NULL, "value"),
			    "may not be changed in an update.");
		check_immutable(c, NULL, x->live, object, "preemptionPolicy");
		return;
	}
	if ((name.n < 7 || memcmp(name.p, "system-", 7) != 0) &&
	    int_or(object, "value", 0) > HIGHEST_OF_USERS)
		fail_forbidden(c, AT(NULL, "value"),
		    "maximum allowed value of a user defined priority is "
		    "1000000000");
	check_enum(c, NULL, object, "preemptionPolicy", "PreemptLowerPriority",
	    "Never");
}

void
node_default(struct arena *a, struct node *object)
{
	struct node *status = default_object(a, object, "status");
	struct node *capacity = given(status, "capacity");

	default_object(a, object, "spec");
	if (capacity != NULL && given(status, "allocatable") == NULL)
		tree_put(a, status, "allocatable", tree_copy(a, capacity));
}

/* A new Node is tainted until it is ready (TaintNodesByCondition). */
void
node_prepare(const struct change_of *x, struct node *object)
{
	struct node *spec = tree_make(x->arena, object, "spec");
	struct node *taints = given(spec, "taints"), *taint;

	if (x->live != NULL)
		return;
	for (size_t i = 0; (taint = each_of(taints, i)) != NULL; i++)
		if (tree_text_is(
			given(taint, "key"), "node.kubernetes.io/not-ready"))
			return;
	if (!tree_is(taints, NODE_ARRAY)) {
		taints = tree_array(x->arena);
		tree_put(x->arena, spec, "taints", taints);
	}
	taint = tree_object(x->arena);
	tree_put(x->arena, taint, "key",
	    tree_str(x->arena, "node.kubernetes.io/not-ready"));
	tree_put(x->arena, taint, "effect", tree_str(x->arena, "NoSchedule"));
	tree_append(x->arena, taints, taint);
}

/* Source: pkg/apis/core/validation/events.go. */
void
event_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	struct span here = tree_path_text(object, "metadata.namespace");
	const struct node *of = given(object, "involvedObject");
	struct span its;

	(void)x;
	if (of == NULL)
		of = given(object, "regarding");
	its = tree_text(given(of, "namespace"));
	if (its.n > 0 ? !span_eq(its, here)
		      : !span_is(here, "default") &&
		    !span_is(here, "kube-system") && here.n > 0)
		fail_text(c, AT(AT(NULL, "involvedObject"), "namespace"), its,
		    its.n > 0 ? "does not match event.namespace"
			      : "does not match event.namespace");
}

static void
default_webhook(struct arena *a, struct node *hook, bool mutating)
{
	struct node *rule, *service;

	default_text(a, hook, "failurePolicy", "Fail");
	default_text(a, hook, "matchPolicy", "Equivalent");
	default_object(a, hook, "namespaceSelector");
	default_object(a, hook, "objectSelector");
	default_int(a, hook, "timeoutSeconds", 10);
	if (mutating)
		default_text(a, hook, "reinvocationPolicy", "Never");
	for (size_t i = 0; (rule = each_of(given(hook, "rules"), i)) != NULL;
	     i++)
		default_text(a, rule, "scope", "*");
	service = tree_path(hook, "clientConfig.service");
	if (tree_is(service, NODE_OBJECT))
		default_int(a, service, "port", 443);
}

void
webhooks_default(struct arena *a, struct node *object)
{
	bool mutating =
	    tree_text_is(given(object, "kind"), "MutatingWebhookConfiguration");
	struct node *hook;

	for (size_t i = 0;
	     (hook = each_of(given(object, "webhooks"), i)) != NULL; i++)
		default_webhook(a, hook, mutating);
}

static struct node *
old_condition(const struct change_of *x, const struct node *condition)
{
	const struct node *old = tree_path(x->live, "status.conditions");

	for (size_t i = 0; i < tree_count(old); i++)
		if (tree_equal(tree_get(old->items[i], "type"),
			tree_get(condition, "type")) &&
		    tree_equal(tree_get(old->items[i], "status"),
			tree_get(condition, "status")))
			return old->items[i];
	return NULL;
}

static void
set_if_missing(const struct change_of *x, struct node *condition,
    const char *key, const struct node *value)
{
	if (tree_text(tree_get(condition, key)).n > 0)
		return;
	tree_put(x->arena, condition, key,
	    tree_text(value).n > 0
		? tree_string(x->arena, tree_text(value))
		: tree_string(x->arena, objectmeta_time_now(x->arena)));
}

/* /approval writes the conditions alone. */
void
signing_status_prepare(const struct change_of *x, struct node *object)
{
	struct node *conditions = tree_path(object, "status.conditions");
	struct node *old, *status;

	if (span_is(x->subresource, "approval")) {
		status = tree_get(x->live, "status");
		status = status == NULL ? tree_object(x->arena)
					: tree_copy(x->arena, status);
		if (conditions != NULL)
			tree_put(x->arena, status, "conditions", conditions);
		tree_put(x->arena, object, "status", status);
	}
	for (size_t i = 0; i < tree_count(conditions); i++) {
		old = old_condition(x, conditions->items[i]);
		set_if_missing(x, conditions->items[i], "lastUpdateTime", NULL);
		set_if_missing(x, conditions->items[i], "lastTransitionTime",
		    tree_get(old, "lastTransitionTime"));
	}
}
