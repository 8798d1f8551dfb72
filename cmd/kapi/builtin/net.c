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

/* ---- IPAddresses and ServiceCIDRs ---- */

void
net_segment(const struct rule_run *run, const struct rule_place *p)
{
	name_check(run->causes, rule_at_words(run->causes->arena, p->at),
	    tree_text(p->n), NAME_SEGMENT, false);
}

/* The ranges of a spec. */
void
net_ranges(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = AT(p->at, "cidrs");
	struct node *cidrs = rule_given(p->n, "cidrs"), *cidr;
	int families[2] = {0, 0};
	struct node *shown;

	if (tree_count(cidrs) == 0) {
		rule_fail_required(c, at, "at least one CIDR required");
		return;
	}
	if (tree_count(cidrs) > 2) {
		shown = tree_object(c->arena);
		tree_put(c->arena, shown, "CIDRs", cidrs);
		rule_fail_invalid(c, at, shown, "may only hold up to 2 values");
		return;
	}
	for (size_t i = 0; (cidr = builtin_item(cidrs, i)) != NULL; i++) {
		const char *wrong =
		    name_check_cidr(c->arena, tree_text(cidr), &families[i]);

		if (wrong != NULL)
			rule_fail_text(
			    c, AT_INDEX(at, i), tree_text(cidr), wrong);
	}
	if (families[0] != 0 && families[0] == families[1])
		rule_fail_invalid(c, at, cidrs,
		    "may specify no more than one IP for each IP family, i.e "
		    "192.168.0.0/24 and 2001:db8::/64");
}

/* An empty list is not kept, but shown as one. */
void
net_ranges_changed(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *cidrs = rule_given(p->n, "cidrs");

	rule_fail_invalid(run->causes, AT(p->at, "cidrs"),
	    cidrs != NULL ? cidrs : tree_array(run->arena),
	    "field is immutable");
}
