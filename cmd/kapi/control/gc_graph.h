/*
 * gc_graph: owners and their dependents, by uid. Only objects that have owners
 * or are owners have a node here, and only while they do.
 */
#ifndef GC_GRAPH_H
#define GC_GRAPH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/map.h"
#include "base/span.h"
#include "store/store.h"

struct gc_node;

/* An owner reference. */
struct gc_link {
	struct gc_node *owner, *dependent;
	size_t at;   /* in owner->dependents */
	bool blocks; /* blockOwnerDeletion */
};

struct gc_node {
	struct stored *object; /* newest state, owned; NULL: not there */
	struct collection *collection;
	struct gc_link **owners; /* owned, with the links */
	size_t owner_count;
	struct gc_link **dependents;
	size_t dependent_count;
	size_t blocking; /* how many dependents block it */
	bool queued;
	unsigned busy;	      /* not freed while above 0 */
	bool waiting;	      /* deleted in the foreground */
	bool orphaning;	      /* deleted with finalizer "orphan" */
	bool gone;	      /* was there, and was deleted */
	bool trusted;	      /* named by a loaded object, never seen */
	bool parked;	      /* an owner's kind is not known */
	struct gc_node *next; /* in the queue */
	size_t uid_n;
	char uid[];
};

struct gc_graph {
	struct map nodes;
	struct gc_node *first, **last; /* the queue */
	size_t queued;
	bool loading;
};

void gc_graph_init(struct gc_graph *g);
void gc_graph_release(struct gc_graph *g);

struct gc_node *gc_find(const struct gc_graph *g, struct span uid);
/* The node of that uid, made if there is none. */
struct gc_node *gc_node(struct gc_graph *g, struct span uid);
/* Frees it if nothing needs it. */
void gc_settle(struct gc_graph *g, struct gc_node *n);

/* The references of n are those of the raw array; an owner that waits for its
 * dependents and has no blocking one any more is queued. */
void gc_relink(struct gc_graph *g, struct gc_node *n, struct span references);
void gc_unlink(struct gc_graph *g, struct gc_link *l);

void gc_queue(struct gc_graph *g, struct gc_node *n);
struct gc_node *gc_dequeue(struct gc_graph *g); /* NULL: empty */

#endif
