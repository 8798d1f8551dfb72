/*
 * Part of builtin/topics.h. Rules of a Pod's spec and of templates. Source:
 * ValidatePodSpec.
 */
#include "builtin/topics.h"

static void
check_host_ports(struct causes *c, const struct at *at, const struct node *spec,
    enum pod_rules rules)
{
	const struct node *container, *port;

	if (!tree_true(rule_given(spec, "hostNetwork")))
		return;
	for (size_t i = 0; (container = builtin_item(
				rule_given(spec, "containers"), i)) != NULL;
	     i++)
		for (size_t k = 0;
		     (port = builtin_item(rule_given(container, "ports"), k)) !=
		     NULL;
		     k++) {
			int64_t host = rule_int(port, "hostPort", 0);
			if ((rules == RULES_OF_POD || host != 0) &&
			    host != rule_int(port, "containerPort", 0))
				rule_fail_int(c,
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
check_names(struct causes *c, const struct at *at, const struct node *spec)
{
	static const struct {
		const char *key;
		void (*check)(struct causes *, const struct at *, struct span);
	} all[] = {{"serviceAccountName", rule_dns_subdomain},
	    {"nodeName", rule_dns_subdomain}};

	for (size_t i = 0; i < 2; i++) {
		const struct node *n = rule_given(spec, all[i].key);
		if (!tree_empty(n))
			all[i].check(c, AT(at, all[i].key), tree_text(n));
	}
}

static void
check_more_names(struct causes *c, const struct at *at, const struct node *spec)
{
	int64_t seconds;

	if (tree_get_int(rule_given(spec, "activeDeadlineSeconds"), &seconds) &&
	    (seconds < 1 || seconds > INT32_MAX))
		rule_fail_int(c, AT(at, "activeDeadlineSeconds"), seconds,
		    "must be between 1 and 2147483647, inclusive");
	if (!tree_empty(rule_given(spec, "hostname")))
		rule_dns_label(c, AT(at, "hostname"),
		    tree_text(rule_given(spec, "hostname")));
	if (!tree_empty(rule_given(spec, "subdomain")))
		rule_dns_label(c, AT(at, "subdomain"),
		    tree_text(rule_given(spec, "subdomain")));
}

static void
check_classes(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *n = rule_given(spec, "priorityClassName");

	if (!tree_empty(n))
		rule_dns_subdomain(
		    c, AT(at, "priorityClassName"), tree_text(n));
	n = rule_given(spec, "runtimeClassName");
	if (n != NULL)
		rule_dns_subdomain(c, AT(at, "runtimeClassName"), tree_text(n));
	if (rule_given(spec, "preemptionPolicy") != NULL)
		check_enum(c, at, spec, "preemptionPolicy",
		    "PreemptLowerPriority", "Never");
}

void
podspec_check(struct causes *c, const struct at *at, const struct node *spec,
    enum pod_rules rules)
{
	const struct node *t;

	volume_list(c, AT(at, "volumes"), rule_given(spec, "volumes"));
	container_list(c, at, spec, rules);
	check_host_ports(c, at, spec, rules);
	check_enum(
	    c, at, spec, "restartPolicy", "Always", "OnFailure", "Never");
	check_enum(c, at, spec, "dnsPolicy", "ClusterFirstWithHostNet",
	    "ClusterFirst", "Default", "None");
	rule_labels(
	    c, AT(at, "nodeSelector"), rule_given(spec, "nodeSelector"));
	security_pod(c, at, spec);
	placing_affinity(c, AT(at, "affinity"), rule_given(spec, "affinity"));
	placing_dns(c, at, spec);
	for (size_t i = 0;
	     (t = builtin_item(rule_given(spec, "readinessGates"), i)) != NULL;
	     i++)
		rule_qualified_name(c,
		    AT(AT_INDEX(AT(at, "readinessGates"), i), "conditionType"),
		    tree_text(rule_given(t, "conditionType")));
	placing_spread(c, AT(at, "topologySpreadConstraints"),
	    rule_given(spec, "topologySpreadConstraints"));
	check_names(c, at, spec);
	check_more_names(c, at, spec);
	for (size_t i = 0;
	     (t = builtin_item(rule_given(spec, "tolerations"), i)) != NULL;
	     i++)
		placing_toleration(c, AT_INDEX(AT(at, "tolerations"), i), t);
	placing_hosts(
	    c, AT(at, "hostAliases"), rule_given(spec, "hostAliases"));
	check_classes(c, at, spec);
}

void
podspec_check_template(
    struct causes *c, const struct at *at, const struct node *template)
{
	const struct node *meta = rule_given(template, "metadata");
	const struct node *spec = rule_given(template, "spec");

	rule_labels(c, AT(at, "labels"), rule_given(meta, "labels"));
	rule_annotations(
	    c, AT(at, "annotations"), rule_given(meta, "annotations"));
	podspec_check(c, AT(at, "spec"), spec, RULES_OF_TEMPLATE);
	if (tree_count(rule_given(spec, "ephemeralContainers")) > 0)
		rule_fail_forbidden(c,
		    AT(AT(at, "spec"), "ephemeralContainers"),
		    "ephemeral containers not allowed in pod template");
}
