#include "kubectl/target.h"

#include <stdio.h>

#include "kube/kubepath.h"
#include "kubectl/docs.h"

static void
add(struct session *s, struct targets *found, struct target t)
{
	found->items =
	    arena_more(&s->arena, found->items, found->count, sizeof(t));
	found->items[found->count++] = t;
}

/* ---- by name ---- */

static int
add_kind(struct session *s, struct span word, struct words names,
    struct targets *found)
{
	struct target t = {.kind = offers_find(s, word)};

	if (t.kind == NULL)
		return -1;
	for (size_t i = 0; i < names.count; i++) {
		t.name = span_str(names.items[i]);
		add(s, found, t);
	}
	if (names.count == 0)
		add(s, found, t);
	return 0;
}

/* TYPE/NAME... */
static int
add_pairs(struct session *s, struct words words, struct targets *found)
{
	for (size_t i = 0; i < words.count; i++) {
		struct span name = span_str(words.items[i]);
		struct span word = span_cut(&name, '/');
		struct target t = {offers_find(s, word), name, SPAN_NONE, NULL};

		if (t.kind == NULL)
			return -1;
		add(s, found, t);
	}
	return 0;
}

int
targets_named(struct session *s, struct words words, struct targets *found)
{
	struct words names = {words.items + 1, words.count - 1};
	struct span kinds;

	*found = (struct targets){NULL, 0};
	if (words.count == 0)
		return session_refuse(
		    s, "error: you must specify the type of resource");
	kinds = span_str(words.items[0]);
	if (span_find(kinds, '/') != NULL)
		return add_pairs(s, words, found);
	while (kinds.p != NULL)
		if (add_kind(s, span_cut(&kinds, ','), names, found) != 0)
			return -1;
	return 0;
}

static int
add_listed(struct session *s, const struct target *all, struct targets *found)
{
	struct buf path = BUF_INIT;
	const char *selector = session_option(s, "-l");
	const struct node *items, *list;

	buf_adds(&path, target_path(s, all, NULL));
	if (selector != NULL)
		kube_query_add(&path, "labelSelector", span_str(selector));
	list = session_get(s, buf_str(&path));
	buf_release(&path);
	if (list == NULL)
		return -1;
	items = tree_get(list, "items");
	for (uint32_t i = 0; i < tree_count(items); i++) {
		const struct node *m = tree_get(items->items[i], "metadata");
		struct target t = {all->kind, tree_text(tree_get(m, "name")),
		    tree_text(tree_get(m, "namespace")), NULL};

		add(s, found, t);
	}
	return 0;
}

int
targets_everywhere(struct session *s, struct words words, struct targets *found)
{
	struct targets kinds;

	*found = (struct targets){NULL, 0};
	if (targets_named(s, words, &kinds) != 0)
		return -1;
	for (size_t i = 0; i < kinds.count; i++) {
		kinds.items[i].name = SPAN_NONE;
		if (add_listed(s, &kinds.items[i], found) != 0)
			return -1;
	}
	return 0;
}

int
targets_selected(struct session *s, struct words words, struct targets *found)
{
	struct targets named;

	*found = (struct targets){NULL, 0};
	if (targets_named(s, words, &named) != 0)
		return -1;
	for (size_t i = 0; i < named.count; i++) {
		if (named.items[i].name.n > 0)
			add(s, found, named.items[i]);
		else if (!session_option(s, "--all") &&
		    !session_option(s, "-l"))
			return session_refuse(s,
			    "error: resource(s) were provided, but no name was "
			    "specified");
		else if (add_listed(s, &named.items[i], found) != 0)
			return -1;
	}
	return 0;
}

/* ---- in files ---- */

struct target
target_of(struct node *object)
{
	return (struct target){.object = object};
}

int
targets_in_files(struct session *s, struct targets *found)
{
	struct node *objects = tree_array(&s->arena);
	const char *path;

	*found = (struct targets){NULL, 0};
	for (size_t i = 0; (path = flags_next(&s->flags, "-f", &i)) != NULL;)
		if (docs_read(s, path, objects) != 0)
			return -1;
	for (uint32_t i = 0; i < objects->n; i++)
		add(s, found, target_of(objects->items[i]));
	return 0;
}

int
target_place(struct session *s, struct target *t)
{
	t->kind = offers_of_object(s, t->object);
	t->name = tree_path_text(t->object, "metadata.name");
	t->namespace_ = tree_path_text(t->object, "metadata.namespace");
	return t->kind == NULL ? -1 : 0;
}

/* ---- requests ---- */

struct span
target_namespace(const struct session *s, const struct target *t)
{
	if (!t->kind->namespaced)
		return SPAN_NONE;
	return t->namespace_.n > 0 ? t->namespace_ : s->namespace_;
}

static void
add_path(
    struct session *s, struct buf *b, const struct target *t, const char *sub)
{
	const struct offer *o = t->kind;

	buf_adds(b, o->group.n > 0 ? "/apis" : "/api");
	if (o->group.n > 0)
		kube_path_add(b, o->group);
	kube_path_add(b, o->version);
	if (o->namespaced &&
	    (t->namespace_.n > 0 || !session_option(s, "-A"))) {
		kube_path_add(b, span_str("namespaces"));
		kube_path_add(b, target_namespace(s, t));
	}
	kube_path_add(b, o->plural);
	if (t->name.n > 0)
		kube_path_add(b, t->name);
	if (sub != NULL)
		kube_path_add(b, span_str(sub));
}

const char *
target_path(struct session *s, const struct target *t, const char *sub)
{
	struct buf b = BUF_INIT;
	const char *path;

	add_path(s, &b, t, sub);
	path = arena_str(&s->arena, buf_span(&b));
	buf_release(&b);
	return path;
}

struct node *
target_get(struct session *s, const struct target *t)
{
	return session_get(s, target_path(s, t, NULL));
}

const char *
target_title(struct session *s, const struct target *t)
{
	struct buf b = BUF_INIT;
	const char *title;

	offer_add_kind(&b, t->kind);
	buf_addc(&b, '/');
	buf_addspan(&b, t->name);
	title = arena_str(&s->arena, buf_span(&b));
	buf_release(&b);
	return title;
}

static const char *
validation(const struct session *s)
{
	const char *how = flags_or(&s->flags, "--validate", "true");

	if (strcmp(how, "ignore") == 0 || strcmp(how, "false") == 0)
		return "Ignore";
	return strcmp(how, "warn") == 0 ? "Warn" : "Strict";
}

struct node *
target_write_text(struct session *s, const struct target *t,
    struct target_write how, struct span body)
{
	struct buf path = BUF_INIT;
	const char *dry = session_option(s, "--dry-run");
	struct node *answer;

	add_path(s, &path, t, how.sub);
	kube_query_add(&path, "fieldManager",
	    span_str(flags_or(&s->flags, "--field-manager", how.manager)));
	if (dry != NULL && strcmp(dry, "server") == 0)
		kube_query_add(&path, "dryRun", span_str("All"));
	if (how.strict)
		kube_query_add(
		    &path, "fieldValidation", span_str(validation(s)));
	if (how.force)
		kube_query_add(&path, "force", span_str("true"));
	answer = session_ask(s, how.method, buf_str(&path), how.type, body);
	buf_release(&path);
	return answer;
}

struct node *
target_write(struct session *s, const struct target *t, struct target_write how,
    const struct node *body)
{
	struct buf text = BUF_INIT;
	struct node *answer;

	tree_write(&text, body);
	answer = target_write_text(s, t, how, buf_span(&text));
	buf_release(&text);
	return answer;
}

/* ---- output ---- */

void
target_said(struct session *s, const struct target *t, const char *what)
{
	const char *dry = session_option(s, "--dry-run");
	const char *output = session_option(s, "-o");

	if (output != NULL && strcmp(output, "name") == 0)
		printf("%s\n", target_title(s, t));
	else if (dry != NULL)
		printf("%s %s (%s dry run)\n", target_title(s, t), what, dry);
	else
		printf("%s %s\n", target_title(s, t), what);
}

int
targets_each(struct session *s, struct targets *all, target_fn *act, void *arg)
{
	int code = 0;

	for (size_t i = 0; i < all->count; i++) {
		if (act(s, &all->items[i], arg) == 0)
			continue;
		fflush(stdout);
		fprintf(stderr, "%s\n", buf_str(&s->refusal));
		code = 1;
	}
	return code;
}
