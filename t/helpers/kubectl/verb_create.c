/* Part of kubectl/verbs.h: create, run, apply, replace. */
#include <stdio.h>

#include "kubectl/printed.h"
#include "kubectl/recipe.h"
#include "kubectl/verbs.h"

/* The annotation with what kubectl has applied last. */
static const char last_applied[] =
    "kubectl.kubernetes.io/last-applied-configuration";

/* The collection that a new object goes to. */
static struct target
collection(const struct target *t)
{
	return (struct target){t->kind, SPAN_NONE, t->namespace_, NULL};
}

/* ---- create ---- */

static int
show_unsent(struct session *s, struct target *t)
{
	const char *namespace = session_option(s, "-n");
	struct node *m = tree_make(&s->arena, t->object, "metadata");

	if (namespace != NULL && tree_get(m, "namespace") == NULL)
		tree_put(
		    &s->arena, m, "namespace", tree_str(&s->arena, namespace));
	return printed_value(s, NULL, t->object);
}

static int
create_one(struct session *s, struct target *t, void *arg)
{
	struct target_write how = {
	    .method = "POST", .type = "json", .strict = true};
	const char *dry = session_option(s, "--dry-run");
	struct target to;
	struct node *made;

	how.manager = arg;
	if (dry != NULL && strcmp(dry, "client") == 0)
		return show_unsent(s, t);
	if (target_place(s, t) != 0)
		return -1;
	to = collection(t);
	made = target_write(s, &to, how, t->object);
	if (made == NULL)
		return -1;
	if (session_option(s, "-o") != NULL)
		return printed_value(s, t->kind, made);
	t->name = tree_path_text(made, "metadata.name");
	target_said(s, t, "created");
	return 0;
}

int
verb_create(struct session *s, struct words args)
{
	struct targets all;
	struct target t = {NULL, SPAN_NONE, SPAN_NONE, NULL};

	if (args.count == 2 && strcmp(args.items[0], "token") == 0)
		return verb_create_token(s, args.items[1]);
	if (session_option(s, "-f") != NULL) {
		if (targets_in_files(s, &all) != 0)
			return -1;
	} else {
		t.object = recipe_make(s, args);
		all = (struct targets){&t, 1};
		if (t.object == NULL)
			return -1;
	}
	return targets_each(s, &all, create_one, "kubectl-create");
}

int
verb_run(struct session *s, struct words args)
{
	struct target_write how = {
	    .method = "POST", .type = "json", .manager = "kubectl-run"};
	struct target t, to;

	if (args.count != 1)
		return session_refuse(s, "error: NAME is required for run");
	t = target_of(recipe_pod(s, args.items[0]));
	if (target_place(s, &t) != 0)
		return -1;
	to = collection(&t);
	if (target_write(s, &to, how, t.object) == NULL)
		return -1;
	target_said(s, &t, "created");
	return 0;
}

/* ---- apply ---- */

/* The merge patch from what was applied last to the next, on what is there. */
static struct node *
changes(struct arena *a, const struct node *old, const struct node *next,
    const struct node *now)
{
	struct node *patch = tree_object(a);

	for (uint32_t i = 0; tree_is(old, NODE_OBJECT) && i < old->n; i++)
		if (tree_get_span(next, old->members[i].key) == NULL)
			tree_set(a, patch, old->members[i].key, tree_null(a));
	for (uint32_t i = 0; i < next->n; i++) {
		struct span key = next->members[i].key;
		struct node *v = next->members[i].value;
		struct node *is = tree_get_span(now, key), *below;

		if (tree_is(v, NODE_OBJECT) && tree_is(is, NODE_OBJECT)) {
			below = changes(a, tree_get_span(old, key), v, is);
			if (below->n > 0)
				tree_set(a, patch, key, below);
		} else if (!tree_equal(is, v) &&
		    !(is == NULL && tree_is(v, NODE_NULL))) {
			tree_set(a, patch, key, v);
		}
	}
	return patch;
}

/* More than the annotation with what was applied. */
static bool
is_change(struct arena *a, const struct node *patch)
{
	struct node *rest = tree_copy(a, patch);
	struct node *m = tree_get(rest, "metadata");
	struct node *annotations = tree_get(m, "annotations");

	tree_remove(annotations, last_applied);
	if (annotations != NULL && annotations->n == 0)
		tree_remove(m, "annotations");
	if (m != NULL && m->n == 0)
		tree_remove(rest, "metadata");
	return rest->n > 0;
}

static int
apply_by_server(struct session *s, struct target *t, void *arg)
{
	struct target_write how = {.method = "PATCH",
	    .type = "apply-patch+yaml",
	    .manager = "kubectl",
	    .force = session_option(s, "--force-conflicts") != NULL};

	(void)arg;
	if (target_place(s, t) != 0 ||
	    target_write(s, t, how, t->object) == NULL)
		return -1;
	target_said(s, t, "serverside-applied");
	return 0;
}

/* The object with the annotation that holds it. */
static struct node *
annotated(struct session *s, const struct target *t)
{
	struct arena *a = &s->arena;
	struct node *object = tree_copy(a, t->object);
	struct node *m = tree_make(a, object, "metadata");
	struct node *annotations = tree_make(a, m, "annotations");
	struct span namespace = target_namespace(s, t);
	struct buf text = BUF_INIT;

	if (namespace.n > 0 && tree_get(m, "namespace") == NULL)
		tree_put(a, m, "namespace", tree_string(a, namespace));
	tree_write_sorted(&text, object);
	buf_addc(&text, '\n');
	tree_put(a, annotations, last_applied,
	    tree_string(a, arena_span(a, buf_span(&text))));
	buf_release(&text);
	return object;
}

static struct node *
applied_last(struct session *s, const struct node *now)
{
	const struct node *annotations =
	    tree_get(tree_get(now, "metadata"), "annotations");

	return tree_parse(&s->arena,
	    tree_text(tree_get(annotations, last_applied)), TREE_LIMITS, NULL,
	    NULL);
}

static int
change(struct session *s, const struct target *t, const struct node *next,
    const struct node *now)
{
	struct target_write how = {.method = "PATCH",
	    .type = offer_builtin(t->kind) ? "strategic-merge-patch+json"
					   : "merge-patch+json",
	    .manager = "kubectl-client-side-apply",
	    .strict = true};
	struct node *patch =
	    changes(&s->arena, applied_last(s, now), next, now);

	if (!is_change(&s->arena, patch)) {
		target_said(s, t, "unchanged");
		return 0;
	}
	if (target_write(s, t, how, patch) == NULL)
		return -1;
	target_said(s, t, "configured");
	return 0;
}

static int
apply_one(struct session *s, struct target *t, void *arg)
{
	struct target_write how = {.method = "POST",
	    .type = "json",
	    .manager = "kubectl-client-side-apply",
	    .strict = true};
	struct node *next, *now;
	struct target to;

	(void)arg;
	if (target_place(s, t) != 0)
		return -1;
	next = annotated(s, t);
	now = target_get(s, t);
	if (now != NULL)
		return change(s, t, next, now);
	to = collection(t);
	if (!s->not_found || target_write(s, &to, how, next) == NULL)
		return -1;
	target_said(s, t, "created");
	return 0;
}

/* Has all labels of -l K=V,K=V? */
static bool
wanted(struct session *s, const struct node *object)
{
	const struct node *labels =
	    tree_get(tree_get(object, "metadata"), "labels");
	struct span all = span_str(session_option(s, "-l"));

	while (all.p != NULL) {
		struct span value = span_cut(&all, ',');
		struct node *label =
		    tree_get_span(labels, span_cut(&value, '='));

		if (label == NULL || !span_eq(tree_text(label), value))
			return false;
	}
	return true;
}

int
verb_apply(struct session *s, struct words args)
{
	struct targets all, some = {NULL, 0};
	bool by_server = session_option(s, "--server-side") != NULL;

	(void)args;
	if (targets_in_files(s, &all) != 0)
		return -1;
	some.items = all.items;
	for (size_t i = 0; i < all.count; i++)
		if (wanted(s, all.items[i].object))
			some.items[some.count++] = all.items[i];
	return targets_each(
	    s, &some, by_server ? apply_by_server : apply_one, NULL);
}

int
verb_replace(struct session *s, struct words args)
{
	struct target_write how = {.method = "PUT",
	    .type = "json",
	    .manager = "kubectl-replace",
	    .strict = true};
	struct targets all;

	(void)args;
	if (targets_in_files(s, &all) != 0)
		return -1;
	for (size_t i = 0; i < all.count; i++) {
		struct target *t = &all.items[i];

		if (target_place(s, t) != 0 ||
		    target_write(s, t, how, t->object) == NULL)
			return -1;
		target_said(s, t, "replaced");
	}
	return 0;
}
