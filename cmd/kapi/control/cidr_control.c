#include "control/cidr_control.h"

#include <stdlib.h>

#include "base/mem.h"
#include "process/log.h"
#include "process/loop.h"
#include "rest/rest.h"
#include "store/store.h"
#include "type/objectmeta.h"
#include "write/convert.h"

static const char finalizer[] = "networking.k8s.io/service-cidr-finalizer";

struct cidrs {
	struct api *api;
	struct resource *ranges;
	struct store_hook hook;
	struct timer timer;
};

/* The place of the finalizer; the count of all if it is not there. */
static size_t
find_finalizer(const struct node *range)
{
	const struct node *all = tree_path(range, "metadata.finalizers");
	size_t i = 0;

	while (i < tree_count(all) && !tree_text_is(all->items[i], finalizer))
		i++;
	return i;
}

static bool
has_condition(const struct node *range)
{
	const struct node *all = tree_path(range, "status.conditions");
	bool found = false;

	for (size_t i = 0; i < tree_count(all); i++)
		found = found ||
		    tree_text_is(tree_get(all->items[i], "type"), "Ready");
	return found;
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

static void
add_condition(struct arena *a, struct node *range)
{
	struct node *status = tree_make(a, range, "status");
	struct node *all = tree_get(status, "conditions");
	struct node *ready = tree_object(a);

	if (all == NULL) {
		all = tree_array(a);
		tree_put(a, status, "conditions", all);
	}
	tree_put(a, ready, "type", tree_str(a, "Ready"));
	tree_put(a, ready, "status", tree_str(a, "True"));
	tree_put(a, ready, "lastTransitionTime",
	    tree_string(a, objectmeta_time_now(a)));
	tree_put(a, ready, "reason", tree_str(a, ""));
	tree_put(a, ready, "message",
	    tree_str(a, "Kubernetes Service CIDR is ready"));
	tree_append(a, all, ready);
}

/* Whether something was written: then objects borrowed from the store are out
 * of date. */
static bool
care_for(struct cidrs *c, struct stored *o)
{
	struct arena a = ARENA_INIT;
	struct rest_writer by = {
	    c->api, &a, span_str("kube-controller-manager")};
	struct node *range = convert_tree(&a, o);
	struct node *all = tree_path(range, "metadata.finalizers");
	bool going = tree_path(range, "metadata.deletionTimestamp") != NULL;
	size_t at = find_finalizer(range);
	bool has = at < tree_count(all);
	bool changed = true;
	const char *part = "";
	struct problem *p = NULL;

	if (going && has) {
		tree_remove_at(all, at);
	} else if (!going && !has) {
		add_finalizer(&a, range);
	} else if (!going && !has_condition(range)) {
		part = "status";
		by.manager = span_str("service-cidr-controller");
		add_condition(&a, range);
	} else {
		changed = false;
	}
	if (changed)
		p = rest_update(&by, c->ranges, span_str(part), range);
	if (p != NULL)
		log_error("cannot update ServiceCIDR %.*s: %.*s",
		    SPAN_ARG(o->name), SPAN_ARG(p->message));
	arena_release(&a);
	return changed && p == NULL;
}

static void
work(void *arg)
{
	struct cidrs *c = arg;
	bool changed = true;

	while (changed) {
		struct stored *o = NULL;

		changed = false;
		while (!changed &&
		    (o = store_next(c->ranges->collection, SPAN_NONE,
			 o == NULL ? SPAN_NONE : o->key)) != NULL)
			changed = care_for(c, o);
	}
	if (loop_timer_armed(&c->timer))
		loop_cancel(c->api->loop, &c->timer);
}

static void
see_range(void *arg, struct collection *of, const struct store_change *change)
{
	struct cidrs *c = arg;

	(void)of;
	(void)change;
	if (!loop_timer_armed(&c->timer))
		loop_after(c->api->loop, &c->timer, 0, work, c);
}

struct cidrs *
cidrs_new(struct api *api)
{
	struct cidrs *c = mem_zalloc(sizeof *c);

	c->api = api;
	c->ranges = resource_storage(api->registry,
	    span_str("networking.k8s.io"), span_str("servicecidrs"));
	c->hook = (struct store_hook){see_range, c, NULL};
	store_add_hook(api->store, c->ranges->collection, &c->hook);
	return c;
}

void
cidrs_free(struct cidrs *c)
{
	if (c == NULL)
		return;
	store_remove_hook(c->api->store, c->ranges->collection, &c->hook);
	if (loop_timer_armed(&c->timer))
		loop_cancel(c->api->loop, &c->timer);
	free(c);
}
