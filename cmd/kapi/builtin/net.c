/*
 * Ingresses, NetworkPolicies, Endpoints.
 * Sources: pkg/apis/networking/validation, pkg/apis/discovery/validation.
 */
#include "builtin/topics.h"

void
endpoints_default(struct arena *a, struct node *object)
{
	struct node *subset, *port;

	for (size_t i = 0;
	     (subset = each_of(given(object, "subsets"), i)) != NULL; i++)
		for (size_t k = 0;
		     (port = each_of(given(subset, "ports"), k)) != NULL; k++)
			default_text(a, port, "protocol", "TCP");
}

void
endpointslice_default(struct arena *a, struct node *object)
{
	struct node *port;

	for (size_t i = 0; (port = each_of(given(object, "ports"), i)) != NULL;
	     i++) {
		if (given(port, "name") == NULL)
			tree_put(a, port, "name", tree_str(a, ""));
		default_text(a, port, "protocol", "TCP");
	}
}

static void
policy_ports_default(struct arena *a, struct node *rules)
{
	struct node *rule, *port;

	for (size_t i = 0; (rule = each_of(rules, i)) != NULL; i++)
		for (size_t k = 0;
		     (port = each_of(given(rule, "ports"), k)) != NULL; k++)
			default_text(a, port, "protocol", "TCP");
}

void
networkpolicy_default(struct arena *a, struct node *object)
{
	struct node *spec = default_object(a, object, "spec"), *types;

	if (!tree_is(spec, NODE_OBJECT))
		return;
	policy_ports_default(a, given(spec, "ingress"));
	policy_ports_default(a, given(spec, "egress"));
	if (tree_count(given(spec, "policyTypes")) > 0)
		return;
	types = tree_array(a);
	tree_append(a, types, tree_str(a, "Ingress"));
	if (tree_count(given(spec, "egress")) > 0)
		tree_append(a, types, tree_str(a, "Egress"));
	tree_put(a, spec, "policyTypes", types);
}

void
ingressclass_default(struct arena *a, struct node *object)
{
	struct node *parameters = tree_path(object, "spec.parameters");

	if (tree_is(parameters, NODE_OBJECT))
		default_text(a, parameters, "scope", "Cluster");
}

static void
check_backend_port(
    struct causes *c, const struct at *at, const struct node *port)
{
	const struct node *name = given(port, "name");
	int64_t number = int_or(port, "number", 0);
	const struct at *here = AT(AT(at, "service"), "port");

	if (!tree_empty(name) && number != 0)
		fail_text(c, at, span_str(""),
		    "cannot set both port name & port number");
	else if (!tree_empty(name))
		check_port_name(c, AT(here, "name"), tree_text(name));
	else if (number != 0)
		check_port_number(c, AT(here, "number"), number);
	else
		fail_required(c, at, "port name or number is required");
}

static void
check_backend(struct causes *c, const struct at *at, const struct node *b)
{
	const struct node *service = given(b, "service");
	const struct node *resource = given(b, "resource");
	const struct node *name = given(service, "name");

	if (service != NULL && resource != NULL) {
		fail_text(c, at, span_str(""),
		    "cannot set both resource and service backends");
	} else if (resource != NULL) {
		if (tree_empty(given(resource, "kind")))
			fail_required(c, AT(AT(at, "resource"), "kind"), "");
		if (tree_empty(given(resource, "name")))
			fail_required(c, AT(AT(at, "resource"), "name"), "");
	} else if (service != NULL) {
		if (tree_empty(name))
			fail_required(c, AT(AT(at, "service"), "name"), "");
		else
			check_dns_label(
			    c, AT(AT(at, "service"), "name"), tree_text(name));
		check_backend_port(c, at, given(service, "port"));
	} else {
		fail_text(c, at, span_str(""),
		    "resource or service backend is required");
	}
}

static void
check_path(struct causes *c, const struct at *at, const struct node *p)
{
	static const char *const refused[] = {
	    "//", "/./", "/../", "%2f", "%2F"};
	static const char *const ends[] = {"/..", "/."};
	const struct node *type = given(p, "pathType");
	struct span path = tree_text(given(p, "path"));
	bool exact = text_is_any(type, "Exact", "Prefix", (char *)NULL);

	if (type == NULL) {
		fail_required(
		    c, AT(at, "pathType"), "pathType must be specified");
		return;
	}
	if (!exact && !tree_text_is(type, "ImplementationSpecific"))
		fail_unsupported(c, AT(at, "pathType"), type, "Exact",
		    "ImplementationSpecific", "Prefix", (char *)NULL);
	else if ((exact || path.n > 0) && (path.n == 0 || path.p[0] != '/'))
		fail_text(c, AT(at, "path"), path, "must be an absolute path");
	for (size_t i = 0; exact && i < 5; i++)
		if (path.n > 0 &&
		    memmem(path.p, path.n, refused[i], strlen(refused[i])))
			fail_text(c, AT(at, "path"), path,
			    say(c, "must not contain '%s'", refused[i]));
	for (size_t i = 0; exact && i < 2; i++) {
		size_t n = strlen(ends[i]);
		if (path.n >= n && memcmp(path.p + path.n - n, ends[i], n) == 0)
			fail_text(c, AT(at, "path"), path,
			    say(c, "cannot end with '%s'", ends[i]));
	}
	check_backend(c, AT(at, "backend"), given(p, "backend"));
}

static void
check_host(struct causes *c, const struct at *at, struct span host)
{
	if (host.n > 0 && ip_valid(host))
		fail_text(c, at, host, "must be a DNS name, not an IP address");
	if (host.n > 2 && host.p[0] == '*' && host.p[1] == '.')
		check_dns_subdomain(c, at, span_skip(host, 2));
	else if (host.n > 0)
		check_dns_subdomain(c, at, host);
}

void
ingress_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec");
	const struct node *rules = given(spec, "rules"), *rule, *p, *tls;

	(void)x;
	if (tree_count(rules) == 0 && given(spec, "defaultBackend") == NULL)
		fail_invalid(c, at, rules,
		    "either `defaultBackend` or `rules` must be specified");
	if (given(spec, "defaultBackend") != NULL)
		check_backend(
		    c, AT(at, "defaultBackend"), given(spec, "defaultBackend"));
	for (size_t i = 0; (rule = each_of(rules, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(AT(at, "rules"), i);
		const struct node *http = given(rule, "http");
		const struct node *paths = given(http, "paths");
		check_host(c, AT(here, "host"), tree_text(given(rule, "host")));
		if (http != NULL && tree_count(paths) == 0)
			fail_required(c, AT(AT(here, "http"), "paths"), "");
		for (size_t k = 0; (p = each_of(paths, k)) != NULL; k++)
			check_path(
			    c, AT_INDEX(AT(AT(here, "http"), "paths"), k), p);
	}
	for (size_t i = 0; (tls = each_of(given(spec, "tls"), i)) != NULL; i++)
		for (size_t k = 0;
		     (p = each_of(given(tls, "hosts"), k)) != NULL; k++)
			check_host(c,
			    AT_INDEX(
				AT(AT_INDEX(AT(at, "tls"), i), "hosts"), k),
			    tree_text(p));
	if (given(spec, "ingressClassName") != NULL)
		check_dns_subdomain(c, AT(at, "ingressClassName"),
		    tree_text(given(spec, "ingressClassName")));
}

static void
check_policy_port(
    struct causes *c, const struct at *at, const struct node *port)
{
	const struct node *n = given(port, "port");
	const struct node *protocol = given(port, "protocol");
	int64_t end, first;

	if (!text_is_any(protocol, "TCP", "UDP", "SCTP", (char *)NULL))
		fail_unsupported(c, AT(at, "protocol"), protocol, "TCP", "UDP",
		    "SCTP", (char *)NULL);
	if (n != NULL)
		check_port(c, AT(at, "port"), n);
	if (!tree_get_int(given(port, "endPort"), &end))
		return;
	if (n == NULL)
		fail_int(c, AT(at, "endPort"), end,
		    "may not be specified when `port` is not specified");
	else if (!tree_get_int(n, &first))
		fail_int(c, AT(at, "endPort"), end,
		    "may not be specified when `port` is non-numeric");
	else if (end < first)
		fail_int(c, AT(at, "endPort"), first,
		    "must be greater than or equal to `port`");
}

static void
check_peer(struct causes *c, const struct at *at, const struct node *peer)
{
	const struct node *block = given(peer, "ipBlock");
	const struct node *pods = given(peer, "podSelector");
	const struct node *namespaces = given(peer, "namespaceSelector");

	check_selector(c, AT(at, "podSelector"), pods);
	check_selector(c, AT(at, "namespaceSelector"), namespaces);
	if (block != NULL && tree_empty(given(block, "cidr")))
		fail_required(c, AT(AT(at, "ipBlock"), "cidr"), "");
	if (block == NULL && pods == NULL && namespaces == NULL)
		fail_required(c, at, "must specify a peer");
	else if (block != NULL && (pods != NULL || namespaces != NULL))
		fail_forbidden(
		    c, at, "may not specify both ipBlock and another peer");
}

static void
check_rules(struct causes *c, const struct at *at, const struct node *rules,
    const char *peers)
{
	const struct node *rule, *n;

	for (size_t i = 0; (rule = each_of(rules, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(at, i);
		for (size_t k = 0;
		     (n = each_of(given(rule, "ports"), k)) != NULL; k++)
			check_policy_port(c, AT_INDEX(AT(here, "ports"), k), n);
		for (size_t k = 0; (n = each_of(given(rule, peers), k)) != NULL;
		     k++)
			check_peer(c, AT_INDEX(AT(here, peers), k), n);
	}
}

void
networkpolicy_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = given(object, "spec"), *type;

	(void)x;
	check_selector(c, AT(at, "podSelector"), given(spec, "podSelector"));
	check_rules(c, AT(at, "ingress"), given(spec, "ingress"), "from");
	check_rules(c, AT(at, "egress"), given(spec, "egress"), "to");
	for (size_t i = 0;
	     (type = each_of(given(spec, "policyTypes"), i)) != NULL; i++)
		if (!text_is_any(type, "Ingress", "Egress", (char *)NULL))
			fail_unsupported(c, AT_INDEX(AT(at, "policyTypes"), i),
			    type, "Ingress", "Egress", (char *)NULL);
}

void
endpointslice_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(NULL, "endpoints");
	const struct node *endpoint, *port;

	check_enum(c, NULL, object, "addressType", "FQDN", "IPv4", "IPv6");
	for (size_t i = 0; (port = each_of(given(object, "ports"), i)) != NULL;
	     i++) {
		const struct at *here = AT_INDEX(AT(NULL, "ports"), i);
		if (!tree_empty(given(port, "name")))
			check_dns_label(c, AT(here, "name"),
			    tree_text(given(port, "name")));
		check_enum(c, here, port, "protocol", "SCTP", "TCP", "UDP");
	}
	for (size_t i = 0;
	     (endpoint = each_of(given(object, "endpoints"), i)) != NULL; i++) {
		const struct node *all = given(endpoint, "addresses");
		if (tree_count(all) == 0)
			fail_required(c, AT(AT_INDEX(at, i), "addresses"),
			    "must contain at least 1 address");
		for (size_t k = 0; k < tree_count(all) &&
		     !tree_text_is(given(object, "addressType"), "FQDN");
		     k++)
			check_ip(c,
			    AT_INDEX(AT(AT_INDEX(at, i), "addresses"), k),
			    tree_text(all->items[k]));
	}
	if (x->live != NULL)
		check_immutable(c, NULL, x->live, object, "addressType");
}

void
ingressclass_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(AT(NULL, "spec"), "controller");
	const struct node *spec = given(object, "spec");
	struct span name = tree_text(given(spec, "controller"));
	const char *slash = span_find(name, '/');

	if (x->live != NULL)
		check_immutable(c, AT(NULL, "spec"), given(x->live, "spec"),
		    spec, "controller");
	if (name.n == 0)
		fail_required(c, at, "");
	else if (slash == NULL || slash == name.p ||
	    slash == name.p + name.n - 1)
		fail_text(c, at, name,
		    "must be a domain-prefixed path (such as "
		    "\"acme.io/foo\")");
	else
		check_dns_subdomain(
		    c, at, span_make(name.p, (size_t)(slash - name.p)));
}

/* Addresses of nobody's machine: source of ValidateEndpointIP. */
static void
check_endpoint_ip(struct causes *c, const struct at *at, struct span ip)
{
	check_ip(c, at, ip);
	if (!ip_valid(ip))
		fail_text(c, at, ip, "must be a valid IP address");
	else if ((ip.n > 4 && span_starts(ip, "127.")) || span_is(ip, "::1"))
		fail_text(c, at, ip,
		    "may not be in the loopback range (127.0.0.0/8, "
		    "::1/128)");
	else if (span_is(ip, "0.0.0.0") || span_is(ip, "::"))
		fail_text(c, at, ip, "may not be unspecified (0.0.0.0, ::)");
}

static void
check_subset(struct causes *c, const struct at *at, const struct node *subset)
{
	static const char *const lists[] = {"addresses", "notReadyAddresses"};
	const struct node *ports = given(subset, "ports"), *n;

	if (tree_count(given(subset, lists[0])) == 0 &&
	    tree_count(given(subset, lists[1])) == 0)
		fail_required(
		    c, at, "must specify `addresses` or `notReadyAddresses`");
	for (size_t l = 0; l < 2; l++)
		for (size_t i = 0;
		     (n = each_of(given(subset, lists[l]), i)) != NULL; i++)
			check_endpoint_ip(c,
			    AT(AT_INDEX(AT(at, lists[l]), i), "ip"),
			    tree_text(given(n, "ip")));
	for (size_t i = 0; (n = each_of(ports, i)) != NULL; i++) {
		const struct at *here = AT_INDEX(AT(at, "ports"), i);
		const struct node *name = given(n, "name");
		if (tree_empty(name) && ports->n > 1)
			fail_required(c, AT(here, "name"), "");
		else if (!tree_empty(name))
			check_dns_label(c, AT(here, "name"), tree_text(name));
		check_port_number(c, AT(here, "port"), int_or(n, "port", 0));
		check_enum(c, here, n, "protocol", "SCTP", "TCP", "UDP");
	}
}

void
endpoints_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *subset;

	(void)x;
	for (size_t i = 0;
	     (subset = each_of(given(object, "subsets"), i)) != NULL; i++)
		check_subset(c, AT_INDEX(AT(NULL, "subsets"), i), subset);
}
