/*
 * internal: functions that the files of rest/ share.
 */
#ifndef INTERNAL_H
#define INTERNAL_H

#include "request/request.h"
#include "write/write.h"

/* The write that a request asks for; options were read. */
struct write rest_write_of(struct request *r);

/* Adds a warning for each duplicate key; twice is from tree_parse_yaml. */
void rest_add_twice(struct request *r, struct span twice, struct warnings *w);
/* The body, parsed. *strict gets duplicate fields. */
struct problem *rest_body(
    struct request *r, struct node **object, struct warnings *strict);
/* The body as an object of the resource, its namespace and name checked. */
struct problem *rest_object(
    struct request *r, struct write *w, struct node **object);
/* The body as an object of the kind that the subresource takes. */
struct problem *rest_posted(
    struct request *r, const struct write *w, struct node **object);
/* Finds the live object; a problem is a 404. *tree is in the version of the
 * request. */
struct problem *rest_live(
    struct write *w, struct stored **stored, struct node **tree);
/* 409, in the words of the storage layer, if field ("uid" or "resourceVersion")
 * is set in the metadata of object, and differs from live's (NULL: ""). */
struct problem *rest_precondition(struct write *w, const struct node *live,
    const struct node *object, const char *field);

/* Texts as an array; the extra of a user as an object of arrays, for reviews
 * and certificate requests. */
struct node *rest_texts(struct arena *a, const struct span *list, size_t n);
struct node *rest_extra(struct arena *a, const struct user *u);

struct problem *rest_patch_object(struct request *r, struct write *w);
/* PATCH of any object: *patched is the outcome, not decoded; *text the same,
 * as the server quotes it. live NULL: there is none. */
enum patch_kind {
	PATCH_KIND_NONE,
	PATCH_KIND_JSON,
	PATCH_KIND_MERGE,
	PATCH_KIND_STRATEGIC,
	PATCH_KIND_APPLY
};
struct problem *rest_patch_kind(
    struct request *r, const struct resource *s, enum patch_kind *kind);
struct problem *rest_patched(struct request *r, enum patch_kind kind,
    const struct schema *schema, const struct node *live,
    struct warnings *strict, struct node **patched, struct span *text);

/* scale.c, subresource.c, token.c, reviews.c: each answers r. */
void scale_serve(struct request *r);
void evict_serve(struct request *r);
void subresource_serve_binding(struct request *r);
void token_serve(struct request *r);
void reviews_serve(struct request *r);

#endif
