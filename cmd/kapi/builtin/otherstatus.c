/*
 * Part of builtin/topics.h. The statuses of Services, Ingresses,
 * PodDisruptionBudgets and PersistentVolumeClaims. Sources: the functions
 * Validate...StatusUpdate and ValidateLoadBalancerStatus in pkg/apis/core,
 * networking and policy/validation; ValidateCondition in
 * pkg/apis/meta/v1/validation of apimachinery.
 */
#include "builtin/topics.h"
#include "base/array.h"
#include "type/names.h"

static void
check_ip_mode(struct causes *c, const struct at *up, const struct node *ingress)
{
	const struct node *mode = rule_given(ingress, "ipMode");
	const struct at *at = AT(up, "ipMode");

	if (mode == NULL) /* that of an ip has a default */
		return;
	if (tree_empty(rule_given(ingress, "ip")))
		rule_fail_forbidden(
		    c, at, "may not be specified when `ip` is not set");
	else if (!rule_text_is_any(mode, "Proxy", "VIP", (char *)NULL))
		rule_fail_unsupported(
		    c, at, mode, "Proxy", "VIP", (char *)NULL);
}

/* Where traffic comes in, of a Service or an Ingress. */
static void
check_ingress(struct causes *c, const struct at *at, const struct node *ingress)
{
	struct span ip = tree_text(rule_given(ingress, "ip"));
	struct span host = tree_text(rule_given(ingress, "hostname"));

	if (ip.n > 0)
		rule_ip(c, AT(at, "ip"), ip);
	if (host.n == 0)
		return;
	rule_dns_subdomain(c, AT(at, "hostname"), host);
	if (name_address_family(host) != 0)
		rule_fail_text(c, AT(at, "hostname"), host,
		    "must be a DNS name, not an IP address");
}

void
otherstatus_service(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "status.loadBalancer.ingress");
	const struct node *all =
	    tree_path(object, "status.loadBalancer.ingress");

	(void)x;
	if (tree_count(all) > 0 &&
	    !tree_text_is(tree_path(object, "spec.type"), "LoadBalancer")) {
		rule_fail_forbidden(c, at,
		    "may only be used when `spec.type` is 'LoadBalancer'");
		return;
	}
	for (size_t i = 0; i < tree_count(all); i++) {
		check_ingress(c, AT_INDEX(at, i), all->items[i]);
		check_ip_mode(c, AT_INDEX(at, i), all->items[i]);
	}
}

void
otherstatus_ingress(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "status.loadBalancer.ingress");
	const struct node *all =
	    tree_path(object, "status.loadBalancer.ingress");

	(void)x;
	for (size_t i = 0; i < tree_count(all); i++)
		check_ingress(c, AT_INDEX(at, i), all->items[i]);
}

/* [A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])? */
static bool
is_reason(struct span s)
{
	bool last = true;

	for (size_t i = 0; i < s.n; i++) {
		char ch = s.p[i];
		last = span_is_alnum(ch) || ch == '_';
		if ((!last && ch != ',' && ch != ':') ||
		    (i == 0 && (ch == '_' || span_is_digit(ch))))
			return false;
	}
	return last;
}

static void
check_reason(struct causes *c, const struct at *at, struct span reason)
{
	if (reason.n == 0) {
		rule_fail_required(c, at, "");
		return;
	}
	if (!is_reason(reason))
		rule_fail_text(c, at, reason,
		    "a condition reason must start with alphabetic character, "
		    "optionally followed by a string of alphanumeric "
		    "characters or '_,:', and must end with an alphanumeric "
		    "character or '_' (e.g. 'my_name',  or 'MY_NAME',  or "
		    "'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', "
		    "regex used for validation is "
		    "'[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')");
	if (reason.n > 1024)
		rule_fail_too_long(c, at, 1024);
}

static void
check_condition(
    struct causes *c, const struct at *at, const struct node *condition)
{
	const struct node *status = rule_given(condition, "status");
	int64_t observed = rule_int(condition, "observedGeneration", 0);

	rule_qualified_name(
	    c, AT(at, "type"), tree_text(rule_given(condition, "type")));
	if (!rule_text_is_any(status, "False", "True", "Unknown", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "status"), status, "False",
		    "True", "Unknown", (char *)NULL);
	if (observed < 0)
		rule_fail_int(c, AT(at, "observedGeneration"), observed,
		    "must be greater than or equal to zero");
	if (rule_given(condition, "lastTransitionTime") == NULL)
		rule_fail_required(c, AT(at, "lastTransitionTime"), "");
	check_reason(
	    c, AT(at, "reason"), tree_text(rule_given(condition, "reason")));
	if (tree_text(rule_given(condition, "message")).n > 32768)
		rule_fail_too_long(c, AT(at, "message"), 32768);
}

void
otherstatus_budget(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	static const char *const counts[] = {"disruptionsAllowed",
	    "currentHealthy", "desiredHealthy", "expectedPods"};
	const struct at *up = AT(NULL, "status"), *at = AT(up, "conditions");
	const struct node *status = rule_given(object, "status");
	const struct node *all = rule_given(status, "conditions"), *condition;
	struct map types = MAP_INIT;

	(void)x;
	for (size_t i = 0; (condition = builtin_item(all, i)) != NULL; i++) {
		const struct node *type = rule_given(condition, "type");
		if (rule_seen_before(&types, tree_text(type)))
			rule_fail_duplicate(
			    c, AT(AT_INDEX(at, i), "type"), type);
		check_condition(c, AT_INDEX(at, i), condition);
	}
	map_release(&types);
	for (size_t i = 0; i < COUNT(counts); i++)
		rule_nonnegative(c, up, status, counts[i]);
}

static void
check_amounts(
    struct causes *c, const struct at *up, const struct member *amount)
{
	struct quantity q;

	if (rule_quantity_get(amount->value, &q) && quantity_sign(&q) < 0)
		rule_fail_int(c, AT_KEY(up, amount->key), quantity_integer(&q),
		    "must be a valid resource quantity");
}

/* Of the resources without a domain, a claim has storage alone. */
static bool
check_key(struct causes *c, const struct at *at, struct span key)
{
	size_t before = c->n;

	rule_qualified_name(c, at, key);
	if (c->n == before && !span_is(key, "storage") &&
	    (span_find(key, '/') == NULL ||
		memmem(key.p, key.n, "kubernetes.io/", 14) != NULL))
		rule_fail_unsupported(
		    c, at, tree_string(c->arena, key), "storage", (char *)NULL);
	return c->n == before;
}

#define RESIZE                                                      \
	"ControllerResizeInProgress", "ControllerResizeInfeasible", \
	    "NodeResizeInProgress", "NodeResizeInfeasible",         \
	    "NodeResizePending", (char *)NULL

void
otherstatus_claim(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *up = AT(NULL, "status");
	const struct at *at = AT(up, "allocatedResourceStatuses");
	const struct node *status = rule_given(object, "status");
	const struct node *all = rule_given(status, "capacity");

	(void)x;
	for (size_t i = 0; i < tree_count(all); i++)
		check_amounts(c, AT(up, "capacity"), &all->members[i]);
	all = rule_given(status, "allocatedResourceStatuses");
	for (size_t i = 0; i < tree_count(all); i++) {
		struct span key = all->members[i].key;
		check_key(c, at, key);
		/* The server names the key, not the value. */
		if (!rule_text_is_any(all->members[i].value, RESIZE))
			rule_fail_unsupported(
			    c, at, tree_string(c->arena, key), RESIZE);
	}
	at = AT(up, "allocatedResources");
	all = rule_given(status, "allocatedResources");
	for (size_t i = 0; i < tree_count(all); i++)
		if (check_key(c, at, all->members[i].key))
			check_amounts(c, at, &all->members[i]);
}
