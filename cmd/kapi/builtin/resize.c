/*
 * Part of builtin/topics.h. pods/resize: the resources of containers change
 * and nothing else. Sources: podResizeStrategy of
 * pkg/registry/core/pod/strategy.go, ValidatePodResize.
 */
#include "base/array.h"
#include "builtin/topics.h"

static const char *const lists[] = {"initContainers", "containers"};

static bool
same_names(const struct node *all, const struct node *was)
{
	const struct node *container;

	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++)
		if (!builtin_same_member(
			container, builtin_item(was, i), "name"))
			return false;
	return true;
}

/* The containers of the live Pod, with the resources and policies that the
 * client sent. If the names differ, the validation refuses them later. */
static struct node *
resized(struct arena *a, struct node *all, const struct node *was)
{
	static const char *const kept[] = {"resources", "resizePolicy"};
	struct node *result;

	if (all == NULL || !same_names(all, was))
		return all;
	result = tree_copy(a, was);
	for (size_t i = 0; i < tree_count(all); i++)
		for (size_t k = 0; k < COUNT(kept); k++)
			builtin_keep_member(
			    a, all->items[i], result->items[i], kept[k]);
	return result;
}

void
resize_prepare(const struct change_of *x, struct node *object)
{
	struct node *sent = rule_given(object, "spec"), *spec, *v;
	const struct node *was = rule_given(x->live, "spec");

	for (size_t i = 0; i < COUNT(lists); i++)
		if (tree_count(rule_given(sent, lists[i])) !=
		    tree_count(rule_given(was, lists[i])))
			return;
	spec = tree_copy(x->arena, was);
	for (size_t i = 0; i < COUNT(lists); i++) {
		v = resized(x->arena, rule_given(sent, lists[i]),
		    rule_given(was, lists[i]));
		if (v != NULL)
			tree_put(x->arena, spec, lists[i], v);
	}
	builtin_keep_member(x->arena, sent, spec, "resources");
	tree_put(x->arena, object, "spec", spec);
}

/* A node that can resize says which resources a running container has. */
static bool
node_can_resize(const struct node *pod)
{
	const struct node *all = tree_path(pod, "status.containerStatuses");
	const struct node *container;

	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++)
		if (rule_given(rule_given(container, "state"), "running") !=
		    NULL)
			return rule_given(container, "resources") != NULL;
	return true;
}

static bool
check_names(struct causes *c, const struct at *at, const struct node *all,
    const struct node *was, const char *key)
{
	const struct node *container;
	size_t before = c->n;

	at = AT(at, key);
	if (tree_count(all) != tree_count(was)) {
		rule_fail_forbidden(c, at,
		    rule_say(
			c, "%s may not be added or removed on resize", key));
		return false;
	}
	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++)
		if (!builtin_same_member(
			container, builtin_item(was, i), "name"))
			rule_fail_forbidden(c, AT(AT_INDEX(at, i), "name"),
			    rule_say(c,
				"%s may not be renamed or reordered on resize",
				key));
	return c->n == before;
}

static bool
are_removed(const struct node *list, const struct node *was)
{
	for (size_t i = 0; i < tree_count(was); i++)
		if (tree_get_span(list, was->members[i].key) == NULL)
			return true;
	return false;
}

static void
check_removed(struct causes *c, const struct at *at,
    const struct node *container, const struct node *was)
{
	const struct node *now = rule_given(container, "resources");
	const struct node *before = rule_given(was, "resources");

	at = AT(at, "resources");
	if (are_removed(
		rule_given(now, "requests"), rule_given(before, "requests")))
		rule_fail_forbidden(c, AT(at, "requests"),
		    "resource requests cannot be removed");
	if (are_removed(
		rule_given(now, "limits"), rule_given(before, "limits")))
		rule_fail_forbidden(
		    c, AT(at, "limits"), "resource limits cannot be removed");
}

/* Whether y lacks a resource of x, or has another amount. cpu and memory do not
 * count. */
static bool
others_differ(const struct node *x, const struct node *y)
{
	for (size_t i = 0; i < tree_count(x); i++) {
		struct span key = x->members[i].key;

		if (!span_is(key, "cpu") && !span_is(key, "memory") &&
		    rule_quantity_cmp(
			x->members[i].value, tree_get_span(y, key)) != 0)
			return true;
	}
	return false;
}

static bool
more_than_cpu_and_memory(const struct node *container, const struct node *was)
{
	static const char *const kinds[] = {"requests", "limits"};

	for (size_t i = 0; i < COUNT(kinds); i++) {
		const struct node *now =
		    rule_given(rule_given(container, "resources"), kinds[i]);
		const struct node *before =
		    rule_given(rule_given(was, "resources"), kinds[i]);

		if (others_differ(now, before) || others_differ(before, now))
			return true;
	}
	return !builtin_same_member(container, was, "resizePolicy");
}

static void
check_init_container(struct causes *c, const struct at *at,
    const struct node *container, const struct node *was)
{
	const struct node *policies = rule_given(container, "resizePolicy");
	const struct node *policy;

	if (more_than_cpu_and_memory(container, was))
		rule_fail_forbidden(c, at,
		    "only cpu and memory resources for init or sidecar "
		    "containers are mutable");
	if (tree_equal(container, was) ||
	    tree_text_is(rule_given(container, "restartPolicy"), "Always"))
		return;
	for (size_t i = 0; (policy = builtin_item(policies, i)) != NULL; i++)
		if (tree_text_is(rule_given(policy, "restartPolicy"),
			"RestartContainer"))
			rule_fail_forbidden(c, at,
			    "non-sidecar init containers with a resize policy "
			    "of RestartContainer cannot be resized");
}

static void
check_containers(struct causes *c, const struct at *at, const struct node *spec,
    const struct node *was)
{
	const struct node *container, *before, *all;

	for (size_t l = 0; l < COUNT(lists); l++)
		for (size_t i = 0; (container = builtin_item(
					rule_given(spec, lists[l]), i)) != NULL;
		     i++)
			check_removed(c, AT_INDEX(AT(at, lists[l]), i),
			    container,
			    builtin_item(rule_given(was, lists[l]), i));
	all = rule_given(spec, "containers");
	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++)
		if (more_than_cpu_and_memory(container,
			builtin_item(rule_given(was, "containers"), i)))
			rule_fail_forbidden(
			    c, at, "only cpu and memory resources are mutable");
	all = rule_given(spec, "initContainers");
	for (size_t i = 0; (container = builtin_item(all, i)) != NULL; i++) {
		before = builtin_item(rule_given(was, "initContainers"), i);
		check_init_container(c, AT_INDEX(AT(at, "initContainers"), i),
		    container, before);
	}
}

void
resize_check(const struct rule_run *run, const struct rule_place *p)
{
	struct causes *c = run->causes;
	const struct at *at = AT(NULL, "spec");
	const struct node *spec = rule_given(p->n, "spec");
	const struct node *was = rule_given(p->was, "spec");
	const struct node *qos = tree_path(p->was, "status.qosClass");
	bool same = true;

	if (qos == NULL)
		qos = pod_qos(c->arena, was);
	if (!tree_equal(qos, pod_qos(c->arena, spec)))
		rule_fail_invalid(c, at, qos,
		    "Pod QOS Class may not change as a result of resizing");
	if (!node_can_resize(p->was))
		rule_fail_forbidden(
		    c, at, "Pod running on node without support for resize");
	/* The real server reports containers first. */
	for (size_t i = COUNT(lists); i-- > 0;)
		same = check_names(c, at, rule_given(spec, lists[i]),
			   rule_given(was, lists[i]), lists[i]) &&
		    same;
	if (same)
		check_containers(c, at, spec, was);
}
