/*
 * Rules of where and how a Pod runs: affinity, spreading, tolerations, DNS.
 * Source: ValidatePodSpec and what it calls.
 */
#include "builtin/topics.h"

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static void
check_node_requirement(
    struct causes *c, const struct at *at, const struct node *r)
{
	const struct node *operator= given(r, "operator");
	const struct node *values = given(r, "values"), *v;

	if (text_is_any(operator, "In", "NotIn", (char *)NULL)) {
		if (tree_count(values) == 0)
			fail_required(c, AT(at, "values"),
			    "must be specified when `operator` is 'In' or "
			    "'NotIn'");
	} else if (text_is_any(operator, "Exists", "DoesNotExist",
		       (char *)NULL)) {
		if (tree_count(values) > 0)
			fail_forbidden(c, AT(at, "values"),
			    "may not be specified when `operator` is 'Exists' "
			    "or 'DoesNotExist'");
	} else if (text_is_any(operator, "Gt", "Lt", (char *)NULL)) {
		if (tree_count(values) != 1)
			fail_required(c, AT(at, "values"),
			    "must be specified single value when `operator` "
			    "is 'Lt' or 'Gt'");
	} else {
		fail_text(c, AT(at, "operator"), tree_text(operator),
		    "not a valid selector operator");
	}
	check_qualified_name(c, AT(at, "key"), tree_text(given(r, "key")));
	for (size_t i = 0; (v = each_of(values, i)) != NULL; i++)
		check_label_value(
		    c, AT_INDEX(AT(at, "values"), i), tree_text(v));
}

static void
check_node_term(struct causes *c, const struct at *at, const struct node *t)
{
	const struct node *r;

	for (size_t i = 0;
	     (r = each_of(given(t, "matchExpressions"), i)) != NULL; i++)
		check_node_requirement(
		    c, AT_INDEX(AT(at, "matchExpressions"), i), r);
}

static void
check_node_affinity(
    struct causes *c, const struct at *at, const struct node *affinity)
{
	const struct node *required = given(affinity, REQUIRED);
	const struct node *terms = given(required, "nodeSelectorTerms"), *t;
	const struct at *here = AT(AT(at, REQUIRED), "nodeSelectorTerms");

	if (required != NULL && tree_count(terms) == 0)
		fail_required(
		    c, here, "must have at least one node selector term");
	for (size_t i = 0; (t = each_of(terms, i)) != NULL; i++)
		check_node_term(c, AT_INDEX(here, i), t);
	for (size_t i = 0; (t = each_of(given(affinity, PREFERRED), i)) != NULL;
	     i++) {
		int64_t weight = int_or(t, "weight", 0);
		here = AT_INDEX(AT(at, PREFERRED), i);
		if (weight <= 0 || weight > 100)
			fail_int(c, AT(here, "weight"), weight,
			    "must be in the range 1-100");
		check_node_term(
		    c, AT(here, "preference"), given(t, "preference"));
	}
}

/* Terms of (anti-)affinity between Pods. */
static void
check_pod_term(struct causes *c, const struct at *at, const struct node *term)
{
	check_selector(
	    c, AT(at, "labelSelector"), given(term, "labelSelector"));
	check_selector(
	    c, AT(at, "namespaceSelector"), given(term, "namespaceSelector"));
	if (tree_empty(given(term, "topologyKey")))
		fail_required(c, AT(at, "topologyKey"), "can not be empty");
	check_qualified_name(
	    c, AT(at, "topologyKey"), tree_text(given(term, "topologyKey")));
}

static void
check_pod_affinity(
    struct causes *c, const struct at *at, const struct node *affinity)
{
	const struct node *term;

	for (size_t i = 0;
	     (term = each_of(given(affinity, REQUIRED), i)) != NULL; i++)
		check_pod_term(c, AT_INDEX(AT(at, REQUIRED), i), term);
	for (size_t i = 0;
	     (term = each_of(given(affinity, PREFERRED), i)) != NULL; i++) {
		const struct at *here = AT_INDEX(AT(at, PREFERRED), i);
		int64_t weight = int_or(term, "weight", 0);
		if (weight <= 0 || weight > 100)
			fail_int(c, AT(here, "weight"), weight,
			    "must be in the range 1-100");
		check_pod_term(c, AT(here, "podAffinityTerm"),
		    given(term, "podAffinityTerm"));
	}
}

void
check_affinity(
    struct causes *c, const struct at *at, const struct node *affinity)
{
	check_node_affinity(
	    c, AT(at, "nodeAffinity"), given(affinity, "nodeAffinity"));
	check_pod_affinity(
	    c, AT(at, "podAffinity"), given(affinity, "podAffinity"));
	check_pod_affinity(
	    c, AT(at, "podAntiAffinity"), given(affinity, "podAntiAffinity"));
}

static void
check_searches(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *n;

	if (tree_count(all) > 32)
		fail_invalid(
		    c, at, all, "must not have more than 32 search paths");
	for (size_t i = 0; (n = each_of(all, i)) != NULL; i++) {
		struct span s = tree_text(n);
		if (span_is(s, "."))
			continue;
		if (s.n > 0 && s.p[s.n - 1] == '.')
			s.n--;
		check_dns_search(c, AT_INDEX(at, i), s);
	}
}

void
check_dns(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct at *here = AT(at, "dnsConfig");
	const struct node *config = given(spec, "dnsConfig"), *n;
	const struct node *servers = given(config, "nameservers");

	if (tree_text_is(given(spec, "dnsPolicy"), "None") &&
	    tree_count(servers) == 0) {
		if (config == NULL)
			fail_required(c, here,
			    "must provide `dnsConfig` when `dnsPolicy` is "
			    "None");
		else
			fail_required(c, AT(here, "nameservers"),
			    "must provide at least one DNS nameserver when "
			    "`dnsPolicy` is None");
		return;
	}
	if (tree_count(servers) > 3)
		fail_invalid(c, AT(here, "nameservers"), servers,
		    "must not have more than 3 nameservers");
	for (size_t i = 0; (n = each_of(servers, i)) != NULL; i++)
		check_ip(c, AT_INDEX(AT(here, "nameservers"), i), tree_text(n));
	check_searches(c, AT(here, "searches"), given(config, "searches"));
	for (size_t i = 0; (n = each_of(given(config, "options"), i)) != NULL;
	     i++)
		if (tree_empty(given(n, "name")))
			fail_required(c, AT_INDEX(AT(here, "options"), i),
			    "must not be empty");
}

void
check_hosts(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *alias, *name;

	for (size_t i = 0; (alias = each_of(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		check_ip(c, AT(here, "ip"), tree_text(given(alias, "ip")));
		for (size_t k = 0;
		     (name = each_of(given(alias, "hostnames"), k)) != NULL;
		     k++)
			check_dns_subdomain(c,
			    AT_INDEX(AT(here, "hostnames"), k),
			    tree_text(name));
	}
}

static void
check_toleration_value(
    struct causes *c, const struct at *at, const struct node *t)
{
	const struct node *operator= given(t, "operator");
	struct span value = tree_text(given(t, "value"));

	if (tree_empty(operator) || tree_text_is(operator, "Equal")) {
		check_label_value(c, AT(at, "operator"), value);
	} else if (tree_text_is(operator, "Exists")) {
		if (value.n > 0)
			fail_text(c, AT(at, "operator"), value,
			    "value must be empty when `operator` is 'Exists'");
	} else if (text_is_any(operator, "Lt", "Gt", (char *)NULL)) {
		fail_unsupported(c, AT(at, "operator"), operator, "Equal",
		    "Exists", "Lt", "Gt", (char *)NULL);
	} else {
		fail_unsupported(c, AT(at, "operator"), operator, "Equal",
		    "Exists", (char *)NULL);
	}
}

void
check_toleration(struct causes *c, const struct at *at, const struct node *t)
{
	const struct node *operator= given(t, "operator");
	const struct node *effect = given(t, "effect");
	const struct node *key = given(t, "key");

	if (!tree_empty(key))
		check_qualified_name(c, AT(at, "key"), tree_text(key));
	else if (!tree_text_is(operator, "Exists"))
		fail_text(c, AT(at, "operator"), tree_text(operator),
		    "operator must be Exists when `key` is empty, which means "
		    "\"match all values and all keys\"");
	if (given(t, "tolerationSeconds") != NULL &&
	    !tree_text_is(effect, "NoExecute"))
		fail_text(c, AT(at, "effect"), tree_text(effect),
		    "effect must be 'NoExecute' when `tolerationSeconds` is "
		    "set");
	check_toleration_value(c, at, t);
	if (!tree_empty(effect))
		check_enum(c, at, t, "effect", "NoSchedule", "PreferNoSchedule",
		    "NoExecute");
}

void
check_spread(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *each;

	for (size_t i = 0; (each = each_of(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		int64_t skew = int_or(each, "maxSkew", 0);
		if (skew <= 0)
			fail_int(c, AT(here, "maxSkew"), skew,
			    "must be greater than zero");
		if (tree_empty(given(each, "topologyKey")))
			fail_required(
			    c, AT(here, "topologyKey"), "can not be empty");
		if (!text_is_any(given(each, "whenUnsatisfiable"),
			"DoNotSchedule", "ScheduleAnyway", (char *)NULL))
			fail_unsupported(c, AT(here, "whenUnsatisfiable"),
			    given(each, "whenUnsatisfiable"), "DoNotSchedule",
			    "ScheduleAnyway", (char *)NULL);
		check_selector(
		    c, AT(here, "labelSelector"), given(each, "labelSelector"));
	}
}
