/*
 * gc: the garbage collector: deletes objects whose owners are gone, and does
 * what the finalizers foregroundDeletion and orphan ask for. A hook of the
 * store tells it of every write. It works in small batches from the event loop,
 * so that the deletion of an owner of 10,000 objects does not block clients.
 * Source of its rules: pkg/controller/garbagecollector.
 *
 * An owner that was never seen in this process, named by an object that came
 * by snapshot_put, counts as living: a file often holds one kind of a cluster
 * and not the owners. Owners named by objects that clients write are checked
 * as the real collector does it.
 */
#ifndef GC_H
#define GC_H

#include <stdbool.h>

#include "type/api.h"

struct gc;

/* Hooks into api->store; objects that are there already are indexed. Borrows
 * api. */
struct gc *gc_new(struct api *api);
void gc_free(struct gc *g);

/* While loading, objects are indexed, and owners that do not exist count as
 * living. */
void gc_set_loading(struct gc *g, bool loading);

/* Works until nothing is queued, without the loop: for tests and the end. */
void gc_drain(struct gc *g);

#endif
