/*
 * subresource: what Binding and Eviction share.
 */
#ifndef SUBRESOURCE_H
#define SUBRESOURCE_H

#include "request/request.h"
#include "write/write.h"

/* The posted object, of the subresource's own kind, about the Pod of the
 * URL. */
struct problem *subresource_posted(
    struct request *r, struct write *w, const char *kind, struct node **object);
/* The answer: a Status. */
struct node *subresource_success(struct arena *a);
/* True, from now on; reason and message may be NULL. */
void subresource_set_pod_condition(struct arena *a, struct node *pod,
    const char *type, const char *reason, const char *message);

#endif
