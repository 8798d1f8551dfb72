/*
 * Part of builtin/topics.h. What is refused because of other objects: names
 * of priority classes, addresses and ports that are taken, claims that
 * cannot grow. Sources:
 * plugin/pkg/admission/{priority,storage/persistentvolume/resize},
 * pkg/registry/core/service/storage/alloc.go.
 */
#include "builtin/topics.h"

static struct problem *
forbidden(const struct change_of *x, const struct node *object, const char *why)
{
	return problem_forbidden(x->arena, x->resource,
	    tree_path_text(object, "metadata.name"), why);
}

struct node *
admit_object(const struct change_of *x, const char *group, const char *plural,
    struct span name)
{
	const struct stored *o = NULL;

	if (x->store != NULL && name.n > 0)
		o = store_get(store_collection(
				  x->store, span_str(group), span_str(plural)),
		    SPAN_NONE, name);
	return o == NULL
	    ? NULL
	    : tree_parse(x->arena, arena_span(x->arena, text_span(o->json)),
		  TREE_LIMITS, NULL, NULL);
}

struct problem *
admit_pod(const struct change_of *x, const struct node *object)
{
	struct arena *a = x->arena;
	const struct node *spec = rule_given(object, "spec");
	struct span class = tree_text(rule_given(spec, "priorityClassName"));
	int64_t priority = rule_int(spec, "priority", 0);

	if (x->live != NULL)
		return NULL;
	if (class.n == 0 && priority != 0)
		return forbidden(x, object,
		    arena_printf(a,
			"the integer value of priority (%lld) must not be "
			"provided in pod spec; priority admission "
			"controller computed 0 from the given "
			"PriorityClass name",
			(long long)priority)
			.p);
	if (class.n == 0 || span_is(class, "system-node-critical") ||
	    span_is(class, "system-cluster-critical") ||
	    admit_object(x, "scheduling.k8s.io", "priorityclasses", class) !=
		NULL)
		return NULL;
	return forbidden(x, object,
	    arena_printf(
		a, "no PriorityClass with name %.*s was found", SPAN_ARG(class))
		.p);
}

struct problem *
admit_claim(const struct change_of *x, const struct node *object)
{
	const struct node *was = tree_path(x->live, "spec.resources.requests");
	const struct node *is = tree_path(object, "spec.resources.requests");
	const struct node *class;

	if (x->live == NULL)
		return NULL;
	if (rule_quantity_cmp(
		rule_given(is, "storage"), rule_given(was, "storage")) <= 0)
		return NULL;
	if (!tree_text_is(tree_path(x->live, "status.phase"), "Bound"))
		return forbidden(x, object,
		    "Only bound persistent volume claims can be expanded");
	class = admit_object(x, "storage.k8s.io", "storageclasses",
	    tree_path_text(x->live, "spec.storageClassName"));
	if (tree_true(rule_given(class, "allowVolumeExpansion")))
		return NULL;
	return forbidden(x, object,
	    "only dynamically provisioned pvc can be resized and the "
	    "storageclass that provisions the pvc must support resize");
}

static void
check_address_free(struct causes *c, struct store *store, struct span self,
    const struct node *spec)
{
	const struct node *ips = rule_given(spec, "clusterIPs");
	struct span ip = tree_text(rule_given(spec, "clusterIP"));
	const char *why = NULL;

	if (ip.n == 0 || span_is(ip, "None"))
		return;
	if (ip.n < 5 || memcmp(ip.p, "10.0.", 5) != 0)
		why = "the provided network does not match the current range";
	else if ((span_is(ip, "10.0.0.1") &&
		     !span_is(self, "default/kubernetes")) ||
	    clusterip_holds(store, self,
		arena_printf(c->arena, "\"clusterIP\":\"%.*s\"", SPAN_ARG(ip))))
		why = "provided IP is already allocated";
	if (why != NULL)
		rule_fail_invalid(c, AT(AT(NULL, "spec"), "clusterIPs"), ips,
		    rule_say(c, "failed to allocate IP %.*s: %s", SPAN_ARG(ip),
			why));
}

static void
check_node_ports_free(struct causes *c, struct store *store, struct span self,
    const struct node *spec)
{
	const struct node *ports = rule_given(spec, "ports"), *port;

	for (size_t i = 0; (port = builtin_item(ports, i)) != NULL; i++) {
		const struct at *at =
		    AT(AT_INDEX(AT(AT(NULL, "spec"), "ports"), i), "nodePort");
		int64_t n = rule_int(port, "nodePort", 0);
		if (n == 0)
			continue;
		if (n < 30000 || n > 32767)
			rule_fail_int(c, at, n,
			    "provided port is not in the valid range. The "
			    "range of valid ports is 30000-32767");
		else if (clusterip_holds(store, self,
			     arena_printf(
				 c->arena, "odePort\":%lld", (long long)n)))
			rule_fail_int(
			    c, at, n, "provided port is already allocated");
	}
}

struct problem *
admit_service(const struct change_of *x, const struct node *object)
{
	struct arena *a = x->arena;
	const struct resource *r = x->resource;
	const struct node *spec = rule_given(object, "spec");
	struct causes c = {a, NULL, 0};
	struct span self, name;

	name = tree_path_text(object, "metadata.name");
	self = arena_printf(a, "%.*s/%.*s",
	    SPAN_ARG(tree_path_text(object, "metadata.namespace")),
	    SPAN_ARG(name));
	if (x->live == NULL ||
	    !builtin_same_member(
		rule_given(x->live, "spec"), spec, "clusterIP"))
		check_address_free(&c, x->store, self, spec);
	if (c.n == 0)
		check_node_ports_free(&c, x->store, self, spec);
	return c.n == 0 ? NULL : problem_invalid(a, r, name, &c);
}
