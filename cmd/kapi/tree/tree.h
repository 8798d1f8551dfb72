/*
 * tree: a JSON document that is changed: parsed, edited, compared, written.
 *
 * The pass-through tools cut text and need no trees (json.h); an API server
 * merges, defaults, validates. All nodes live in an arena, and strings may
 * point into the text that was parsed: keep that text as long as the tree.
 * Numbers keep their digits. Members keep their order; a lookup compares
 * lengths first and walks: objects of the API have few members; large ones
 * carry an index.
 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

enum node_kind {
	NODE_NULL,
	NODE_FALSE,
	NODE_TRUE,
	NODE_NUMBER, /* text: its digits */
	NODE_STRING, /* text: decoded, may hold any byte but is valid UTF-8 */
	NODE_ARRAY,
	NODE_OBJECT
};

struct node;
struct node_index;
struct member {
	struct span key; /* decoded */
	struct node *value;
};

struct node {
	enum node_kind kind;
	bool plain;   /* a string that needs no escape when written */
	uint32_t n;   /* number of items or members */
	uint32_t max; /* allocated */
	union {
		struct span text;
		struct node **items;
		struct {
			struct member *members;
			/* Index of many members; kept by this module. */
			struct node_index *index;
		};
	};
};

struct tree_limits {
	unsigned depth;	 /* nested deeper: refused */
	bool duplicates; /* false: a key given twice is refused, as by a strict
			  * decoder; true: the last one wins */
};
/* Every walk over a tree recurses: this depth fits any stack. */
#define TREE_LIMITS ((struct tree_limits){1000, true})

/*
 * Exactly one JSON value, white space around it allowed; the whole grammar is
 * checked, bytes that are not UTF-8 become U+FFFD (as Go's decoder does it).
 * NULL with err: "at byte N: ...". Duplicate keys are reported through
 * *duplicate (may be NULL): the dotted path of the first one, in the arena.
 */
struct node *tree_parse(struct arena *a, struct span text,
    struct tree_limits limits, struct span *duplicate, struct err *err);
/* Parses YAML, which may be JSON, as the API takes it: 1.1 (yes is true, 010 is 8), anchors
 * and aliases, of several documents the first; members come sorted by key. Of a
 * key given twice the last counts, and *twice (may be NULL) has a line for it:
 * "  line N: key "x" already set in map", in the arena; none if there is no
 * such key. NULL with err "yaml: line N: ...". */
struct node *tree_parse_yaml(
    struct arena *a, struct span text, struct span *twice, struct err *err);

/* Compact JSON, members in their order. */
void tree_write(struct buf *b, const struct node *n);
/* Compact JSON with members sorted by key: for digests and comparisons. */
void tree_write_sorted(struct buf *b, const struct node *n);

/* The content of b, in the arena; b is released. */
struct span tree_keep(struct arena *a, struct buf *b);

/* Making. Spans are borrowed: they must live as long as the arena. */
struct node *tree_null(struct arena *a);
struct node *tree_bool(struct arena *a, bool value);
struct node *tree_int(struct arena *a, int64_t value);
struct node *tree_number(struct arena *a, struct span digits);
struct node *tree_string(struct arena *a, struct span text);
struct node *tree_str(struct arena *a, const char *text);
struct node *tree_array(struct arena *a);
struct node *tree_strings(struct arena *a, const struct span *texts, size_t n);
struct node *tree_object(struct arena *a);
/* Deep; text is not copied. */
struct node *tree_copy(struct arena *a, const struct node *n);
/* Deep, text included: nothing points out of the arena. */
struct node *tree_clone(struct arena *a, const struct node *n);

/* Reading. All take NULL for n and then answer as for an absent value. */
bool tree_is(const struct node *n, enum node_kind kind);
struct span tree_text(const struct node *n); /* not a string: none */
bool tree_text_is(const struct node *n, const char *text);
bool tree_true(const struct node *n);
bool tree_get_int(const struct node *n, int64_t *value); /* also of 3.0 */
double tree_double(const struct node *n);
size_t tree_count(const struct node *n); /* items or members; else 0 */
/* For loops: 0 unless it is an array, or an object. */
uint32_t tree_items(const struct node *n);
uint32_t tree_members(const struct node *n);
bool tree_empty(const struct node *n); /* absent, null, "", [] or {} */

/* Members. A value that is absent is NULL; a null that is present is not. */
struct node *tree_get(const struct node *n, const char *key);
struct node *tree_get_span(const struct node *n, struct span key);
/* The first object in an array whose member key is this text, or NULL. */
struct node *tree_find(
    const struct node *array, const char *key, const char *text);
/* The texts of an array, in the arena; other items are left out. */
struct span *tree_texts(struct arena *a, const struct node *array, size_t *n);
/* The text is an item of an array. */
bool tree_has_text(const struct node *array, struct span text);
/* Along "metadata.labels"; keys with dots need tree_get. */
struct node *tree_path(const struct node *n, const char *dotted);
struct span tree_path_text(const struct node *n, const char *dotted);
int64_t tree_path_int(const struct node *n, const char *dotted); /* or 0 */

/* Changing. set replaces in place or appends; the key is borrowed. */
void tree_set(
    struct arena *a, struct node *object, struct span key, struct node *value);
void tree_put(
    struct arena *a, struct node *object, const char *key, struct node *value);
/* In front of all members: apiVersion, kind. Replaces wherever it is. */
void tree_put_first(
    struct arena *a, struct node *object, const char *key, struct node *value);
/* The object at key, made if it is absent or null. */
struct node *tree_make(struct arena *a, struct node *object, const char *key);
/* The array at key, made if there is none. */
struct node *tree_make_array(
    struct arena *a, struct node *object, const char *key);
/* Members in the order of their keys' bytes. */
void tree_sort(struct arena *a, struct node *object);
/* Removing many: set their values to NULL, then sweep once. */
void tree_sweep(struct node *object);
bool tree_remove(struct node *object, const char *key);
bool tree_remove_span(struct node *object, struct span key);
void tree_append(struct arena *a, struct node *array, struct node *item);
void tree_insert(
    struct arena *a, struct node *array, size_t at, struct node *item);
void tree_remove_at(struct node *array, size_t at);

/* Deep; members in any order; numbers by value (1 == 1.0). NULL == NULL. */
bool tree_equal(const struct node *x, const struct node *y);
/* Two objects are equal but for these members; other may be NULL. */
bool tree_equal_but(const struct node *x, const struct node *y,
    const char *member, const char *other);

#endif
