/*
 * delete: what DELETE does to one object. Source: registry/rest/delete.go
 * and Delete of registry/generic/registry/store.go.
 */
#ifndef DELETE_H
#define DELETE_H

#include "rest/rest.h"
#include "write/write.h"

/* w->name and namespace_ say which. w->result or w->stored is the answer:
 * a Status, the object as it was, or the object as it goes on. */
struct problem *delete_object(
    struct write *w, const struct delete_options *options);

/* uid and resourceVersion of the options are live's; else 409. */
struct problem *delete_preconditions(struct write *w, const struct node *live,
    const struct delete_options *options);

#endif
