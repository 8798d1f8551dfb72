/* Part of kubectl/verbs.h: patch, label, annotate, scale, set image. */
#include <stdio.h>

#include "kubectl/printed.h"
#include "kubectl/verbs.h"

static const char merge[] = "merge-patch+json";
static const char strategic[] = "strategic-merge-patch+json";

/* ---- patch ---- */

static const char *
patch_type(struct session *s)
{
	const char *type = flags_or(&s->flags, "--type", "strategic");

	if (strcmp(type, "strategic") == 0)
		return strategic;
	if (strcmp(type, "merge") == 0)
		return merge;
	if (strcmp(type, "json") != 0)
		flags_not_here("--type %s", type);
	return "json-patch+json";
}

int
verb_patch(struct session *s, struct words args)
{
	struct target_write how = {.method = "PATCH",
	    .type = patch_type(s),
	    .sub = session_option(s, "--subresource"),
	    .manager = "kubectl-patch"};
	struct span body = span_str(flags_or(&s->flags, "-p", ""));
	struct targets found;

	if (targets_selected(s, args, &found) != 0)
		return -1;
	for (size_t i = 0; i < found.count; i++) {
		const struct target *t = &found.items[i];
		struct node *value = target_write_text(s, t, how, body);

		if (value == NULL)
			return -1;
		if (session_option(s, "-o") == NULL)
			target_said(s, t, "patched");
		else if (printed_value(s, t->kind, value) != 0)
			return -1;
	}
	return 0;
}

/* ---- label, annotate ---- */

struct marks {
	const char *field, *manager, *said;
	struct node *changes;
};

/* K=V or K- */
static bool
is_mark(struct span word)
{
	const char *equals = span_find(word, '=');

	return equals != NULL ? equals > word.p
			      : word.n > 1 && span_ends(word, "-");
}

/* Takes the marks out of words. */
static void
take_marks(struct session *s, struct words *words, struct marks *m)
{
	size_t n = 0;

	m->changes = tree_object(&s->arena);
	for (size_t i = 0; i < words->count; i++) {
		struct span value = span_str(words->items[i]), key;

		if (!is_mark(value)) {
			words->items[n++] = words->items[i];
			continue;
		}
		key = span_cut(&value, '=');
		if (value.p == NULL)
			key.n--;
		tree_set(&s->arena, m->changes, key,
		    value.p == NULL ? tree_null(&s->arena)
				    : tree_string(&s->arena, value));
	}
	words->count = n;
}

/* Without --overwrite a value stays what it is. */
static int
check_marks(
    struct session *s, const struct node *changes, const struct node *old)
{
	if (session_option(s, "--overwrite") != NULL)
		return 0;
	for (uint32_t i = 0; i < changes->n; i++) {
		const struct member *m = &changes->members[i];
		const struct node *is = tree_get_span(old, m->key);

		if (is != NULL && !tree_is(m->value, NODE_NULL) &&
		    !tree_equal(is, m->value))
			return session_refuse(s,
			    "error: '%.*s' already has a value (%.*s), and "
			    "--overwrite is false",
			    SPAN_ARG(m->key), SPAN_ARG(tree_text(is)));
	}
	return 0;
}

static int
mark_one(struct session *s, struct target *t, void *arg)
{
	const struct marks *m = arg;
	struct target_write how = {
	    .method = "PATCH", .type = merge, .manager = m->manager};
	struct node *old = target_get(s, t), *body = tree_object(&s->arena);

	if (old == NULL ||
	    check_marks(s, m->changes,
		tree_get(tree_get(old, "metadata"), m->field)) != 0)
		return -1;
	tree_put(&s->arena, tree_make(&s->arena, body, "metadata"), m->field,
	    m->changes);
	if (target_write(s, t, how, body) == NULL)
		return -1;
	target_said(s, t, m->said);
	return 0;
}

static int
mark(struct session *s, struct words args, struct marks m)
{
	struct targets found;

	take_marks(s, &args, &m);
	if (targets_selected(s, args, &found) != 0)
		return -1;
	return targets_each(s, &found, mark_one, &m);
}

int
verb_label(struct session *s, struct words args)
{
	return mark(s, args,
	    (struct marks){"labels", "kubectl-label", "labeled", NULL});
}

int
verb_annotate(struct session *s, struct words args)
{
	return mark(s, args,
	    (struct marks){
		"annotations", "kubectl-annotate", "annotated", NULL});
}

/* ---- scale, set image ---- */

static int
change_all(struct session *s, const struct targets *found,
    struct target_write how, const struct node *body, const char *said)
{
	for (size_t i = 0; i < found->count; i++) {
		if (target_write(s, &found->items[i], how, body) == NULL)
			return -1;
		target_said(s, &found->items[i], said);
	}
	return 0;
}

int
verb_scale(struct session *s, struct words args)
{
	struct target_write how = {.method = "PATCH",
	    .type = merge,
	    .sub = "scale",
	    .manager = "kubectl"};
	struct span replicas = span_str(session_option(s, "--replicas"));
	struct node *body = tree_object(&s->arena);
	struct targets found;

	if (!span_is_digits(replicas))
		return session_refuse(s, "error: --replicas must be a number");
	tree_put(&s->arena, tree_make(&s->arena, body, "spec"), "replicas",
	    tree_number(&s->arena, replicas));
	if (targets_named(s, args, &found) != 0)
		return -1;
	return change_all(s, &found, how, body, "scaled");
}

/* Takes CONTAINER=IMAGE out of words. */
static struct node *
take_images(struct session *s, struct words *words)
{
	struct arena *a = &s->arena;
	struct node *spec = tree_object(a), *all = tree_array(a), *one;
	size_t n = 0;

	for (size_t i = 0; i < words->count; i++) {
		struct span image = span_str(words->items[i]), name;

		if (span_find(image, '=') == NULL) {
			words->items[n++] = words->items[i];
			continue;
		}
		name = span_cut(&image, '=');
		tree_append(a, all, one = tree_object(a));
		tree_put(a, one, "name", tree_string(a, name));
		tree_put(a, one, "image", tree_string(a, image));
	}
	words->count = n;
	tree_put(a, spec, "containers", all);
	return spec;
}

int
verb_set_image(struct session *s, struct words args)
{
	struct target_write how = {
	    .method = "PATCH", .type = strategic, .manager = "kubectl-set"};
	struct arena *a = &s->arena;
	struct node *spec = take_images(s, &args);
	struct node *pod = tree_object(a), *other = tree_object(a);
	struct targets found;

	tree_put(a, pod, "spec", spec);
	tree_put(a, tree_make(a, tree_make(a, other, "spec"), "template"),
	    "spec", spec);
	if (targets_named(s, args, &found) != 0)
		return -1;
	for (size_t i = 0; i < found.count; i++) {
		struct targets one = {&found.items[i], 1};
		bool is_pod = span_is(found.items[i].kind->kind, "Pod");

		if (change_all(s, &one, how, is_pod ? pod : other,
			"image updated") != 0)
			return -1;
	}
	return 0;
}
