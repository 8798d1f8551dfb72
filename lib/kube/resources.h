/*
 * resources: a table of resources out of the server's discovery documents.
 * The part of discovery that reads JSON and knows kubectl's spellings.
 */
#ifndef RESOURCES_H
#define RESOURCES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/span.h"
#include "base/textlist.h"
#include "kube/discovery.h"

/* In the server's order; a group's preferred version comes first. */
struct resources {
	struct api_resource **items; /* array owned, resources borrowed */
	size_t count;
	struct textlist stale; /* group/version that could not be listed */
};

/* All resources that ever were in a table: they live until its end. */
struct resource_store {
	struct api_resource **items;
	size_t count;
};

void resources_release(struct resources *t);
void resource_store_release(struct resource_store *s);

/* An APIGroupDiscoveryList. -1: body is not one. */
int resources_add_aggregated(
    struct resources *t, struct resource_store *s, struct span body);
/* An APIResourceList of one group and version. */
int resources_add_list(struct resources *t, struct resource_store *s,
    struct span group, struct span version, struct span body);
/* The list of a version could not be read: what old has of it is kept. */
void resources_add_stale(struct resources *t, const struct resources *old,
    struct span group, struct span version);
/* Appends all of another table. */
void resources_append(struct resources *t, const struct resources *more);
/* Sets the member preferred of all. */
void resources_prefer(struct resources *t);

/* See discovery_category. */
const struct api_resource *resources_category(
    const struct resources *t, const char *category, size_t *at);
const struct api_resource *resources_resolve(
    const struct resources *t, const char *spelling, struct err *err);

#endif
