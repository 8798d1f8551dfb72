/*
 * problem: what is wrong with a request, as the API server says it: a Status
 * with reason, message, details and causes.
 * Source: apimachinery/pkg/api/errors.
 */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "type/cause.h"

/*
 * An answer that is not a success. Made by the functions below, in the arena of
 * the request; NULL everywhere means "no problem".
 */
struct problem {
	int code;	    /* HTTP status */
	struct span reason; /* NotFound, Conflict, Invalid, ...; or SPAN_NONE */
	struct span message;
	/* details: left out where all of it is empty */
	struct span group, kind, name, uid;
	const struct cause *causes;
	size_t cause_count;
	bool has_details;      /* details are there, even if empty */
	long retry_after;      /* seconds; 0: none. Also sent as Retry-After */
	struct span continue_; /* metadata.continue of a 410 on a LIST */
};

struct resource;

struct problem *problem_make(struct arena *a, int code, const char *reason,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
struct problem *problem_bad_request(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
struct problem *problem_not_found(
    struct arena *a, const struct resource *r, struct span name);
struct problem *problem_already_exists(
    struct arena *a, const struct resource *r, struct span name);
/* detail: "the object has been modified; please apply your changes to the
 * latest version and try again" and its like */
struct problem *problem_conflict(struct arena *a, const struct resource *r,
    struct span name, const char *detail);
/* 422 with "KIND.GROUP \"NAME\" is invalid: ..." built from the causes. */
struct problem *problem_invalid(struct arena *a, const struct resource *r,
    struct span name, const struct causes *c);
/* Like problem_invalid, for a kind that is not a resource: CreateOptions of
 * meta.k8s.io. */
struct problem *problem_invalid_kind(struct arena *a, struct span group,
    struct span kind, struct span name, const struct causes *c);
/* "RESOURCE \"NAME\" is forbidden: DETAIL" */
struct problem *problem_forbidden(struct arena *a, const struct resource *r,
    struct span name, const char *detail);
/* NewGenericServerResponse of 404, 405 or 406, with empty details; message
 * NULL: the usual words for the code. */
struct problem *problem_generic(struct arena *a, int code, const char *message);
struct problem *problem_too_large(struct arena *a, const char *detail);
struct problem *problem_method_not_allowed(
    struct arena *a, const struct resource *r, const char *verb);
struct problem *problem_unsupported_media_type(
    struct arena *a, const char *supported);
struct problem *problem_gone(struct arena *a, const char *message);
struct problem *problem_timeout(
    struct arena *a, const char *message, long retry_after);

/* The Status object. */
struct node *problem_status(struct arena *a, const struct problem *p);

/* Appends what they say, as field.ErrorList.ToAggregate does: each error once,
 * and in brackets where there are several. */
void problem_add_causes(struct arena *a, struct buf *b, const struct causes *c);

#endif
