/*
 * fuzz-crd: definitions and objects that are almost right.
 *
 *	fuzz-crd WIDGETS DEFINITIONS OBJECTS [SECONDS [SEED]]
 *
 * The files are crd-widgets.json, crd-definitions.jsonl and crd-objects.jsonl
 * of t/kapi; parts of them are mixed, dropped and doubled.
 * Nothing reads outside its memory or leaks (run it with ASan). What was
 * pruned and defaulted once stays as it is the second time, and nothing is
 * unknown in it; an object that replaces itself breaks no rule of its schema.
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
// needs t/fuzz/fuzz.c
// needs t/fuzz/fuzztrees.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "crd/conditions.h"
#include "crd/crd.h"
#include "fuzz.h"
#include "fuzztrees.h"
#include "tree/tree.h"
#include "type/strategy.h"

static const struct strategy custom = {.names = NAME_SUBDOMAIN};
static struct arena keep;
static struct node *parts; /* all that was recorded */

static struct node *
anything(struct arena *a)
{
	static const char *const texts[] = {"null", "1", "1.0", "-5", "1e400",
	    "99999999999999999999", "0.5", "true", "false", "\"x\"", "\"\"",
	    "\"2020-01-01T00:00:00Z\"", "\"::1\"", "\"a@b\"", "{}", "[]",
	    "[null]", "[[]]", "[{}]", "{\"\":{}}", "\"object\"", "\"array\"",
	    "{\"type\":\"object\"}", "{\"type\":\"string\",\"default\":1}",
	    "{\"x-kubernetes-preserve-unknown-fields\":true}",
	    "{\"x-kubernetes-embedded-resource\":true,\"type\":\"object\"}",
	    "{\"x-kubernetes-int-or-string\":true}",
	    "{\"type\":\"string\",\"pattern\":\"(a+)+$\"}",
	    "{\"enum\":[null,1,\"a\"]}", "{\"not\":{}}",
	    "{\"anyOf\":[{\"required\":[\"a\"]},{\"minimum\":2}]}",
	    "{\"type\":\"array\",\"items\":{\"type\":\"object\"},"
	    "\"x-kubernetes-list-type\":\"map\","
	    "\"x-kubernetes-list-map-keys\":[\"a\"]}"};
	const char *text = texts[fuzz_below(COUNT(texts))];

	if (fuzz_below(2) == 0)
		return tree_parse(a, span_str(text), TREE_LIMITS, NULL, NULL);
	return tree_copy(
	    a, fuzz_somewhere(parts->items[fuzz_below(parts->n)], 6));
}

static void
change(struct arena *a, struct node *root)
{
	struct node *n = fuzz_somewhere(root, 6);

	if (n->kind == NODE_OBJECT && n->n > 0) {
		struct member *m = &n->members[fuzz_below(n->n)];

		if (fuzz_below(4) == 0)
			tree_remove_span(n, m->key);
		else
			m->value = anything(a);
	} else if (n->kind == NODE_ARRAY && n->n > 0) {
		if (fuzz_below(3) == 0)
			tree_append(
			    a, n, tree_copy(a, n->items[fuzz_below(n->n)]));
		else
			n->items[fuzz_below(n->n)] = anything(a);
	} else if (n != root) {
		*n = *anything(a);
	}
}

static struct node *
changed(struct arena *a, const struct node *from)
{
	struct node *n = tree_copy(a, from);

	for (unsigned i = fuzz_below(4); i > 0; i--)
		change(a, n);
	return n;
}

static void
try_object(struct arena *a, struct resource *r, bool valid, struct node *object)
{
	struct warnings w = {.arena = a}, again = {.arena = a};
	struct causes c = {.arena = a}, none = {.arena = a};
	struct node *once;
	struct problem *p;

	if (!tree_is(object, NODE_OBJECT))
		return;
	fuzz_trees[1] = tree_copy(a, object);
	if (crd_decode(a, r, object, &w) != NULL)
		return;
	once = tree_copy(a, object);
	p = crd_decode(a, r, object, &again);
	/* Defaults of a refused definition need not fit its schema. */
	fuzz_expect(p == NULL && (again.n == 0 || !valid),
	    "nothing is unknown any more");
	fuzz_expect(
	    tree_equal(once, object) || !valid, "decoded twice is as once");
	crd_prepare(a, r, span_str(""), NULL, object);
	crd_validate(&c, r, span_str(""), NULL, object);
	crd_validate(&none, r, span_str("status"), object, object);
	crd_warn(r, NULL, object, &w);
	crd_read(a, r, object);
	crd_refresh(a, crd_storage(r), object);
	crd_keep(a, crd_storage(r), object);
}

static void
try_definition(struct arena *a, struct node *d)
{
	struct causes c = {.arena = a};
	struct warnings w = {.arena = a};
	struct used_names used = {0};
	struct crd *crd;
	bool valid;

	fuzz_trees[0] = tree_copy(a, d);
	if (!tree_is(d, NODE_OBJECT) ||
	    !tree_is(tree_get(d, "spec"), NODE_OBJECT) ||
	    decode_builtin(a,
		schema_builtin(
		    span_str("io.k8s.apiextensions-apiserver.pkg.apis."
			     "apiextensions.v1.CustomResourceDefinition")),
		d, &w) != NULL)
		return;
	crd_definition_default(a, d);
	crd_definition_prepare(a, span_str(""), NULL, d);
	crd_definition_validate(&c, span_str(""), NULL, d);
	crd_definition_warn(a, NULL, d, &w);
	valid = c.n == 0;
	conditions_accept_names(a, d, &used, span_str("2026-01-01T00:00:00Z"));
	/* A refused definition may be loaded, too. */
	crd = crd_make(d, &custom, NULL);
	for (size_t i = 0; crd != NULL && i < crd->version_count; i++)
		if (crd_storage(crd->versions[i].resource) != NULL)
			for (int k = 0; k < 4; k++)
				try_object(a, crd->versions[i].resource, valid,
				    changed(
					a, parts->items[fuzz_below(parts->n)]));
	crd_unref(crd);
}

static void
take(struct span line)
{
	struct node *n =
	    tree_parse(&keep, arena_span(&keep, line), TREE_LIMITS, NULL, NULL);
	struct span in = tree_text(tree_get(n, "in"));

	if (in.p != NULL)
		n = tree_parse(&keep, in, TREE_LIMITS, NULL, NULL);
	tree_append(&keep, parts, n);
}

int
main(int argc, char **argv)
{
	parts = tree_array(&keep);
	if (argc < 4)
		return 100;
	fuzztrees_begin();
	fuzz_begin(argc, argv, 4);
	for (int i = 1; i < 4; i++)
		fuzz_lines(argv[i], take);
	while (fuzz_goes_on()) {
		struct arena a = ARENA_INIT;

		try_definition(
		    &a, changed(&a, parts->items[fuzz_below(parts->n)]));
		arena_release(&a);
	}
	fuzz_end("definitions");
	arena_release(&keep);
	return 0;
}
