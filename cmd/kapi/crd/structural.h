/*
 * structural: an openAPIV3Schema as struct schema, and what only validation
 * needs of it.
 */
#ifndef STRUCTURAL_H
#define STRUCTURAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"
#include "type/schema.h"

struct pattern; /* a compiled regular expression */

/* A schema object, as JSON schema validation sees it. Fields and elements
 * are here, too: below allOf, anyOf, oneOf and not there is no struct schema.
 */
struct schema_rules {
	enum schema_type {
		TYPE_NONE, /* any */
		TYPE_OBJECT,
		TYPE_ARRAY,
		TYPE_STRING,
		TYPE_INTEGER,
		TYPE_NUMBER,
		TYPE_BOOLEAN,
		TYPE_INT_OR_STRING
	} type;
	struct span format; /* only formats that the server checks */
	bool nullable;
	bool has_minimum, has_maximum, exclusive_minimum, exclusive_maximum;
	bool has_multiple_of, unique_items;
	double minimum, maximum, multiple_of;
	int64_t min_length, max_length; /* -1: none; all below, too */
	int64_t min_items, max_items;
	int64_t min_properties, max_properties;
	struct span pattern_text; /* none: no pattern */
	const struct pattern *pattern;
	const struct node *const *enums; /* NULL: none */
	size_t enum_count;
	const struct span *required;
	size_t required_count;
	const struct property *properties; /* sorted by name */
	size_t property_count;
	const struct schema_rules *additional; /* additionalProperties */
	bool additional_forbidden;	       /* additionalProperties: false */
	const struct schema_rules *items;
	const struct schema_rules *const *all_of, *const *any_of,
						      *const *one_of;
	size_t all_of_count, any_of_count, one_of_count;
	const struct schema_rules *not_;
	enum list_type list_type;
	const struct span *keys; /* x-kubernetes-list-map-keys */
	size_t key_count;
	bool embedded;
};

struct property {
	struct span name;
	const struct schema_rules *rules;
};

/*
 * The schema of a whole object; json (may be NULL: anything goes) is kept.
 * Never fails: what the definition's validation would refuse is ignored.
 * apiVersion, kind and metadata are known whether or not they are named.
 */
const struct schema *structural_schema(
    struct arena *a, const struct node *json, bool preserve_unknown);
/* Only the rules. */
const struct schema_rules *structural_rules(
    struct arena *a, const struct node *json);
/* NULL if there is no such property. */
const struct schema_rules *structural_property(
    const struct schema_rules *r, struct span name);

#endif
