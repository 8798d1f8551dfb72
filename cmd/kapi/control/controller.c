#include "control/controller.h"

#include <stdlib.h>

#include "base/mem.h"
#include "process/loop.h"
#include "store/store.h"

struct controller {
	struct api *api;
	struct resource *resource;
	controller_fn *look;
	struct store_hook hook;
	struct timer timer;
};

static void
turn(void *arg)
{
	struct controller *c = arg;

	c->look(c->api, c->resource);
}

static void
see(void *arg, struct collection *of, const struct store_change *change)
{
	struct controller *c = arg;

	(void)of, (void)change;
	if (!loop_timer_armed(&c->timer))
		loop_after(c->api->loop, &c->timer, 0, turn, c);
}

struct controller *
controller_new(
    struct api *api, const char *group, const char *plural, controller_fn *look)
{
	struct controller *c = mem_zalloc(sizeof *c);

	c->api = api;
	c->look = look;
	c->resource =
	    resource_storage(api->registry, span_str(group), span_str(plural));
	c->hook = (struct store_hook){see, c, NULL};
	store_add_hook(api->store, c->resource->collection, &c->hook);
	return c;
}

void
controller_free(struct controller *c)
{
	if (c == NULL)
		return;
	store_remove_hook(c->api->store, c->resource->collection, &c->hook);
	if (loop_timer_armed(&c->timer))
		loop_cancel(c->api->loop, &c->timer);
	free(c);
}

struct problem *
controller_ensure(
    const struct rest_writer *by, struct resource *r, struct node *object)
{
	if (store_get(r->collection,
		tree_path_text(object, "metadata.namespace"),
		tree_path_text(object, "metadata.name")) != NULL)
		return NULL;
	return rest_create(by, r, object, NULL);
}

bool
controller_drop_text(struct node *list, const char *text)
{
	size_t before = tree_count(list);

	for (uint32_t i = 0; i < tree_count(list);)
		if (tree_text_is(list->items[i], text))
			tree_remove_at(list, i);
		else
			i++;
	return tree_count(list) < before;
}
