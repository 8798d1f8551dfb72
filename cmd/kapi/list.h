/*
 * list: GET of one object and LIST of a collection: versions, pages,
 * selectors. Answers are put together from the stored texts.
 * Source: apiserver/pkg/{endpoints/handlers/get.go,storage/cacher,
 * storage/etcd3/store.go,storage/continue.go}.
 */
#ifndef LIST_H
#define LIST_H

#include "arena.h"
#include "buf.h"
#include "request.h"
#include "resource.h"
#include "span.h"
#include "store.h"

/* REQUEST_GET of the object itself and REQUEST_LIST; they answer r. */
void get_serve(struct request *r);
void list_serve(struct request *r);

/*
 * A stored object as this version of its resource shows it, compact JSON with
 * apiVersion and kind first: the stored text itself if it is kept in this
 * version, else made in the arena.
 */
struct span stored_as(
    struct arena *a, const struct resource *r, const struct stored *o);

#endif
