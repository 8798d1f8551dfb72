/*
 * table: what an answer looks like when it is not the object itself: a Table
 * of cells for people, or metadata alone.
 * Source: apiserver/pkg/endpoints/handlers/response.go, registry/rest/table.go,
 * kubernetes/pkg/printers/internalversion.
 */
#ifndef TABLE_H
#define TABLE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/span.h"
#include "reply/pretty.h"
#include "request/request.h"
#include "type/problem.h"
#include "type/resource.h"

enum include_object { INCLUDE_METADATA, INCLUDE_NONE, INCLUDE_OBJECT };

/* How the objects of one answer or one watch are to look. */
struct table_form {
	enum representation as;	     /* AS_YAML is as AS_OBJECT here */
	struct span version;	     /* meta.k8s.io/VERSION */
	enum include_object include; /* in a row of a Table */
};

/* From r->as and includeObject=; a problem is a 400. */
struct problem *table_form_of(struct request *r, struct table_form *form);

/*
 * Appends an object (compact JSON, in r's version) in that form to b: itself,
 * a Table of one row, or PartialObjectMetadata. headers: with columnDefinitions
 * (only the first event of a watch has them).
 */
void table_object(struct buf *b, const struct resource *r,
    const struct table_form *form, bool headers, struct span object);

/*
 * For every answer that holds one object (get, create, update, patch, delete):
 * *json becomes what r asked for, in r->arena. Objects that are not Status.
 */
struct problem *table_answer(struct request *r, struct span *json);

/*
 * A list in that form: begin, each object, end. metadata: the ListMeta's raw
 * JSON, the same for both (lists of custom resources end with it).
 */
void table_list_begin(struct buf *b, const struct resource *r,
    const struct table_form *form, struct span metadata);
void table_list_item(struct buf *b, const struct resource *r,
    const struct table_form *form, struct span object);
void table_list_end(struct buf *b, const struct resource *r,
    const struct table_form *form, struct span metadata);

#endif
