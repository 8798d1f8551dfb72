#include "control/podend.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "process/clock.h"
#include "process/log.h"
#include "rest/rest.h"
#include "store/store.h"
#include "write/convert.h"

/* A Pod that is to end. Its timer is not armed while it waits for its Node. */
struct ending {
	struct podend *of;
	struct timer timer;
	size_t namespace_n, n;
	char key[]; /* NAMESPACE/NAME */
};

struct podend {
	struct api *api;
	struct store_hook pod_hook, node_hook;
	struct resource *pods, *nodes;
	struct map endings; /* by key */
	struct arena arena;
};

static void end(void *ending);

static void
forget(struct podend *e, struct ending *p)
{
	if (p == NULL)
		return;
	if (loop_timer_armed(&p->timer))
		loop_cancel(e->api->loop, &p->timer);
	map_del(&e->endings, span_make(p->key, p->n));
	free(p);
}

/* A Node has changed: Pods that wait for their Node are looked at again. */
static void
see_node(void *arg, struct collection *c, const struct store_change *change)
{
	struct podend *e = arg;
	struct ending **all = (struct ending **)map_sorted(&e->endings);

	(void)c;
	(void)change;
	for (size_t i = 0; i < e->endings.count; i++)
		if (!loop_timer_armed(&all[i]->timer))
			loop_after(
			    e->api->loop, &all[i]->timer, 0, end, all[i]);
	free(all);
}

static struct span
text_at(const struct stored *o, const char *path)
{
	return json_path(text_span(o->json), path);
}

static bool
has_ended(const struct stored *pod)
{
	struct span phase = text_at(pod, "status.phase");

	return span_is(phase, "\"Succeeded\"") || span_is(phase, "\"Failed\"");
}

/* The milliseconds until the period of grace is over. */
static uint64_t
left(const struct stored *pod)
{
	struct span text = text_at(pod, "metadata.deletionTimestamp");
	int64_t at = 0, now = clock_real_us();

	if (text.n > 2)
		clock_parse_us(span_make(text.p + 1, text.n - 2), &at);
	return has_ended(pod) || at <= now ? 0
					   : (uint64_t)(at - now) / 1000 + 1;
}

static struct ending *
make(struct podend *e, const struct stored *pod)
{
	struct ending *p = mem_zalloc(sizeof *p + pod->key.n);

	memcpy(p->key, pod->key.p, pod->key.n);
	p->n = pod->key.n;
	p->namespace_n = pod->namespace_.n;
	p->of = e;
	map_put(&e->endings, span_make(p->key, p->n), p);
	return p;
}

static void
see_pod(void *arg, struct collection *c, const struct store_change *change)
{
	struct podend *e = arg;
	struct stored *o = change->now;
	struct span grace = text_at(o, "metadata.deletionGracePeriodSeconds");
	struct ending *p =
	    e->endings.count > 0 ? map_get(&e->endings, o->key) : NULL;

	(void)c;
	/* A Pod without a period of grace is held by finalizers only. */
	if (change->type == CHANGE_DELETED || grace.n == 0 ||
	    span_is(grace, "0")) {
		forget(e, p);
		return;
	}
	if (p == NULL)
		p = make(e, o);
	loop_after(e->api->loop, &p->timer, left(o), end, p);
}

/* Whether the Pod's Node says that it is not ready. */
static bool
node_is_down(struct podend *e, const struct stored *pod)
{
	struct span name = text_at(pod, "spec.nodeName");
	struct stored *o;
	const struct node *all;

	if (name.n < 3)
		return false;
	o = store_get(
	    e->nodes->collection, SPAN_NONE, span_make(name.p + 1, name.n - 2));
	if (o == NULL)
		return false;
	all = tree_path(convert_tree(&e->arena, o), "status.conditions");
	for (size_t i = 0; i < tree_count(all); i++)
		if (tree_text_is(tree_get(all->items[i], "type"), "Ready"))
			return !tree_text_is(
			    tree_get(all->items[i], "status"), "True");
	return false;
}

static void
end(void *ending)
{
	const struct delete_options now = {.has_grace = true};
	struct ending *p = ending;
	struct podend *e = p->of;
	struct rest_writer by = {e->api, &e->arena, SPAN_NONE};
	struct span key = arena_span(&e->arena, span_make(p->key, p->n));
	struct span namespace_ = span_make(key.p, p->namespace_n);
	struct span name = span_skip(key, p->namespace_n + 1);
	struct stored *o = store_get(e->pods->collection, namespace_, name);
	struct problem *problem;

	/* p is freed by the deletion. */
	if (o != NULL && (has_ended(o) || !node_is_down(e, o))) {
		problem = rest_delete(&by, e->pods, namespace_, name, &now);
		if (problem != NULL)
			log_warning("pod %.*s: cannot end it: %.*s",
			    SPAN_ARG(key), SPAN_ARG(problem->message));
	}
	arena_reset(&e->arena);
}

struct podend *
podend_new(struct api *api)
{
	struct podend *e = mem_zalloc(sizeof *e);

	e->api = api;
	e->pods = resource_core(api->registry, "pods");
	e->nodes = resource_core(api->registry, "nodes");
	e->pod_hook = (struct store_hook){see_pod, e, NULL};
	e->node_hook = (struct store_hook){see_node, e, NULL};
	store_add_hook(api->store, e->pods->collection, &e->pod_hook);
	store_add_hook(api->store, e->nodes->collection, &e->node_hook);
	return e;
}

void
podend_free(struct podend *e)
{
	struct ending *p;

	if (e == NULL)
		return;
	store_remove_hook(e->api->store, e->pods->collection, &e->pod_hook);
	store_remove_hook(e->api->store, e->nodes->collection, &e->node_hook);
	for (size_t i = 0; (p = map_next(&e->endings, &i)) != NULL;) {
		if (loop_timer_armed(&p->timer))
			loop_cancel(e->api->loop, &p->timer);
		free(p);
	}
	map_release(&e->endings);
	arena_release(&e->arena);
	free(e);
}
