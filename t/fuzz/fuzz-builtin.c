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
// needs cmd/kapi/type/*.c
// needs cmd/kapi/write/convert*.c
// needs cmd/kapi/write/incoming.c
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "builtin/builtin.h"
#include "kinds/kinds.h"
#include "type/decode.h"
#include "process/file.h"
#include "type/encode.h"

static unsigned state;
static struct registry *registry;
static struct store *store;
static unsigned long accepted, refused, not_decoded;

static unsigned
below(unsigned n)
{
	state = state * 1664525u + 1013904223u;
	return n == 0 ? 0 : (state >> 8) % n;
}

/* Any node of a tree; nodes of about the same depth are equally likely. */
static struct node *
somewhere(struct node *n)
{
	while (n->n > 0 && below(7) > 0 &&
	    (n->kind == NODE_ARRAY || n->kind == NODE_OBJECT))
		n = n->kind == NODE_ARRAY ? n->items[below(n->n)]
					  : n->members[below(n->n)].value;
	return n;
}

/* Another value, mostly of the same type: the decoder refuses other types. */
static void
replace(struct arena *a, struct node *n)
{
	static const char *const texts[] = {"", "x", "25%", "-", "a/b/c", "..",
	    "999999999999Gi", "-1", "*", "10.0.0.1", "None", "a b", "@daily"};
	static const char *const numbers[] = {"0", "-1", "2147483647", "1"};

	if (below(8) == 0)
		*n = *tree_null(a);
	else if (n->kind == NODE_STRING)
		*n = *tree_str(a, texts[below(13)]);
	else if (n->kind == NODE_NUMBER)
		*n = *tree_number(a, span_str(numbers[below(4)]));
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
	struct node *n = somewhere(root);

	if (n == root)
		return;
	if (n->kind == NODE_ARRAY && n->n > 0 && below(2) == 0)
		tree_append(a, n, tree_copy(a, n->items[below(n->n)]));
	else if (n->kind == NODE_OBJECT && n->n > 0 && below(2) == 0)
		tree_remove_span(n, n->members[below(n->n)].key);
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
	if (!tree_equal(again, object) || !tree_equal(read, object)) {
		fprintf(stderr, "fuzz-builtin: not settled: %s\n", buf_str(&b));
		abort();
	}
	buf_release(&b);
}

static void
try(struct arena *a, struct node *line)
{
	struct node *answer = tree_get(line, "answer"), *object;
	const struct node *live =
	    tree_get(answer, "metadata") != NULL && below(2) ? answer : NULL;
	struct span sub =
	    live != NULL && below(4) == 0 ? span_str("status") : SPAN_NONE;
	struct warnings unknown = {a, NULL, 0};
	struct causes c = {a, NULL, 0};
	struct change_of x;
	struct problem *p;
	struct resource *r;

	object = tree_copy(a, live != NULL ? live : tree_get(line, "body"));
	r = resource_of(object);
	if (r == NULL)
		return;
	for (unsigned i = 1 + below(4); i > 0; i--)
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
run(const struct buf *text)
{
	struct arena a = ARENA_INIT;
	size_t start = 0;

	for (size_t i = 0; i < text->len; i++) {
		struct node *line;
		if (text->data[i] != '\n')
			continue;
		line = tree_parse(&a, span_make(text->data + start, i - start),
		    TREE_LIMITS, NULL, NULL);
		start = i + 1;
		if (line != NULL)
			try(&a, line);
		arena_reset(&a);
	}
	arena_release(&a);
}

int
main(int argc, char **argv)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	time_t end;

	if (argc < 2 || file_read(argv[1], 16, &text, &err) != 0) {
		fprintf(stderr, "fuzz-builtin: %s\n", err.message);
		return 100;
	}
	end = time(NULL) + (argc > 2 ? strtol(argv[2], NULL, 10) : 5);
	state = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 1;
	store = store_new();
	registry = resource_registry_new(kinds_find);
	resource_bind(registry, store);
	do
		run(&text);
	while (time(NULL) < end);
	printf("%lu accepted, %lu refused, %lu not decoded\n", accepted,
	    refused, not_decoded);
	resource_registry_free(registry);
	store_free(store);
	buf_release(&text);
	return 0;
}
