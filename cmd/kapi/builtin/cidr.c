/*
 * Part of builtin/topics.h. IPAddresses and ServiceCIDRs. Source:
 * pkg/apis/networking/validation.
 */
#include "builtin/topics.h"

void
cidr_segment(const struct rule_run *run, const struct rule_place *p)
{
	name_check(run->causes, rule_at_words(run->causes->arena, p->at),
	    tree_text(p->n), NAME_SEGMENT, false);
}

/* The ranges of a spec. */
void
cidr_ranges(const struct rule_run *run, const struct rule_place *p)
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
cidr_changed(const struct rule_run *run, const struct rule_place *p)
{
	const struct node *cidrs = rule_given(p->n, "cidrs");

	rule_fail_invalid(run->causes, AT(p->at, "cidrs"),
	    cidrs != NULL ? cidrs : tree_array(run->arena),
	    "field is immutable");
}
