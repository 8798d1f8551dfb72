/*
 * fuzz-builtin: objects of built-in kinds that are almost right, through
 * decoding, defaults, preparation, validation and admission.
 *
 *	fuzz-builtin RECORDED [SECONDS [SEED]]
 *
 * RECORDED is t/unit/kapi/builtin/recorded.jsonl: its bodies and answers are
 * changed in a few places. Nothing reads outside its memory or leaks (run it
 * with ASan); what is accepted can be written and read again, and its defaults
 * are complete: defaulting it once more changes nothing.
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

#include "builtin/builtin.h"
#include "fuzz.h"
#include "fuzztrees.h"
#include "kinds/kinds.h"
#include "type/decode.h"
#include "type/encode.h"

static struct registry *registry;
static struct store *store;
static struct arena keep;
static struct node *lines; /* what was recorded */
static unsigned long accepted, refused, not_decoded;

/* Another value, mostly of the same type: the decoder refuses other types. */
static void
replace(struct arena *a, struct node *n)
{
	static const char *const texts[] = {"", "x", "25%", "-", "a/b/c", "..",
	    "999999999999Gi", "-1", "*", "10.0.0.1", "None", "a b", "@daily"};
	static const char *const numbers[] = {"0", "-1", "2147483647", "1"};

	if (fuzz_below(8) == 0)
		*n = *tree_null(a);
	else if (n->kind == NODE_STRING)
		*n = *tree_str(a, texts[fuzz_below(13)]);
	else if (n->kind == NODE_NUMBER)
		*n = *tree_number(a, span_str(numbers[fuzz_below(4)]));
	else if (n->kind == NODE_TRUE || n->kind == NODE_FALSE)
		*n = *tree_bool(a, n->kind == NODE_FALSE);
	else if (n->kind == NODE_ARRAY)
		*n = *tree_array(a);
	else
		*n = *tree_object(a);
}

static void
mutate(struct arena *a, struct node *root)
{
	struct node *n = fuzz_somewhere(root, 7);

	if (n == root)
		return;
	if (n->kind == NODE_ARRAY && n->n > 0 && fuzz_below(2) == 0)
		tree_append(a, n, tree_copy(a, n->items[fuzz_below(n->n)]));
	else if (n->kind == NODE_OBJECT && n->n > 0 && fuzz_below(2) == 0)
		tree_remove_span(n, n->members[fuzz_below(n->n)].key);
	else
		replace(a, n);
}

static struct resource *
resource_of(const struct node *object)
{
	struct span api = tree_path_text(object, "apiVersion");
	struct span kind = tree_path_text(object, "kind");
	struct span group = span_make("", 0);
	const char *slash = api.n == 0 ? NULL : memchr(api.p, '/', api.n);

	if (kind.n == 0 || api.n == 0)
		return NULL;
	if (slash != NULL) {
		group = span_make(api.p, (size_t)(slash - api.p));
		api = span_make(slash + 1, api.n - group.n - 1);
	}
	return resource_find_kind(registry, group, api, kind);
}

static void
expect_settled(
    struct arena *a, const struct resource *r, const struct node *object)
{
	struct node *again = tree_copy(a, object), *read;
	struct buf b = BUF_INIT;

	builtin_default(a, r, again);
	encode_builtin(a, r->schema, again);
	tree_write(&b, object);
	read = tree_parse(a, buf_span(&b), TREE_LIMITS, NULL, NULL);
	fuzz_trees[0] = object;
	fuzz_expect(
	    tree_equal(again, object) && tree_equal(read, object), "settled");
	buf_release(&b);
}

static void
try(struct arena *a, struct node *line)
{
	struct node *answer = tree_get(line, "answer"), *object;
	const struct node *live =
	    tree_get(answer, "metadata") != NULL && fuzz_below(2) ? answer
								  : NULL;
	struct span sub =
	    live != NULL && fuzz_below(4) == 0 ? span_str("status") : SPAN_NONE;
	struct warnings unknown = {a, NULL, 0};
	struct causes c = {a, NULL, 0};
	struct change_of x;
	struct problem *p;
	struct resource *r;

	object = tree_copy(a, live != NULL ? live : tree_get(line, "body"));
	r = resource_of(object);
	if (r == NULL)
		return;
	for (unsigned i = 1 + fuzz_below(4); i > 0; i--)
		mutate(a, object);
	if (decode_builtin(a, r->schema, object, &unknown) != NULL) {
		not_decoded++;
		return;
	}
	builtin_default(a, r, object);
	x = (struct change_of){a, r, store, sub, live};
	builtin_prepare(&x, object);
	builtin_validate(&c, &x, object);
	p = builtin_admit(&x, object);
	encode_builtin(a, r->schema, object);
	if (c.n > 0 || p != NULL) {
		refused++;
		return;
	}
	accepted++;
	if (sub.n == 0)
		expect_settled(a, r, object);
}

static void
take(struct span line)
{
	tree_append(&keep, lines,
	    tree_parse(
		&keep, arena_span(&keep, line), TREE_LIMITS, NULL, NULL));
}

int
main(int argc, char **argv)
{
	struct arena a = ARENA_INIT;

	if (argc < 2)
		return 100;
	fuzztrees_begin();
	fuzz_begin(argc, argv, 2);
	store = store_new();
	registry = resource_registry_new(kinds_find);
	resource_bind(registry, store);
	lines = tree_array(&keep);
	fuzz_lines(argv[1], take);
	for (size_t i = 0; fuzz_goes_on() || i < lines->n; i++) {
		try(&a, tree_copy(&a, lines->items[i % lines->n]));
		arena_reset(&a);
	}
	printf("%lu accepted, %lu refused, %lu not decoded\n", accepted,
	    refused, not_decoded);
	resource_registry_free(registry);
	store_free(store);
	arena_release(&a);
	arena_release(&keep);
	return 0;
}
