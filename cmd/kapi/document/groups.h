/*
 * groups: what is served, for clients: /api, /apis, /apis/GROUP,
 * /apis/GROUP/VERSION and /api/v1 (legacy), and /api and /apis as one
 * aggregated document each. groups_serve answers.
 * Source: apiserver/pkg/endpoints/discovery, recorded answers.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include <stdbool.h>

#include "base/buf.h"
#include "type/resource.h"

/* The aggregated documents, kept in struct api. NULL is fine. */
struct groups;
void groups_free(struct groups *d);

struct request;
/* True if the path is one of these: r was answered and freed. */
bool groups_serve(struct request *r);

/* The documents themselves, for groups_serve and tests. */
void groups_add_aggregated(
    struct buf *b, const struct registry *g, struct span path);
void groups_add_versions(struct buf *b, int port);
void groups_add_group(
    struct buf *b, const struct registry *g, struct span group);
void groups_add_resources(struct buf *b, const struct registry *g,
    struct span group, struct span version);

#endif
