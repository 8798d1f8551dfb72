/*
 * Part of builtin/topics.h. IPAddresses and ServiceCIDRs. Source:
 * pkg/apis/networking/validation.
 */
#include "builtin/topics.h"

/* Not in rules.txt: !struct would sort the members, errors have this order. */
void
cidr_reference(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	static const char *const keys[][2] = {{"group", "Group"},
	    {"resource", "Resource"}, {"namespace", "Namespace"},
	    {"name", "Name"}};
	struct node *o = tree_object(c->arena);

	for (size_t i = 0; p->n != NULL && i < 4; i++) {
		struct node *n = rule_given(p->n, keys[i][0]);

		tree_put(c->arena, o, keys[i][1],
		    n != NULL ? n : tree_str(c->arena, ""));
	}
	cause_invalid(c, rule_at_words(c->arena, p->at),
	    p->n != NULL ? o : NULL, "field is immutable");
}

void
cidr_segment(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;

	name_check(c, rule_at_words(c->arena, p->at), tree_text(p->n),
	    NAME_SEGMENT, false);
}

static void
check_ranges(struct causes *c, const struct at *at, const struct node *spec)
{
	struct node *cidrs = rule_given(spec, "cidrs"), *cidr;
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

static void
check_kept(struct causes *c, const struct at *at, const struct node *cidrs,
    const struct node *was)
{
	const struct node *cidr;

	for (size_t i = 0; (cidr = builtin_item(was, i)) != NULL; i++)
		if (!tree_equal(cidr, builtin_item(cidrs, i)))
			rule_fail_invalid(c, AT_INDEX(at, i),
			    builtin_item(cidrs, i), "field is immutable");
}

void
cidr_range_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(AT(NULL, "spec"), "cidrs");
	const struct node *spec = rule_given(object, "spec");
	const struct node *cidrs = rule_given(spec, "cidrs");
	const struct node *was =
	    rule_given(rule_given(x->live, "spec"), "cidrs");

	if (x->live == NULL) {
		check_ranges(c, at, spec);
	} else if (tree_count(cidrs) == tree_count(was)) {
		check_kept(c, at, cidrs, was);
	} else if (tree_count(was) == 1 && tree_count(cidrs) == 2) {
		/* A range of the other family may be added. */
		check_kept(c, at, cidrs, was);
		check_ranges(c, at, spec);
	} else {
		/* An empty list is not kept. */
		rule_fail_invalid(c, at,
		    cidrs != NULL ? cidrs : tree_array(c->arena),
		    "field is immutable");
	}
}
