/*
 * Part of builtin/topics.h. What rules.txt calls for addresses, hosts and paths.
 * Sources: pkg/apis/networking/validation, pkg/apis/discovery/validation.
 */
#include "builtin/topics.h"
#include "type/names.h"

void
net_host(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	struct span host = tree_text(p->n);
	if (host.n > 0 && name_address_family(host) != 0)
		rule_fail_text(
		    c, p->at, host, "must be a DNS name, not an IP address");
	if (host.n > 2 && host.p[0] == '*' && host.p[1] == '.')
		rule_dns_subdomain(c, p->at, span_skip(host, 2));
	else if (host.n > 0)
		rule_dns_subdomain(c, p->at, host);
}

/* DOMAIN/PATH, as ingressClasses name their controllers. */
void
net_controller(const struct rule_run *run, const struct rule_place *p)
{
	struct span name = tree_text(p->n);
	const char *slash = span_find(name, '/');

	if (slash == NULL || slash == name.p || slash == name.p + name.n - 1)
		rule_fail_text(run->causes, p->at, name,
		    "must be a domain-prefixed path (such as "
		    "\"acme.io/foo\")");
	else
		rule_dns_subdomain(run->causes, p->at,
		    span_make(name.p, (size_t)(slash - name.p)));
}

void
net_not_address(const struct rule_run *run, const struct rule_place *p)
{
	if (name_address_family(tree_text(p->n)) != 0)
		rule_fail_text(run->causes, p->at, tree_text(p->n),
		    "must be a DNS name, not an IP address");
}

/* Addresses that are not of a machine: source of ValidateEndpointIP. */
void
net_endpoint_ip(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = p->at;
	struct span ip = tree_text(p->n);
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
