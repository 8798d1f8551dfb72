/*
 * Part of builtin/topics.h. Rules of where and how a Pod runs: affinity,
 * spreading, tolerations, DNS. Source: ValidatePodSpec and what it calls.
 */
#include "builtin/topics.h"

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static void
check_node_requirement(
    struct causes *c, const struct at *at, const struct node *r)
{
	const struct node *operator= rule_given(r, "operator");
	const struct node *values = rule_given(r, "values"), *v;

	if (rule_text_is_any(operator, "In", "NotIn", (char *)NULL)) {
		if (tree_count(values) == 0)
			rule_fail_required(c, AT(at, "values"),
			    "must be specified when `operator` is 'In' or "
			    "'NotIn'");
	} else if (rule_text_is_any(operator, "Exists", "DoesNotExist",
		       (char *)NULL)) {
		if (tree_count(values) > 0)
			rule_fail_forbidden(c, AT(at, "values"),
			    "may not be specified when `operator` is 'Exists' "
			    "or 'DoesNotExist'");
	} else if (rule_text_is_any(operator, "Gt", "Lt", (char *)NULL)) {
		if (tree_count(values) != 1)
			rule_fail_required(c, AT(at, "values"),
			    "must be specified single value when `operator` "
			    "is 'Lt' or 'Gt'");
	} else {
		rule_fail_text(c, AT(at, "operator"), tree_text(operator),
		    "not a valid selector operator");
	}
	rule_qualified_name(c, AT(at, "key"), tree_text(rule_given(r, "key")));
	for (size_t i = 0; (v = builtin_item(values, i)) != NULL; i++)
		rule_label_value(
		    c, AT_INDEX(AT(at, "values"), i), tree_text(v));
}

static void
check_node_term(struct causes *c, const struct at *at, const struct node *t)
{
	const struct node *r;

	for (size_t i = 0;
	     (r = builtin_item(rule_given(t, "matchExpressions"), i)) != NULL;
	     i++)
		check_node_requirement(
		    c, AT_INDEX(AT(at, "matchExpressions"), i), r);
}

static void
check_node_affinity(
    struct causes *c, const struct at *at, const struct node *affinity)
{
	const struct node *required = rule_given(affinity, REQUIRED);
	const struct node *terms = rule_given(required, "nodeSelectorTerms"),
			  *t;
	const struct at *here = AT(AT(at, REQUIRED), "nodeSelectorTerms");

	if (required != NULL && tree_count(terms) == 0)
		rule_fail_required(
		    c, here, "must have at least one node selector term");
	for (size_t i = 0; (t = builtin_item(terms, i)) != NULL; i++)
		check_node_term(c, AT_INDEX(here, i), t);
	for (size_t i = 0;
	     (t = builtin_item(rule_given(affinity, PREFERRED), i)) != NULL;
	     i++) {
		int64_t weight = rule_int(t, "weight", 0);
		here = AT_INDEX(AT(at, PREFERRED), i);
		if (weight <= 0 || weight > 100)
			rule_fail_int(c, AT(here, "weight"), weight,
			    "must be in the range 1-100");
		check_node_term(
		    c, AT(here, "preference"), rule_given(t, "preference"));
	}
}

/* Terms of (anti-)affinity between Pods. */
static void
check_pod_term(struct causes *c, const struct at *at, const struct node *term)
{
	rule_selector(
	    c, AT(at, "labelSelector"), rule_given(term, "labelSelector"));
	rule_selector(c, AT(at, "namespaceSelector"),
	    rule_given(term, "namespaceSelector"));
	if (tree_empty(rule_given(term, "topologyKey")))
		rule_fail_required(
		    c, AT(at, "topologyKey"), "can not be empty");
	rule_qualified_name(c, AT(at, "topologyKey"),
	    tree_text(rule_given(term, "topologyKey")));
}

static void
check_pod_affinity(
    struct causes *c, const struct at *at, const struct node *affinity)
{
	const struct node *term;

	for (size_t i = 0;
	     (term = builtin_item(rule_given(affinity, REQUIRED), i)) != NULL;
	     i++)
		check_pod_term(c, AT_INDEX(AT(at, REQUIRED), i), term);
	for (size_t i = 0;
	     (term = builtin_item(rule_given(affinity, PREFERRED), i)) != NULL;
	     i++) {
		const struct at *here = AT_INDEX(AT(at, PREFERRED), i);
		int64_t weight = rule_int(term, "weight", 0);
		if (weight <= 0 || weight > 100)
			rule_fail_int(c, AT(here, "weight"), weight,
			    "must be in the range 1-100");
		check_pod_term(c, AT(here, "podAffinityTerm"),
		    rule_given(term, "podAffinityTerm"));
	}
}

void
placing_affinity(
    struct causes *c, const struct at *at, const struct node *affinity)
{
	check_node_affinity(
	    c, AT(at, "nodeAffinity"), rule_given(affinity, "nodeAffinity"));
	check_pod_affinity(
	    c, AT(at, "podAffinity"), rule_given(affinity, "podAffinity"));
	check_pod_affinity(c, AT(at, "podAntiAffinity"),
	    rule_given(affinity, "podAntiAffinity"));
}

static void
check_searches(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *n;

	if (tree_count(all) > 32)
		rule_fail_invalid(
		    c, at, all, "must not have more than 32 search paths");
	for (size_t i = 0; (n = builtin_item(all, i)) != NULL; i++) {
		struct span s = tree_text(n);
		if (span_is(s, "."))
			continue;
		if (s.n > 0 && s.p[s.n - 1] == '.')
			s.n--;
		rule_dns_search(c, AT_INDEX(at, i), s);
	}
}

void
placing_dns(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct at *here = AT(at, "dnsConfig");
	const struct node *config = rule_given(spec, "dnsConfig"), *n;
	const struct node *servers = rule_given(config, "nameservers");

	if (tree_text_is(rule_given(spec, "dnsPolicy"), "None") &&
	    tree_count(servers) == 0) {
		if (config == NULL)
			rule_fail_required(c, here,
			    "must provide `dnsConfig` when `dnsPolicy` is "
			    "None");
		else
			rule_fail_required(c, AT(here, "nameservers"),
			    "must provide at least one DNS nameserver when "
			    "`dnsPolicy` is None");
		return;
	}
	if (tree_count(servers) > 3)
		rule_fail_invalid(c, AT(here, "nameservers"), servers,
		    "must not have more than 3 nameservers");
	for (size_t i = 0; (n = builtin_item(servers, i)) != NULL; i++)
		rule_ip(c, AT_INDEX(AT(here, "nameservers"), i), tree_text(n));
	check_searches(c, AT(here, "searches"), rule_given(config, "searches"));
	for (size_t i = 0;
	     (n = builtin_item(rule_given(config, "options"), i)) != NULL; i++)
		if (tree_empty(rule_given(n, "name")))
			rule_fail_required(c, AT_INDEX(AT(here, "options"), i),
			    "must not be empty");
}

void
placing_hosts(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *alias, *name;

	for (size_t i = 0; (alias = builtin_item(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		rule_ip(c, AT(here, "ip"), tree_text(rule_given(alias, "ip")));
		for (size_t k = 0;
		     (name = builtin_item(rule_given(alias, "hostnames"), k)) !=
		     NULL;
		     k++)
			rule_dns_subdomain(c,
			    AT_INDEX(AT(here, "hostnames"), k),
			    tree_text(name));
	}
}

static void
check_toleration_value(
    struct causes *c, const struct at *at, const struct node *t)
{
	const struct node *operator= rule_given(t, "operator");
	struct span value = tree_text(rule_given(t, "value"));

	if (tree_empty(operator) || tree_text_is(operator, "Equal")) {
		rule_label_value(c, AT(at, "operator"), value);
	} else if (tree_text_is(operator, "Exists")) {
		if (value.n > 0)
			rule_fail_text(c, AT(at, "operator"), value,
			    "value must be empty when `operator` is 'Exists'");
	} else if (rule_text_is_any(operator, "Lt", "Gt", (char *)NULL)) {
		rule_fail_unsupported(c, AT(at, "operator"), operator, "Equal",
		    "Exists", "Lt", "Gt", (char *)NULL);
	} else {
		rule_fail_unsupported(c, AT(at, "operator"), operator, "Equal",
		    "Exists", (char *)NULL);
	}
}

void
placing_toleration(struct causes *c, const struct at *at, const struct node *t)
{
	const struct node *operator= rule_given(t, "operator");
	const struct node *effect = rule_given(t, "effect");
	const struct node *key = rule_given(t, "key");

	if (!tree_empty(key))
		rule_qualified_name(c, AT(at, "key"), tree_text(key));
	else if (!tree_text_is(operator, "Exists"))
		rule_fail_text(c, AT(at, "operator"), tree_text(operator),
		    "operator must be Exists when `key` is empty, which means "
		    "\"match all values and all keys\"");
	if (rule_given(t, "tolerationSeconds") != NULL &&
	    !tree_text_is(effect, "NoExecute"))
		rule_fail_text(c, AT(at, "effect"), tree_text(effect),
		    "effect must be 'NoExecute' when `tolerationSeconds` is "
		    "set");
	check_toleration_value(c, at, t);
	if (!tree_empty(effect))
		check_enum(c, at, t, "effect", "NoSchedule", "PreferNoSchedule",
		    "NoExecute");
}

void
placing_spread(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *each;

	for (size_t i = 0; (each = builtin_item(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		int64_t skew = rule_int(each, "maxSkew", 0);
		if (skew <= 0)
			rule_fail_int(c, AT(here, "maxSkew"), skew,
			    "must be greater than zero");
		if (tree_empty(rule_given(each, "topologyKey")))
			rule_fail_required(
			    c, AT(here, "topologyKey"), "can not be empty");
		if (!rule_text_is_any(rule_given(each, "whenUnsatisfiable"),
			"DoNotSchedule", "ScheduleAnyway", (char *)NULL))
			rule_fail_unsupported(c, AT(here, "whenUnsatisfiable"),
			    rule_given(each, "whenUnsatisfiable"),
			    "DoNotSchedule", "ScheduleAnyway", (char *)NULL);
		rule_selector(c, AT(here, "labelSelector"),
		    rule_given(each, "labelSelector"));
	}
}
