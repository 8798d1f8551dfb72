#include "kubectl/printed.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "kubectl/pathexpr.h"

static const char accept_table[] =
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

static void
print(struct buf *b)
{
	fwrite(b->data, 1, b->len, stdout);
	buf_release(b);
}

/* ---- JSON ---- */

static void
new_line(struct buf *b, unsigned depth)
{
	buf_addc(b, '\n');
	for (; depth > 0; depth--)
		buf_adds(b, "    ");
}

static void
add_indented(struct buf *b, const struct node *n, unsigned depth)
{
	bool object = tree_is(n, NODE_OBJECT);

	if (tree_count(n) == 0) {
		tree_write(b, n);
		return;
	}
	buf_addc(b, object ? '{' : '[');
	for (uint32_t i = 0; i < n->n; i++) {
		if (i > 0)
			buf_addc(b, ',');
		new_line(b, depth + 1);
		if (object) {
			json_add_string(b, n->members[i].key);
			buf_adds(b, ": ");
		}
		add_indented(
		    b, object ? n->members[i].value : n->items[i], depth + 1);
	}
	new_line(b, depth);
	buf_addc(b, object ? '}' : ']');
}

static void
print_json(struct session *s, struct node *objects, const struct node *value)
{
	struct buf b = BUF_INIT;

	for (uint32_t i = 0; i < objects->n; i++)
		if (!session_option(s, "--show-managed-fields"))
			tree_remove(tree_get(objects->items[i], "metadata"),
			    "managedFields");
	add_indented(&b, value, 0);
	buf_addc(&b, '\n');
	print(&b);
}

/* ---- other formats ---- */

static int
print_names(
    struct session *s, const struct offer *kind, const struct node *objects)
{
	for (uint32_t i = 0; i < objects->n; i++) {
		struct target t = target_of(objects->items[i]);

		if (kind != NULL)
			t.kind = kind;
		else if ((t.kind = offers_of_object(s, t.object)) == NULL)
			return -1;
		t.name = tree_path_text(t.object, "metadata.name");
		printf("%s\n", target_title(s, &t));
	}
	return 0;
}

static void
add_cell(
    struct session *s, struct buf *b, struct node *object, struct span path)
{
	size_t before = b->len;

	pathexpr_add(b, &s->arena, object, path);
	if (b->len == before)
		buf_adds(b, "<none>");
}

/* A line of NAME:PATH,NAME:PATH; object NULL: the names. */
static void
add_columns(
    struct session *s, struct buf *b, struct span columns, struct node *object)
{
	for (bool first = true; columns.p != NULL; first = false) {
		struct span path = span_cut(&columns, ',');
		struct span name = span_cut(&path, ':');

		if (!first)
			buf_adds(b, "   ");
		if (object == NULL)
			buf_addspan(b, name);
		else
			add_cell(s, b, object, path);
	}
	buf_addc(b, '\n');
}

static void
print_columns(
    struct session *s, struct span columns, const struct node *objects)
{
	struct buf b = BUF_INIT;

	if (!session_option(s, "--no-headers"))
		add_columns(s, &b, columns, NULL);
	for (uint32_t i = 0; i < objects->n; i++)
		add_columns(s, &b, columns, objects->items[i]);
	print(&b);
}

/* ---- order ---- */

struct sorted {
	struct buf text;
	struct node *object;
	uint32_t place;
};

static int
by_text(const void *x, const void *y)
{
	const struct sorted *a = x, *b = y;
	int c = span_cmp(buf_span(&a->text), buf_span(&b->text));

	return c != 0 ? c : (a->place > b->place) - (a->place < b->place);
}

static void
sort(struct session *s, struct node *objects, const char *path)
{
	uint32_t n = objects->n;
	struct sorted *all = arena_zalloc(&s->arena, (n + 1) * sizeof(*all));

	for (uint32_t i = 0; i < n; i++) {
		all[i].object = objects->items[i];
		all[i].place = i;
		pathexpr_add(
		    &all[i].text, &s->arena, all[i].object, span_str(path));
	}
	qsort(all, n, sizeof(*all), by_text);
	for (uint32_t i = 0; i < n; i++) {
		objects->items[i] = all[i].object;
		buf_release(&all[i].text);
	}
}

int
printed_value(struct session *s, const struct offer *kind, struct node *value)
{
	struct span o = span_str(flags_or(&s->flags, "-o", ""));
	struct node *objects = tree_get(value, "items");
	const char *by = session_option(s, "--sort-by");
	struct buf b = BUF_INIT;

	if (objects == NULL) {
		objects = tree_array(&s->arena);
		tree_append(&s->arena, objects, value);
	}
	if (by != NULL)
		sort(s, objects, by);
	if (span_is(o, "name"))
		return print_names(s, kind, objects);
	if (span_is(o, "json")) {
		print_json(s, objects, value);
	} else if (span_take(&o, "jsonpath=")) {
		pathexpr_add_template(&b, &s->arena, value, o);
		print(&b);
	} else if (span_take(&o, "custom-columns=")) {
		print_columns(s, o, objects);
	} else if (o.n > 0) {
		flags_not_here("-o %.*s", SPAN_ARG(o));
	}
	return 0;
}

/* ---- Table ---- */

static bool
is_shown(const struct node *column)
{
	int64_t priority = 0;

	tree_get_int(tree_get(column, "priority"), &priority);
	return priority == 0;
}

static void
add_heading(struct buf *b, const struct node *column)
{
	size_t at = b->len;

	buf_addspan(b, tree_text(tree_get(column, "name")));
	for (; at < b->len; at++)
		b->data[at] = (char)toupper((unsigned char)b->data[at]);
}

/* cells NULL: the headings */
static void
add_row(struct buf *b, const struct node *columns, const struct node *cells)
{
	bool first = true;

	for (uint32_t i = 0; i < tree_count(columns); i++) {
		size_t before;

		if (!is_shown(columns->items[i]))
			continue;
		if (!first)
			buf_adds(b, "   ");
		first = false;
		before = b->len;
		if (cells == NULL)
			add_heading(b, columns->items[i]);
		else if (i < cells->n)
			pathexpr_add_text(b, cells->items[i]);
		if (b->len == before)
			buf_addc(b, ' ');
	}
	buf_addc(b, '\n');
}

int
printed_table(struct session *s, const char *path)
{
	struct span answer;
	const struct node *table, *rows, *columns;
	struct buf b = BUF_INIT;

	if (session_send(
		s, "GET", path, NULL, SPAN_NONE, accept_table, &answer) < 0)
		return -1;
	table = tree_parse(&s->arena, answer, TREE_LIMITS, NULL, NULL);
	if (!tree_text_is(tree_get(table, "kind"), "Table"))
		return session_refused(s, answer);
	rows = tree_get(table, "rows");
	columns = tree_get(table, "columnDefinitions");
	if (!session_option(s, "--no-headers") && tree_count(rows) > 0)
		add_row(&b, columns, NULL);
	for (uint32_t i = 0; i < tree_count(rows); i++)
		add_row(&b, columns, tree_get(rows->items[i], "cells"));
	print(&b);
	return 0;
}
