/* Rules of a Pod's spec and of templates. Source: ValidatePodSpec. */
#include "builtin/topics.h"

static void
check_host_ports(struct causes *c, const struct at *at, const struct node *spec,
    enum pod_rules rules)
{
	const struct node *container, *port;

	if (!tree_true(given(spec, "hostNetwork")))
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
check_names(struct causes *c, const struct at *at, const struct node *spec)
{
	static const struct {
		const char *key;
		void (*check)(struct causes *, const struct at *, struct span);
	} all[] = {{"serviceAccountName", check_dns_subdomain},
	    {"nodeName", check_dns_subdomain}};

	for (size_t i = 0; i < 2; i++) {
		const struct node *n = given(spec, all[i].key);
		if (!tree_empty(n))
			all[i].check(c, AT(at, all[i].key), tree_text(n));
	}
}

static void
check_more_names(struct causes *c, const struct at *at, const struct node *spec)
{
	int64_t seconds;

	if (tree_get_int(given(spec, "activeDeadlineSeconds"), &seconds) &&
	    (seconds < 1 || seconds > INT32_MAX))
		fail_int(c, AT(at, "activeDeadlineSeconds"), seconds,
		    "must be between 1 and 2147483647, inclusive");
	if (!tree_empty(given(spec, "hostname")))
		check_dns_label(
		    c, AT(at, "hostname"), tree_text(given(spec, "hostname")));
	if (!tree_empty(given(spec, "subdomain")))
		check_dns_label(c, AT(at, "subdomain"),
		    tree_text(given(spec, "subdomain")));
}

static void
check_classes(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *n = given(spec, "priorityClassName");

	if (!tree_empty(n))
		check_dns_subdomain(
		    c, AT(at, "priorityClassName"), tree_text(n));
	n = given(spec, "runtimeClassName");
	if (n != NULL)
		check_dns_subdomain(
		    c, AT(at, "runtimeClassName"), tree_text(n));
	if (given(spec, "preemptionPolicy") != NULL)
		check_enum(c, at, spec, "preemptionPolicy",
		    "PreemptLowerPriority", "Never");
}

void
check_pod_spec(struct causes *c, const struct at *at, const struct node *spec,
    enum pod_rules rules)
{
	const struct node *t;

	check_volumes(c, AT(at, "volumes"), given(spec, "volumes"));
	check_containers(c, at, spec, rules);
	check_host_ports(c, at, spec, rules);
	check_enum(
	    c, at, spec, "restartPolicy", "Always", "OnFailure", "Never");
	check_enum(c, at, spec, "dnsPolicy", "ClusterFirstWithHostNet",
	    "ClusterFirst", "Default", "None");
	check_labels(c, AT(at, "nodeSelector"), given(spec, "nodeSelector"));
	check_pod_security(c, at, spec);
	check_affinity(c, AT(at, "affinity"), given(spec, "affinity"));
	check_dns(c, at, spec);
	for (size_t i = 0;
	     (t = each_of(given(spec, "readinessGates"), i)) != NULL; i++)
		check_qualified_name(c,
		    AT(AT_INDEX(AT(at, "readinessGates"), i), "conditionType"),
		    tree_text(given(t, "conditionType")));
	check_spread(c, AT(at, "topologySpreadConstraints"),
	    given(spec, "topologySpreadConstraints"));
	check_names(c, at, spec);
	check_more_names(c, at, spec);
	for (size_t i = 0; (t = each_of(given(spec, "tolerations"), i)) != NULL;
	     i++)
		check_toleration(c, AT_INDEX(AT(at, "tolerations"), i), t);
	check_hosts(c, AT(at, "hostAliases"), given(spec, "hostAliases"));
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
	if (tree_count(given(spec, "ephemeralContainers")) > 0)
		fail_forbidden(c, AT(AT(at, "spec"), "ephemeralContainers"),
		    "ephemeral containers not allowed in pod template");
}
