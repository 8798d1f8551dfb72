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
// needs cmd/kapi/type/*.c
// needs cmd/kapi/write/convert*.c
// needs cmd/kapi/write/incoming.c
// needs cmd/kapi/merge/fieldset*.c
// needs cmd/kapi/merge/managed*.c
// needs cmd/kapi/merge/shape*.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "crd/structural.h"
#include "kinds/kinds.h"
#include "merge/fieldset.h"
#include "merge/managed.h"
#include "merge/shape.h"
#include "json/tree.h"
#include "process/file.h"

static unsigned state;
static struct registry *registry;
static struct node *steps;
static const struct node *crd;

static unsigned
below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return n == 0 ? 0 : (state >> 8) % n;
}

static void
write_tree(const char *what, const struct node *n)
{
	struct buf b = BUF_INIT;

	if (n != NULL)
		tree_write(&b, n);
	fprintf(stderr, "%s: %s\n", what, n == NULL ? "none" : buf_str(&b));
	buf_release(&b);
}

static const struct node *live_now, *sent_now;

static void
expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz-managed: does not hold: %s\n", what);
	write_tree("live", live_now);
	write_tree("sent", sent_now);
	abort();
}

/* Any node of a tree; nodes of about the same depth are equally likely. */
static struct node *
somewhere(struct node *n)
{
	while (n != NULL && n->n > 0 && below(5) > 0 &&
	    (n->kind == NODE_ARRAY || n->kind == NODE_OBJECT))
		n = n->kind == NODE_ARRAY ? n->items[below(n->n)]
					  : n->members[below(n->n)].value;
	return n;
}

static struct node *
anything(struct arena *a)
{
	static const char *const texts[] = {"null", "1", "1.0", "-5", "1e6",
	    "true", "false", "\"x\"", "\"\"", "\"TCP\"", "{}", "[]", "[null]",
	    "[[]]", "{\"name\":\"a\"}", "[{\"name\":\"a\"}]", "{\"\":{}}",
	    "{\"f:spec\":{}}", "{\".\":{}}", "{\"k:{}\":{}}",
	    "{\"v:1\":{\".\":{}}}", "{\"i:0\":{}}", "{\"f:\":{\"f:\":{}}}"};
	struct node *step = steps->items[below(steps->n)];
	static const char *const parts[] = {"live", "sent", "answer"};
	struct node *part = tree_get(step, parts[below(3)]);

	if (part == NULL || below(2) == 0)
		return tree_parse(a, span_str(texts[below(COUNT(texts))]),
		    TREE_LIMITS, NULL, NULL);
	return tree_copy(a, somewhere(part));
}

static void
mutate(struct arena *a, struct node *root)
{
	struct node *n = somewhere(root), *other = anything(a);

	if (n == NULL || other == NULL || n == root)
		return;
	switch (below(5)) {
	case 0:
		*n = *other;
		break;
	case 1:
		if (n->kind == NODE_ARRAY && n->n > 0)
			tree_append(a, n, tree_copy(a, n->items[below(n->n)]));
		break;
	case 2:
		if (n->kind == NODE_ARRAY && n->n > 0)
			tree_remove_at(n, below(n->n));
		else if (n->kind == NODE_OBJECT && n->n > 0)
			tree_remove_span(n, n->members[below(n->n)].key);
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
	w->resets = r == NULL ? strategy_no_resets : r->strategy->resets;
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
		expect(fieldset_parse(a, one, &set, &err) == 0,
		    "what is written can be read");
		expect(tree_equal(one, fieldset_node(a, set)),
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
		expect(p->message.n > 0, "a problem says what it is");
		expect(p->code == 400 || p->code == 409 || p->code == 500,
		    "one of its codes");
		expect(!w->force || p->code != 409, "force has no conflict");
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
	expect(p == NULL, "the same can be applied again");
	p = managed_apply(w, again, sent, &result);
	expect(p == NULL && managed_settle(again, result),
	    "and again changes nothing");
}

static void
try_step(struct arena *a)
{
	struct node *step = steps->items[below(steps->n)];
	struct node *sent = tree_get(step, "sent");
	struct node *live = tree_get(step, "live");
	struct managed_write w = {.arena = a,
	    .manager = tree_text(tree_get(step, "manager")),
	    .subresource = tree_text(tree_get(step, "subresource")),
	    .api_version = tree_text(tree_get(step, "apiVersion")),
	    .kind = tree_text(tree_get(step, "kind")),
	    .now = span_str("2026-01-01T00:00:00Z"),
	    .force = below(2) == 0,
	    .has_status = tree_true(tree_get(step, "hasStatus"))};
	struct node *before;

	set_kind(&w, step);
	if (w.schema == NULL || live == NULL || sent == NULL)
		return;
	sent = tree_copy(a, sent);
	live = tree_copy(a, live);
	for (unsigned n = below(4); n > 0; n--)
		mutate(a, sent);
	for (unsigned n = below(3); n > 0; n--)
		mutate(a, live);
	if (!tree_is(live, NODE_OBJECT) || below(8) == 0)
		live = NULL;
	live_now = before = live == NULL ? NULL : tree_copy(a, live);
	sent_now = tree_copy(a, sent);
	if (below(3) > 0) {
		tree_remove(tree_get(sent, "metadata"), "managedFields");
		try_apply(&w, live, sent);
	} else {
		managed_update(&w, live, sent);
		check_fields(a, live, sent);
		managed_settle(sent, sent);
	}
	expect(tree_equal(before, live), "what is there stays as it is");
}

static void
load(struct arena *a, const char *file)
{
	static struct buf text;
	struct err err;
	struct span rest;
	struct node *live = NULL;
	int64_t code;

	if (file_read(file, 64, &text, &err) != 0) {
		fprintf(stderr, "fuzz-managed: %s\n", err.message);
		exit(100);
	}
	steps = tree_array(a);
	rest = buf_span(&text);
	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		size_t n = end == NULL ? rest.n - 1 : (size_t)(end - rest.p);
		struct node *step = tree_parse(
		    a, span_make(rest.p, n), TREE_LIMITS, NULL, &err);

		if (step == NULL)
			exit(100);
		if (tree_get(step, "live") == NULL && live != NULL)
			tree_put(a, step, "live", live);
		code = 0;
		tree_get_int(tree_get(step, "code"), &code);
		if (code < 300)
			live = tree_get(step, "answer");
		if (tree_get(step, "crd") != NULL)
			crd = tree_get(step, "crd");
		else
			tree_put(a, step, "crd", (struct node *)crd);
		tree_append(a, steps, step);
		rest = span_make(rest.p + n + 1, rest.n - n - 1);
	}
}

int
main(int argc, char **argv)
{
	time_t end;
	struct arena a = ARENA_INIT, all = ARENA_INIT;
	unsigned long runs = 0;

	if (argc < 2)
		return 100;
	end = time(NULL) + (argc > 2 ? strtol(argv[2], NULL, 10) : 5);
	state = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
	registry = resource_registry_new(kinds_find);
	load(&all, argv[1]);
	while (time(NULL) < end) {
		for (int i = 0; i < 100; i++) {
			try_step(&a);
			arena_reset(&a);
		}
		runs += 100;
	}
	printf("fuzz-managed: %lu\n", runs);
	arena_release(&a);
	arena_release(&all);
	resource_registry_free(registry);
	return 0;
}
