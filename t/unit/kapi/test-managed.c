/*
 * managed: managedFields as a real API server changed them, recorded by
 * t/unit/kapi/managed/record, a step in each line; and properties of sets.
 */
#include "merge/managed.h"

#include "base/array.h"
#include "crd/structural.h"
#include "kinds/kinds.h"
#include "merge/fieldset.h"
#include "trees.h"

static struct registry *registry;

static void
set_kind(struct managed_write *w, const struct node *step)
{
	const struct node *crd = tree_get(step, "crd");
	struct span version = w->api_version, group = span_str("");
	const char *slash = memchr(version.p, '/', version.n);
	const struct resource *r;

	if (tree_is(crd, NODE_OBJECT)) {
		w->schema = structural_schema(w->arena, crd, false);
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

/* Everything in result is in answer, too; the rest of it are defaults of the
 * server. */
static bool
is_part(const struct node *result, const struct node *answer)
{
	if (tree_is(result, NODE_NULL))
		return answer == NULL || tree_is(answer, NODE_NULL) ||
		    tree_count(answer) == 0 || answer->kind != NODE_OBJECT;
	if (answer == NULL)
		return tree_empty(result);
	if (result->kind == NODE_OBJECT && answer->kind == NODE_OBJECT) {
		for (uint32_t i = 0; i < result->n; i++)
			if (!is_part(result->members[i].value,
				tree_get_span(answer, result->members[i].key)))
				return false;
		return true;
	}
	if (result->kind == NODE_ARRAY && answer->kind == NODE_ARRAY) {
		for (uint32_t i = 0; i < result->n; i++)
			if (result->n != answer->n ||
			    !is_part(result->items[i], answer->items[i]))
				return false;
		return true;
	}
	return tree_equal(result, answer);
}

static void
drop_server_fields(struct node *object)
{
	static const char *const names[] = {"resourceVersion", "uid",
	    "creationTimestamp", "generation", "namespace", "managedFields"};
	struct node *metadata = tree_get(object, "metadata");

	for (size_t i = 0; i < COUNT(names); i++)
		tree_remove(metadata, names[i]);
}

/* The real server lists several errors in any order. */
static const char *
sorted_lines(struct span text)
{
	struct span lines[32];
	struct buf b = BUF_INIT;
	const char *sorted, *end;
	size_t n = 0;

	while (n < 31 && (end = memchr(text.p, '\n', text.n)) != NULL) {
		lines[n++] = span_make(text.p, (size_t)(end - text.p));
		text.n -= (size_t)(end + 1 - text.p);
		text.p = end + 1;
	}
	lines[n++] = text;
	qsort(lines, n, sizeof(*lines), span_order);
	for (size_t i = 0; i < n; i++) {
		buf_adds(&b, i == 0 ? "" : " | ");
		buf_addspan(&b, lines[i]);
	}
	sorted = arena_str(&arena, buf_span(&b));
	buf_release(&b);
	return sorted;
}

static void
check_problem(
    const struct problem *p, const struct node *answer, const char *name)
{
	const struct node *causes = tree_path(answer, "details.causes");
	int64_t code = 0;

	tree_get_int(tree_get(answer, "code"), &code);
	if (p == NULL) {
		is("no problem", written(answer), name);
		return;
	}
	ok(p->code == code, name);
	is(sorted_lines(p->message),
	    sorted_lines(tree_text(tree_get(answer, "message"))), name);
	is(arena_str(&arena, p->reason),
	    arena_str(&arena, tree_text(tree_get(answer, "reason"))), name);
	ok(p->cause_count == tree_count(causes), name);
	for (size_t i = 0; i < p->cause_count && i < tree_count(causes); i++) {
		const struct node *cause = causes->items[i];

		ok(span_eq(p->causes[i].field,
		       tree_text(tree_get(cause, "field"))) &&
			span_eq(p->causes[i].message,
			    tree_text(tree_get(cause, "message"))) &&
			span_eq(p->causes[i].reason,
			    tree_text(tree_get(cause, "reason"))),
		    name);
	}
}

/* The only default of the CRD. */
static void
drop_default(struct node *object)
{
	struct node *ports = tree_path(object, "spec.ports");

	for (size_t i = 0; i < tree_count(ports); i++)
		if (tree_text_is(tree_get(ports->items[i], "protocol"), "TCP"))
			tree_remove(ports->items[i], "protocol");
	/* Unknown fields are pruned. */
	tree_remove(tree_path(object, "spec.half.known"), "unknown");
}

static void
check_object(const struct managed_write *w, struct node *object,
    struct node *answer, const char *name)
{
	is(written(tree_path(object, "metadata.managedFields")),
	    written(tree_path(answer, "metadata.managedFields")), name);
	if (w == NULL)
		return;
	drop_server_fields(object);
	drop_server_fields(answer);
	/* The write resets some fields later. */
	if (w->subresource.n > 0) {
		tree_remove(object, "spec");
		tree_remove(object, "metadata");
	} else if (w->has_status) {
		tree_remove(object, "status");
		tree_remove(answer, "status");
	}
	drop_default(object);
	drop_default(answer);
	/* Of a CRD, all fields were applied. */
	if (!ok(is_part(object, answer) &&
		    (w->schema->name.n > 0 || w->subresource.n > 0 ||
			is_part(answer, object)),
		name))
		printf("# %s\n# %s\n", written(object), written(answer));
}

static void
play_scale(const struct managed_write *w, struct node *step, const char *name)
{
	struct node *live = tree_get(step, "live");
	struct node *sent = tree_get(step, "sent");
	struct node *parent = tree_get(step, "parent"), *after;
	const struct node *before = tree_path(parent, "metadata.managedFields");
	struct node *fields = managed_to_scale(&arena, before, "spec.replicas");

	/* They are not shown. */
	if (fields != NULL)
		tree_put(&arena, tree_get(live, "metadata"), "managedFields",
		    fields);
	managed_update(w, live, sent);
	fields = managed_from_scale(&arena, before,
	    tree_path(sent, "metadata.managedFields"),
	    tree_text(tree_get(step, "parentVersion")), "spec.replicas");
	after = tree_copy(&arena, parent);
	tree_put(&arena, tree_get(after, "spec"), "replicas",
	    tree_path(sent, "spec.replicas"));
	tree_put(&arena, tree_get(after, "metadata"), "managedFields", fields);
	managed_settle(parent, after);
	is(written(tree_path(after, "metadata.managedFields")),
	    written(
		tree_path(tree_get(step, "answer"), "metadata.managedFields")),
	    name);
}

static void
play(struct node *step, int line)
{
	struct node *live = tree_get(step, "live");
	struct node *answer = tree_get(step, "answer"), *result;
	struct node *sent = tree_get(step, "sent");
	struct managed_write w = {.arena = &arena,
	    .manager = tree_text(tree_get(step, "manager")),
	    .subresource = tree_text(tree_get(step, "subresource")),
	    .api_version = tree_text(tree_get(step, "apiVersion")),
	    .kind = tree_text(tree_get(step, "kind")),
	    .now = tree_text(tree_get(step, "now")),
	    .force = tree_true(tree_get(step, "force")),
	    .has_status = tree_true(tree_get(step, "hasStatus"))};
	const char *name = arena_str(&arena,
	    arena_printf(&arena, "line %d: %.*s: %.*s by %.*s", line,
		SPAN_ARG(tree_text(tree_get(step, "case"))),
		SPAN_ARG(tree_text(tree_get(step, "verb"))),
		SPAN_ARG(w.manager)));
	int64_t code = 0;
	struct problem *p;
	const char *before = written(live);

	set_kind(&w, step);
	tree_get_int(tree_get(step, "code"), &code);
	if (tree_is(live, NODE_NULL))
		live = NULL;
	if (code == 422) /* of a later validation */
		return;
	if (tree_text_is(tree_get(step, "verb"), "scale")) {
		play_scale(&w, step, name);
		return;
	}
	if (tree_text_is(tree_get(step, "verb"), "update")) {
		if (code >= 300)
			return;
		managed_update(&w, live, sent);
		check_object(NULL, sent, answer, name);
	} else {
		p = managed_apply(&w, live, sent, &result);
		if (code >= 300)
			check_problem(p, answer, name);
		else if (p != NULL)
			is(arena_str(&arena, p->message), NULL, name);
		else
			check_object(&w, result, answer, name);
	}
	is(written(tree_get(step, "live")), before, name);
}

/* A line leaves out members that have not changed since the line before. */
struct carried {
	struct arena arena;
	struct node *live, *crd;
	int line;
};

static void
carry(struct carried *c, struct node *step)
{
	int64_t code = 0;

	if (tree_get(step, "live") == NULL && c->live != NULL)
		tree_put(&arena, step, "live", tree_copy(&arena, c->live));
	if (tree_get(step, "crd") != NULL)
		c->crd = tree_clone(&c->arena, tree_get(step, "crd"));
	else if (c->crd != NULL)
		tree_put(&arena, step, "crd", c->crd);
	tree_get_int(tree_get(step, "code"), &code);
	if (code < 300)
		c->live = tree_clone(&c->arena, tree_get(step, "answer"));
}

static void
play_line(void *arg, struct node *step)
{
	struct carried *c = arg;

	carry(c, step);
	play(step, ++c->line);
}

TEST(recorded)
{
	struct carried c = {0};
	const char file[] = "t/unit/kapi/managed/steps.jsonl";

	ok(each_line(file, play_line, &c) > 100, "steps were recorded");
	arena_release(&c.arena);
}

static struct fieldset *
set(const char *text)
{
	struct fieldset *s;

	if (fieldset_parse(&arena, parse(text), &s, NULL) != 0)
		abort();
	return s;
}

TEST(sets)
{
	struct fieldset *x =
	    set("{\"f:b\":{\"f:c\":{},\"f:d\":{}},\"f:a\":{},"
		"\"k:{\\\"z\\\":1,\\\"a\\\":\\\"s\\\"}\":"
		"{\".\":{},\"f:n\":{}},\"v:3\":{},\"i:0\":{}}");
	struct fieldset *y =
	    set("{\"f:b\":{\"f:c\":{}},"
		"\"k:{\\\"a\\\":\\\"s\\\",\\\"z\\\":1.0}\":{}}");
	struct fieldset *parent = set("{\"f:b\":{}}");
	struct err err;

	is(written(fieldset_node(&arena, x)),
	    "{\"f:a\":{},\"f:b\":{\"f:c\":{},\"f:d\":{}},\"i:0\":{},"
	    "\"k:{\\\"z\\\":1,\\\"a\\\":\\\"s\\\"}\":"
	    "{\".\":{},\"f:n\":{}},\"v:3\":{}}",
	    "a set is written as it was read");
	ok(fieldset_size(x) == 7, "its paths are counted");
	is(written(fieldset_node(&arena, fieldset_difference(&arena, x, y))),
	    "{\"f:a\":{},\"f:b\":{\"f:d\":{}},\"i:0\":{},"
	    "\"k:{\\\"z\\\":1,\\\"a\\\":\\\"s\\\"}\":{\"f:n\":{}},"
	    "\"v:3\":{}}",
	    "a difference takes paths, not what is below them");
	ok(fieldset_difference(&arena, x, parent) == x,
	    "one that takes nothing is the set itself");
	is(written(fieldset_node(
	       &arena, fieldset_difference_recursive(&arena, x, parent))),
	    "{\"f:a\":{},\"i:0\":{},"
	    "\"k:{\\\"z\\\":1,\\\"a\\\":\\\"s\\\"}\":"
	    "{\".\":{},\"f:n\":{}},\"v:3\":{}}",
	    "a recursive one takes what is below");
	is(written(fieldset_node(&arena, fieldset_intersection(&arena, x, y))),
	    "{\"f:b\":{\"f:c\":{}},"
	    "\"k:{\\\"z\\\":1,\\\"a\\\":\\\"s\\\"}\":{}}",
	    "an intersection");
	ok(fieldset_within(y, x) && !fieldset_within(x, y) &&
		!fieldset_within(parent, x),
	    "within");
	ok(fieldset_equal(fieldset_union(&arena, x, y), x), "a union");
	ok(fieldset_has(x, "b.c") && !fieldset_has(x, "b"), "has");
	ok(fieldset_parse(&arena, parse("{\"f\":{}}"), &y, &err) != 0 &&
		fieldset_parse(&arena, parse("{\"fx:\":{}}"), &y, &err) != 0 &&
		fieldset_parse(&arena, parse("{\"k:[\":{}}"), &y, &err) != 0 &&
		fieldset_parse(&arena, parse("{\"f:x\":1}"), &y, &err) != 0 &&
		fieldset_parse(&arena, parse("{\"i:x\":{}}"), &y, &err) != 0,
	    "what is not a set is refused");
	ok(fieldset_parse(&arena, parse("{\"x:f\":{}}"), &y, &err) == 0 &&
		y == NULL,
	    "a kind of element that is not known is not");
}

int
main(void)
{
	registry = resource_registry_new(kinds_find);
	tap_run();
	arena_release(&arena);
	resource_registry_free(registry);
	return tap_done();
}
