#include "reply/cells.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "process/clock.h"
#include "text/texts.h"

/* ---- cells ---- */

static void
next(struct cells *c)
{
	if (c->out->len > 0 && c->out->data[c->out->len - 1] != '[')
		buf_addc(c->out, ',');
}

void
cell_text(struct cells *c, struct span text)
{
	next(c);
	json_add_string(c->out, text);
}

void
cell_str(struct cells *c, const char *text)
{
	cell_text(c, span_str(text));
}

void
cell_path(struct cells *c, const char *path, const char *otherwise)
{
	struct span text = tree_path_text(c->object, path);

	cell_text(c, text.n > 0 ? text : span_str(otherwise));
}

void
cell_int(struct cells *c, int64_t n)
{
	next(c);
	json_add_int(c->out, n);
}

void
cell_json(struct cells *c, struct span json)
{
	next(c);
	buf_addspan(c->out, json);
}

void
cell_bool(struct cells *c, bool value)
{
	cell_json(c, span_str(value ? "true" : "false"));
}

void
cell_name(struct cells *c)
{
	cell_path(c, "metadata.name", "");
}

void
cell_age(struct cells *c)
{
	cell_text(c,
	    cells_since(
		c, tree_path_text(c->object, "metadata.creationTimestamp")));
}

void
cell_fmt(struct cells *c, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	cell_str(c, text);
}

/* ---- times ---- */

/* "5m10s": n units and m smaller ones; "5m" if m is 0. */
static struct span
two(struct arena *a, int64_t n, char unit, int64_t m, char smaller)
{
	if (m == 0)
		return arena_printf(a, "%" PRId64 "%c", n, unit);
	return arena_printf(
	    a, "%" PRId64 "%c%" PRId64 "%c", n, unit, m, smaller);
}

struct span
cells_duration(struct arena *a, int64_t seconds)
{
	int64_t minutes = seconds / 60, hours = seconds / 3600;
	int64_t days = hours / 24;

	if (seconds < -1)
		return span_str("<invalid>");
	if (seconds < 0)
		return span_str("0s");
	if (seconds < 120)
		return two(a, seconds, 's', 0, 0);
	if (minutes < 10)
		return two(a, minutes, 'm', seconds % 60, 's');
	if (minutes < 180)
		return two(a, minutes, 'm', 0, 0);
	if (hours < 8)
		return two(a, hours, 'h', minutes % 60, 'm');
	if (hours < 48)
		return two(a, hours, 'h', 0, 0);
	if (hours < 24 * 8)
		return two(a, days, 'd', hours % 24, 'h');
	if (days < 365 * 2)
		return two(a, days, 'd', 0, 0);
	if (days < 365 * 8)
		return two(a, days / 365, 'y', days % 365, 'd');
	return two(a, days / 365, 'y', 0, 0);
}

struct span
cells_since(struct cells *c, struct span time)
{
	int64_t us;

	if (time.n == 0)
		return span_str("<unknown>");
	if (clock_parse_us(time, &us) != 0)
		return span_str("<invalid>");
	return cells_duration(c->arena, (c->now - us) / 1000000);
}

/* ---- parts ---- */

struct span
cells_join(struct arena *a, struct span *items, size_t n, const char *separator)
{
	struct buf b = BUF_INIT;

	texts_sort(items, n);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && span_eq(items[i], items[i - 1]))
			continue;
		if (i > 0)
			buf_adds(&b, separator);
		buf_addspan(&b, items[i]);
	}
	return tree_keep(a, &b);
}

static struct span
expression(struct arena *a, const struct node *e)
{
	struct span key = tree_text(tree_get(e, "key"));
	struct span op = tree_text(tree_get(e, "operator"));
	const struct node *values = tree_get(e, "values");
	size_t n = tree_count(values);
	struct span *items = arena_alloc(a, (n + 1) * sizeof(*items));

	if (span_is(op, "Exists"))
		return key;
	if (span_is(op, "DoesNotExist"))
		return arena_printf(a, "!%.*s", SPAN_ARG(key));
	for (size_t i = 0; i < n; i++)
		items[i] = tree_text(values->items[i]);
	return arena_printf(a, "%.*s %s (%.*s)", SPAN_ARG(key),
	    span_is(op, "In") ? "in" : "notin",
	    SPAN_ARG(cells_join(a, items, n, ",")));
}

struct term {
	struct span key, text;
	size_t at;
};

/* The order of terms in labels.Selector: by key. */
static int
by_key(const void *x, const void *y)
{
	const struct term *a = x, *b = y;
	int c = span_cmp(a->key, b->key);

	return c != 0 ? c : (a->at > b->at) - (a->at < b->at);
}

struct span
cells_selector(
    struct arena *a, const struct node *selector, const char *otherwise)
{
	const struct node *labels = tree_get(selector, "matchLabels");
	const struct node *more = tree_get(selector, "matchExpressions");
	size_t n = tree_count(labels), m = tree_count(more);
	struct buf b = BUF_INIT;
	struct term *terms;

	if (n + m == 0)
		return span_str(otherwise);
	terms = arena_alloc(a, (n + m) * sizeof(*terms));
	for (size_t i = 0; i < n; i++)
		terms[i] = (struct term){labels->members[i].key,
		    arena_printf(a, "%.*s=%.*s",
			SPAN_ARG(labels->members[i].key),
			SPAN_ARG(tree_text(labels->members[i].value))),
		    i};
	for (size_t i = 0; i < m; i++)
		terms[n + i] =
		    (struct term){tree_text(tree_get(more->items[i], "key")),
			expression(a, more->items[i]), n + i};
	qsort(terms, n + m, sizeof(*terms), by_key);
	for (size_t i = 0; i < n + m; i++) {
		buf_adds(&b, i > 0 ? "," : "");
		buf_addspan(&b, terms[i].text);
	}
	return tree_keep(a, &b);
}

/* ---- words of columns ---- */

/* A number; an absent one is 0, or the text for it. */
void
cell_int_at(struct cells *c)
{
	if (*c->otherwise != '\0' && tree_path(c->object, c->path) == NULL)
		cell_str(c, c->otherwise);
	else
		cell_int(c, tree_path_int(c->object, c->path));
}

void
cell_bool_at(struct cells *c)
{
	cell_bool(c, tree_true(tree_path(c->object, c->path)));
}

void
cell_since(struct cells *c)
{
	struct span time = tree_path_text(c->object, c->path);

	cell_text(
	    c, time.n > 0 ? cells_since(c, time) : span_str(c->otherwise));
}

void
cell_seconds(struct cells *c)
{
	if (tree_path(c->object, c->path) == NULL)
		cell_str(c, c->otherwise);
	else
		cell_text(c,
		    cells_duration(
			c->arena, tree_path_int(c->object, c->path)));
}

/* "a=b,c=d", sorted. */
void
cell_labels(struct cells *c)
{
	const struct node *labels = tree_path(c->object, c->path);
	size_t n = tree_members(labels);
	struct span *items = arena_alloc(c->arena, (n + 1) * sizeof(*items));

	for (size_t i = 0; i < n; i++)
		items[i] = arena_printf(c->arena, "%.*s=%.*s",
		    SPAN_ARG(labels->members[i].key),
		    SPAN_ARG(tree_text(labels->members[i].value)));
	cell_text(c,
	    n > 0 ? cells_join(c->arena, items, n, ",") : span_str("<none>"));
}

void
cell_selector(struct cells *c)
{
	cell_text(c,
	    cells_selector(
		c->arena, tree_path(c->object, c->path), c->otherwise));
}

/* Texts with commas between them: the items of a list, or what they have at
 * key. */
static void
cell_texts(struct cells *c, const char *key)
{
	const struct node *list = tree_path(c->object, c->path);
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < tree_count(list); i++) {
		const struct node *item = list->items[i];

		if (i > 0)
			buf_addc(&b, ',');
		buf_addspan(
		    &b, tree_text(key == NULL ? item : tree_get(item, key)));
	}
	cell_text(c, buf_span(&b));
	buf_release(&b);
}

void
cell_list(struct cells *c)
{
	cell_texts(c, NULL);
}

void
cell_names(struct cells *c)
{
	cell_texts(c, "name");
}

void
cell_images(struct cells *c)
{
	cell_texts(c, "image");
}

/* The first text of a list. */
void
cell_first(struct cells *c)
{
	const struct node *list = tree_path(c->object, c->path);

	cell_text(c,
	    tree_count(list) > 0 ? tree_text(list->items[0])
				 : span_str(c->otherwise));
}

/* The name, and whether one of these annotations makes the object the default
 * of its kind. */
void
cell_default_name(struct cells *c)
{
	const struct node *all = tree_path(c->object, "metadata.annotations");
	struct span names = span_str(c->path);
	bool is = false;

	while (names.p != NULL)
		is = tree_text_is(
			 tree_get_span(all, span_cut(&names, ',')), "true") ||
		    is;
	cell_text(c,
	    arena_printf(c->arena, "%.*s%s",
		SPAN_ARG(tree_path_text(c->object, "metadata.name")),
		is ? " (default)" : ""));
}
