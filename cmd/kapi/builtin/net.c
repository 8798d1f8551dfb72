/*
 * Part of builtin/topics.h. Ingresses, NetworkPolicies, Endpoints. Sources:
 * pkg/apis/networking/validation, pkg/apis/discovery/validation.
 */
#include "builtin/topics.h"
#include "type/names.h"

void
net_endpoints_default(struct arena *a, struct node *object)
{
	struct node *subset, *port;

	for (size_t i = 0;
	     (subset = builtin_item(rule_given(object, "subsets"), i)) != NULL;
	     i++)
		for (size_t k = 0;
		     (port = builtin_item(rule_given(subset, "ports"), k)) !=
		     NULL;
		     k++)
			builtin_default_text(a, port, "protocol", "TCP");
}

void
net_endpointslice_default(struct arena *a, struct node *object)
{
	struct node *port;

	for (size_t i = 0;
	     (port = builtin_item(rule_given(object, "ports"), i)) != NULL;
	     i++) {
		if (rule_given(port, "name") == NULL)
			tree_put(a, port, "name", tree_str(a, ""));
		builtin_default_text(a, port, "protocol", "TCP");
	}
}

static void
policy_ports_default(struct arena *a, struct node *rules)
{
	struct node *rule, *port;

	for (size_t i = 0; (rule = builtin_item(rules, i)) != NULL; i++)
		for (size_t k = 0; (port = builtin_item(
					rule_given(rule, "ports"), k)) != NULL;
		     k++)
			builtin_default_text(a, port, "protocol", "TCP");
}

void
net_networkpolicy_default(struct arena *a, struct node *object)
{
	struct node *spec = builtin_default_object(a, object, "spec"), *types;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	policy_ports_default(a, rule_given(spec, "ingress"));
	policy_ports_default(a, rule_given(spec, "egress"));
	if (tree_count(rule_given(spec, "policyTypes")) > 0)
		return;
	types = tree_array(a);
	tree_append(a, types, tree_str(a, "Ingress"));
	if (tree_count(rule_given(spec, "egress")) > 0)
		tree_append(a, types, tree_str(a, "Egress"));
	tree_put(a, spec, "policyTypes", types);
}

void
net_ingressclass_default(struct arena *a, struct node *object)
{
	struct node *parameters = tree_path(object, "spec.parameters");

	if (tree_is(parameters, NODE_OBJECT))
		builtin_default_text(a, parameters, "scope", "Cluster");
}

static void
check_backend_port(
    struct causes *c, const struct at *at, const struct node *port)
{
	const struct node *name = rule_given(port, "name");
	int64_t number = rule_int(port, "number", 0);
	const struct at *here = AT(AT(at, "service"), "port");

	if (!tree_empty(name) && number != 0)
		rule_fail_text(c, at, span_str(""),
		    "cannot set both port name & port number");
	else if (!tree_empty(name))
		rule_port_name(c, AT(here, "name"), tree_text(name));
	else if (number != 0)
		rule_port_number(c, AT(here, "number"), number);
	else
		rule_fail_required(c, at, "port name or number is required");
}

static void
check_backend(struct causes *c, const struct at *at, const struct node *b)
{
	const struct node *service = rule_given(b, "service");
	const struct node *resource = rule_given(b, "resource");
	const struct node *name = rule_given(service, "name");

	if (service != NULL && resource != NULL) {
		rule_fail_text(c, at, span_str(""),
		    "cannot set both resource and service backends");
	} else if (resource != NULL) {
		if (tree_empty(rule_given(resource, "kind")))
			rule_fail_required(
			    c, AT(AT(at, "resource"), "kind"), "");
		if (tree_empty(rule_given(resource, "name")))
			rule_fail_required(
			    c, AT(AT(at, "resource"), "name"), "");
	} else if (service != NULL) {
		if (tree_empty(name))
			rule_fail_required(
			    c, AT(AT(at, "service"), "name"), "");
		else
			rule_dns_label(
			    c, AT(AT(at, "service"), "name"), tree_text(name));
		check_backend_port(c, at, rule_given(service, "port"));
	} else {
		rule_fail_text(c, at, span_str(""),
		    "resource or service backend is required");
	}
}

static void
check_path(struct causes *c, const struct at *at, const struct node *p)
{
	static const char *const refused[] = {
	    "//", "/./", "/../", "%2f", "%2F"};
	static const char *const ends[] = {"/..", "/."};
	const struct node *type = rule_given(p, "pathType");
	struct span path = tree_text(rule_given(p, "path"));
	bool exact = rule_text_is_any(type, "Exact", "Prefix", (char *)NULL);

	if (type == NULL) {
		rule_fail_required(
		    c, AT(at, "pathType"), "pathType must be specified");
		return;
	}
	if (!exact && !tree_text_is(type, "ImplementationSpecific"))
		rule_fail_unsupported(c, AT(at, "pathType"), type, "Exact",
		    "ImplementationSpecific", "Prefix", (char *)NULL);
	else if ((exact || path.n > 0) && (path.n == 0 || path.p[0] != '/'))
		rule_fail_text(
		    c, AT(at, "path"), path, "must be an absolute path");
	for (size_t i = 0; exact && i < 5; i++)
		if (path.n > 0 &&
		    memmem(path.p, path.n, refused[i], strlen(refused[i])))
			rule_fail_text(c, AT(at, "path"), path,
			    rule_say(c, "must not contain '%s'", refused[i]));
	for (size_t i = 0; exact && i < 2; i++) {
		size_t n = strlen(ends[i]);
		if (path.n >= n && memcmp(path.p + path.n - n, ends[i], n) == 0)
			rule_fail_text(c, AT(at, "path"), path,
			    rule_say(c, "cannot end with '%s'", ends[i]));
	}
	check_backend(c, AT(at, "backend"), rule_given(p, "backend"));
}

static void
check_host(struct causes *c, const struct at *at, struct span host)
{
	if (host.n > 0 && name_address_family(host) != 0)
		rule_fail_text(
		    c, at, host, "must be a DNS name, not an IP address");
	if (host.n > 2 && host.p[0] == '*' && host.p[1] == '.')
		rule_dns_subdomain(c, at, span_skip(host, 2));
	else if (host.n > 0)
		rule_dns_subdomain(c, at, host);
}

void
net_ingress_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec");
	const struct node *rules = rule_given(spec, "rules"), *rule, *p, *tls;

	(void)x;
	if (tree_count(rules) == 0 &&
	    rule_given(spec, "defaultBackend") == NULL)
		rule_fail_invalid(c, at, rules,
		    "either `defaultBackend` or `rules` must be specified");
	if (rule_given(spec, "defaultBackend") != NULL)
		check_backend(c, AT(at, "defaultBackend"),
		    rule_given(spec, "defaultBackend"));
	for (size_t i = 0; (rule = builtin_item(rules, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(AT(at, "rules"), i);
		const struct node *http = rule_given(rule, "http");
		const struct node *paths = rule_given(http, "paths");
		check_host(
		    c, AT(here, "host"), tree_text(rule_given(rule, "host")));
		if (http != NULL && tree_count(paths) == 0)
			rule_fail_required(
			    c, AT(AT(here, "http"), "paths"), "");
		for (size_t k = 0; (p = builtin_item(paths, k)) != NULL; k++)
			check_path(
			    c, AT_INDEX(AT(AT(here, "http"), "paths"), k), p);
	}
	for (size_t i = 0;
	     (tls = builtin_item(rule_given(spec, "tls"), i)) != NULL; i++)
		for (size_t k = 0;
		     (p = builtin_item(rule_given(tls, "hosts"), k)) != NULL;
		     k++)
			check_host(c,
			    AT_INDEX(
				AT(AT_INDEX(AT(at, "tls"), i), "hosts"), k),
			    tree_text(p));
	if (rule_given(spec, "ingressClassName") != NULL)
		rule_dns_subdomain(c, AT(at, "ingressClassName"),
		    tree_text(rule_given(spec, "ingressClassName")));
}

static void
check_policy_port(
    struct causes *c, const struct at *at, const struct node *port)
{
	const struct node *n = rule_given(port, "port");
	const struct node *protocol = rule_given(port, "protocol");
	int64_t end, first;

	if (!rule_text_is_any(protocol, "TCP", "UDP", "SCTP", (char *)NULL))
		rule_fail_unsupported(c, AT(at, "protocol"), protocol, "TCP",
		    "UDP", "SCTP", (char *)NULL);
	if (n != NULL)
		rule_port(c, AT(at, "port"), n);
	if (!tree_get_int(rule_given(port, "endPort"), &end))
		return;
	if (n == NULL)
		rule_fail_int(c, AT(at, "endPort"), end,
		    "may not be specified when `port` is not specified");
	else if (!tree_get_int(n, &first))
		rule_fail_int(c, AT(at, "endPort"), end,
		    "may not be specified when `port` is non-numeric");
	else if (end < first)
		rule_fail_int(c, AT(at, "endPort"), first,
		    "must be greater than or equal to `port`");
}

static void
check_peer(struct causes *c, const struct at *at, const struct node *peer)
{
	const struct node *block = rule_given(peer, "ipBlock");
	const struct node *pods = rule_given(peer, "podSelector");
	const struct node *namespaces = rule_given(peer, "namespaceSelector");

	rule_selector(c, AT(at, "podSelector"), pods);
	rule_selector(c, AT(at, "namespaceSelector"), namespaces);
	if (block != NULL && tree_empty(rule_given(block, "cidr")))
		rule_fail_required(c, AT(AT(at, "ipBlock"), "cidr"), "");
	if (block == NULL && pods == NULL && namespaces == NULL)
		rule_fail_required(c, at, "must specify a peer");
	else if (block != NULL && (pods != NULL || namespaces != NULL))
		rule_fail_forbidden(
		    c, at, "may not specify both ipBlock and another peer");
}

static void
check_rules(struct causes *c, const struct at *at, const struct node *rules,
    const char *peers)
{
	const struct node *rule, *n;

	for (size_t i = 0; (rule = builtin_item(rules, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		for (size_t k = 0;
		     (n = builtin_item(rule_given(rule, "ports"), k)) != NULL;
		     k++)
			check_policy_port(c, AT_INDEX(AT(here, "ports"), k), n);
		for (size_t k = 0;
		     (n = builtin_item(rule_given(rule, peers), k)) != NULL;
		     k++)
			check_peer(c, AT_INDEX(AT(here, peers), k), n);
	}
}

void
net_networkpolicy_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(object, "spec"), *type;

	(void)x;
	rule_selector(
	    c, AT(at, "podSelector"), rule_given(spec, "podSelector"));
	check_rules(c, AT(at, "ingress"), rule_given(spec, "ingress"), "from");
	check_rules(c, AT(at, "egress"), rule_given(spec, "egress"), "to");
	for (size_t i = 0;
	     (type = builtin_item(rule_given(spec, "policyTypes"), i)) != NULL;
	     i++)
		if (!rule_text_is_any(type, "Ingress", "Egress", (char *)NULL))
			rule_fail_unsupported(c,
			    AT_INDEX(AT(at, "policyTypes"), i), type, "Ingress",
			    "Egress", (char *)NULL);
}

void
net_endpointslice_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "endpoints");
	const struct node *endpoint, *port;

	check_enum(c, NULL, object, "addressType", "FQDN", "IPv4", "IPv6");
	for (size_t i = 0;
	     (port = builtin_item(rule_given(object, "ports"), i)) != NULL;
	     i++) {
		const struct at *here = AT_INDEX(AT(NULL, "ports"), i);
		if (!tree_empty(rule_given(port, "name")))
			rule_dns_label(c, AT(here, "name"),
			    tree_text(rule_given(port, "name")));
		check_enum(c, here, port, "protocol", "SCTP", "TCP", "UDP");
	}
	for (size_t i = 0; (endpoint = builtin_item(
				rule_given(object, "endpoints"), i)) != NULL;
	     i++) {
		const struct node *all = rule_given(endpoint, "addresses");
		if (tree_count(all) == 0)
			rule_fail_required(c, AT(AT_INDEX(at, i), "addresses"),
			    "must contain at least 1 address");
		for (size_t k = 0; k < tree_count(all) &&
		     !tree_text_is(rule_given(object, "addressType"), "FQDN");
		     k++)
			rule_ip(c,
			    AT_INDEX(AT(AT_INDEX(at, i), "addresses"), k),
			    tree_text(all->items[k]));
	}
	if (x->live != NULL)
		rule_immutable(c, NULL, x->live, object, "addressType");
}

void
net_ingressclass_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(AT(NULL, "spec"), "controller");
	const struct node *spec = rule_given(object, "spec");
	struct span name = tree_text(rule_given(spec, "controller"));
	const char *slash = span_find(name, '/');

	if (x->live != NULL)
		rule_immutable(c, AT(NULL, "spec"), rule_given(x->live, "spec"),
		    spec, "controller");
	if (name.n == 0)
		rule_fail_required(c, at, "");
	else if (slash == NULL || slash == name.p ||
	    slash == name.p + name.n - 1)
		rule_fail_text(c, at, name,
		    "must be a domain-prefixed path (such as "
		    "\"acme.io/foo\")");
	else
		rule_dns_subdomain(
		    c, at, span_make(name.p, (size_t)(slash - name.p)));
}

/* Addresses that are not of a machine: source of ValidateEndpointIP. */
static void
check_endpoint_ip(struct causes *c, const struct at *at, struct span ip)
{
	rule_ip(c, at, ip);
	if (name_address_family(ip) == 0)
		rule_fail_text(c, at, ip, "must be a valid IP address");
	else if ((ip.n > 4 && span_starts(ip, "127.")) || span_is(ip, "::1"))
		rule_fail_text(c, at, ip,
		    "may not be in the loopback range (127.0.0.0/8, "
		    "::1/128)");
	else if (span_is(ip, "0.0.0.0") || span_is(ip, "::"))
		rule_fail_text(
		    c, at, ip, "may not be unspecified (0.0.0.0, ::)");
}

static void
check_subset(struct causes *c, const struct at *at, const struct node *subset)
{
	static const char *const lists[] = {"addresses", "notReadyAddresses"};
	const struct node *ports = rule_given(subset, "ports"), *n;

	if (tree_count(rule_given(subset, lists[0])) == 0 &&
	    tree_count(rule_given(subset, lists[1])) == 0)
		rule_fail_required(
		    c, at, "must specify `addresses` or `notReadyAddresses`");
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0;
		     (n = builtin_item(rule_given(subset, lists[l]), i)) !=
		     NULL;
		     i++)
			check_endpoint_ip(c,
			    AT(AT_INDEX(AT(at, lists[l]), i), "ip"),
			    tree_text(rule_given(n, "ip")));
	for (size_t i = 0; (n = builtin_item(ports, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(AT(at, "ports"), i);
		const struct node *name = rule_given(n, "name");
		if (tree_empty(name) && ports->n > 1)
			rule_fail_required(c, AT(here, "name"), "");
		else if (!tree_empty(name))
			rule_dns_label(c, AT(here, "name"), tree_text(name));
		rule_port_number(c, AT(here, "port"), rule_int(n, "port", 0));
		check_enum(c, here, n, "protocol", "SCTP", "TCP", "UDP");
	}
}

void
net_endpoints_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *subset;

	(void)x;
	for (size_t i = 0;
	     (subset = builtin_item(rule_given(object, "subsets"), i)) != NULL;
	     i++)
		check_subset(c, AT_INDEX(AT(NULL, "subsets"), i), subset);
}
