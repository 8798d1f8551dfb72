/* Part of kubectl/verbs.h: get. */
#include <stdio.h>

#include "kube/kubepath.h"
#include "kubectl/printed.h"
#include "kubectl/verbs.h"

static int
get_raw(struct session *s, const char *path)
{
	struct span answer;
	int status =
	    session_send(s, "GET", path, NULL, SPAN_NONE, NULL, &answer);

	if (status < 0)
		return -1;
	if (status >= 400)
		return session_refused(s, answer);
	printf("%.*s\n", SPAN_ARG(answer));
	return 0;
}

static const char *
query_path(struct session *s, const struct target *t)
{
	static const char *const names[][2] = {
	    {"-l", "labelSelector"}, {"--field-selector", "fieldSelector"}};
	struct buf b = BUF_INIT;
	const char *path;

	buf_adds(&b, target_path(s, t, NULL));
	for (size_t i = 0; i < 2; i++) {
		const char *value = session_option(s, names[i][0]);

		if (value != NULL)
			kube_query_add(&b, names[i][1], span_str(value));
	}
	path = arena_str(&s->arena, buf_span(&b));
	buf_release(&b);
	return path;
}

/* A value, or the items of a list, which say what they are. */
static void
add_value(struct session *s, const struct target *t, struct node *value,
    struct node *all)
{
	struct node *items = tree_get(value, "items");

	if (items == NULL) {
		tree_append(&s->arena, all, value);
		return;
	}
	for (uint32_t i = 0; i < tree_count(items); i++) {
		struct node *x = items->items[i];

		if (tree_get(x, "apiVersion") == NULL)
			tree_put(&s->arena, x, "apiVersion",
			    tree_get(value, "apiVersion"));
		if (tree_get(x, "kind") == NULL)
			tree_put(&s->arena, x, "kind",
			    tree_string(&s->arena, t->kind->kind));
		tree_append(&s->arena, all, x);
	}
}

static int
get_one(struct session *s, struct target *t, struct node *all)
{
	const char *path = query_path(s, t);
	struct node *value;

	if (session_option(s, "-o") == NULL)
		return printed_table(s, path);
	value = session_get(s, path);
	if (value == NULL)
		return -1;
	add_value(s, t, value, all);
	return 0;
}

static struct node *
list_of(struct session *s, struct node *items)
{
	struct node *list = tree_object(&s->arena);

	tree_put(&s->arena, list, "apiVersion", tree_str(&s->arena, "v1"));
	tree_put(&s->arena, list, "kind", tree_str(&s->arena, "List"));
	tree_put(&s->arena, list, "items", items);
	return list;
}

int
verb_get(struct session *s, struct words args)
{
	struct targets found;
	struct node *all = tree_array(&s->arena);
	struct buf missing = BUF_INIT;
	const char *raw = session_option(s, "--raw");

	if (raw != NULL)
		return get_raw(s, raw);
	if (session_option(s, "-f") != NULL)
		flags_not_here("get -f");
	if (targets_named(s, args, &found) != 0)
		return -1;
	for (size_t i = 0; i < found.count; i++) {
		if (get_one(s, &found.items[i], all) == 0)
			continue;
		if (!s->not_found)
			return -1;
		if (!session_option(s, "--ignore-not-found"))
			buf_addf(&missing, "%s\n", buf_str(&s->refusal));
	}
	/* As one object; -o=json of a kind or of several objects is a List. */
	if (found.count == 1 && found.items[0].name.n > 0) {
		if (all->n == 1 &&
		    printed_value(s, found.items[0].kind, all->items[0]) != 0)
			return -1;
	} else if (session_option(s, "-o") != NULL &&
	    printed_value(s, NULL, list_of(s, all)) != 0) {
		return -1;
	}
	fflush(stdout);
	fputs(buf_str(&missing), stderr);
	return missing.len > 0;
}
