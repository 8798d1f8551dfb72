/*
 * list: GET of one object and LIST of a collection: versions, pages,
 * selectors. Answers are put together from the stored texts.
 * Source: apiserver/pkg/{endpoints/handlers/get.go,storage/cacher,
 * storage/etcd3/store.go,storage/continue.go}.
 */
#ifndef LIST_H
#define LIST_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/span.h"
#include "read/selection.h"
#include "request/request.h"
#include "store/store.h"
#include "type/problem.h"
#include "type/resource.h"

/*
 * The query of a LIST, a WATCH or a DELETE of a collection, in the arena of
 * the request.
 */
struct list_options {
	struct selection selection;
	struct span version; /* resourceVersion as given; none: absent */
	struct span match;   /* resourceVersionMatch; "" if absent */
	struct span continue_;
	int64_t limit; /* 0: none */
	bool has_timeout;
	int64_t timeout;	   /* timeoutSeconds */
	bool bookmarks;		   /* allowWatchBookmarks */
	bool has_initial, initial; /* sendInitialEvents; given or implied */
};

/* Reads and checks them in the server's order: 400 and 422. Versions are
 * checked when they are used. */
struct problem *list_options(struct request *r, struct list_options *o);

/*
 * ResourceVersion as a number: 0 where it is absent or "0". A problem is what
 * a GET or WATCH answers (500); list says it its own way.
 */
struct problem *list_version_parse(
    struct request *r, struct span text, uint64_t *version);
/* 504: nothing is that new yet. */
struct problem *list_version_too_large(
    struct request *r, uint64_t version, uint64_t now);

/* REQUEST_GET of the object itself and REQUEST_LIST; they answer r. */
void list_serve_get(struct request *r);
void list_serve(struct request *r);

/* Appends the answer of list_serve to b. *objects gets the objects in it: an
 * array, in r->arena, of references that the caller gives back; objects may be
 * NULL. */
struct problem *list_write(
    struct request *r, struct buf *b, struct stored ***objects, size_t *count);

/*
 * A stored object as this version of its resource shows it, compact JSON with
 * apiVersion and kind first: the stored text itself if it is kept in this
 * version, else made in the arena.
 */
struct span list_stored_as(
    struct arena *a, const struct resource *r, const struct stored *o);

/*
 * The token that a page of a LIST ends with: unpadded base64url of
 * {"v":"meta.k8s.io/v1","rv":VERSION,"start":KEY}, as the API server makes it.
 * Source: apiserver/pkg/storage/continue.go.
 */
/* version -1: go on at the latest one. key: of the last object given. */
struct span list_continue_make(
    struct arena *a, int64_t version, struct span key);
/* A problem is a 400. *key is in the arena. */
struct problem *list_continue_parse(
    struct arena *a, struct span token, int64_t *version, struct span *key);

#endif
