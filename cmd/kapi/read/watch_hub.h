/*
 * watch_hub: WATCH, of a collection, a namespace or one object.
 *
 * Each collection that is watched has one hook on the store. A change is
 * written once for each form that a watch wants, and the text is shared;
 * watches of one object or one namespace are found by its name, not by walking
 * all. A watch that does not read is cut by httpd.
 * Source: apiserver/pkg/{endpoints/handlers/watch.go,storage/cacher}.
 */
#ifndef WATCH_HUB_H
#define WATCH_HUB_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/text.h"
#include "read/list.h"
#include "reply/table.h"
#include "request/request.h"
#include "store/store.h"
#include "type/api.h"
#include "type/resource.h"

struct watch_hub;

/* api->watch_hub; the first watch makes it. */
void watch_hub_free(struct watch_hub *h); /* ends all; NULL is fine */

/* REQUEST_WATCH: answers r, now or in half an hour. */
void watch_serve(struct request *r);

/* Ends every watch of this version of a resource, as when a CRD changes. */
void watch_hub_end(struct api *api, const struct resource *resource);

#endif
