// alone: it has functions in place of the tool's
/*
 * Patches, compared with the results of a real API server
 * (t/kapi/patches.jsonl, by t/kapi/record-patches), and limits that it does not
 * have.
 */
#include "merge/patch.h"

#include "patch-schema.h"
#include "trees.h"

/* Stand in for resource.c and decode.c. */
struct span resource_name(struct arena *a, const struct resource *r);
struct span
resource_name(struct arena *a, const struct resource *r)
{
	(void)a;
	(void)r;
	return SPAN_NONE;
}

void
decode_warning_add(struct warnings *w, struct span text)
{
	w->items =
	    arena_grow(w->arena, w->items, w->n, w->n + 1, sizeof(*w->items));
	w->items[w->n++] = text;
}

static void
put_default(struct node *n, const char *key, const char *value)
{
	if (tree_get(n, key) == NULL)
		tree_put(&arena, n, key, tree_str(&arena, value));
}

/* Changes of a built-in object after the patch: empty fields go, and containers
 * and ports get their defaults. */
static void
finish(struct node *n)
{
	struct span image = tree_path_text(n, "image");

	for (uint32_t i = 0; tree_is(n, NODE_ARRAY) && i < n->n; i++)
		finish(n->items[i]);
	if (!tree_is(n, NODE_OBJECT))
		return;
	for (uint32_t i = 0; i < n->n; i++) {
		struct node *v = n->members[i].value;

		finish(v);
		if (v->kind == NODE_NULL || (v->kind == NODE_ARRAY && !v->n) ||
		    (tree_empty(v) &&
			span_is(n->members[i].key, "nodeSelector")))
			n->members[i].value = NULL;
	}
	tree_sweep(n);
	if (tree_get(n, "containerPort") != NULL)
		put_default(n, "protocol", "TCP");
	if (image.p == NULL)
		return;
	tree_make(&arena, n, "resources");
	put_default(n, "terminationMessagePath", "/dev/termination-log");
	put_default(n, "terminationMessagePolicy", "File");
	put_default(n, "imagePullPolicy",
	    memchr(image.p, ':', image.n) ? "IfNotPresent" : "Always");
}

static struct problem *
apply(const struct node *recorded, struct node **result)
{
	struct span type = tree_path_text(recorded, "type");
	struct span query = tree_path_text(recorded, "query");
	const struct node *live = tree_get(recorded, "live");
	enum patch_type t = span_is(type, "json") ? PATCH_JSON
	    : span_is(type, "merge")		  ? PATCH_MERGE
						  : PATCH_STRATEGIC;
	struct warnings strict = {.arena = &arena};
	struct node *patch;
	struct problem *p =
	    patch_parse(&arena, t, tree_path_text(recorded, "patch"),
		query.n > 0 ? VALIDATE_IGNORE : VALIDATE_WARN, &strict, &patch);

	if (p != NULL)
		return p;
	if (t == PATCH_JSON)
		return patch_json(&arena, live, patch, result);
	if (t == PATCH_MERGE)
		return patch_merge(&arena, live, patch, result);
	return patch_strategic(&arena,
	    tree_text_is(tree_get(live, "kind"), "Service") ? &service_type
							    : &deployment_type,
	    live, patch, result);
}

static void
compare(const struct node *recorded)
{
	const struct node *live = tree_get(recorded, "live");
	const char *before = written(live);
	struct node *got = NULL;
	struct problem *p = apply(recorded, &got);
	const struct node *want = tree_get(recorded, "answer");
	bool thing = tree_text_is(tree_get(live, "kind"), "Thing");
	const char *what = arena_printf(&arena, "%.*s%.*s %.*s",
	    SPAN_ARG(tree_path_text(recorded, "type")),
	    SPAN_ARG(tree_path_text(recorded, "query")),
	    SPAN_ARG(tree_path_text(recorded, "patch")))
			       .p;

	if (p != NULL)
		got = problem_status(&arena, p);
	else if (!thing)
		finish(got);
	if (tree_equal(got, want))
		ok(true, what);
	else
		is(written(got), written(want), what);
	if (strcmp(before, written(live)) != 0)
		is(written(live), before, "the target stays as it was");
}

/* Errors of the decoder, not of the patch. */
static bool
is_other(const struct node *recorded)
{
	return tree_text_is(
		   tree_get(recorded, "query"), "?fieldValidation=Ignore") &&
	    tree_text_is(tree_get(recorded, "patch"), "[]");
}

static void
compare_line(void *arg, struct node *recorded)
{
	int64_t code;

	(void)arg;
	if (tree_get_int(tree_get(recorded, "code"), &code) && code != 415 &&
	    !is_other(recorded))
		compare(recorded);
}

TEST(recorded)
{
	each_line("t/kapi/patches.jsonl", compare_line, NULL);
}

TEST(strict)
{
	struct warnings w = {.arena = &arena};
	struct node *patch;

	patch_parse(&arena, PATCH_JSON,
	    span_str("[{\"op\":\"add\",\"paht\":\"/a\",\"value\":{\"a\":1,"
		     "\"a\":2}}]"),
	    VALIDATE_WARN, &w, &patch);
	ok(w.n == 2, "two things are wrong with a JSON patch");
	is(w.items[0].p, "json patch duplicate field \"[0].value.a\"",
	    "a field given twice");
	is(w.items[1].p, "json patch unknown field \"[0].paht\"",
	    "an unknown member");
	w.n = 0;
	patch_parse(&arena, PATCH_MERGE, span_str("{\"a\":{\"b\":1,\"b\":2}}"),
	    VALIDATE_STRICT, &w, &patch);
	ok(w.n == 1, "a merge patch with a field given twice");
	is(w.items[0].p, "duplicate field \"a.b\"", "its path");
	patch_parse(&arena, PATCH_MERGE, span_str("{\"a\":{\"b\":1,\"b\":2}}"),
	    VALIDATE_IGNORE, &w, &patch);
	ok(w.n == 1, "nothing is said when nothing is asked");
}

TEST(bounds)
{
	struct node *many = tree_array(&arena), *result;
	struct node *op = parse("{\"op\":\"test\",\"path\":\"/x\"}");
	struct node *copy = tree_array(&arena);
	struct node *target = parse("{\"a\":[\"0123456789\"]}");
	struct node *deep = tree_array(&arena);
	struct problem *p;

	for (int i = 0; i < 10000; i++)
		tree_append(&arena, many, op);
	ok(patch_json(&arena, target, many, &result) == NULL,
	    "10,000 operations are fine");
	tree_append(&arena, many, op);
	p = patch_json(&arena, target, many, &result);
	is(written(problem_status(&arena, p)),
	    "{\"apiVersion\":\"v1\",\"code\":413,\"kind\":\"Status\","
	    "\"message\":\"Request entity too large: The allowed maximum "
	    "operations in a JSON patch is 10000, got 10001\","
	    "\"metadata\":{},\"reason\":\"RequestEntityTooLarge\","
	    "\"status\":\"Failure\"}",
	    "one more is too many");
	op = parse("{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/-\"}");
	for (int i = 0; i < 30; i++)
		tree_append(&arena, copy, op);
	p = patch_json(&arena, target, copy, &result);
	ok(p != NULL && p->code == 422, "copies that double end at 3 MB");
	op = parse("{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/0\"}");
	for (int i = 0; i < 9; i++)
		tree_append(&arena, deep, op);
	ok(patch_json(&arena, target, deep, &result) == NULL,
	    "nine levels are fine");
	for (int i = 0; i < 1100; i++) {
		struct buf path = BUF_INIT;

		buf_adds(&path, "/a");
		for (int k = 0; k < i; k++)
			buf_adds(&path, "/b");
		op = parse("{\"op\":\"add\",\"value\":{}}");
		tree_put(&arena, op, "path",
		    tree_string(&arena, arena_span(&arena, buf_span(&path))));
		buf_release(&path);
		tree_append(&arena, deep, op);
	}
	p = patch_json(&arena, target, deep, &result);
	ok(p != NULL && p->code == 422, "1,100 levels are too deep");
}

int
main(void)
{
	tap_run();
	arena_release(&arena);
	return tap_done();
}
