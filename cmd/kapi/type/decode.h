/*
 * decode: from what a client sent to an object of its type: unknown and
 * duplicate fields, wrong types, pruning, defaults, validation. The same
 * functions serve built-in kinds and CRDs; rules that are code (the defaults
 * and the validation of built-in kinds) are in builtin.h.
 */
#ifndef DECODE_H
#define DECODE_H

#include <stdbool.h>

#include "base/arena.h"
#include "json/tree.h"
#include "type/problem.h"
#include "type/schema.h"

enum field_validation { VALIDATE_IGNORE, VALIDATE_WARN, VALIDATE_STRICT };

/* Unknown fields found: "unknown field \"spec.x\"". */
struct warnings {
	struct arena *arena;
	struct span *items;
	size_t n;
};
void decode_warning_add(struct warnings *w, struct span text);
/* WHAT "PATH", unless it was said before, or a hundred others were. */
void decode_warning_add_field(
    struct warnings *w, const char *what, struct span path);

/*
 * Built-in types, as Go's decoder does it: unknown fields are dropped (each
 * noted in unknown, in the order met), nulls are dropped, a value of a wrong
 * type is a 400 with Go's words, quantities and times are brought to their
 * canonical form, fields that are empty and omitempty go. Changes object.
 * Ends with encode_builtin. A problem's message is that of the decoder alone: a
 * handler puts "KIND in version \"v1\" cannot be handled as a KIND: " before
 * it.
 */
struct problem *decode_builtin(struct arena *a, const struct schema *s,
    struct node *object, struct warnings *unknown);
/*
 * All that a strict decoder says of a text (valid JSON) in which some key is
 * given twice, in its order: duplicate fields, and unknown ones. s NULL: a type
 * of a CRD, where only duplicates are told.
 */
void decode_strict(struct arena *a, const struct schema *s, struct span json,
    struct warnings *found);
/*
 * The same for the outcome of a strategic merge patch, which is not text: it
 * is not Go's JSON decoder that reads it, but a converter with other words
 * (apimachinery/pkg/runtime/converter.go).
 */
struct problem *decode_converted(struct arena *a, const struct schema *s,
    struct node *object, struct warnings *unknown);
/*
 * What Go's encoder would make of an object that was decoded before and
 * changed since: "", 0, false, [] and {} go where they are omitempty; what is
 * always written (status: {}, containers: null, name: "") appears; members are
 * in Go's order. Call it before an object is kept or answered.
 */
void encode_builtin(
    struct arena *a, const struct schema *s, struct node *object);

/* CRDs: removes what the schema does not know, noting each path. metadata is
 * decoded as ObjectMeta. */
void prune_object(struct arena *a, const struct schema *s, struct node *object,
    struct warnings *unknown);
/* Both: fills in what is absent and has a default in the schema; a null on a
 * field that is not nullable is dropped first. */
void default_fill(struct arena *a, const struct schema *s, struct node *object);
/* CRDs: structural validation, worded as the server does it. old (may be
 * NULL) for ratcheting. */
void check_valid(struct causes *c, const struct schema *s,
    const struct node *object, const struct node *old);

#endif
