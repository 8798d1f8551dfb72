/* Part of merge/patch.h: patches are read; JSON patch and merge patch. */
#include "merge/patch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "text/gotext.h"

/* ---- JSON Merge Patch, RFC 7386 ---- */

/* The patch's value without members that are null. In an array, nulls stay,
 * and what its elements hold loses them. */
static struct node *
without_nulls(struct arena *a, struct node *value)
{
	struct node *n;

	if (value->kind == NODE_OBJECT) {
		n = tree_object(a);
		for (uint32_t i = 0; i < value->n; i++)
			if (value->members[i].value->kind != NODE_NULL)
				tree_set(a, n, value->members[i].key,
				    without_nulls(a, value->members[i].value));
		return n;
	}
	if (value->kind != NODE_ARRAY)
		return value;
	n = tree_array(a);
	for (uint32_t i = 0; i < value->n; i++)
		tree_append(a, n, without_nulls(a, value->items[i]));
	return n;
}

static struct node *
merge_objects(
    struct arena *a, const struct node *target, const struct node *patch)
{
	struct node *n = tree_object(a);
	bool removed = false;

	for (uint32_t i = 0; i < target->n; i++)
		tree_set(
		    a, n, target->members[i].key, target->members[i].value);
	for (uint32_t i = 0; i < patch->n; i++) {
		struct span key = patch->members[i].key;
		struct node *value = patch->members[i].value;
		struct node *old = tree_get_span(n, key);

		if (value->kind == NODE_NULL) {
			if (old == NULL)
				continue;
			tree_set(a, n, key, NULL);
			removed = true;
		} else if (old == NULL || old->kind != NODE_OBJECT) {
			tree_set(a, n, key, without_nulls(a, value));
		} else if (value->kind != NODE_OBJECT) {
			tree_set(a, n, key, value);
		} else {
			tree_set(a, n, key, merge_objects(a, old, value));
		}
	}
	if (removed)
		tree_sweep(n);
	return n;
}

struct problem *
patch_merge(struct arena *a, const struct node *target,
    const struct node *patch, struct node **result)
{
	if (patch->kind == NODE_OBJECT && target->kind == NODE_OBJECT)
		*result = merge_objects(a, tree_copy(a, target), patch);
	else if (patch->kind == NODE_OBJECT || patch->kind == NODE_ARRAY)
		*result = without_nulls(a, tree_copy(a, patch));
	else
		return problem_bad_request(a, "Invalid JSON Patch");
	return NULL;
}

/* ---- JSON Patch, RFC 6902 ---- */

enum {
	OPERATIONS_MAX = 10000,
	COPY_MAX = 3 * 1024 * 1024, /* bytes that all "copy" may add */
	DEPTH_MAX = 1000	    /* like the parser: see TREE_LIMITS */
};

struct patching {
	struct arena *arena;
	struct node *root;
	size_t copied; /* bytes */
};

/* Where a path leads: the container of the last step, and that step. */
struct place {
	struct node *in; /* NULL: there is no such container */
	struct span key;
	unsigned depth;
};

/* "~1" is "/", "~0" is "~". */
static struct span
unescape(struct arena *a, struct span step)
{
	struct buf b = BUF_INIT;

	if (span_find(step, '~') == NULL)
		return step;
	for (size_t i = 0; i < step.n; i++) {
		bool pair = step.p[i] == '~' && i + 1 < step.n &&
		    (step.p[i + 1] == '0' || step.p[i + 1] == '1');

		buf_addc(
		    &b, !pair ? step.p[i] : (step.p[i + 1] == '0' ? '~' : '/'));
		i += pair;
	}
	return tree_keep(a, &b);
}

/* An index as strconv.Atoi reads it; a negative one counts from the end. */
static bool
read_index(struct span key, size_t n, size_t *index)
{
	char digits[24], *end;
	long long i;

	if (key.n == 0 || key.n >= sizeof(digits) ||
	    memchr("+-0123456789", key.p[0], 12) == NULL)
		return false;
	memcpy(digits, key.p, key.n);
	digits[key.n] = '\0';
	errno = 0;
	i = strtoll(digits, &end, 10);
	if (errno != 0 || end != digits + key.n)
		return false;
	if (i < 0)
		i += (long long)n;
	if (i < 0 || (unsigned long long)i >= n)
		return false;
	*index = (size_t)i;
	return true;
}

/* false: no such place. *value is NULL for a member that is absent or null. */
static bool
get(const struct node *in, struct span key, struct node **value)
{
	size_t i;

	if (in->kind == NODE_OBJECT) {
		*value = tree_get_span(in, key);
	} else {
		if (!read_index(key, in->n, &i))
			return false;
		*value = in->items[i];
	}
	if (*value != NULL && (*value)->kind == NODE_NULL)
		*value = NULL;
	return true;
}

static struct place
find(struct patching *p, struct span path)
{
	struct place at = {.in = p->root};
	const char *s = path.p, *end = path.p + path.n;
	const char *slash = path.n == 0 ? NULL : memchr(s, '/', path.n);

	if (slash == NULL)
		return (struct place){NULL, SPAN_NONE, 0};
	for (s = slash + 1;; s = slash + 1) {
		struct node *next;

		at.depth++;
		slash = s < end ? memchr(s, '/', (size_t)(end - s)) : NULL;
		if (slash == NULL)
			break;
		if (!get(at.in,
			unescape(p->arena, span_make(s, (size_t)(slash - s))),
			&next) ||
		    next == NULL ||
		    (next->kind != NODE_OBJECT && next->kind != NODE_ARRAY))
			return (struct place){NULL, SPAN_NONE, 0};
		at.in = next;
	}
	at.key = unescape(p->arena, span_make(s, (size_t)(end - s)));
	return at;
}

static bool
deeper(const struct node *n, unsigned levels)
{
	if (tree_count(n) == 0)
		return false;
	if (levels == 0)
		return true;
	for (uint32_t i = 0; i < n->n; i++)
		if (deeper(n->kind == NODE_ARRAY ? n->items[i]
						 : n->members[i].value,
			levels - 1))
			return true;
	return false;
}

static int
add(struct patching *p, struct place at, struct node *value)
{
	size_t i;

	if (at.in == NULL || at.depth > DEPTH_MAX ||
	    deeper(value, DEPTH_MAX - at.depth))
		return -1;
	if (at.in->kind == NODE_OBJECT)
		tree_set(p->arena, at.in, at.key, value);
	else if (span_is(at.key, "-"))
		tree_append(p->arena, at.in, value);
	else if (read_index(at.key, (size_t)at.in->n + 1, &i))
		tree_insert(p->arena, at.in, i, value);
	else
		return -1;
	return 0;
}

static int
cut(struct place at)
{
	size_t i;

	if (at.in == NULL)
		return -1;
	if (at.in->kind == NODE_OBJECT)
		return tree_remove_span(at.in, at.key) ? 0 : -1;
	if (!read_index(at.key, at.in->n, &i))
		return -1;
	tree_remove_at(at.in, i);
	return 0;
}

/* The operation's value, its own copy; absent is null. */
static struct node *
value_of(struct patching *p, const struct node *op)
{
	const struct node *value = tree_get(op, "value");

	return value == NULL ? tree_null(p->arena) : tree_copy(p->arena, value);
}

/* Numbers are equal by their digits: 1 is not 1.0. */
static bool
same(const struct node *x, const struct node *y)
{
	if (x->kind != y->kind)
		return false;
	switch (x->kind) {
	case NODE_NUMBER:
	case NODE_STRING:
		return span_eq(x->text, y->text);
	case NODE_ARRAY:
		if (x->n != y->n)
			return false;
		for (uint32_t i = 0; i < x->n; i++)
			if (!same(x->items[i], y->items[i]))
				return false;
		return true;
	case NODE_OBJECT:
		if (x->n != y->n)
			return false;
		for (uint32_t i = 0; i < x->n; i++) {
			const struct node *other =
			    tree_get_span(y, x->members[i].key);

			if (other == NULL || !same(x->members[i].value, other))
				return false;
		}
		return true;
	default:
		return true;
	}
}

static int
test(struct patching *p, const struct node *op, struct span path)
{
	const struct node *want = tree_get(op, "value");
	struct node *value;
	struct place at;

	if (path.n == 0)
		return want != NULL && same(p->root, want) ? 0 : -1;
	at = find(p, path);
	if (at.in == NULL || !get(at.in, at.key, &value))
		return -1;
	if (value == NULL)
		return want == NULL || want->kind == NODE_NULL ? 0 : -1;
	return want != NULL && same(value, want) ? 0 : -1;
}

static int
move(struct patching *p, const struct node *op, struct span path)
{
	struct node *value;
	struct place at = find(p, tree_text(tree_get(op, "from")));

	if (at.in == NULL || !get(at.in, at.key, &value) || cut(at) != 0)
		return -1;
	at = find(p, path);
	return add(p, at, value == NULL ? tree_null(p->arena) : value);
}

static int
copy(struct patching *p, const struct node *op, struct span path)
{
	struct node *value;
	struct place at = find(p, tree_text(tree_get(op, "from")));
	struct buf b = BUF_INIT;

	if (at.in == NULL || !get(at.in, at.key, &value))
		return -1;
	at = find(p, path);
	if (at.in == NULL || value == NULL)
		return add(p, at, tree_null(p->arena));
	tree_write(&b, value);
	p->copied += b.len;
	buf_release(&b);
	if (p->copied > COPY_MAX)
		return -1;
	return add(p, at, tree_copy(p->arena, value));
}

static int
apply(struct patching *p, const struct node *op)
{
	const struct node *kind = tree_get(op, "op");
	const struct node *path = tree_get(op, "path");
	struct span where = tree_text(path);

	if (!tree_is(path, NODE_STRING))
		return -1;
	if (tree_text_is(kind, "add"))
		return add(p, find(p, where), value_of(p, op));
	if (tree_text_is(kind, "remove"))
		return cut(find(p, where));
	if (tree_text_is(kind, "replace")) {
		struct node *value = value_of(p, op), *old;
		struct place at;
		size_t i;

		if (where.n == 0) {
			if (value->kind != NODE_OBJECT &&
			    value->kind != NODE_ARRAY)
				return -1;
			p->root = value;
			return 0;
		}
		at = find(p, where);
		if (at.in == NULL || !get(at.in, at.key, &old))
			return -1;
		if (at.in->kind == NODE_OBJECT)
			return add(p, at, value);
		if (deeper(value, DEPTH_MAX - at.depth) ||
		    !read_index(at.key, at.in->n, &i))
			return -1;
		at.in->items[i] = value;
		return 0;
	}
	if (tree_text_is(kind, "move"))
		return move(p, op, where);
	if (tree_text_is(kind, "test"))
		return test(p, op, where);
	if (tree_text_is(kind, "copy"))
		return copy(p, op, where);
	return -1;
}

struct problem *
patch_json(struct arena *a, const struct node *target, const struct node *patch,
    struct node **result)
{
	struct patching p = {.arena = a};

	if (tree_count(patch) > OPERATIONS_MAX)
		return problem_make(a, 413, "RequestEntityTooLarge",
		    "Request entity too large: The allowed maximum operations "
		    "in a JSON patch is %d, got %zu",
		    OPERATIONS_MAX, tree_count(patch));
	p.root = tree_copy(a, target);
	for (size_t i = 0; i < tree_count(patch); i++)
		if (apply(&p, patch->items[i]) != 0)
			return patch_cannot_apply(a);
	*result = p.root;
	return NULL;
}

/* ---- from the body of a request to a patch ---- */

static const struct tree_limits limits = {1000, true};

static struct problem *
bad(struct arena *a, const char *prefix, struct span detail)
{
	return problem_bad_request(a, "%s%.*s", prefix, SPAN_ARG(detail));
}

/* Checks one operation as a jsonPatchOp; strict gets its unknown fields. */
static struct problem *
check_operation(
    struct arena *a, const struct node *op, size_t i, struct warnings *strict)
{
	static const char *const strings[] = {"op", "path", "from"};

	for (size_t k = 0; k < 3; k++) {
		const struct node *value = tree_get(op, strings[k]);

		if (value == NULL || value->kind == NODE_STRING ||
		    value->kind == NODE_NULL)
			continue;
		return problem_bad_request(a,
		    "error decoding patch: json: cannot unmarshal %s into Go "
		    "struct field jsonPatchOp.%s of type string",
		    gotext_kind(value), strings[k]);
	}
	for (uint32_t m = 0; m < op->n; m++) {
		struct span key = op->members[m].key;

		if (!span_is(key, "op") && !span_is(key, "path") &&
		    !span_is(key, "from") && !span_is(key, "value"))
			decode_warning_add(strict,
			    arena_printf(a,
				"json patch unknown field \"[%zu].%.*s\"", i,
				SPAN_ARG(key)));
	}
	return NULL;
}

static struct problem *
check_json(struct arena *a, const struct node *patch,
    enum field_validation validation, struct warnings *strict)
{
	bool ignore = validation == VALIDATE_IGNORE;
	const char *prefix = ignore ? "" : "error decoding patch: ";

	if (patch->kind == NODE_NULL)
		return NULL;
	if (patch->kind != NODE_ARRAY)
		return bad(a, prefix,
		    gotext_type_error(a, patch,
			ignore ? "jsonpatch.Patch" : "[]handlers.jsonPatchOp"));
	for (uint32_t i = 0; i < patch->n; i++) {
		const struct node *op = patch->items[i];
		struct problem *p;

		if (op->kind == NODE_NULL)
			continue;
		if (op->kind != NODE_OBJECT)
			return bad(a, prefix,
			    gotext_type_error(a, op,
				ignore ? "jsonpatch.Operation"
				       : "handlers.jsonPatchOp"));
		p = ignore ? NULL : check_operation(a, op, i, strict);
		if (p != NULL)
			return p;
	}
	return NULL;
}

static struct problem *
check_map(struct arena *a, enum patch_type type, const struct node *patch,
    enum field_validation validation)
{
	bool merge = type == PATCH_MERGE;

	if (patch->kind == NODE_OBJECT)
		return NULL;
	if (patch->kind == NODE_NULL)
		return merge ? bad(a, "Invalid JSON Patch", SPAN_NONE) : NULL;
	if (merge && validation == VALIDATE_IGNORE)
		return patch->kind == NODE_ARRAY
		    ? NULL
		    : bad(a, "Invalid JSON Patch", SPAN_NONE);
	return bad(a, merge ? "error decoding patch: " : "",
	    gotext_type_error(a, patch, "map[string]interface {}"));
}

struct problem *
patch_parse(struct arena *a, enum patch_type type, struct span body,
    enum field_validation validation, struct warnings *strict,
    struct node **patch)
{
	struct err err = ERR_INIT;
	struct span duplicate = SPAN_NONE;
	struct node *n = tree_parse(a, body, limits, &duplicate, &err);

	*patch = n;
	if (n == NULL) {
		struct span words = gotext_json_error(a, body);

		/* The JSON is good but nested deeper than kapi reads; Go would
		 * read it. */
		if (words.p == NULL)
			words = arena_span(a, span_str(err.message));
		if (validation == VALIDATE_IGNORE && type == PATCH_MERGE)
			return bad(a, "Invalid JSON Patch", SPAN_NONE);
		if (validation == VALIDATE_IGNORE || type == PATCH_STRATEGIC)
			return bad(a, "", words);
		return bad(a, "error decoding patch: ", words);
	}
	if (duplicate.p != NULL && validation != VALIDATE_IGNORE)
		decode_warning_add(strict,
		    arena_printf(a, "%sduplicate field \"%.*s\"",
			type == PATCH_JSON ? "json patch " : "",
			SPAN_ARG(duplicate)));
	return type == PATCH_JSON ? check_json(a, n, validation, strict)
				  : check_map(a, type, n, validation);
}

struct problem *
patch_cannot_apply(struct arena *a)
{
	struct problem *p = problem_make(a, 422, "Invalid",
	    "the server rejected our request due to an error in our request");

	p->has_details = true;
	return p;
}
