/* Part of merge/patch.h: JSON Patch, RFC 6902. */
#include "merge/patch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

enum {
	OPERATIONS_MAX = 10000,
	COPY_MAX = 3 * 1024 * 1024, /* bytes that all "copy" may add */
	DEPTH_MAX = 1000	    /* as of the parser: see TREE_LIMITS */
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
	struct span copy;

	if (span_find(step, '~') == NULL)
		return step;
	for (size_t i = 0; i < step.n; i++) {
		bool pair = step.p[i] == '~' && i + 1 < step.n &&
		    (step.p[i + 1] == '0' || step.p[i + 1] == '1');

		buf_addc(
		    &b, !pair ? step.p[i] : (step.p[i + 1] == '0' ? '~' : '/'));
		i += pair;
	}
	copy = arena_span(a, buf_span(&b));
	buf_release(&b);
	return copy;
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
