/*
 * openapi_write: the parts of an OpenAPI document, of version 3 or 2. One
 * writer makes one document: paths first, which say what types are needed;
 * then these types and all that they refer to.
 */
#ifndef OPENAPI_WRITE_H
#define OPENAPI_WRITE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "tree/tree.h"
#include "type/resource.h"

#define OPENAPI_META "io.k8s.apimachinery.pkg.apis.meta.v1."

struct openapi_writer {
	struct buf buf;	    /* the document; owned */
	struct arena arena; /* names; owned */
	bool v2;
	/* A document about one group and version: its first resource. Types
	 * that every group has are shown as this group's. NULL: a document
	 * about everything. */
	const struct resource *first;
	struct map wanted;	     /* name of a type to struct openapi_type */
	struct openapi_type **types; /* all of them, in the arena */
	size_t n;
};

void openapi_writer_release(struct openapi_writer *w);

/* The whole document: of w->first's group and version, or of everything. */
void openapi_add_document(struct openapi_writer *w, const struct registry *g);

/* The type of a resource or of its list; its name, or none if there is no
 * such type. */
struct span openapi_want_resource(
    struct openapi_writer *w, const struct resource *r, bool list);

/* {"$ref":...} in the arena; the document has the type. */
struct span openapi_ref(struct openapi_writer *w, struct span name);
/* All types that are wanted, as members sorted by name. */
void openapi_add_types(struct openapi_writer *w);

/* ,"x-kubernetes-group-version-kind": {...} or [{...}] */
void openapi_add_kind(struct buf *b, struct span group, struct span version,
    struct span kind, bool list);

#endif
