/*
 * Part of builtin/topics.h. Addresses and node ports of Services:
 * 10.0.0.0/16, as t/cluster has it, and 30000-32767. Source:
 * pkg/registry/core/service/storage/alloc.go.
 */
#include "builtin/topics.h"

#include "text/random.h"

enum {
	FIRST_PORT = 30000,
	PORTS = 2768,
	FIRST_HOST = 2, /* 10.0.0.1 is the API itself */
	HOSTS = 65533
};

/* Whether json holds text, a member with its value; behind a number no digit
 * may follow. */
static bool
holds_value(struct span json, struct span text)
{
	const char *p = json.p, *end = json.p + json.n;

	while ((p = memmem(p, (size_t)(end - p), text.p, text.n)) != NULL) {
		p += text.n;
		if (p == end || !span_is_digit(*p))
			return true;
	}
	return false;
}

bool
clusterip_holds(struct store *store, struct span self, struct span text)
{
	struct collection *all;
	struct span after = SPAN_NONE;
	const struct stored *o;

	if (store == NULL)
		return false;
	all = store_collection(store, span_str(""), span_str("services"));
	while ((o = store_next(all, SPAN_NONE, after)) != NULL) {
		struct span json = text_span(o->json);
		if (!span_eq(o->key, self) && holds_value(json, text))
			return true;
		after = o->key;
	}
	return false;
}

/* The place where the search for a free one starts: another one for each
 * write. */
static uint64_t
spread(struct store *store)
{
	uint64_t n = store == NULL ? 1 : store_next_version(store);

	return (n + random_salt()) * UINT64_C(0x9e3779b97f4a7c15) >> 20;
}

static struct span
free_address(struct arena *a, struct store *store)
{
	uint64_t start = spread(store);

	for (unsigned i = 0; i < HOSTS; i++) {
		unsigned host = FIRST_HOST + (unsigned)((start + i) % HOSTS);
		struct span ip =
		    arena_printf(a, "10.0.%u.%u", host >> 8, host & 255);
		if (!clusterip_holds(store, SPAN_NONE,
			arena_printf(
			    a, "\"clusterIP\":\"%.*s\"", SPAN_ARG(ip))))
			return ip;
	}
	return span_str("");
}

static bool
port_is_taken(struct arena *a, struct store *store, int64_t n)
{
	static const char *const members[] = {
	    "nodePort", "healthCheckNodePort"};

	for (size_t i = 0; i < 2; i++)
		if (clusterip_holds(store, SPAN_NONE,
			arena_printf(
			    a, "\"%s\":%lld", members[i], (long long)n)))
			return true;
	return false;
}

static int64_t
free_port(struct arena *a, struct store *store, const struct node *spec,
    uint64_t start)
{
	const struct node *port;

	for (unsigned i = 0; i < PORTS; i++) {
		int64_t n = FIRST_PORT + (int64_t)((start + i) % PORTS);
		bool ours = rule_int(spec, "healthCheckNodePort", 0) == n;
		for (size_t k = 0; (port = builtin_item(
					rule_given(spec, "ports"), k)) != NULL;
		     k++)
			ours = ours || rule_int(port, "nodePort", 0) == n;
		if (!ours && !port_is_taken(a, store, n))
			return n;
	}
	return 0;
}

static void
set_addresses(struct arena *a, struct store *store, struct node *spec)
{
	struct node *ips = rule_given(spec, "clusterIPs");
	const struct node *ip = rule_given(spec, "clusterIP");

	if (tree_empty(ip) && tree_count(ips) > 0)
		return; /* refused by validation */
	if (tree_empty(ip)) {
		tree_put(a, spec, "clusterIP",
		    tree_string(a, free_address(a, store)));
		ip = rule_given(spec, "clusterIP");
	}
	if (tree_count(ips) == 0) {
		ips = tree_array(a);
		tree_append(a, ips, tree_string(a, tree_text(ip)));
		tree_put(a, spec, "clusterIPs", ips);
	}
}

static bool
wants_node_ports(const struct node *spec)
{
	const struct node *n =
	    rule_given(spec, "allocateLoadBalancerNodePorts");

	return tree_text_is(rule_given(spec, "type"), "NodePort") ||
	    (tree_text_is(rule_given(spec, "type"), "LoadBalancer") &&
		!tree_is(n, NODE_FALSE));
}

/* The nodePort of another entry with the same port, or 0: a port of TCP and the
 * same one of UDP share a nodePort. */
static int64_t
shared_port(const struct node *ports, size_t i)
{
	for (size_t k = 0; k < tree_count(ports); k++)
		if (k != i &&
		    builtin_same_member(
			ports->items[k], ports->items[i], "port") &&
		    rule_int(ports->items[k], "nodePort", 0) != 0)
			return rule_int(ports->items[k], "nodePort", 0);
	return 0;
}

/* Allocates the addresses and node ports that the spec of a Service lacks. */
void
clusterip_allocate(const struct rule_run *run, const struct rule_place *p)
{
	struct arena *a = run->arena;
	struct store *store = run->x->store;
	struct node *spec = p->n;
	struct node *ports = rule_given(spec, "ports"), *port;
	uint64_t start = spread(store);

	if (tree_text_is(rule_given(spec, "type"), "ExternalName")) {
		if (!tree_empty(rule_given(spec, "clusterIP")))
			set_addresses(a, store, spec);
		return;
	}
	set_addresses(a, store, spec);
	for (size_t i = 0;
	     wants_node_ports(spec) && (port = builtin_item(ports, i)) != NULL;
	     i++) {
		int64_t n = rule_int(port, "nodePort", 0);
		if (n == 0)
			n = shared_port(ports, i);
		if (n == 0)
			n = free_port(a, store, spec, start + i);
		tree_put(a, port, "nodePort", tree_int(a, n));
	}
	if (tree_text_is(rule_given(spec, "type"), "LoadBalancer") &&
	    tree_text_is(rule_given(spec, "externalTrafficPolicy"), "Local") &&
	    rule_int(spec, "healthCheckNodePort", 0) == 0)
		tree_put(a, spec, "healthCheckNodePort",
		    tree_int(a, free_port(a, store, spec, start + 7)));
}
