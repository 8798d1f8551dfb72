/*
 * schema: the shape of one type, built-in or of a CustomResourceDefinition:
 * what decoding, pruning, defaulting, validation, strategic merge and
 * server-side apply need to know of it.
 *
 * Built-in types come from types.txt (t/schema writes it from a real API
 * server's OpenAPI; format: see its head), one struct per type, shared where
 * the type is used; they are parsed when first asked for. Those of a CRD come
 * from structural.c. A schema never changes after it was made.
 */
#ifndef SCHEMA_H
#define SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"

enum schema_kind {
	SCHEMA_ANY,    /* untyped: RawExtension, JSON, FieldsV1 */
	SCHEMA_OBJECT, /* fields */
	SCHEMA_MAP,    /* any key, element */
	SCHEMA_LIST,   /* element */
	SCHEMA_STRING,
	SCHEMA_INTEGER,
	SCHEMA_NUMBER,
	SCHEMA_BOOLEAN,
	SCHEMA_INT_OR_STRING,
	SCHEMA_QUANTITY /* string or number, written as a canonical string */
};

enum list_type { LIST_ATOMIC, LIST_SET, LIST_MAP };

struct schema;
struct schema_rules; /* structural.h: what only validation needs */

struct field {
	struct span name;
	const struct schema *schema;
	/* Properties of the field, not of its type. */
	bool required;
	const struct node *default_value; /* NULL: none */
	/* Lists: overrides that built-in fields carry. */
	enum list_type list_type;
	const struct span *keys; /* for LIST_MAP */
	size_t key_count;
	bool atomic;		/* a map or struct applied as one value */
	bool patch_merge;	/* strategic merge: list is merged ... */
	struct span patch_key;	/* ... by this key; none: as a set */
	bool patch_retain_keys; /* $retainKeys */
	/* Built-in: how Go writes a value that is not there: a pointer as null,
	 * unless omit_empty; a struct as {}; the rest as "", 0, false, null,
	 * unless omit_empty. */
	bool pointer, omit_empty, omit_zero;
	unsigned order;	     /* built-in: in which Go writes fields; from 1 */
	struct span go_type; /* built-in: as encoding/json names it */
	struct span inside;  /* built-in: the struct that Go embeds, or none */
	/* Built-in: its number in protobuf, 0: none. Within a message that
	 * stands for an embedded struct: that one's number * 1000 above it. */
	unsigned long number;
};

struct schema {
	enum schema_kind kind;
	struct span name;   /* io.k8s.api.core.v1.Container; none for a CRD's */
	struct span format; /* int32, int64, date-time, byte, ... or none */
	const struct field *fields; /* sorted by name */
	size_t field_count;
	const struct field *element; /* for MAP and LIST; has no name */
	bool preserve_unknown;	     /* unknown fields are kept */
	bool embedded; /* x-kubernetes-embedded-resource: apiVersion, kind and
			* metadata are implied */
	bool nullable;
	const struct schema_rules *rules; /* NULL: none */
};

/* NULL if there is no such field; binary search. */
const struct field *schema_field(const struct schema *s, struct span name);

/* The built-in type of that name, NULL if there is none. Parsed once, and kept
 * for the life of the process. */
const struct schema *schema_builtin(struct span name);
/* Like schema_builtin, by what apiVersion and kind say ("" is the core
 * group). */
const struct schema *schema_builtin_kind(
    struct span group, struct span version, struct span kind);
/* The lines of a type in types.txt: the flags of its first line (KIND first),
 * and the lines of its fields. False: no such type. */
bool schema_table(struct span name, struct span *head, struct span *fields);
/* Types whose text has a form of its own: metav1.Time, metav1.MicroTime. */
bool schema_is_time(const struct schema *s);
bool schema_is_micro_time(const struct schema *s);
/* JSONSchemaProps, for the types of CRDs that are one or several of them, or
 * something else (SCHEMA_ANY); else NULL. */
const struct schema *schema_inside(const struct schema *s);
/* metav1.ObjectMeta, which every object's metadata is. */
const struct schema *schema_object_meta(void);

#endif
