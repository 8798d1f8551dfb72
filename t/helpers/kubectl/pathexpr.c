#include "kubectl/pathexpr.h"

#include <stdlib.h>

#include "kubectl/flags.h"

enum step_kind { STEP_NAME, STEP_INDEX, STEP_ALL };
struct step {
	enum step_kind kind;
	struct span name;
	long index;
};

static bool
is_index(struct span text)
{
	while (span_take(&text, "-"))
		;
	return span_is_digits(text);
}

/* A step in brackets. */
static struct step
bracket_step(struct span text)
{
	if (span_starts(text, "?"))
		flags_not_here("jsonpath [%.*s]", SPAN_ARG(text));
	text = span_trim(text, "'\"");
	if (span_is(text, "*"))
		return (struct step){.kind = STEP_ALL};
	if (is_index(text)) /* a bracket ends it */
		return (struct step){
		    STEP_INDEX, text, strtol(text.p, NULL, 10)};
	return (struct step){.kind = STEP_NAME, .name = text};
}

/* A name up to a dot or bracket; a backslash makes either a part of it. */
static struct step
name_step(struct arena *a, struct span *path)
{
	struct buf name = BUF_INIT;
	struct step step = {.kind = STEP_NAME};

	while (path->n > 0 && !span_is_among(*path->p, ".[")) {
		if (*path->p == '\\' && path->n > 1)
			*path = span_skip(*path, 1);
		buf_addc(&name, *path->p);
		*path = span_skip(*path, 1);
	}
	step.name = arena_span(a, buf_span(&name));
	if (span_is(step.name, "*"))
		step.kind = STEP_ALL;
	buf_release(&name);
	return step;
}

/* False: no more. */
static bool
next_step(struct arena *a, struct span *path, struct step *step)
{
	while (path->n > 0 && *path->p == '.')
		*path = span_skip(*path, 1);
	if (path->n == 0)
		return false;
	if (*path->p == '[') {
		*path = span_skip(*path, 1);
		*step = bracket_step(span_cut(path, ']'));
	} else {
		*step = name_step(a, path);
	}
	return true;
}

static void
follow(struct arena *a, struct node *v, const struct step *step,
    struct node *found)
{
	long n = (long)tree_count(v), i = step->index;
	struct node *member;

	if (step->kind == STEP_ALL && tree_is(v, NODE_ARRAY)) {
		for (uint32_t k = 0; k < v->n; k++)
			tree_append(a, found, v->items[k]);
	} else if (step->kind == STEP_ALL && tree_is(v, NODE_OBJECT)) {
		for (uint32_t k = 0; k < v->n; k++)
			tree_append(a, found, v->members[k].value);
	} else if (step->kind == STEP_INDEX && tree_is(v, NODE_ARRAY)) {
		if (i >= -n && i < n)
			tree_append(a, found, v->items[i < 0 ? i + n : i]);
	} else if (step->kind != STEP_ALL && tree_is(v, NODE_OBJECT)) {
		member = tree_get_span(v, step->name);
		if (member != NULL)
			tree_append(a, found, member);
	}
}

struct node *
pathexpr_select(struct arena *a, struct node *value, struct span path)
{
	struct node *values = tree_array(a), *next;
	struct step step;

	path = span_trim(path, "{}");
	tree_append(a, values, value);
	while (next_step(a, &path, &step)) {
		next = tree_array(a);
		for (uint32_t i = 0; i < values->n; i++)
			follow(a, values->items[i], &step, next);
		values = next;
	}
	return values;
}

void
pathexpr_add_text(struct buf *b, const struct node *value)
{
	if (tree_is(value, NODE_STRING))
		buf_addspan(b, tree_text(value));
	else if (value != NULL && !tree_is(value, NODE_NULL))
		tree_write(b, value);
}

void
pathexpr_add(
    struct buf *b, struct arena *a, struct node *value, struct span path)
{
	struct node *found = pathexpr_select(a, value, path);

	for (uint32_t i = 0; i < found->n; i++) {
		if (i > 0)
			buf_addc(b, ' ');
		pathexpr_add_text(b, found->items[i]);
	}
}

/* The last {end} of the template; n of what is before it. */
static bool
find_end(struct span template, size_t *n)
{
	for (size_t i = template.n; i > 0; i--)
		if (span_starts(span_skip(template, i - 1), "{end}")) {
			*n = i - 1;
			return true;
		}
	return false;
}

static void
add_range(struct buf *b, struct arena *a, struct node *value, struct span path,
    struct span *rest)
{
	struct node *found = pathexpr_select(a, value, path);
	size_t n = 0;

	if (!find_end(*rest, &n))
		flags_not_here("jsonpath range without an end");
	for (uint32_t i = 0; i < found->n; i++)
		pathexpr_add_template(
		    b, a, found->items[i], span_make(rest->p, n));
	*rest = span_skip(*rest, n + strlen("{end}"));
}

void
pathexpr_add_template(
    struct buf *b, struct arena *a, struct node *value, struct span template)
{
	while (template.n > 0) {
		struct span path;

		buf_addspan(b, span_cut(&template, '{'));
		path = span_cut(&template, '}');
		if (span_starts(path, "\""))
			pathexpr_add_text(
			    b, tree_parse(a, path, TREE_LIMITS, NULL, NULL));
		else if (span_take(&path, "range "))
			add_range(b, a, value, path, &template);
		else if (path.n > 0)
			pathexpr_add(b, a, value, path);
	}
}
