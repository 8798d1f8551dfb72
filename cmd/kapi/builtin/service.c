/*
 * Part of builtin/topics.h. Services: functions that rules.txt calls, and the
 * changes that the server makes in a write. Sources: validateService,
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

/* Drops the fields that the old type had and the new one does not have, unless
 * the client changed them. */
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

void
service_external_name(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	struct span name = tree_text(p->n);

	if (name.n > 0 && name.p[name.n - 1] == '.')
		name.n--;
	if (name.n > 0)
		rule_dns_subdomain(c, p->at, name);
	else
		rule_fail_required(c, p->at, "");
}

/* A port as errors print it: all members of Go's struct. */
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

/* The key of a port by number, which is "port" or "nodePort". */
static struct span
port_key(struct arena *a, const struct node *port, const char *number)
{
	return arena_printf(a, "%s/%lld/%.*s", number,
	    (long long)rule_int(port, number, 0),
	    SPAN_ARG(tree_text(rule_given(port, "protocol"))));
}

void
service_ports_differ(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = p->at;
	const struct node *spec = p->n;
	const struct node *ports = rule_given(spec, "ports"), *port;
	struct map seen = MAP_INIT;

	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++)
		if (rule_int(port, "nodePort", 0) != 0 &&
		    rule_seen_before(
			&seen, port_key(c->arena, port, "nodePort")))
			rule_fail_duplicate(c,
			    AT(AT_INDEX(AT(at, "ports"), i), "nodePort"),
			    rule_given(port, "nodePort"));
	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++)
		if (rule_seen_before(&seen, port_key(c->arena, port, "port")))
			rule_fail_duplicate(c, AT_INDEX(AT(at, "ports"), i),
			    go_port(c->arena, port));
	map_release(&seen);
}

/* Addresses; the first one may be "None". */
void
service_cluster_ips(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *ip;

	for (size_t i = 0; (ip = builtin_item(p->n, i)) != NULL; i++)
		if (i > 0 || !tree_text_is(ip, "None"))
			rule_ip(run->causes, AT_INDEX(p->at, i), tree_text(ip));
}
