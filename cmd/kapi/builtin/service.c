/*
 * Part of builtin/topics.h. Services: defaults and rules. Sources:
 * SetDefaults_Service, validateService,
 * pkg/registry/core/service/strategy.go.
 */
#include "builtin/topics.h"

static bool
of_type(const struct node *spec, const char *type)
{
	return tree_text_is(rule_given(spec, "type"), type);
}

static bool
reachable_from_outside(const struct node *spec)
{
	return of_type(spec, "LoadBalancer") || of_type(spec, "NodePort") ||
	    (of_type(spec, "ClusterIP") &&
		tree_count(rule_given(spec, "externalIPs")) > 0);
}

static bool
needs_health_port(const struct node *spec)
{
	return of_type(spec, "LoadBalancer") &&
	    tree_text_is(rule_given(spec, "externalTrafficPolicy"), "Local");
}

static bool
headless(const struct node *spec)
{
	const struct node *ips = rule_given(spec, "clusterIPs");

	return tree_count(ips) == 1 && tree_text_is(ips->items[0], "None");
}

static void
default_ports(struct arena *a, struct node *ports)
{
	struct node *port, *target;
	int64_t n;

	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++) {
		builtin_default_text(a, port, "protocol", "TCP");
		target = rule_given(port, "targetPort");
		if (tree_empty(target) || (tree_get_int(target, &n) && n == 0))
			tree_put(a, port, "targetPort",
			    tree_int(a, rule_int(port, "port", 0)));
	}
}

static void
default_affinity(struct arena *a, struct node *spec)
{
	struct node *client;

	builtin_default_text(a, spec, "sessionAffinity", "None");
	if (tree_text_is(rule_given(spec, "sessionAffinity"), "None"))
		tree_remove(spec, "sessionAffinityConfig");
	if (!tree_text_is(rule_given(spec, "sessionAffinity"), "ClientIP"))
		return;
	client = tree_make(
	    a, tree_make(a, spec, "sessionAffinityConfig"), "clientIP");
	builtin_default_int(a, client, "timeoutSeconds", 10800);
}

void
service_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec");
	struct node *balancer, *ingress;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	default_affinity(a, spec);
	builtin_default_text(a, spec, "type", "ClusterIP");
	default_ports(a, rule_given(spec, "ports"));
	if (reachable_from_outside(spec))
		builtin_default_text(
		    a, spec, "externalTrafficPolicy", "Cluster");
	if (!of_type(spec, "ExternalName"))
		builtin_default_text(
		    a, spec, "internalTrafficPolicy", "Cluster");
	if (of_type(spec, "LoadBalancer"))
		builtin_default_bool(
		    a, spec, "allocateLoadBalancerNodePorts", true);
	balancer = builtin_default_object(
	    a, builtin_default_object(a, object, "status"), "loadBalancer");
	for (size_t i = 0; of_type(spec, "LoadBalancer") &&
	     (ingress = builtin_item(rule_given(balancer, "ingress"), i)) !=
		 NULL;
	     i++)
		if (!tree_empty(rule_given(ingress, "ip")) &&
		    rule_given(ingress, "ipMode") == NULL)
			tree_put(a, ingress, "ipMode", tree_str(a, "VIP"));
}

static bool
has_ports_on_nodes(const struct node *spec)
{
	return of_type(spec, "NodePort") || of_type(spec, "LoadBalancer");
}

/* The port of live with the same protocol and number. */
static const struct node *
port_before(const struct node *was, const struct node *port)
{
	const struct node *p;

	for (size_t i = 0;
	     (p = builtin_item(rule_given(was, "ports"), i)) != NULL; i++)
		if (builtin_same_member(p, port, "port") &&
		    builtin_same_member(p, port, "protocol"))
			return p;
	return NULL;
}

/* Addresses and ports that were assigned stay if the client left them out. */
static void
follow_address(struct arena *a, const struct node *was, struct node *spec)
{
	const struct node *ip = rule_given(spec, "clusterIP");
	struct node *ips;

	if (tree_empty(ip)) {
		if (!tree_empty(rule_given(was, "clusterIP")) &&
		    builtin_same_member(was, spec, "clusterIPs"))
			tree_remove(spec, "clusterIPs");
	} else if (!builtin_same_member(was, spec, "clusterIP") &&
	    builtin_same_member(was, spec, "clusterIPs") &&
	    tree_count(rule_given(spec, "clusterIPs")) > 0) {
		ips = tree_copy(a, rule_given(spec, "clusterIPs"));
		ips->items[0] = tree_string(a, tree_text(ip));
		tree_put(a, spec, "clusterIPs", ips);
	}
}

static void
keep_allocated(struct arena *a, const struct node *was, struct node *spec)
{
	struct node *port;
	const struct node *p;

	if (!of_type(was, "ExternalName") && !of_type(spec, "ExternalName")) {
		if (tree_empty(rule_given(spec, "clusterIP")))
			builtin_keep_member(a, was, spec, "clusterIP");
		if (tree_empty(rule_given(spec, "clusterIPs")) &&
		    builtin_same_member(was, spec, "clusterIP"))
			builtin_keep_member(a, was, spec, "clusterIPs");
	}
	if (has_ports_on_nodes(was) && has_ports_on_nodes(spec))
		for (size_t i = 0; (port = builtin_item(
					rule_given(spec, "ports"), i)) != NULL;
		     i++)
			if (rule_int(port, "nodePort", 0) == 0 &&
			    (p = port_before(was, port)) != NULL)
				builtin_keep_member(a, p, port, "nodePort");
	if (needs_health_port(was) && needs_health_port(spec) &&
	    rule_int(spec, "healthCheckNodePort", 0) == 0)
		builtin_keep_member(a, was, spec, "healthCheckNodePort");
}

static void
drop_same(const struct node *was, struct node *spec, const char *key)
{
	if (builtin_same_member(was, spec, key))
		tree_remove(spec, key);
}

static void
drop_node_ports(const struct node *was, struct node *spec)
{
	struct node *port;
	struct node *ports = rule_given(spec, "ports");

	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++) {
		bool same = rule_int(port, "nodePort", 0) == 0;
		for (size_t k = 0; k < tree_count(rule_given(was, "ports"));
		     k++)
			same = same ||
			    builtin_same_member(
				builtin_item(rule_given(was, "ports"), k), port,
				"nodePort");
		if (!same)
			return;
	}
	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++)
		tree_remove(port, "nodePort");
}

/* Fields that the type had before and has no more, unless they changed. */
static void
drop_by_type(const struct node *was, struct node *spec)
{
	if (!of_type(was, "ExternalName") && of_type(spec, "ExternalName")) {
		if (builtin_same_member(was, spec, "clusterIPs")) {
			tree_remove(spec, "clusterIP");
			tree_remove(spec, "clusterIPs");
		}
		drop_same(was, spec, "ipFamilies");
		drop_same(was, spec, "ipFamilyPolicy");
		drop_same(was, spec, "internalTrafficPolicy");
	}
	if (has_ports_on_nodes(was) && !has_ports_on_nodes(spec))
		drop_node_ports(was, spec);
	if (needs_health_port(was) && !needs_health_port(spec))
		drop_same(was, spec, "healthCheckNodePort");
	if (of_type(was, "LoadBalancer") && !of_type(spec, "LoadBalancer")) {
		drop_same(was, spec, "allocateLoadBalancerNodePorts");
		drop_same(was, spec, "loadBalancerClass");
	}
	if (reachable_from_outside(was) && !reachable_from_outside(spec))
		drop_same(was, spec, "externalTrafficPolicy");
}

void
service_prepare(const struct change_of *x, struct node *object)
{
	struct node *spec = rule_given(object, "spec"), *status;
	const struct node *was = rule_given(x->live, "spec");

	if (!tree_is(spec, NODE_OBJECT))
		return;
	if (x->live != NULL) {
		follow_address(x->arena, was, spec);
		keep_allocated(x->arena, was, spec);
		drop_by_type(was, spec);
		if (!of_type(spec, "LoadBalancer")) {
			status = tree_object(x->arena);
			tree_put(x->arena, status, "loadBalancer",
			    tree_object(x->arena));
			tree_put(x->arena, object, "status", status);
		}
	}
	clusterip_allocate(x->arena, x->store, was, spec);
}

static void
check_service_port(struct causes *c, const struct at *at,
    const struct node *ports, size_t i, struct map *names)
{
	const struct node *port = ports->items[i];
	const struct node *name = rule_given(port, "name");

	if (tree_empty(name)) {
		if (ports->n > 1)
			rule_fail_required(c, AT(at, "name"), "");
	} else {
		rule_dns_label(c, AT(at, "name"), tree_text(name));
		if (rule_seen_before(names, tree_text(name)))
			rule_fail_duplicate(c, AT(at, "name"), name);
	}
	rule_port_number(c, AT(at, "port"), rule_int(port, "port", 0));
	check_enum(c, at, port, "protocol", "SCTP", "TCP", "UDP");
	rule_port(c, AT(at, "targetPort"), rule_given(port, "targetPort"));
	if (rule_given(port, "appProtocol") != NULL)
		rule_qualified_name(c, AT(at, "appProtocol"),
		    tree_text(rule_given(port, "appProtocol")));
}

static void
check_external_name(
    struct causes *c, const struct at *at, const struct node *spec)
{
	static const char *const refused[] = {
	    "clusterIPs", "ipFamilies", "ipFamilyPolicy"};
	struct span name = tree_text(rule_given(spec, "externalName"));

	for (size_t i = 0; i < 3; i++)
		if (!tree_empty(rule_given(spec, refused[i])))
			rule_fail_forbidden(c, AT(at, refused[i]),
			    "may not be set for ExternalName services");
	if (name.n > 0 && name.p[name.n - 1] == '.')
		name.n--;
	if (name.n > 0)
		rule_dns_subdomain(c, AT(at, "externalName"), name);
	else
		rule_fail_required(c, AT(at, "externalName"), "");
}

/* A port of Go's struct, all members of it. */
static const struct node *
go_port(struct arena *a, const struct node *port)
{
	struct node *n = tree_object(a);

	tree_put(a, n, "Name", tree_str(a, ""));
	tree_put(a, n, "Protocol", rule_given_or_null(a, port, "protocol"));
	tree_put(a, n, "AppProtocol", tree_null(a));
	tree_put(a, n, "Port", rule_given_or_null(a, port, "port"));
	tree_put(a, n, "TargetPort", tree_int(a, 0));
	tree_put(a, n, "NodePort", tree_int(a, 0));
	return n;
}

/* number: of port or nodePort. */
static struct span
port_key(struct arena *a, const struct node *port, const char *number)
{
	return arena_printf(a, "%s/%lld/%.*s", number,
	    (long long)rule_int(port, number, 0),
	    SPAN_ARG(tree_text(rule_given(port, "protocol"))));
}

static void
check_ports_differ(
    struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *ports = rule_given(spec, "ports"), *p;
	struct map seen = MAP_INIT;

	for (size_t i = 0; (p = builtin_item(ports, i)) != NULL; i++)
		if (of_type(spec, "ClusterIP") &&
		    rule_int(p, "nodePort", 0) != 0)
			rule_fail_forbidden(c,
			    AT(AT_INDEX(AT(at, "ports"), i), "nodePort"),
			    "may not be used when `type` is 'ClusterIP'");
	for (size_t i = 0; (p = builtin_item(ports, i)) != NULL; i++)
		if (rule_int(p, "nodePort", 0) != 0 &&
		    rule_seen_before(&seen, port_key(c->arena, p, "nodePort")))
			rule_fail_duplicate(c,
			    AT(AT_INDEX(AT(at, "ports"), i), "nodePort"),
			    rule_given(p, "nodePort"));
	for (size_t i = 0; (p = builtin_item(ports, i)) != NULL; i++)
		if (rule_seen_before(&seen, port_key(c->arena, p, "port")))
			rule_fail_duplicate(c, AT_INDEX(AT(at, "ports"), i),
			    go_port(c->arena, p));
	map_release(&seen);
}

static void
check_traffic(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *policy = rule_given(spec, "externalTrafficPolicy");
	int64_t health = rule_int(spec, "healthCheckNodePort", 0);

	if (!of_type(spec, "LoadBalancer") &&
	    rule_given(spec, "allocateLoadBalancerNodePorts") != NULL)
		rule_fail_forbidden(c, AT(at, "allocateLoadBalancerNodePorts"),
		    "may only be used when `type` is 'LoadBalancer'");
	if (!of_type(spec, "LoadBalancer") &&
	    rule_given(spec, "loadBalancerClass") != NULL)
		rule_fail_forbidden(c, AT(at, "loadBalancerClass"),
		    "may only be used when `type` is 'LoadBalancer'");
	if (reachable_from_outside(spec))
		check_enum(
		    c, at, spec, "externalTrafficPolicy", "Cluster", "Local");
	else if (!tree_empty(policy))
		rule_fail_invalid(c, AT(at, "externalTrafficPolicy"), policy,
		    "may only be set for externally-accessible services");
	if (!needs_health_port(spec) && health != 0)
		rule_fail_int(c, AT(at, "healthCheckNodePort"), health,
		    "may only be set when `type` is 'LoadBalancer' and "
		    "`externalTrafficPolicy` is 'Local'");
	if (rule_given(spec, "internalTrafficPolicy") != NULL)
		check_enum(
		    c, at, spec, "internalTrafficPolicy", "Cluster", "Local");
	if (rule_given(spec, "trafficDistribution") != NULL)
		check_enum(c, at, spec, "trafficDistribution", "PreferClose",
		    "PreferSameZone", "PreferSameNode");
}

static void
check_cluster_ips(
    struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *ips = rule_given(spec, "clusterIPs"), *ip;
	const struct node *first = rule_given(spec, "clusterIP");
	const struct node *families = rule_given(spec, "ipFamilies");

	if (of_type(spec, "ExternalName"))
		return;
	if (!tree_empty(first)) {
		if (tree_count(ips) == 0)
			rule_fail_required(c, AT(at, "clusterIPs"), "");
		else if (!tree_equal(ips->items[0], first))
			rule_fail_invalid(c, AT(at, "clusterIPs"), ips,
			    "first value must match `clusterIP`");
	} else if (tree_count(ips) > 0) {
		rule_fail_invalid(c, AT(at, "clusterIPs"), ips,
		    "must be empty when `clusterIP` is not specified");
	}
	for (size_t i = 0; (ip = builtin_item(ips, i)) != NULL; i++)
		if (i > 0 || !tree_text_is(ip, "None"))
			rule_ip(c, AT_INDEX(AT(at, "clusterIPs"), i),
			    tree_text(ip));
	if (tree_count(ips) > 2)
		rule_fail_invalid(c, AT(at, "clusterIPs"), ips,
		    "may only hold up to 2 values");
	for (size_t i = 1; i < tree_count(families); i++)
		for (size_t k = 0; k < i; k++)
			if (tree_equal(families->items[i], families->items[k]))
				rule_fail_duplicate(c,
				    AT_INDEX(AT(at, "ipFamilies"), i),
				    families->items[i]);
	if (tree_text_is(
		rule_given(spec, "ipFamilyPolicy"), "RequireDualStack") &&
	    !(tree_text_is(first, "None") &&
		tree_count(rule_given(spec, "selector")) == 0))
		rule_fail_invalid(c, AT(at, "ipFamilyPolicy"),
		    rule_given(spec, "ipFamilyPolicy"),
		    "this cluster is not configured for dual-stack services");
}

/* Source: validateUpgradeDowngradeClusterIPs. */
static void
check_ips_kept(struct causes *c, const struct at *at, const struct node *was,
    const struct node *spec)
{
	const struct node *before = rule_given(was, "clusterIPs");
	const struct node *after = rule_given(spec, "clusterIPs");

	if (of_type(was, "ExternalName") || of_type(spec, "ExternalName") ||
	    tree_count(before) == 0)
		return;
	if (tree_count(after) == 0)
		rule_fail_invalid(c, AT_INDEX(AT(at, "clusterIPs"), 0), after,
		    "primary clusterIP can not be unset");
	else if (!tree_equal(before->items[0], after->items[0]))
		rule_fail_invalid(c, AT_INDEX(AT(at, "clusterIPs"), 0), after,
		    "may not change once set");
}

static void
check_service_update(struct causes *c, const struct at *at,
    const struct node *was, const struct node *spec)
{
	check_ips_kept(c, at, was, spec);
	if (of_type(was, "LoadBalancer") && of_type(spec, "LoadBalancer") &&
	    !builtin_same_member(was, spec, "loadBalancerClass"))
		rule_fail_invalid(c, AT(at, "loadBalancerClass"),
		    rule_given(spec, "loadBalancerClass"),
		    "may not change once set");
	if (needs_health_port(was) && needs_health_port(spec) &&
	    !builtin_same_member(was, spec, "healthCheckNodePort"))
		rule_fail_forbidden(
		    c, AT(at, "healthCheckNodePort"), "field is immutable");
}

static void
check_sessions(struct causes *c, const struct at *at, const struct node *spec)
{
	const struct node *n =
	    tree_path(spec, "sessionAffinityConfig.clientIP.timeoutSeconds");
	int64_t seconds;

	check_enum(c, at, spec, "sessionAffinity", "ClientIP", "None");
	if (tree_get_int(n, &seconds) && (seconds <= 0 || seconds > 86400))
		rule_fail_int(c,
		    AT(AT(AT(at, "sessionAffinityConfig"), "clientIP"),
			"timeoutSeconds"),
		    seconds, "must be greater than 0 and less than 86400");
}

void
service_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	const struct node *ports = rule_given(spec, "ports");
	const struct node *type = rule_given(spec, "type");
	struct map names = MAP_INIT;

	if (x->live != NULL)
		check_service_update(c, at, rule_given(x->live, "spec"), spec);
	if (tree_count(ports) == 0 && !headless(spec) &&
	    !of_type(spec, "ExternalName"))
		rule_fail_required(c, AT(at, "ports"), "");
	if (has_ports_on_nodes(spec) && headless(spec))
		rule_fail_text(c, AT_INDEX(AT(at, "clusterIPs"), 0),
		    span_str("None"),
		    rule_say(c, "may not be set to 'None' for %.*s services",
			SPAN_ARG(tree_text(type))));
	if (of_type(spec, "ExternalName"))
		check_external_name(c, at, spec);
	for (size_t i = 0; i < tree_count(ports); i++)
		check_service_port(
		    c, AT_INDEX(AT(at, "ports"), i), ports, i, &names);
	map_release(&names);
	rule_labels(c, AT(at, "selector"), rule_given(spec, "selector"));
	check_sessions(c, at, spec);
	check_cluster_ips(c, at, spec);
	check_enum(c, at, spec, "type", "ClusterIP", "ExternalName",
	    "LoadBalancer", "NodePort");
	check_ports_differ(c, at, spec);
	check_traffic(c, at, spec);
}
