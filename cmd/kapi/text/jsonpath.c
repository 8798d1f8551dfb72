#include "text/jsonpath.h"

#include <stdlib.h>
#include <string.h>

/* A place of a path, and all values that are there. */
struct walk {
	struct arena *arena;
	struct span rest;
	const struct node **found;
	size_t n;
};

static void
keep(struct walk *w, const struct node ***list, size_t *n,
    const struct node *value)
{
	if (value == NULL)
		return;
	*list = arena_more(w->arena, *list, *n, sizeof(const struct node *));
	(*list)[(*n)++] = value;
}

/* Replaces every object that was found by its member at key. */
static void
step_key(struct walk *w, struct span key)
{
	const struct node **next = NULL;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (tree_is(w->found[i], NODE_OBJECT))
			keep(w, &next, &n, tree_get_span(w->found[i], key));
	w->found = next;
	w->n = n;
}

static void
step_all(struct walk *w)
{
	const struct node **next = NULL;
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		const struct node *v = w->found[i];

		for (size_t k = 0; k < tree_count(v); k++)
			keep(w, &next, &n,
			    v->kind == NODE_ARRAY ? v->items[k]
						  : v->members[k].value);
	}
	w->found = next;
	w->n = n;
}

/* ---- filters ---- */

struct filter {
	struct span path, op, value; /* value: raw, quoted or not */
};

/* @.PATH OP VALUE, or @.PATH alone */
static bool
filter_parse(struct span text, struct filter *f)
{
	size_t i = 0, n = 0;

	text = span_trim(text, " ");
	if (text.n == 0 || *text.p != '@')
		return false;
	while (i < text.n && strchr("=!<>", text.p[i]) == NULL)
		i++;
	while (i + n < text.n && strchr("=!<>", text.p[i + n]) != NULL)
		n++;
	f->path = span_trim(span_make(text.p + 1, i - 1), " ");
	f->op = span_make(text.p + i, n);
	f->value = span_trim(span_make(text.p + i + n, text.n - i - n), " ");
	return true;
}

static bool
compare(const struct node *left, const struct filter *f)
{
	struct span v = f->value;
	bool quoted = v.n >= 2 && (*v.p == '"' || *v.p == '\'');
	int c;

	if (quoted)
		v = span_make(v.p + 1, v.n - 2);
	if (quoted && left->kind == NODE_STRING)
		c = span_cmp(left->text, v);
	else if (!quoted && left->kind == NODE_NUMBER) {
		double d = tree_double(left) - strtod(v.p, NULL);

		c = (d > 0) - (d < 0);
	} else if (!quoted &&
	    (left->kind == NODE_TRUE || left->kind == NODE_FALSE))
		c = !span_is(v, left->kind == NODE_TRUE ? "true" : "false");
	else
		return false;
	if (span_is(f->op, "=="))
		return c == 0;
	if (span_is(f->op, "!="))
		return c != 0;
	if (span_is(f->op, "<"))
		return c < 0;
	if (span_is(f->op, ">"))
		return c > 0;
	if (span_is(f->op, "<="))
		return c <= 0;
	return span_is(f->op, ">=") && c >= 0;
}

static void
step_filter(struct walk *w, struct span text)
{
	const struct node **next = NULL;
	struct filter f;
	size_t n = 0;

	if (!filter_parse(text, &f)) {
		w->n = 0;
		return;
	}
	for (size_t i = 0; i < w->n; i++) {
		const struct node *list = w->found[i];

		if (!tree_is(list, NODE_ARRAY))
			continue;
		for (size_t k = 0; k < tree_count(list); k++) {
			const struct node *left =
			    jsonpath_first(w->arena, list->items[k], f.path);

			if (left != NULL && (f.op.n == 0 || compare(left, &f)))
				keep(w, &next, &n, list->items[k]);
		}
	}
	w->found = next;
	w->n = n;
}

/* ---- paths ---- */

/* The end of what an opening bracket at p begins, quotes minded. */
static size_t
bracket_end(struct span s)
{
	size_t depth = 0;
	char quote = '\0';

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (quote != '\0') {
			if (c == '\\')
				i++;
			else if (c == quote)
				quote = '\0';
		} else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '[')
			depth++;
		else if (c == ']' && --depth == 0)
			return i;
	}
	return s.n;
}

static struct span
unescape(struct arena *a, struct span s)
{
	char *p;
	size_t n = 0;

	if (s.n == 0 || span_find(s, '\\') == NULL)
		return s;
	p = arena_alloc(a, s.n);
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n)
			i++;
		p[n++] = s.p[i];
	}
	return span_make(p, n);
}

static void
step_field(struct walk *w)
{
	size_t n = 0;
	struct span key;

	while (n < w->rest.n && w->rest.p[n] != '.' && w->rest.p[n] != '[')
		n += w->rest.p[n] == '\\' && n + 1 < w->rest.n ? 2 : 1;
	key = span_make(w->rest.p, n);
	w->rest = span_skip(w->rest, n);
	if (span_is(key, "*"))
		step_all(w);
	else
		step_key(w, unescape(w->arena, key));
}

const struct node *
jsonpath_first(struct arena *a, const struct node *root, struct span path)
{
	struct walk w = {.arena = a, .rest = path};

	keep(&w, &w.found, &w.n, root);
	while (w.rest.n > 0 && w.n > 0) {
		if (*w.rest.p == '.') {
			w.rest = span_skip(w.rest, 1);
			if (w.rest.n > 0 && *w.rest.p != '[' &&
			    *w.rest.p != '.')
				step_field(&w);
		} else if (*w.rest.p == '[') {

			size_t end = bracket_end(w.rest);
			struct span in;

			if (end == w.rest.n)
				return NULL;
			in = span_trim(span_make(w.rest.p + 1, end - 1), " ");
			w.rest =
			    span_make(w.rest.p + end + 1, w.rest.n - end - 1);
			if (in.n == 0)
				return NULL;
			if (span_is(in, "*"))
				step_all(&w);
			else if (*in.p == '?' && in.n > 3 && in.p[1] == '(')
				step_filter(&w, span_make(in.p + 2, in.n - 3));
			else if ((*in.p == '\'' || *in.p == '"') && in.n >= 2)
				step_key(&w,
				    unescape(w.arena,
					span_make(in.p + 1, in.n - 2)));
			else if (*in.p == '-' || span_is_digit(*in.p)) {
				long index = strtol(in.p, NULL, 10);
				const struct node **next = NULL;
				size_t n = 0;

				for (size_t i = 0; i < w.n; i++) {
					const struct node *v = w.found[i];
					long count = (long)tree_count(v);
					long at =
					    index < 0 ? count + index : index;

					if (tree_is(v, NODE_ARRAY) && at >= 0 &&
					    at < count)
						keep(&w, &next, &n,
						    v->items[at]);
				}
				w.found = next;
				w.n = n;
			} else
				return NULL;
		} else
			step_field(&w);
	}
	return w.n > 0 ? w.found[0] : NULL;
}
