/*
 * Part of builtin/topics.h. IPAddresses and ServiceCIDRs. Source:
 * pkg/apis/networking/validation.
 */
#include "builtin/topics.h"

static void
check_segment(struct causes *c, const struct at *up, const struct node *object,
    const char *key, bool required)
{
	const struct node *n = rule_given(object, key);

	if (!tree_empty(n))
		name_check(c, rule_at_words(c->arena, AT(up, key)),
		    tree_text(n), NAME_SEGMENT, false);
	else if (required)
		rule_fail_required(c, AT(up, key), "");
}

/* A reference as Go writes it: the names are not those of JSON. */
static const struct node *
go_reference(struct arena *a, const struct node *ref)
{
	static const char *const keys[][2] = {{"group", "Group"},
	    {"resource", "Resource"}, {"namespace", "Namespace"},
	    {"name", "Name"}};
	struct node *o = tree_object(a);

	if (ref == NULL)
		return NULL;
	for (size_t i = 0; i < 4; i++) {
		struct node *n = rule_given(ref, keys[i][0]);

		tree_put(a, o, keys[i][1], n != NULL ? n : tree_str(a, ""));
	}
	return o;
}

void
cidr_address_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct at *at = AT(AT(NULL, "spec"), "parentRef");
	const struct node *ref =
	    rule_given(rule_given(object, "spec"), "parentRef");
	const struct node *was =
	    rule_given(rule_given(x->live, "spec"), "parentRef");
	const struct node *group = rule_given(ref, "group");

	if (x->live != NULL && !tree_equal(ref, was)) {
		/* In this order: rule_fail_invalid would sort it. */
		cause_invalid(c, rule_at_words(c->arena, at),
		    go_reference(c->arena, ref), "field is immutable");
		if (ref != NULL)
			return;
	}
	if (ref == NULL) {
		rule_fail_required(c, at, "");
		return;
	}
	if (!tree_empty(group))
		rule_dns_subdomain(c, AT(at, "group"), tree_text(group));
	check_segment(c, at, ref, "resource", true);
	check_segment(c, at, ref, "name", true);
	check_segment(c, at, ref, "namespace", false);
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
		/* The other family is added. */
		check_kept(c, at, cidrs, was);
		check_ranges(c, at, spec);
	} else {
		/* An empty list is not kept. */
		rule_fail_invalid(c, at,
		    cidrs != NULL ? cidrs : tree_array(c->arena),
		    "field is immutable");
	}
}
