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
// needs cmd/kapi/type/cause.c
// needs cmd/kapi/crd/approval.c
// needs cmd/kapi/crd/crd.c
// needs cmd/kapi/crd/check.c
// needs cmd/kapi/crd/definition.c
// needs cmd/kapi/text/format.c
// needs cmd/kapi/crd/lists.c
// needs cmd/kapi/text/number.c
// needs cmd/kapi/crd/object.c
// needs cmd/kapi/text/pattern.c
// needs cmd/kapi/crd/prune.c
// needs cmd/kapi/crd/findings.c
// needs cmd/kapi/crd/rulepath.c
// needs cmd/kapi/crd/scalar.c
// needs cmd/kapi/crd/structural.c
// needs cmd/kapi/crd/show.c
// needs cmd/kapi/crd/conditions.c
// needs cmd/kapi/crd/valid.c
// needs cmd/kapi/crd/valid_default.c
// needs cmd/kapi/crd/valid_parts.c
// needs cmd/kapi/crd/valid_schema.c
// needs cmd/kapi/crd/valid_structure.c
// needs cmd/kapi/type/decode.c
// needs cmd/kapi/type/decode_text.c
// needs cmd/kapi/type/default.c
// needs cmd/kapi/type/encode.c
// needs cmd/kapi/type/hookclient.c
// needs cmd/kapi/type/schema.c
// needs cmd/kapi/type/tables.c
// needs cmd/kapi/type/resource.c
// needs cmd/kapi/type/objectmeta.c
// needs cmd/kapi/type/names.c
// needs cmd/kapi/text/gotext.c
// needs cmd/kapi/type/problem.c
// needs cmd/kapi/store/keys.c
// needs cmd/kapi/store/store.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/array.h"
#include "crd/conditions.h"
#include "crd/crd.h"
#include "json/tree.h"
#include "process/file.h"
#include "type/strategy.h"

static const struct strategy custom = {.names = NAME_SUBDOMAIN};
static unsigned state;
static struct arena keep;
static struct node *parts; /* all that was recorded */

static unsigned
below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return n == 0 ? 0 : (state >> 8) % n;
}

static const struct node *definition_now, *object_now;

static void
write_tree(const char *what, const struct node *n)
{
	struct buf b = BUF_INIT;

	if (n != NULL)
		tree_write(&b, n);
	fprintf(stderr, "%s: %s\n", what, n == NULL ? "none" : buf_str(&b));
	buf_release(&b);
}

static void
expect(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz-crd: does not hold: %s\n", what);
	write_tree("definition", definition_now);
	write_tree("object", object_now);
	abort();
}

static struct node *
somewhere(struct node *n)
{
	while (n->n > 0 && below(6) > 0 &&
	    (n->kind == NODE_ARRAY || n->kind == NODE_OBJECT))
		n = n->kind == NODE_ARRAY ? n->items[below(n->n)]
					  : n->members[below(n->n)].value;
	return n;
}

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
	const char *text = texts[below(COUNT(texts))];

	if (below(2) == 0)
		return tree_parse(a, span_str(text), TREE_LIMITS, NULL, NULL);
	return tree_copy(a, somewhere(parts->items[below(parts->n)]));
}

static void
change(struct arena *a, struct node *root)
{
	struct node *n = somewhere(root);

	if (n->kind == NODE_OBJECT && n->n > 0) {
		struct member *m = &n->members[below(n->n)];

		if (below(4) == 0)
			tree_remove_span(n, m->key);
		else
			m->value = anything(a);
	} else if (n->kind == NODE_ARRAY && n->n > 0) {
		if (below(3) == 0)
			tree_append(a, n, tree_copy(a, n->items[below(n->n)]));
		else
			n->items[below(n->n)] = anything(a);
	} else if (n != root) {
		*n = *anything(a);
	}
}

static struct node *
changed(struct arena *a, const struct node *from)
{
	struct node *n = tree_copy(a, from);

	for (unsigned i = below(4); i > 0; i--)
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
	object_now = tree_copy(a, object);
	if (crd_decode(a, r, object, &w) != NULL)
		return;
	once = tree_copy(a, object);
	p = crd_decode(a, r, object, &again);
	/* Defaults of a refused definition need not fit its schema. */
	expect(p == NULL && (again.n == 0 || !valid),
	    "nothing is unknown any more");
	expect(tree_equal(once, object) || !valid, "decoded twice is as once");
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

	definition_now = tree_copy(a, d);
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
				    changed(a, parts->items[below(parts->n)]));
	crd_unref(crd);
}

static int
read_lines(const char *file)
{
	struct buf b = BUF_INIT;
	struct err err = ERR_INIT;
	struct span rest;

	if (file_read(file, 4 << 20, &b, &err) != 0) {
		fprintf(stderr, "fuzz-crd: %s\n", err.message);
		return -1;
	}
	rest = arena_span(&keep, buf_span(&b));
	buf_release(&b);
	while (rest.n > 0) {
		const char *end = memchr(rest.p, '\n', rest.n);
		struct span line = span_make(
		    rest.p, end == NULL ? rest.n : (size_t)(end - rest.p));
		struct node *n =
		    tree_parse(&keep, line, TREE_LIMITS, NULL, NULL);
		struct span in = tree_text(tree_get(n, "in"));

		tree_append(&keep, parts,
		    in.p == NULL
			? n
			: tree_parse(&keep, in, TREE_LIMITS, NULL, NULL));
		rest = span_make(line.p + line.n + (end != NULL),
		    rest.n - line.n - (end != NULL));
	}
	return 0;
}

int
main(int argc, char **argv)
{
	double seconds = argc > 4 ? strtod(argv[4], NULL) : 10;
	struct timespec start, now;
	unsigned long rounds = 0;

	state = argc > 5 ? (unsigned)strtoul(argv[5], NULL, 10) : 1;
	parts = tree_array(&keep);
	if (argc < 4 || read_lines(argv[1]) != 0 || read_lines(argv[2]) != 0 ||
	    read_lines(argv[3]) != 0)
		return 100;
	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		struct arena a = ARENA_INIT;

		try_definition(&a, changed(&a, parts->items[below(parts->n)]));
		arena_release(&a);
		rounds++;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) +
		(double)(now.tv_nsec - start.tv_nsec) / 1e9 <
	    seconds);
	printf("%lu definitions\n", rounds);
	arena_release(&keep);
	return 0;
}
