/*
 * internal: functions that the files of rest/ share.
 */
#ifndef INTERNAL_H
#define INTERNAL_H

#include "merge/patch.h"
#include "request/parameters.h"
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

/* The extra of a user as an object of arrays, for reviews and certificate
 * requests. */
struct node *rest_extra(struct arena *a, const struct user *u);

struct problem *rest_patch_object(struct request *r, struct write *w);
/* PATCH of any object: *patched is the outcome, not decoded; *text the same,
 * as the server quotes it. live NULL: there is none. */
struct problem *rest_patch_type(
    struct request *r, const struct resource *s, enum patch_type *type);
struct problem *rest_patched(struct request *r, enum patch_type type,
    const struct schema *schema, const struct node *live,
    struct warnings *strict, struct node **patched, struct span *text);

/* scale.c, subresource.c, token.c, reviews.c: each answers r. */
void scale_serve(struct request *r);
void evict_serve(struct request *r);
void subresource_serve_binding(struct request *r);
void token_serve(struct request *r);
void reviews_serve(struct request *r);

/* delete.c: w->name and namespace_ say which. w->result or w->stored is the
 * answer: a Status, the object as it was, or the object as it goes on. */
struct problem *delete_object(
    struct write *w, const struct delete_options *options);
/* uid and resourceVersion of the options are live's; else 409. */
struct problem *delete_preconditions(struct write *w, const struct node *live,
    const struct delete_options *options);

/* The Status that answers a Binding and an Eviction. */
struct node *subresource_success(struct arena *a);
/* Sets the condition to True, from now on; reason and message may be NULL. */
void subresource_set_pod_condition(struct arena *a, struct node *pod,
    const char *type, const char *reason, const char *message);

#endif
