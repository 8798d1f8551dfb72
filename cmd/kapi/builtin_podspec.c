/* Rules of a Pod's spec and of templates. Source: ValidatePodSpec. */
#include "builtin_kinds.h"

static void
check_host_ports(struct causes *c, const struct at *at, const struct node *spec,
    enum pod_rules rules)
{
	const struct node *container, *port;

	if (!node_true(given(spec, "hostNetwork")))
		return;
	for (size_t i = 0;
	     (container = each_of(given(spec, "containers"), i)) != NULL; i++)
		for (size_t k = 0;
		     (port = each_of(given(container, "ports"), k)) != NULL;
		     k++) {
			int64_t host = int_or(port, "hostPort", 0);
			if ((rules == RULES_OF_POD || host != 0) &&
			    host != int_or(port, "containerPort", 0))
				fail_int(c,
				    AT(AT_INDEX(
					   AT(AT_INDEX(AT(at, "containers"), i),
					       "ports"),
					   k),
					"hostPort"),
				    host,
				    "must match `containerPort` when "
				    "`hostNetwork` is true");
		}
}

static void
check_toleration_value(
    struct causes *c, const struct at *at, const struct node *t)
{
	const struct node *operator= given(t, "operator");
	struct span value = node_text(given(t, "value"));

	if (node_empty(operator) || node_text_is(operator, "Equal")) {
		check_label_value(c, AT(at, "operator"), value);
	} else if (node_text_is(operator, "Exists")) {
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

static void
check_toleration(struct causes *c, const struct at *at, const struct node *t)
{
	const struct node *operator= given(t, "operator");
	const struct node *effect = given(t, "effect");
	const struct node *key = given(t, "key");

	if (!node_empty(key))
		check_qualified_name(c, AT(at, "key"), node_text(key));
	else if (!node_text_is(operator, "Exists"))
		fail_text(c, AT(at, "operator"), node_text(operator),
		    "operator must be Exists when `key` is empty, which means "
		    "\"match all values and all keys\"");
	if (given(t, "tolerationSeconds") != NULL &&
	    !node_text_is(effect, "NoExecute"))
		fail_text(c, AT(at, "effect"), node_text(effect),
		    "effect must be 'NoExecute' when `tolerationSeconds` is "
		    "set");
	check_toleration_value(c, at, t);
	if (!node_empty(effect))
		check_enum(c, at, t, "effect", "NoSchedule", "PreferNoSchedule",
		    "NoExecute");
}

static void
check_dns(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *config = given(spec, "dnsConfig");
	const struct node *servers = given(config, "nameservers"), *n;

	if (node_text_is(given(spec, "dnsPolicy"), "None")) {
		if (config == NULL)
			fail_required(c, AT(at, "dnsConfig"),
			    "must provide `dnsConfig` when `dnsPolicy` is "
			    "None");
		else if (node_count(servers) == 0)
			fail_required(c, AT(AT(at, "dnsConfig"), "nameservers"),
			    "must provide at least one DNS nameserver when "
			    "`dnsPolicy` is None");
	}
	if (node_count(servers) > 3)
		fail_invalid(c, AT(AT(at, "dnsConfig"), "nameservers"), servers,
		    "must not have more than 3 nameservers");
	for (size_t i = 0; (n = each_of(servers, i)) != NULL; i++)
		check_ip(c, AT_INDEX(AT(AT(at, "dnsConfig"), "nameservers"), i),
		    node_text(n));
}

static void
check_spread(struct causes *c, const struct at *at, const struct node *all)
{
	const struct node *each;

	for (size_t i = 0; (each = each_of(all, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		int64_t skew = int_or(each, "maxSkew", 0);
		if (skew <= 0)
			fail_int(c, AT(here, "maxSkew"), skew,
			    "must be greater than zero");
		if (node_empty(given(each, "topologyKey")))
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

/* Terms of (anti-)affinity between Pods. */
static void
check_pod_term(struct causes *c, const struct at *at, const struct node *term)
{
	check_selector(
	    c, AT(at, "labelSelector"), given(term, "labelSelector"));
	check_selector(
	    c, AT(at, "namespaceSelector"), given(term, "namespaceSelector"));
	if (node_empty(given(term, "topologyKey")))
		fail_required(c, AT(at, "topologyKey"), "can not be empty");
	check_qualified_name(
	    c, AT(at, "topologyKey"), node_text(given(term, "topologyKey")));
}

static void
check_pod_affinity(
    struct causes *c, const struct at *at, const struct node *affinity)
{
	static const char required[] =
	    "requiredDuringSchedulingIgnoredDuringExecution";
	static const char preferred[] =
	    "preferredDuringSchedulingIgnoredDuringExecution";
	const struct node *term;

	for (size_t i = 0;
	     (term = each_of(given(affinity, required), i)) != NULL; i++)
		check_pod_term(c, AT_INDEX(AT(at, required), i), term);
	for (size_t i = 0;
	     (term = each_of(given(affinity, preferred), i)) != NULL; i++) {
		const struct at *here = AT_INDEX(AT(at, preferred), i);
		int64_t weight = int_or(term, "weight", 0);
		if (weight <= 0 || weight > 100)
			fail_int(c, AT(here, "weight"), weight,
			    "must be in the range 1-100");
		check_pod_term(c, AT(here, "podAffinityTerm"),
		    given(term, "podAffinityTerm"));
	}
}

static void
check_names(struct causes *c, const struct at *at, const struct node *spec)
{
	static const struct {
		const char *key;
		void (*check)(struct causes *, const struct at *, struct span);
	} all[] = {{"serviceAccountName", check_dns_subdomain},
	    {"nodeName", check_dns_subdomain}};

	for (size_t i = 0; i < 2; i++) {
		const struct node *n = given(spec, all[i].key);
		if (!node_empty(n))
			all[i].check(c, AT(at, all[i].key), node_text(n));
	}
}

static void
check_more_names(struct causes *c, const struct at *at, const struct node *spec)
{
	int64_t seconds;

	if (node_get_int(given(spec, "activeDeadlineSeconds"), &seconds) &&
	    (seconds < 1 || seconds > INT32_MAX))
		fail_int(c, AT(at, "activeDeadlineSeconds"), seconds,
		    "must be between 1 and 2147483647, inclusive");
	if (!node_empty(given(spec, "hostname")))
		check_dns_label(
		    c, AT(at, "hostname"), node_text(given(spec, "hostname")));
	if (!node_empty(given(spec, "subdomain")))
		check_dns_label(c, AT(at, "subdomain"),
		    node_text(given(spec, "subdomain")));
}

static void
check_classes(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *n = given(spec, "priorityClassName");

	if (!node_empty(n))
		check_dns_subdomain(
		    c, AT(at, "priorityClassName"), node_text(n));
	n = given(spec, "runtimeClassName");
	if (n != NULL)
		check_dns_subdomain(
		    c, AT(at, "runtimeClassName"), node_text(n));
	if (given(spec, "preemptionPolicy") != NULL)
		check_enum(c, at, spec, "preemptionPolicy",
		    "PreemptLowerPriority", "Never");
}

static void
check_ids(struct causes *c, const struct at *at, const struct node *spec)
{
	static const char *const ids[] = {"fsGroup", "runAsUser", "runAsGroup"};
	const struct node *context = given(spec, "securityContext");
	int64_t id;

	for (size_t i = 0; i < 3; i++)
		if (node_get_int(given(context, ids[i]), &id) &&
		    (id < 0 || id > INT32_MAX))
			fail_int(c, AT(AT(at, "securityContext"), ids[i]), id,
			    "must be between 0 and 2147483647, inclusive");
}

void
check_pod_spec(struct causes *c, const struct at *at, const struct node *spec,
    enum pod_rules rules)
{
	const struct node *affinity = given(spec, "affinity"), *t;

	check_volumes(c, AT(at, "volumes"), given(spec, "volumes"));
	check_containers(c, at, spec, rules);
	check_host_ports(c, at, spec, rules);
	check_enum(
	    c, at, spec, "restartPolicy", "Always", "OnFailure", "Never");
	check_enum(c, at, spec, "dnsPolicy", "ClusterFirstWithHostNet",
	    "ClusterFirst", "Default", "None");
	check_labels(c, AT(at, "nodeSelector"), given(spec, "nodeSelector"));
	check_ids(c, at, spec);
	check_pod_affinity(c, AT(AT(at, "affinity"), "podAffinity"),
	    given(affinity, "podAffinity"));
	check_pod_affinity(c, AT(AT(at, "affinity"), "podAntiAffinity"),
	    given(affinity, "podAntiAffinity"));
	check_dns(c, at, spec);
	check_spread(c, AT(at, "topologySpreadConstraints"),
	    given(spec, "topologySpreadConstraints"));
	check_names(c, at, spec);
	check_more_names(c, at, spec);
	for (size_t i = 0; (t = each_of(given(spec, "tolerations"), i)) != NULL;
	     i++)
		check_toleration(c, AT_INDEX(AT(at, "tolerations"), i), t);
	check_classes(c, at, spec);
}

void
check_pod_template(
    struct causes *c, const struct at *at, const struct node *template)
{
	const struct node *meta = given(template, "metadata");
	const struct node *spec = given(template, "spec");

	check_labels(c, AT(at, "labels"), given(meta, "labels"));
	check_annotations(c, AT(at, "annotations"), given(meta, "annotations"));
	check_pod_spec(c, AT(at, "spec"), spec, RULES_OF_TEMPLATE);
	if (node_count(given(spec, "ephemeralContainers")) > 0)
		fail_forbidden(c, AT(AT(at, "spec"), "ephemeralContainers"),
		    "ephemeral containers not allowed in pod template");
}
