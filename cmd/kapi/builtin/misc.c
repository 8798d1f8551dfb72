/*
 * Part of builtin/topics.h. RBAC, autoscalers, disruption budgets, leases,
 * priority classes, nodes, webhooks. Sources:
 * pkg/apis/GROUP/validation and defaults.go.
 */
#include "builtin/topics.h"

#include "type/objectmeta.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"

void
misc_rolebinding_default(struct arena *a, struct node *object)
{
	struct node *subject;

	builtin_default_text(a, builtin_default_object(a, object, "roleRef"),
	    "apiGroup", RBAC_GROUP);
	for (size_t i = 0; (subject = builtin_item(
				rule_given(object, "subjects"), i)) != NULL;
	     i++)
		if (rule_text_is_any(rule_given(subject, "kind"), "User",
			"Group", (char *)NULL))
			builtin_default_text(
			    a, subject, "apiGroup", RBAC_GROUP);
}

static void
check_rule(struct causes *c, const struct at *at, const struct node *rule,
    bool namespaced)
{
	const struct node *urls = rule_given(rule, "nonResourceURLs");

	if (tree_count(rule_given(rule, "verbs")) == 0)
		rule_fail_required(c, AT(at, "verbs"),
		    "verbs must contain at least one value");
	if (tree_count(urls) > 0) {
		if (namespaced)
			rule_fail_invalid(c, AT(at, "nonResourceURLs"), urls,
			    "namespaced rules cannot apply to non-resource "
			    "URLs");
		if (tree_count(rule_given(rule, "apiGroups")) > 0 ||
		    tree_count(rule_given(rule, "resources")) > 0 ||
		    tree_count(rule_given(rule, "resourceNames")) > 0)
			rule_fail_invalid(c, AT(at, "nonResourceURLs"), urls,
			    "rules cannot apply to both regular resources and "
			    "non-resource URLs");
		return;
	}
	if (tree_count(rule_given(rule, "apiGroups")) == 0)
		rule_fail_required(c, AT(at, "apiGroups"),
		    "resource rules must supply at least one api group");
	if (tree_count(rule_given(rule, "resources")) == 0)
		rule_fail_required(c, AT(at, "resources"),
		    "resource rules must supply at least one resource");
}

void
misc_role_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *rule;
	const struct node *sum = rule_given(object, "aggregationRule");

	for (size_t i = 0;
	     (rule = builtin_item(rule_given(object, "rules"), i)) != NULL; i++)
		check_rule(c, AT_INDEX(AT(NULL, "rules"), i), rule,
		    x->resource->namespaced);
	if (sum != NULL &&
	    tree_count(rule_given(sum, "clusterRoleSelectors")) == 0)
		rule_fail_required(c,
		    AT(AT(NULL, "aggregationRule"), "clusterRoleSelectors"),
		    "at least one clusterRoleSelector required if "
		    "aggregationRule is non-nil");
}

static void
check_subject(struct causes *c, const struct at *at, const struct node *s,
    bool namespaced)
{
	const struct node *kind = rule_given(s, "kind");
	const struct node *name = rule_given(s, "name");
	const struct node *group = rule_given(s, "apiGroup");

	if (tree_empty(name))
		rule_fail_required(c, AT(at, "name"), "");
	if (tree_text_is(kind, "ServiceAccount")) {
		if (!tree_empty(name))
			rule_dns_subdomain(c, AT(at, "name"), tree_text(name));
		if (!tree_empty(group))
			rule_fail_unsupported(
			    c, AT(at, "apiGroup"), group, "", (char *)NULL);
		if (!namespaced && tree_empty(rule_given(s, "namespace")))
			rule_fail_required(c, AT(at, "namespace"), "");
	} else if (rule_text_is_any(kind, "User", "Group", (char *)NULL)) {
		if (!tree_text_is(group, RBAC_GROUP))
			rule_fail_unsupported(c, AT(at, "apiGroup"), group,
			    RBAC_GROUP, (char *)NULL);
	} else {
		rule_fail_unsupported(c, AT(at, "kind"), kind, "ServiceAccount",
		    "User", "Group", (char *)NULL);
	}
}

static const struct node *
go_role_ref(struct arena *a, const struct node *ref)
{
	struct node *n = tree_object(a);

	tree_put(a, n, "APIGroup",
	    tree_string(a, tree_text(rule_given(ref, "apiGroup"))));
	tree_put(
	    a, n, "Kind", tree_string(a, tree_text(rule_given(ref, "kind"))));
	tree_put(
	    a, n, "Name", tree_string(a, tree_text(rule_given(ref, "name"))));
	return n;
}

void
misc_rolebinding_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "roleRef");
	const struct node *ref = rule_given(object, "roleRef"), *subject;
	const struct node *kind = rule_given(ref, "kind");
	bool namespaced = x->resource->namespaced;

	if (!tree_text_is(rule_given(ref, "apiGroup"), RBAC_GROUP))
		rule_fail_unsupported(c, AT(at, "apiGroup"),
		    rule_given(ref, "apiGroup"), RBAC_GROUP, (char *)NULL);
	if (namespaced &&
	    !rule_text_is_any(kind, "Role", "ClusterRole", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "kind"), kind, "Role",
		    "ClusterRole", (char *)NULL);
	if (!namespaced && !tree_text_is(kind, "ClusterRole"))
		rule_fail_unsupported(
		    c, AT(at, "kind"), kind, "ClusterRole", (char *)NULL);
	if (tree_empty(rule_given(ref, "name")))
		rule_fail_required(c, AT(at, "name"), "");
	for (size_t i = 0; (subject = builtin_item(
				rule_given(object, "subjects"), i)) != NULL;
	     i++)
		check_subject(
		    c, AT_INDEX(AT(NULL, "subjects"), i), subject, namespaced);
	if (x->live != NULL && !builtin_same_member(x->live, object, "roleRef"))
		rule_fail_invalid(
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
	struct node *rules = builtin_default_object(a, behavior, key),
		    *policies;
	bool up = strcmp(key, "scaleUp") == 0;

	if (up)
		builtin_default_int(a, rules, "stabilizationWindowSeconds", 0);
	builtin_default_text(a, rules, "selectPolicy", "Max");
	if (rule_given(rules, "policies") != NULL)
		return;
	policies = tree_array(a);
	if (up)
		tree_append(a, policies, scaling_policy(a, "Pods", 4));
	tree_append(a, policies, scaling_policy(a, "Percent", 100));
	tree_put(a, rules, "policies", policies);
}

void
misc_autoscaler_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");
	struct node *metrics, *metric, *resource, *target;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	builtin_default_int(a, spec, "minReplicas", 1);
	if (rule_given(spec, "behavior") != NULL) {
		default_scaling(a, rule_given(spec, "behavior"), "scaleUp");
		default_scaling(a, rule_given(spec, "behavior"), "scaleDown");
	}
	if (tree_count(rule_given(spec, "metrics")) > 0 ||
	    !tree_text_is(rule_given(object, "apiVersion"), "autoscaling/v2"))
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

	for (size_t i = 0; (m = builtin_item(metrics, i)) != NULL; i++)
		if (rule_text_is_any(rule_given(m, "type"), "Object",
			"External", (char *)NULL))
			return true;
	return false;
}

void
misc_autoscaler_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	const struct node *ref = rule_given(spec, "scaleTargetRef");
	struct span api = tree_text(rule_given(ref, "apiVersion"));
	int64_t min, max = rule_int(spec, "maxReplicas", 0);
	bool has_min = tree_get_int(rule_given(spec, "minReplicas"), &min);

	(void)x;
	if (has_min && min < 1)
		rule_fail_int(c, AT(at, "minReplicas"), min,
		    "must be greater than or equal to 1");
	if (max == 0)
		rule_fail_required(
		    c, AT(at, "maxReplicas"), "must be set and greater than 0");
	else if (max < 0)
		rule_fail_int(c, AT(at, "maxReplicas"), max,
		    "must be greater than or equal to 1");
	if (has_min && max < min)
		rule_fail_int(c, AT(at, "maxReplicas"), max,
		    "must be greater than or equal to `minReplicas`");
	if (tree_empty(rule_given(ref, "kind")))
		rule_fail_required(c, AT(AT(at, "scaleTargetRef"), "kind"), "");
	if (tree_empty(rule_given(ref, "name")))
		rule_fail_required(c, AT(AT(at, "scaleTargetRef"), "name"), "");
	if (span_find(api, '/') == NULL)
		rule_fail_text(c, AT(AT(at, "scaleTargetRef"), "apiVersion"),
		    api, "apiVersion must specify API group");
	if (has_min && min == 0 && !scales_to_zero(rule_given(spec, "metrics")))
		rule_fail_forbidden(c, AT(at, "metrics"),
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
		tree_put(
		    a, n, keys[i][0], rule_given_or_null(a, spec, keys[i][1]));
	}
	return n;
}

void
misc_controllerrevision_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *data = rule_given(object, "data");

	rule_nonnegative(c, NULL, object, "revision");
	if (x->live != NULL)
		rule_immutable(c, NULL, x->live, object, "data");
	else if (data == NULL)
		rule_fail_required(c, AT(NULL, "data"), "data is mandatory");
	else if (data->kind != NODE_OBJECT)
		rule_fail_required(
		    c, AT(NULL, "data"), "data must be a valid JSON object");
}

void
misc_budget_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const limits[] = {"minAvailable", "maxUnavailable"};
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec"), *n;

	(void)x;
	if (rule_given(spec, limits[0]) != NULL &&
	    rule_given(spec, limits[1]) != NULL)
		rule_fail_invalid(c, at, go_budget(c->arena, spec),
		    "minAvailable and maxUnavailable cannot be both set");
	for (size_t i = 0; i < 2; i++) {
		if ((n = rule_given(spec, limits[i])) == NULL)
			continue;
		rule_int_or_percent(c, AT(at, limits[i]), n);
		if (rule_is_percent(n) && rule_amount(n) > 100)
			rule_fail_invalid(c, AT(at, limits[i]), n,
			    "must not be greater than 100%");
	}
	rule_selector(c, AT(at, "selector"), rule_given(spec, "selector"));
	n = rule_given(spec, "unhealthyPodEvictionPolicy");
	if (n != NULL &&
	    !rule_text_is_any(
		n, "AlwaysAllow", "IfHealthyBudget", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "unhealthyPodEvictionPolicy"),
		    n, "AlwaysAllow", "IfHealthyBudget", (char *)NULL);
}

/* The feature that these are for is off by default. */
void
misc_lease_prepare(const struct change_of *x, struct node *object)
{
	struct node *spec = rule_given(object, "spec");
	const struct node *was = rule_given(x->live, "spec");

	if (spec == NULL)
		return;
	builtin_keep_member(x->arena, was, spec, "strategy");
	builtin_keep_member(x->arena, was, spec, "preferredHolder");
}

void
misc_lease_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	int64_t n;

	(void)x;
	if (tree_get_int(rule_given(spec, "leaseDurationSeconds"), &n) &&
	    n <= 0)
		rule_fail_int(c, AT(at, "leaseDurationSeconds"), n,
		    "must be greater than 0");
	if (tree_get_int(rule_given(spec, "leaseTransitions"), &n) && n < 0)
		rule_fail_int(c, AT(at, "leaseTransitions"), n,
		    "must be greater than or equal to 0");
}

void
misc_priorityclass_default(struct arena *a, struct node *object)
{
	builtin_default_text(
	    a, object, "preemptionPolicy", "PreemptLowerPriority");
}

void
misc_priorityclass_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	enum { HIGHEST_OF_USERS = 1000000000 };
	struct span name = tree_path_text(object, "metadata.name");

	if (x->live != NULL) {
		if (!builtin_same_member(x->live, object, "value"))
			rule_fail_forbidden(c, AT(NULL, "value"),
			    "may not be changed in an update.");
		rule_immutable(c, NULL, x->live, object, "preemptionPolicy");
		return;
	}
	if (span_starts(name, "system-") &&
	    !span_is(name, "system-node-critical") &&
	    !span_is(name, "system-cluster-critical"))
		rule_fail_forbidden(c, AT(AT(NULL, "metadata"), "name"),
		    rule_say(c,
			"priority class names with 'system-' prefix are "
			"reserved for system use only. error: %.*s is not a "
			"known system priority class",
			SPAN_ARG(name)));
	if (!span_starts(name, "system-") &&
	    rule_int(object, "value", 0) > HIGHEST_OF_USERS)
		rule_fail_forbidden(c, AT(NULL, "value"),
		    "maximum allowed value of a user defined priority is "
		    "1000000000");
	check_enum(c, NULL, object, "preemptionPolicy", "PreemptLowerPriority",
	    "Never");
}

void
misc_node_default(struct arena *a, struct node *object)
{
	struct node *status = builtin_default_object(a, object, "status");
	struct node *capacity = rule_given(status, "capacity");

	builtin_default_object(a, object, "spec");
	if (capacity != NULL && rule_given(status, "allocatable") == NULL)
		tree_put(a, status, "allocatable", tree_copy(a, capacity));
}

/* A new Node is tainted until it is ready (TaintNodesByCondition). */
void
misc_node_prepare(const struct change_of *x, struct node *object)
{
	struct node *spec = tree_make(x->arena, object, "spec");
	struct node *taints = rule_given(spec, "taints"), *taint;

	if (x->live != NULL)
		return;
	for (size_t i = 0; (taint = builtin_item(taints, i)) != NULL; i++)
		if (tree_text_is(rule_given(taint, "key"),
			"node.kubernetes.io/not-ready"))
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

static void
default_webhook(struct arena *a, struct node *hook, bool mutating)
{
	struct node *rule, *service;

	builtin_default_text(a, hook, "failurePolicy", "Fail");
	builtin_default_text(a, hook, "matchPolicy", "Equivalent");
	builtin_default_object(a, hook, "namespaceSelector");
	builtin_default_object(a, hook, "objectSelector");
	builtin_default_int(a, hook, "timeoutSeconds", 10);
	if (mutating)
		builtin_default_text(a, hook, "reinvocationPolicy", "Never");
	for (size_t i = 0;
	     (rule = builtin_item(rule_given(hook, "rules"), i)) != NULL; i++)
		builtin_default_text(a, rule, "scope", "*");
	service = tree_path(hook, "clientConfig.service");
	if (tree_is(service, NODE_OBJECT))
		builtin_default_int(a, service, "port", 443);
}

void
misc_webhooks_default(struct arena *a, struct node *object)
{
	bool mutating = tree_text_is(
	    rule_given(object, "kind"), "MutatingWebhookConfiguration");
	struct node *hook;

	for (size_t i = 0;
	     (hook = builtin_item(rule_given(object, "webhooks"), i)) != NULL;
	     i++)
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
misc_signing_status_prepare(const struct change_of *x, struct node *object)
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
