/*
 * problem: what is wrong with a request, as the API server says it: a Status
 * with reason, message, details and causes.
 * Source: apimachinery/pkg/api/errors and util/validation/field.
 */
#ifndef PROBLEM_H
#define PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"
#include "json/tree.h"

struct cause {
	struct span reason;  /* FieldValueRequired, FieldValueInvalid, ... */
	struct span message; /* Required value, Invalid value: "x": ... */
	struct span field;   /* spec.replicas */
};

/* A list of causes, in the order they were found. */
struct causes {
	struct arena *arena; /* borrowed */
	struct cause *items;
	size_t n;
};

/* The usual ones, worded as field.Error does it; detail may be "". */
void cause_required(struct causes *c, struct span field, const char *detail);
void cause_invalid(struct causes *c, struct span field,
    const struct node *value, const char *detail);
void cause_invalid_text(
    struct causes *c, struct span field, struct span value, const char *detail);
void cause_unsupported(struct causes *c, struct span field,
    const struct node *value, const struct span *supported, size_t n);
void cause_duplicate(
    struct causes *c, struct span field, const struct node *value);
void cause_forbidden(struct causes *c, struct span field, const char *detail);
void cause_too_long(
    struct causes *c, struct span field, const struct node *value, size_t max);
void cause_too_many(
    struct causes *c, struct span field, size_t actual, size_t max);
void cause_type_invalid(struct causes *c, struct span field,
    const struct node *value, const char *detail);
void cause_add(struct causes *c, const char *reason, struct span field,
    struct span message);

/* As Go's %q writes it. */
struct span gotext_quote(struct arena *a, struct span text);

/* Paths of fields, in the arena: "spec" + "replicas", "ports" + [0],
 * "labels" + [key]. An empty base gives the name alone. */
struct span cause_path_field(
    struct arena *a, struct span base, struct span name);
struct span cause_path_index(struct arena *a, struct span base, size_t i);
struct span cause_path_key(struct arena *a, struct span base, struct span key);

/*
 * An answer that is not a success. Made by the functions below, in the arena of
 * the request; NULL everywhere means "no problem".
 */
struct problem {
	int code;	    /* of HTTP */
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
/* The same for a kind that is not a resource: CreateOptions of meta.k8s.io. */
struct problem *problem_invalid_kind(struct arena *a, struct span group,
    struct span kind, struct span name, const struct causes *c);
/* "RESOURCE \"NAME\" is forbidden: DETAIL" */
struct problem *problem_forbidden(struct arena *a, const struct resource *r,
    struct span name, const char *detail);
/* NewGenericServerResponse: the usual words for the code, empty details. */
struct problem *problem_generic(
    struct arena *a, int code, const char *reason, const char *message);
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

#endif
