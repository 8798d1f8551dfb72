/*
 * Part of builtin/topics.h. Rules of ResourceQuotas and LimitRanges; kapi
 * enforces neither. Source: pkg/apis/core/validation.
 */
#include "builtin/topics.h"

#include "base/array.h"

/* Resources without a domain, but for "storage", that quotas may name; the
 * first three are those of containers. */
static const char *const standard[] = {"cpu", "memory", "ephemeral-storage",
    "requests.cpu", "requests.memory", "requests.storage",
    "requests.ephemeral-storage", "limits.cpu", "limits.memory",
    "limits.ephemeral-storage", "pods", "resourcequotas", "services",
    "replicationcontrollers", "secrets", "configmaps", "persistentvolumeclaims",
    "services.nodeports", "services.loadbalancers"};

void
limits_check_name(
    struct causes *c, const struct at *at, struct span s, bool of_container)
{
	size_t known = of_container ? 3 : COUNT(standard), i = 0, before = c->n;

	while (i < COUNT(standard) && !span_is(s, standard[i]))
		i++;
	if (i < known || (of_container && span_starts(s, "hugepages-")))
		return;
	rule_qualified_name(c, at, s);
	if (c->n > before || span_find(s, '/') != NULL ||
	    (!of_container &&
		(span_starts(s, "hugepages-") ||
		    span_starts(s, "requests.hugepages-"))))
		return;
	if (i == COUNT(standard) && !span_is(s, "storage"))
		rule_fail_text(c, at, s,
		    "must be a standard resource type or fully qualified");
	rule_fail_text(c, at, s,
	    of_container ? "must be a standard resource for containers"
			 : "must be a standard resource for quota");
}

void
limits_quota(const struct rule_run *run, const struct rule_place *p)
{
	limits_check_name(run->causes, p->at, p->at->key, false);
	if (rule_is_negative(p->n))
		rule_fail_invalid(run->causes, p->at, p->n,
		    "must be greater than or equal to 0");
}

/* The amounts of an item for one resource, in this order: the first one is not
 * above the second. The error is at the field `said`, with the value of the
 * field `shown`. */
static const struct {
	const char *small, *large, *said, *shown, *words;
} orders[] = {
    {"min", "max", "min", "min",
	"min value %.*s is greater than max value %.*s"},
    {"min", "defaultRequest", "defaultRequest", "defaultRequest",
	"min value %.*s is greater than default request value %.*s"},
    {"defaultRequest", "max", "defaultRequest", "defaultRequest",
	"default request value %.*s is greater than max value %.*s"},
    {"defaultRequest", "default", "defaultRequest", "defaultRequest",
	"default request value %.*s is greater than default limit value %.*s"},
    {"min", "default", "default", "min",
	"min value %.*s is greater than default value %.*s"},
    {"default", "max", "default", "default",
	"default value %.*s is greater than max value %.*s"},
};

static void
check_orders(struct causes *c, const struct at *at, const struct node *item,
    struct span key)
{
	for (size_t i = 0; i < COUNT(orders); i++) {
		const struct node *x =
		    tree_get_span(rule_given(item, orders[i].small), key);
		const struct node *y =
		    tree_get_span(rule_given(item, orders[i].large), key);

		if (x != NULL && y != NULL && rule_quantity_cmp(x, y) > 0)
			rule_fail_invalid(c,
			    AT_KEY(AT(at, orders[i].said), key),
			    tree_get_span(
				rule_given(item, orders[i].shown), key),
			    rule_say(c, orders[i].words, SPAN_ARG(tree_text(x)),
				SPAN_ARG(tree_text(y))));
	}
}

/* Checks each resource once, where it is named first. */
void
limits_item(const struct rule_run *run, const struct rule_place *p)
{
	static const char *const members[] = {
	    "max", "min", "default", "defaultRequest"};

	for (size_t i = 0; i < COUNT(members); i++) {
		const struct node *list = rule_given(p->n, members[i]);

		for (size_t k = 0; k < tree_count(list); k++) {
			struct span key = list->members[k].key;
			size_t m = 0;

			while (m < i &&
			    tree_get_span(rule_given(p->n, members[m]), key) ==
				NULL)
				m++;
			if (m == i)
				check_orders(run->causes, p->at, p->n, key);
		}
	}
}
