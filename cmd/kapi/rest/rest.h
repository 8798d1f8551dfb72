/*
 * rest: the verbs that write, on any resource: from a decoded object to the
 * store. Source: apiserver/pkg/endpoints/handlers and registry/generic.
 *
 * One write: decode, defaults, namespace and name against the URL, managed
 * fields, prepare (strategy), metadata, validation, comparison with what is
 * stored (equal: nothing is written), store_put or store_delete.
 */
#ifndef REST_H
#define REST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "request/parameters.h"
#include "request/request.h"
#include "store/store.h"
#include "type/api.h"
#include "type/problem.h"
#include "type/resource.h"

/* Serves r, whose resource, verb and name are known: create, update, patch,
 * delete, deletecollection, and every verb (get too) of a subresource. Answers
 * and frees r. */
void rest_serve(struct request *r);

/*
 * For kapi's own writers (gc, namespaces, CRDs, --load). The arena is the
 * caller's and holds the problem. A problem is as a client would get it; NULL:
 * done. Objects are in the version of r; apiVersion and kind are set here.
 * manager none: no managedFields entry is made for the write.
 */
struct rest_writer {
	struct api *api;
	struct arena *arena;
	struct span manager;
};

/* Like POST; metadata.namespace and name are in the object. *made (may be NULL)
 * is what was stored; borrowed until the next write. */
struct problem *rest_create(const struct rest_writer *w, struct resource *r,
    struct node *object, struct stored **made);

/*
 * Like PUT of a whole object, subresource "" for the main path ("status",
 * "finalize", ...). The object that is there is replaced if its
 * resourceVersion is the object's; an object without one replaces any. One
 * whose last finalizer went while it is being deleted is deleted.
 */
struct problem *rest_update(const struct rest_writer *w, struct resource *r,
    struct span subresource, struct node *object);

/* Like DELETE. */
struct problem *rest_delete(const struct rest_writer *w, struct resource *r,
    struct span namespace_, struct span name,
    const struct delete_options *options);

/*
 * Puts an object as it is, created or replaced: only decoded and defaulted,
 * nothing else is checked or set but apiVersion, kind, resourceVersion, and a
 * uid and creationTimestamp where there are none. For --load.
 */
struct problem *rest_put_as_is(
    const struct rest_writer *w, struct resource *r, struct node *object);

#endif
