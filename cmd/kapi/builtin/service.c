/*
 * Part of builtin/topics.h. Services: functions that rules.txt calls, and the
 * changes that the server makes in a write. Sources: validateService,
 * pkg/registry/core/service/strategy.go.
 */
#include "builtin/topics.h"

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

/* The first of the addresses is the one that the client changed. */
void
service_follow_address(const struct rule_run *run, const struct rule_place *p)
{
	struct node *ips =
	    tree_copy(run->arena, rule_given(p->n, "clusterIPs"));

	ips->items[0] = rule_given(p->n, "clusterIP");
	tree_put(run->arena, p->n, "clusterIPs", ips);
}

void
service_keep_ports(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *ports = rule_given(p->n, "ports"), *before;
	struct node *port;

	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++)
		if (rule_int(port, "nodePort", 0) == 0 &&
		    (before = port_before(p->was, port)) != NULL)
			builtin_keep_member(
			    run->arena, before, port, "nodePort");
}

/* Drops the node ports, unless the client changed one. */
void
service_drop_ports(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *ports = rule_given(p->n, "ports");
	const struct node *was = rule_given(p->was, "ports");
	struct node *port;

	(void)run;
	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++) {
		bool same = rule_int(port, "nodePort", 0) == 0;

		for (size_t k = 0; k < tree_count(was); k++)
			same = same ||
			    builtin_same_member(
				was->items[k], port, "nodePort");
		if (!same)
			return;
	}
	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++)
		tree_remove(port, "nodePort");
}

void
service_external_name(const struct rule_run *run, const struct rule_place *p)
{
	struct span name = tree_text(p->n);

	if (name.n > 0 && name.p[name.n - 1] == '.')
		name.n--;
	if (name.n > 0)
		rule_dns_subdomain(run->causes, p->at, name);
	else
		rule_fail_required(run->causes, p->at, "");
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
	const struct node *spec = p->n;
	const struct node *ports = rule_given(spec, "ports"), *port;
	struct map seen = MAP_INIT;

	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++)
		if (rule_int(port, "nodePort", 0) != 0 &&
		    rule_seen_before(
			&seen, port_key(c->arena, port, "nodePort")))
			rule_fail_duplicate(c,
			    AT(AT_INDEX(AT(p->at, "ports"), i), "nodePort"),
			    rule_given(port, "nodePort"));
	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++)
		if (rule_seen_before(&seen, port_key(c->arena, port, "port")))
			rule_fail_duplicate(c, AT_INDEX(AT(p->at, "ports"), i),
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
