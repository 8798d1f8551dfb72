/*
 * Part of builtin/topics.h. Rules of ResourceQuotas and LimitRanges; kapi
 * enforces neither. Source: pkg/apis/core/validation.
 */
#include "builtin/topics.h"

#include "base/array.h"

static void
check_quota_name(struct causes *c, const struct at *at, struct span s)
{
	static const char *const standard[] = {"cpu", "memory",
	    "ephemeral-storage", "requests.cpu", "requests.memory",
	    "requests.storage", "requests.ephemeral-storage", "limits.cpu",
	    "limits.memory", "limits.ephemeral-storage", "pods",
	    "resourcequotas", "services", "replicationcontrollers", "secrets",
	    "configmaps", "persistentvolumeclaims", "services.nodeports",
	    "services.loadbalancers"};
	size_t before = c->n;

	rule_qualified_name(c, at, s);
	if (c->n > before || span_find(s, '/') != NULL ||
	    span_starts(s, "hugepages-") ||
	    span_starts(s, "requests.hugepages-"))
		return;
	for (size_t i = 0; i < COUNT(standard); i++)
		if (span_is(s, standard[i]))
			return;
	if (!span_is(s, "storage"))
		rule_fail_text(c, at, s,
		    "must be a standard resource type or fully qualified");
	rule_fail_text(c, at, s, "must be a standard resource for quota");
}

void
limits_quota(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;

	check_quota_name(c, p->at, p->at->key);
	if (rule_is_negative(p->n))
		rule_fail_invalid(
		    c, p->at, p->n, "must be greater than or equal to 0");
}

/* Adds "min value 2 is greater than max value 1" at the field `said`, with the
 * value of the field `shown`. */
static void
check_order(struct causes *c, const struct at *at, struct span key,
    const struct node *item, const char *small, const char *large,
    const char *said, const char *shown, const char *words)
{
	const struct node *x = tree_get_span(rule_given(item, small), key);
	const struct node *y = tree_get_span(rule_given(item, large), key);

	if (x == NULL || y == NULL || rule_quantity_cmp(x, y) <= 0)
		return;
	rule_fail_invalid(c, AT_KEY(AT(at, said), key),
	    tree_get_span(rule_given(item, shown), key),
	    rule_say(c, words, SPAN_ARG(tree_text(x)), SPAN_ARG(tree_text(y))));
}

static void
check_limits_of(struct causes *c, const struct at *at, const struct node *item,
    struct span key)
{
	check_order(c, at, key, item, "min", "max", "min", "min",
	    "min value %.*s is greater than max value %.*s");
	check_order(c, at, key, item, "min", "defaultRequest", "defaultRequest",
	    "defaultRequest",
	    "min value %.*s is greater than default request value %.*s");
	check_order(c, at, key, item, "defaultRequest", "max", "defaultRequest",
	    "defaultRequest",
	    "default request value %.*s is greater than max value %.*s");
	check_order(c, at, key, item, "defaultRequest", "default",
	    "defaultRequest", "defaultRequest",
	    "default request value %.*s is greater than default limit value "
	    "%.*s");
	check_order(c, at, key, item, "min", "default", "default", "min",
	    "min value %.*s is greater than default value %.*s");
	check_order(c, at, key, item, "default", "max", "default", "default",
	    "default value %.*s is greater than max value %.*s");
}

static bool
named_before(const struct node *item, const char *const *members, size_t n,
    struct span key)
{
	for (size_t i = 0; i < n; i++)
		if (tree_get_span(rule_given(item, members[i]), key) != NULL)
			return true;
	return false;
}

static void
check_limit(struct causes *c, const struct at *at, const struct node *item)
{
	static const char *const members[] = {
	    "max", "min", "default", "defaultRequest"};
	const struct node *type = rule_given(item, "type"), *list;

	rule_qualified_name(c, AT(at, "type"), tree_text(type));
	if (tree_text_is(type, "Pod")) {
		for (size_t i = 2; i < 4; i++)
			if (tree_count(rule_given(item, members[i])) > 0)
				rule_fail_forbidden(c, AT(at, members[i]),
				    "may not be specified when `type` is "
				    "'Pod'");
	}
	for (size_t i = 0; i < 4; i++) {
		list = rule_given(item, members[i]);
		for (size_t k = 0; k < tree_count(list); k++)
			if (!named_before(
				item, members, i, list->members[k].key))
				check_limits_of(
				    c, at, item, list->members[k].key);
	}
}

void
limits_limitrange_validate(
    struct causes *c, const struct change_of *x, const struct node *object)
{
	const struct node *limits = tree_path(object, "spec.limits"), *item;

	(void)x;
	for (size_t i = 0; (item = builtin_item(limits, i)) != NULL; i++) {
		const struct at *at =
		    AT_INDEX(AT(AT(NULL, "spec"), "limits"), i);
		bool twice = false;
		for (size_t k = 0; k < i; k++)
			twice = twice ||
			    builtin_same_member(limits->items[k], item, "type");
		if (twice)
			rule_fail_duplicate(
			    c, AT(at, "type"), rule_given(item, "type"));
		check_limit(c, at, item);
	}
}

void
limits_container_default(const struct rule_run *run, const struct rule_place *p)
{
	struct arena *a = run->arena;
	struct node *limit, *request;

	if (!tree_text_is(rule_given(p->n, "type"), "Container"))
		return;
	limit = tree_make(a, p->n, "default");
	request = tree_make(a, p->n, "defaultRequest");
	builtin_fill_in(a, limit, rule_given(p->n, "max"));
	builtin_fill_in(a, request, limit);
	builtin_fill_in(a, request, rule_given(p->n, "min"));
}
