/*
 * Part of builtin/topics.h. The status of a Pod. Sources:
 * ValidatePodStatusUpdate in pkg/apis/core/validation, and pkg/api/v1/pod for
 * which containers may run again.
 */
#include "builtin/topics.h"
#include "type/names.h"

static const struct node *
find_named(const struct node *all, const struct node *name)
{
	const struct node *one;

	for (size_t i = 0; (one = builtin_item(all, i)) != NULL; i++)
		if (tree_equal(rule_given(one, "name"), name))
			return one;
	return NULL;
}

/* Whether a restart rule is for this exit code: the rule has a list of codes,
 * which the code must be in or not be in. */
static bool
rule_matches(const struct node *rule, int64_t code)
{
	const struct node *codes = rule_given(rule, "exitCodes"), *value;
	bool listed = false;
	int64_t n;

	for (size_t i = 0;
	     (value = builtin_item(rule_given(codes, "values"), i)) != NULL;
	     i++)
		listed = listed || (tree_get_int(value, &n) && n == code);
	return codes != NULL &&
	    listed == tree_text_is(rule_given(codes, "operator"), "In");
}

static bool
may_restart(const struct node *spec, const struct node *container, int64_t code)
{
	const struct node *policy = rule_given(container, "restartPolicy");
	const struct node *rules = rule_given(container, "restartPolicyRules");

	for (size_t i = 0; i < tree_count(rules); i++)
		if (rule_matches(rules->items[i], code))
			return true;
	if (policy == NULL)
		policy = rule_given(spec, "restartPolicy");
	return tree_text_is(policy, "Always") ||
	    (tree_text_is(policy, "OnFailure") && code != 0);
}

/* Whether a container has a rule that restarts all containers of the Pod. */
static bool
restarts_all(const struct node *containers)
{
	const struct node *one;

	for (size_t i = 0; (one = builtin_item(containers, i)) != NULL; i++) {
		const struct node *rules =
		    rule_given(one, "restartPolicyRules");
		for (size_t k = 0; k < tree_count(rules); k++)
			if (tree_text_is(rule_given(rules->items[k], "action"),
				"RestartAllContainers"))
				return true;
	}
	return false;
}

static const struct node *
end_of(const struct node *container_status)
{
	return rule_given(rule_given(container_status, "state"), "terminated");
}

/* containers: where the spec has them; NULL for containers that never run
 * again. */
static void
check_states(struct causes *c, const struct change_of *x,
    const struct node *status, const char *key, const char *containers)
{
	const struct node *spec = rule_given(x->live, "spec"), *old, *is;
	const struct node *was = rule_given(rule_given(x->live, "status"), key);
	const struct node *all = rule_given(status, key), *container;

	for (size_t i = 0; (old = builtin_item(was, i)) != NULL; i++)
		for (size_t k = 0;
		     end_of(old) != NULL && (is = builtin_item(all, k)) != NULL;
		     k++) {
			if (end_of(is) != NULL ||
			    !tree_equal(rule_given(is, "name"),
				rule_given(old, "name")))
				continue;
			container = containers == NULL
			    ? NULL
			    : find_named(rule_given(spec, containers),
				  rule_given(old, "name"));
			if (container == NULL ||
			    !may_restart(spec, container,
				rule_int(end_of(old), "exitCode", 0)))
				rule_fail_forbidden(c,
				    AT(AT_INDEX(AT(AT(NULL, "status"), key), i),
					"state"),
				    "may not be transitioned to "
				    "non-terminated state");
			if (containers != NULL)
				break;
		}
}

/* The addresses as the server's internal type prints them. */
static const struct node *
go_ips(struct arena *a, const struct node *ips)
{
	struct node *all = tree_array(a), *ip, *one;

	for (size_t i = 0; (ip = builtin_item(ips, i)) != NULL; i++) {
		one = tree_object(a);
		tree_put(a, one, "IP",
		    tree_string(a, tree_text(rule_given(ip, "ip"))));
		tree_append(a, all, one);
	}
	return all;
}

/* At most one address of each family. */
void
podstatus_addresses(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct node *ips = p->n;
	size_t n = tree_count(ips), bad = n;
	size_t of_family[7] = {0};

	for (size_t i = 0; i < n; i++) {
		struct span ip = tree_text(rule_given(ips->items[i], "ip"));
		int family = name_address_family(ip);
		rule_ip(c, AT_INDEX(p->at, i), ip);
		of_family[family]++;
		if (family == 0 && bad == n)
			bad = i;
	}
	if (n > 1 && bad < n)
		cause_add(c, "InternalError", rule_at_words(c->arena, p->at),
		    arena_printf(c->arena,
			"Internal error: failed to check for dual stack with "
			"error:invalid IP[%zu]: %.*s",
			bad,
			SPAN_ARG(
			    tree_text(rule_given(ips->items[bad], "ip")))));
	if (n > 1 && (bad < n || of_family[4] != 1 || of_family[6] != 1))
		rule_fail_invalid(c, p->at, go_ips(c->arena, ips),
		    "may specify no more than one IP for each IP family");
}

void
podstatus_states(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct change_of *x = run->x;
	const struct node *spec = rule_given(x->live, "spec");

	if (!restarts_all(rule_given(spec, "containers")) &&
	    !restarts_all(rule_given(spec, "initContainers"))) {
		check_states(c, x, p->n, "containerStatuses", "containers");
		check_states(
		    c, x, p->n, "initContainerStatuses", "initContainers");
	}
	check_states(c, x, p->n, "ephemeralContainerStatuses", NULL);
}
