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
#include "tree/tree.h"
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
/* Adds WHAT "PATH", unless w has it already, or has a hundred warnings. */
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
 * Adds the warnings of a strict decoder for a text (valid JSON) in which some
 * key is given twice, in its order: duplicate fields, and unknown ones. s NULL:
 * a type of a CRD, for which only duplicates are reported.
 */
void decode_strict(struct arena *a, const struct schema *s, struct span json,
    struct warnings *found);
/*
 * Like decode_builtin, for the outcome of a strategic merge patch: the server
 * has an object there, not text, and reads it with a converter whose errors
 * differ from those of Go's JSON decoder (apimachinery/pkg/runtime/
 * converter.go).
 */
struct problem *decode_converted(struct arena *a, const struct schema *s,
    struct node *object, struct warnings *unknown);
#endif
