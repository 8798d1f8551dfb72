#include "control/gc_graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

void
gc_graph_init(struct gc_graph *g)
{
	*g = (struct gc_graph){.nodes = MAP_INIT};
	g->last = &g->first;
}

static struct span
uid_of(const struct gc_node *n)
{
	return span_make(n->uid, n->uid_n);
}

struct gc_node *
gc_find(const struct gc_graph *g, struct span uid)
{
	return map_get(&g->nodes, uid);
}

struct gc_node *
gc_node(struct gc_graph *g, struct span uid)
{
	struct gc_node *n = gc_find(g, uid);

	if (n != NULL)
		return n;
	n = mem_zalloc(sizeof(*n) + uid.n + 1);
	memcpy(n->uid, uid.p, uid.n);
	n->uid_n = uid.n;
	map_put(&g->nodes, uid_of(n), n);
	return n;
}

static void
free_node(struct gc_node *n)
{
	for (size_t i = 0; i < n->owner_count; i++)
		free(n->owners[i]);
	free(n->owners);
	free(n->dependents);
	store_unref(n->object);
	free(n);
}

void
gc_graph_release(struct gc_graph *g)
{
	struct gc_node *n;

	for (size_t i = 0; (n = map_next(&g->nodes, &i)) != NULL;)
		free_node(n);
	map_release(&g->nodes);
}

void
gc_settle(struct gc_graph *g, struct gc_node *n)
{
	if (n->queued || n->busy > 0 || n->parked || n->dependent_count > 0 ||
	    n->owner_count > 0)
		return;
	if (n->object != NULL && (n->waiting || n->orphaning))
		return;
	map_del(&g->nodes, uid_of(n));
	free_node(n);
}

void
gc_queue(struct gc_graph *g, struct gc_node *n)
{
	if (n->queued)
		return;
	n->queued = true;
	n->next = NULL;
	*g->last = n;
	g->last = &n->next;
	g->queued++;
}

struct gc_node *
gc_dequeue(struct gc_graph *g)
{
	struct gc_node *n = g->first;

	if (n == NULL)
		return NULL;
	g->first = n->next;
	if (g->first == NULL)
		g->last = &g->first;
	n->queued = false;
	g->queued--;
	return n;
}

static void
unblock(struct gc_graph *g, struct gc_node *owner)
{
	owner->blocking--;
	if (owner->blocking == 0 && owner->waiting)
		gc_queue(g, owner);
}

/* Removes l from the owner's list and frees it. The caller has removed it from
 * the dependent's list. */
static void
detach(struct gc_graph *g, struct gc_link *l)
{
	struct gc_node *owner = l->owner;
	struct gc_link *moved = owner->dependents[--owner->dependent_count];

	owner->dependents[l->at] = moved;
	moved->at = l->at;
	if (l->blocks)
		unblock(g, owner);
	free(l);
	gc_settle(g, owner);
}

void
gc_unlink(struct gc_graph *g, struct gc_link *l)
{
	struct gc_node *n = l->dependent;

	for (size_t i = 0; i < n->owner_count; i++)
		if (n->owners[i] == l) {
			n->owners[i] = n->owners[--n->owner_count];
			break;
		}
	detach(g, l);
}

static void
attach(struct gc_graph *g, struct gc_node *n, struct span uid, bool blocks)
{
	struct gc_node *owner = gc_node(g, uid);
	struct gc_link *l;

	/* n names this owner twice: n is its last dependent already. */
	if (owner->dependent_count > 0 &&
	    owner->dependents[owner->dependent_count - 1]->dependent == n)
		return;
	if (owner->object == NULL && !owner->gone && g->loading)
		owner->trusted = true;
	l = mem_alloc(sizeof(*l));
	*l = (struct gc_link){owner, n, owner->dependent_count, blocks};
	owner->dependents = mem_grow(owner->dependents, owner->dependent_count,
	    sizeof(struct gc_link *));
	owner->dependents[owner->dependent_count++] = l;
	owner->blocking += blocks;
	n->owners =
	    mem_grow(n->owners, n->owner_count, sizeof(struct gc_link *));
	n->owners[n->owner_count++] = l;
}

void
gc_relink(struct gc_graph *g, struct gc_node *n, struct span references)
{
	struct gc_link **old = n->owners;
	size_t old_count = n->owner_count;
	struct buf scratch = BUF_INIT;

	n->owners = NULL;
	n->owner_count = 0;
	for (size_t i = 0; i < old_count; i++)
		old[i]->dependent = NULL; /* attach sees only new ones */
	/* New links are made before old ones are removed, so that no node is
	 * freed or unblocked in between. */
	for (struct json_elements e = json_elements(references);
	     json_element(&e);) {
		struct span uid;

		buf_reset(&scratch);
		uid = json_string(json_get(e.value, "uid"), &scratch);
		if (uid.n > 0)
			attach(g, n, uid,
			    json_type(json_get(
				e.value, "blockOwnerDeletion")) == JSON_TRUE);
	}
	for (size_t i = 0; i < old_count; i++)
		detach(g, old[i]);
	free(old);
	buf_release(&scratch);
}
