/*
 * watch: one stream of events: a kind in one namespace, or in all.
 *
 * It never ends on its own: after any error it goes on from the last
 * resourceVersion, or lists again and compares if that has expired (410). The
 * initial state comes by a watch-list (one request, streamed) where the server
 * offers it, else by a paged LIST. Facts: client-go's reflector, 1.36.
 */
#ifndef WATCH_H
#define WATCH_H

#include "kind.h"
#include "trouble.h"

/* ns NULL: all namespaces, or a cluster-scoped kind. Starts at once. */
struct watch *watch_new(struct kind *k, const char *ns);
/* Why it does not work now; borrowed. */
const struct trouble *watch_trouble(const struct watch *w);
void watch_free(struct watch *w); /* not from a callback of its request */

#endif
