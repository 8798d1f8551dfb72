/* Part of control/controller.h: the controller of ServiceCIDRs. */
#include "control/controller.h"

#include "crd/conditions.h"
#include "process/log.h"
#include "store/store.h"
#include "type/objectmeta.h"
#include "write/convert.h"

static const char finalizer[] = "networking.k8s.io/service-cidr-finalizer";

static bool
has_finalizer(const struct node *range)
{
	const struct node *all = tree_path(range, "metadata.finalizers");

	for (size_t i = 0; i < tree_count(all); i++)
		if (tree_text_is(all->items[i], finalizer))
			return true;
	return false;
}

static void
add_finalizer(struct arena *a, struct node *range)
{
	struct node *metadata = tree_get(range, "metadata");
	struct node *all = tree_get(metadata, "finalizers");

	if (all == NULL) {
		all = tree_array(a);
		tree_put(a, metadata, "finalizers", all);
	}
	tree_append(a, all, tree_str(a, finalizer));
}

/* Whether something was written: then objects borrowed from the store are out
 * of date. */
static bool
care_for(struct api *api, struct resource *ranges, struct stored *o)
{
	struct arena a = ARENA_INIT;
	struct rest_writer by = {api, &a, span_str("kube-controller-manager")};
	struct node *range = convert_tree(&a, o);
	bool going = tree_path(range, "metadata.deletionTimestamp") != NULL;
	bool changed = true;
	const char *part = "";
	struct problem *p = NULL;

	if (going) {
		changed = controller_drop_text(
		    tree_path(range, "metadata.finalizers"), finalizer);
	} else if (!has_finalizer(range)) {
		add_finalizer(&a, range);
	} else if (conditions_find(range, "Ready") == NULL) {
		part = "status";
		by.manager = span_str("service-cidr-controller");
		conditions_set(&a, range,
		    &(struct condition){"Ready", "True", "",
			span_str("Kubernetes Service CIDR is ready")},
		    objectmeta_time_now(&a));
	} else {
		changed = false;
	}
	if (changed)
		p = rest_update(&by, ranges, span_str(part), range);
	if (p != NULL)
		log_error("cannot update ServiceCIDR %.*s: %.*s",
		    SPAN_ARG(o->name), SPAN_ARG(p->message));
	arena_release(&a);
	return changed && p == NULL;
}

void
servicecidr_look(struct api *api, struct resource *ranges)
{
	struct stored *o = NULL;

	while ((o = store_next(ranges->collection, SPAN_NONE,
		    o == NULL ? SPAN_NONE : o->key)) != NULL)
		if (care_for(api, ranges, o))
			o = NULL;
}
