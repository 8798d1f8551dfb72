/*
 * project: cuts an object down to the fields that are wanted, as text.
 *
 * The identity always stays: metadata.name, namespace, uid, resourceVersion,
 * generation, creationTimestamp, deletionTimestamp, ownerReferences and the
 * marks of membership (doc/protocol.md). The caller gives apiVersion and kind,
 * since a partial answer names another kind.
 *
 * A path is that of fieldpath.h. One that an object does not have is left out.
 */
#ifndef PROJECT_H
#define PROJECT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

struct project;

struct project *project_new(void); /* keeps the identity only */
void project_free(struct project *p);

/* -1 if the path is malformed: err says so and names it. */
int project_add(struct project *p, const char *path, struct err *err);
void project_add_label(struct project *p, const char *key);

/* Appends {"apiVersion":...,"kind":...,"metadata":...}. object is good JSON. */
void project_cut(const struct project *p, struct span api_version,
    struct span kind, struct span object, struct buf *out);

#endif
