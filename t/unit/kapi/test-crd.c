/*
 * Objects of CRDs, changes of them, and definitions: what a real API server
 * said of each (t/kapi/crd-*.jsonl, by t/kapi/record-crds).
 */
#include "crd/crd.h"

#include "base/array.h"
#include "crd/conditions.h"
#include "trees.h"
#include "type/objectmeta.h"
#include "type/strategy.h"

static const struct strategy custom = {.names = NAME_SUBDOMAIN};
/* The definition, with its names accepted. */
static struct crd *
load(const char *file)
{
	struct buf text = BUF_INIT;
	struct err err = ERR_INIT;
	struct used_names none = {0};
	struct node *d;
	struct crd *crd;

	if (file_read(file, 4 << 20, &text, &err) != 0) {
		printf("# %s\n", err.message);
		return NULL;
	}
	d = file[strlen(file) - 1] == 'n'
	    ? parse_span(buf_span(&text))
	    : tree_parse_yaml(&arena, buf_span(&text), NULL, &err);
	crd_definition_default(&arena, d);
	crd_definition_prepare(&arena, span_str(""), NULL, d);
	conditions_accept_names(
	    &arena, d, &none, span_str("2026-01-01T00:00:00Z"));
	crd = crd_make(d, &custom, &err);
	if (crd == NULL)
		printf("# %s\n", err.message);
	buf_release(&text);
	return crd;
}

/* The result of a write, as in the recordings. */
struct outcome {
	struct warnings warnings;
	struct causes causes;
	struct problem *problem;
	struct node *out;
};

static int
text_cmp(const void *x, const void *y)
{
	return span_cmp(tree_text(*(struct node *const *)x),
	    tree_text(*(struct node *const *)y));
}

static const char *
outcome_text(struct outcome *o)
{
	struct node *n = tree_object(&arena), *all = tree_array(&arena);
	struct node *warnings = tree_array(&arena);
	struct node *none = tree_null(&arena), *message = none;

	for (size_t i = 0; i < o->warnings.n; i++)
		tree_append(&arena, warnings,
		    tree_string(&arena, o->warnings.items[i]));
	for (size_t i = 0; i < o->causes.n; i++)
		tree_append(&arena, all,
		    tree_string(&arena,
			arena_printf(&arena, "%.*s: %.*s",
			    SPAN_ARG(o->causes.items[i].field),
			    SPAN_ARG(o->causes.items[i].message))));
	if (all->n > 1)
		qsort(all->items, all->n, sizeof *all->items, text_cmp);
	if (o->problem != NULL)
		message = tree_string(&arena, o->problem->message);
	tree_put(&arena, n, "warnings", warnings);
	tree_put(&arena, n, "causes", all);
	tree_put(&arena, n, "message", message);
	tree_put(
	    &arena, n, "out", o->problem != NULL || all->n > 0 ? none : o->out);
	return written(n);
}

static const char *
wanted_text(struct node *recorded)
{
	tree_remove(recorded, "in");
	return written(recorded);
}

static void
compare(struct outcome *o, struct node *recorded)
{
	const char *in = arena_str(&arena, tree_text(tree_get(recorded, "in")));

	is(outcome_text(o), wanted_text(recorded), in);
}

static void
write_object(struct outcome *o, struct resource *r, const struct node *live,
    struct node *object)
{
	struct span main_path = span_str("");

	o->problem = crd_decode(&arena, r, object, &o->warnings);
	if (o->problem != NULL) {
		/* In the words of a request's decoder. */
		o->problem->message = arena_printf(&arena,
		    "Widget in version \"v1\" cannot be handled as a "
		    "Widget: %.*s",
		    SPAN_ARG(o->problem->message));
		return;
	}
	crd_warn(r, live, object, &o->warnings);
	tree_put(&arena, tree_get(object, "metadata"), "namespace",
	    tree_str(&arena, "default"));
	crd_prepare(&arena, r, main_path, live, object);
	if (live == NULL)
		objectmeta_validate(&o->causes, r, object);
	crd_validate(&o->causes, r, main_path, live, object);
	crd_keep(&arena, r, object);
	tree_remove(object, "metadata");
	o->out = object;
}

static struct outcome
outcome_make(void)
{
	struct outcome o = {0};

	o.warnings.arena = &arena;
	o.causes.arena = &arena;
	return o;
}

static void
test_object(void *arg, struct node *recorded)
{
	struct outcome o = outcome_make();
	struct node *object = parse_span(tree_text(tree_get(recorded, "in")));

	write_object(&o, arg, NULL, object);
	compare(&o, recorded);
}

static void
test_change(void *arg, struct node *recorded)
{
	struct outcome o = outcome_make();
	const struct node *in = parse_span(tree_text(tree_get(recorded, "in")));
	struct node *live = tree_copy(&arena, tree_get(in, "old"));

	crd_refresh(&arena, arg, live);
	crd_prepare(&arena, arg, span_str(""), NULL, live);
	write_object(&o, arg, live, tree_copy(&arena, tree_get(in, "new")));
	compare(&o, recorded);
}

/* kapi alone says that. */
static void
forget_cel(struct warnings *w)
{
	while (w->n > 0 && span_ends(w->items[w->n - 1], "kapi has no CEL"))
		w->n--;
}

static void
test_definition(void *arg, struct node *recorded)
{
	struct outcome o = outcome_make();
	struct node *d = parse_span(tree_text(tree_get(recorded, "in")));
	const struct resource *r = arg;
	struct span main_path = span_str("");

	o.problem = decode_builtin(&arena,
	    schema_builtin(span_str("io.k8s.apiextensions-apiserver.pkg.apis."
				    "apiextensions.v1."
				    "CustomResourceDefinition")),
	    d, &o.warnings);
	crd_definition_default(&arena, d);
	crd_definition_prepare(&arena, main_path, NULL, d);
	objectmeta_validate(&o.causes, r, d);
	crd_definition_validate(&o.causes, main_path, NULL, d);
	if (o.causes.n == 0)
		crd_definition_warn(&arena, NULL, d, &o.warnings);
	forget_cel(&o.warnings);
	tree_remove(tree_get(d, "spec"), "versions");
	tree_remove(d, "metadata");
	tree_remove(d, "apiVersion");
	tree_remove(d, "kind");
	o.out = d;
	compare(&o, recorded);
}

static void
test_files(void)
{
	static const char *const files[] = {"pipeline/iotservice/crd.yaml"};

	for (size_t i = 0; i < COUNT(files); i++) {
		struct crd *crd = load(files[i]);

		ok(crd != NULL && crd->version_count > 0 &&
			crd->versions[0].resource != NULL,
		    files[i]);
		crd_unref(crd);
	}
}

int
main(void)
{
	struct crd *widgets = load("t/kapi/crd-widgets.json");
	struct resource definitions = {.strategy = &custom,
	    .plural = span_str("customresourcedefinitions"),
	    .group = span_str("apiextensions.k8s.io"),
	    .kind = span_str("CustomResourceDefinition")};

	ok(widgets != NULL, "the definition");
	if (widgets == NULL)
		return tap_done();
	each_line("t/kapi/crd-objects.jsonl", test_object,
	    widgets->versions[0].resource);
	each_line("t/kapi/crd-changes.jsonl", test_change,
	    widgets->versions[0].resource);
	each_line(
	    "t/kapi/crd-definitions.jsonl", test_definition, &definitions);
	test_files();
	crd_unref(widgets);
	arena_release(&arena);
	return tap_done();
}
