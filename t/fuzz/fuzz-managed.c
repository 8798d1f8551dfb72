/*
 * fuzz-managed: objects, patches and FieldsV1 that are almost right, through
 * managed_update and managed_apply.
 *
 *	fuzz-managed STEPS [SECONDS [SEED]]
 *
 * STEPS is t/unit/kapi/managed/steps.jsonl: the trees of real exchanges, whose
 * parts are mixed, dropped and doubled. Nothing reads outside its memory or
 * leaks (run it with ASan). What is there before is never changed; what comes
 * out can be read again and is written as it was read; a forced apply has no
 * conflict, and the same apply again and again changes nothing.
 */
// needs cmd/kapi/builtin/*.c
// needs cmd/kapi/crd/*.c
// needs cmd/kapi/kinds/*.c
// needs cmd/kapi/reply/c*.c
// needs cmd/kapi/store/*.c
// needs cmd/kapi/text/*.c
// needs cmd/kapi/tree/*.c
// needs cmd/kapi/type/*.c
// needs cmd/kapi/write/convert*.c
// needs cmd/kapi/write/incoming.c
// needs cmd/kapi/merge/fieldset*.c
// needs cmd/kapi/merge/managed*.c
// needs cmd/kapi/merge/shape*.c
// needs t/fuzz/fuzz.c
// needs t/fuzz/fuzztrees.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "crd/structural.h"
#include "kinds/kinds.h"
#include "merge/fieldset.h"
#include "merge/managed.h"
#include "merge/shape.h"
#include "fuzz.h"
#include "fuzztrees.h"
#include "tree/tree.h"

static struct registry *registry;
static struct arena all; /* what was recorded */
static struct node *steps;
static const struct node *crd;

static struct node *
anything(struct arena *a)
{
	static const char *const texts[] = {"null", "1", "1.0", "-5", "1e6",
	    "true", "false", "\"x\"", "\"\"", "\"TCP\"", "{}", "[]", "[null]",
	    "[[]]", "{\"name\":\"a\"}", "[{\"name\":\"a\"}]", "{\"\":{}}",
	    "{\"f:spec\":{}}", "{\".\":{}}", "{\"k:{}\":{}}",
	    "{\"v:1\":{\".\":{}}}", "{\"i:0\":{}}", "{\"f:\":{\"f:\":{}}}"};
	struct node *step = steps->items[fuzz_below(steps->n)];
	static const char *const parts[] = {"live", "sent", "answer"};
	struct node *part = tree_get(step, parts[fuzz_below(3)]);

	if (part == NULL || fuzz_below(2) == 0)
		return tree_parse(a, span_str(texts[fuzz_below(COUNT(texts))]),
		    TREE_LIMITS, NULL, NULL);
	return tree_copy(a, fuzz_somewhere(part, 5));
}

static void
mutate(struct arena *a, struct node *root)
{
	struct node *n = fuzz_somewhere(root, 5), *other = anything(a);

	if (n == NULL || other == NULL || n == root)
		return;
	switch (fuzz_below(5)) {
	case 0:
		*n = *other;
		break;
	case 1:
		if (n->kind == NODE_ARRAY && n->n > 0)
			tree_append(
			    a, n, tree_copy(a, n->items[fuzz_below(n->n)]));
		break;
	case 2:
		if (n->kind == NODE_ARRAY && n->n > 0)
			tree_remove_at(n, fuzz_below(n->n));
		else if (n->kind == NODE_OBJECT && n->n > 0)
			tree_remove_span(n, n->members[fuzz_below(n->n)].key);
		break;
	case 3:
		if (n->kind == NODE_ARRAY)
			tree_append(a, n, other);
		break;
	default:
		if (n->kind == NODE_OBJECT && other->kind == NODE_OBJECT &&
		    other->n > 0)
			tree_set(a, n, other->members[0].key,
			    other->members[0].value);
	}
}

static void
set_kind(struct managed_write *w, const struct node *step)
{
	const struct node *definition = tree_get(step, "crd");
	struct span version = w->api_version, group = span_str("");
	const char *slash = memchr(version.p, '/', version.n);
	const struct resource *r;

	if (tree_is(definition, NODE_OBJECT)) {
		w->schema = structural_schema(w->arena, definition, false);
		w->resets = kinds_custom.resets;
		return;
	}
	if (slash != NULL) {
		group = span_make(version.p, (size_t)(slash - version.p));
		version = span_make(slash + 1, version.n - group.n - 1);
	}
	w->schema = schema_builtin_kind(group, version, w->kind);
	r = resource_find_kind(registry, group, version, w->kind);
	w->resets = r == NULL ? NULL : r->strategy->resets;
	w->has_status = r != NULL && r->has_status;
}

/* The old object is not changed. */
static bool
was_there(const struct node *live, const struct node *set)
{
	const struct node *fields = tree_path(live, "metadata.managedFields");

	for (size_t i = 0; i < tree_count(fields); i++)
		if (fields->kind == NODE_ARRAY &&
		    tree_equal(tree_get(fields->items[i], "fieldsV1"), set))
			return true;
	return false;
}

/* managedFields, if any, are in the form that the server writes. */
static void
check_fields(
    struct arena *a, const struct node *live, const struct node *object)
{
	const struct node *fields = tree_path(object, "metadata.managedFields");
	struct err err;

	for (size_t i = 0; i < tree_count(fields); i++) {
		const struct node *one = NULL;
		struct fieldset *set;

		if (fields->kind == NODE_ARRAY)
			one = tree_get(fields->items[i], "fieldsV1");
		if (was_there(live, one))
			continue;
		fuzz_expect(fieldset_parse(a, one, &set, &err) == 0,
		    "what is written can be read");
		fuzz_expect(tree_equal(one, fieldset_node(a, set)),
		    "it is written as it was read");
	}
}

static void
try_apply(
    struct managed_write *w, const struct node *live, const struct node *sent)
{
	struct node *result, *again;
	struct problem *p = managed_apply(w, live, sent, &result);

	if (p != NULL) {
		fuzz_expect(p->message.n > 0, "a problem says what it is");
		fuzz_expect(p->code == 400 || p->code == 409 || p->code == 500,
		    "one of its codes");
		fuzz_expect(
		    !w->force || p->code != 409, "force has no conflict");
		return;
	}
	check_fields(w->arena, live, result);
	if (shape_check(
		w->arena, shape_of(w->schema), result, DUPLICATES_REFUSED)
		.n > 0)
		return;
	/* The first time takes an empty list away with the items that it had
	 * before, the second leaves it empty. */
	p = managed_apply(w, result, sent, &again);
	/* A struct that lost its last field is null, also for a manager that
	 * owns it as a whole, so that without force it cannot come back. */
	if (p != NULL && p->code == 409 && !w->force)
		return;
	fuzz_expect(p == NULL, "the same can be applied again");
	p = managed_apply(w, again, sent, &result);
	fuzz_expect(p == NULL && managed_settle(again, result),
	    "and again changes nothing");
}

static void
try_step(struct arena *a)
{
	struct node *step = steps->items[fuzz_below(steps->n)];
	struct node *sent = tree_get(step, "sent");
	struct node *live = tree_get(step, "live");
	struct managed_write w = {.arena = a,
	    .manager = tree_text(tree_get(step, "manager")),
	    .subresource = tree_text(tree_get(step, "subresource")),
	    .api_version = tree_text(tree_get(step, "apiVersion")),
	    .kind = tree_text(tree_get(step, "kind")),
	    .now = span_str("2026-01-01T00:00:00Z"),
	    .force = fuzz_below(2) == 0,
	    .has_status = tree_true(tree_get(step, "hasStatus"))};
	struct node *before;

	set_kind(&w, step);
	if (w.schema == NULL || live == NULL || sent == NULL)
		return;
	sent = tree_copy(a, sent);
	live = tree_copy(a, live);
	for (unsigned n = fuzz_below(4); n > 0; n--)
		mutate(a, sent);
	for (unsigned n = fuzz_below(3); n > 0; n--)
		mutate(a, live);
	if (!tree_is(live, NODE_OBJECT) || fuzz_below(8) == 0)
		live = NULL;
	fuzz_trees[0] = before = live == NULL ? NULL : tree_copy(a, live);
	fuzz_trees[1] = tree_copy(a, sent);
	if (fuzz_below(3) > 0) {
		tree_remove(tree_get(sent, "metadata"), "managedFields");
		try_apply(&w, live, sent);
	} else {
		managed_update(&w, live, sent);
		check_fields(a, live, sent);
		managed_settle(sent, sent);
	}
	fuzz_expect(tree_equal(before, live), "what is there stays as it is");
}

/* Steps go on from the answer to the one before. */
static void
take(struct span line)
{
	static struct node *live;
	struct node *step =
	    tree_parse(&all, arena_span(&all, line), TREE_LIMITS, NULL, NULL);
	int64_t code = 0;

	if (step == NULL)
		exit(100);
	if (tree_get(step, "live") == NULL && live != NULL)
		tree_put(&all, step, "live", live);
	tree_get_int(tree_get(step, "code"), &code);
	if (code < 300)
		live = tree_get(step, "answer");
	if (tree_get(step, "crd") != NULL)
		crd = tree_get(step, "crd");
	else
		tree_put(&all, step, "crd", (struct node *)crd);
	tree_append(&all, steps, step);
}

int
main(int argc, char **argv)
{
	struct arena a = ARENA_INIT;

	if (argc < 2)
		return 100;
	fuzztrees_begin();
	fuzz_begin(argc, argv, 2);
	registry = resource_registry_new(kinds_find);
	steps = tree_array(&all);
	fuzz_lines(argv[1], take);
	while (fuzz_goes_on()) {
		try_step(&a);
		arena_reset(&a);
	}
	fuzz_end("steps");
	arena_release(&a);
	arena_release(&all);
	resource_registry_free(registry);
	return 0;
}
