/*
 * cause: what is wrong with single fields of an object, and their paths.
 * Source: apimachinery/pkg/util/validation/field.
 */
#ifndef CAUSE_H
#define CAUSE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"

struct cause {
	struct span reason;  /* FieldValueRequired, FieldValueInvalid, ... */
	struct span message; /* Required value, Invalid value: "x": ... */
	struct span detail;  /* the end of the message; empty: it has none */
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

/* Paths of fields, in the arena: "spec" + "replicas", "ports" + [0],
 * "labels" + [key]. An empty base gives the name alone. */
struct span cause_path_field(
    struct arena *a, struct span base, struct span name);
struct span cause_path_index(struct arena *a, struct span base, size_t i);
struct span cause_path_key(struct arena *a, struct span base, struct span key);

#endif
