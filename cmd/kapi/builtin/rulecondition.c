/*
 * Part of builtin/ruleline.h. Conditions of rules: how they are read, and
 * whether they hold at a place; and the values that paths lead to.
 */
#include "builtin/ruleline.h"

#include <stdlib.h>

#include "base/array.h"
#include "builtin/builtin.h"
#include "type/names.h"

/* ---- values ---- */

static struct node *
step_to(const struct node *n, const struct rule_step *s)
{
	if (s->kind == STEP_FIRST)
		return builtin_item(n, 0);
	if (s->kind != STEP_CONDITION)
		return rule_given(n, s->key);
	for (size_t i = 0; i < tree_count(n); i++)
		if (tree_text_is(rule_given(n->items[i], "type"), s->key) &&
		    tree_text_is(rule_given(n->items[i], "status"), s->status))
			return rule_given(n->items[i], "type");
	return NULL;
}

static struct node *
follow(const struct rule_path *path, struct node *n)
{
	for (size_t i = 0; i < path->n; i++)
		n = step_to(n, &path->steps[i]);
	return n;
}

/* The place where a path starts. */
const struct rule_place *
rulecondition_start(const struct rule_path *path, const struct rule_place *p)
{
	for (unsigned i = 0; i < path->up && p->outer != NULL; i++)
		p = p->outer;
	while (path->root && p->outer != NULL)
		p = p->outer;
	return p;
}

struct node *
rulecondition_value(const struct rule_path *path, const struct rule_place *p)
{
	p = rulecondition_start(path, p);
	return follow(path, path->live ? p->was : p->n);
}

static bool
compares(const char *how, int64_t x, int64_t y)
{
	return (x < y && how[0] == '<') || (x > y && how[0] == '>') ||
	    (x > y && how[1] == '>') || (x == y && how[1] == '=');
}

static bool
is_value(const struct node *n, struct span want)
{
	if (tree_is(n, NODE_TRUE))
		return span_is(want, "true");
	if (tree_is(n, NODE_FALSE))
		return span_is(want, "false");
	return tree_is(n, NODE_STRING) && span_eq(tree_text(n), want);
}

bool
rulecondition_is_any(
    const struct node *n, const struct span *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_value(n, values[i]))
			return true;
	return false;
}

/* Whether the term holds; if its path has [], for any item. */
static bool
any_holds(const struct rule_term *t, size_t i, const struct node *n)
{
	struct span text = tree_text(n);

	if (i < t->path.n && t->path.steps[i].kind == STEP_ITEMS) {
		for (size_t k = 0; k < tree_count(n); k++)
			if (any_holds(t, i + 1, n->items[k]))
				return true;
		return false;
	}
	if (i < t->path.n)
		return any_holds(t, i + 1, step_to(n, &t->path.steps[i]));
	switch (t->kind) {
	case TERM_FILLED:
		return !tree_empty(n);
	case TERM_GIVEN:
		return n != NULL;
	case TERM_IS:
		return rulecondition_is_any(n, t->values, t->n);
	case TERM_STARTS:
		return text.n >= t->values->n &&
		    memcmp(text.p, t->values->p, t->values->n) == 0;
	case TERM_ENDS:
		return text.n >= t->values->n &&
		    memcmp(text.p + text.n - t->values->n, t->values->p,
			t->values->n) == 0;
	case TERM_HAS:
		return text.n > 0 &&
		    memmem(text.p, text.n, t->values->p, t->values->n) != NULL;
	case TERM_INT:
		return tree_is(n, NODE_NUMBER);
	case TERM_OBJECT:
		return tree_is(n, NODE_OBJECT);
	case TERM_NEGATIVE:
		return rule_is_negative(n);
	case TERM_ADDRESS:
		return name_address_family(text) != 0;
	case TERM_LATEST:
		return rule_image_is_latest(text);
	default:
		return false;
	}
}

static bool
same(const struct node *x, const struct node *y)
{
	return (tree_empty(x) && tree_empty(y)) || tree_equal(x, y);
}

/* How many of the members at the paths meet a term about several of them. */
static size_t
count_paths(const struct rule_term *t, const struct rule_place *p)
{
	const struct rule_place *from = rulecondition_start(&t->path, p);
	struct node *is = follow(&t->path, t->path.live ? from->was : from->n);
	struct node *was = follow(&t->path, from->was);
	size_t count = 0;

	for (size_t i = 0; i < t->n; i++) {
		const struct node *x = follow(&t->paths[i], is);
		const struct node *y = follow(&t->paths[i], was);
		count += t->kind == TERM_SOURCES ? x != NULL
		    : t->kind == TERM_DIFFERS	 ? !tree_equal(x, y)
						 : !same(x, y);
	}
	return count;
}

static bool
is_among(const struct node *list, const struct node *n)
{
	for (size_t i = 0; i < tree_count(list); i++)
		if (tree_equal(list->items[i], n))
			return true;
	return false;
}

static bool
term_holds(const struct rule_run *run, const struct rule_term *t,
    const struct rule_place *p)
{
	const struct rule_place *from;

	switch (t->kind) {
	case TERM_UPDATE:
		return run->x != NULL && run->x->live != NULL;
	case TERM_NAMESPACED:
		return run->x->resource->namespaced;
	case TERM_ARG:
		for (size_t i = 0; i < t->n; i++)
			if (span_is(t->values[i], run->arg))
				return true;
		return false;
	case TERM_CHANGED:
	case TERM_DIFFERS:
		return run->x->live != NULL && count_paths(t, p) > 0;
	case TERM_SAME:
		return same(rulecondition_value(&t->paths[0], p),
		    rulecondition_value(&t->paths[1], p));
	case TERM_NEW:
		from = rulecondition_start(&t->path, p);
		return !is_among(from->outer->was, from->n);
	case TERM_COUNT:
		return compares(t->compare,
		    (int64_t)tree_count(rulecondition_value(&t->path, p)),
		    t->has_other
			? (int64_t)tree_count(rulecondition_value(&t->other, p))
			: t->number);
	case TERM_SOURCES:
		return compares(
		    t->compare, (int64_t)count_paths(t, p), t->number);
	case TERM_QUANTITY:
		return compares(t->compare,
		    rule_quantity_cmp(rulecondition_value(&t->path, p),
			rulecondition_value(&t->other, p)),
		    0);
	case TERM_AMOUNT:
		return compares(t->compare,
		    rule_amount(rulecondition_value(&t->path, p)),
		    t->has_other
			? rule_amount(rulecondition_value(&t->other, p))
			: t->number);
	default:
		from = rulecondition_start(&t->path, p);
		return any_holds(t, 0, t->path.live ? from->was : from->n);
	}
}

/* Whether all terms hold, or all of one side of an "or". */
bool
rulecondition_holds(const struct rule_run *run, const struct rule *r,
    const struct rule_place *p)
{
	bool all = true;

	for (size_t i = 0; i < r->term_count; i++) {
		const struct rule_term *t = &r->terms[i];
		if (t->kind != TERM_OR)
			all = all && term_holds(run, t, p) != t->not ;
		else if (all)
			return true;
		else
			all = true;
	}
	return all;
}

/* ---- reading ---- */

/* The part of a condition before its operator. */
static struct span
left_of_operator(struct span text)
{
	size_t n = 0;
	bool inside = false; /* brackets */

	while (n < text.n && strchr("^~/#", text.p[n]) != NULL)
		n++;
	for (; n < text.n && (inside || strchr("=<>*^$", text.p[n]) == NULL);
	     n++)
		inside = text.p[n] == '[' || (inside && text.p[n] != ']');
	return span_make(text.p, n);
}

static void
parse_values(struct arena *a, struct rule_term *t, struct span list)
{
	while (list.p != NULL) {
		t->values = arena_more(a, t->values, t->n, sizeof(*t->values));
		t->values[t->n++] = arena_span(a, span_cut(&list, ','));
	}
}

/* Paths with commas between them; all are below the object of the first one,
 * but those of same:. */
static void
parse_paths(struct arena *a, struct rule_term *t, struct span list)
{
	struct span first = list, rest = list;
	const char *dot;

	first = span_cut(&rest, ',');
	dot = rest.p == NULL || t->kind == TERM_SAME
	    ? NULL
	    : span_find_last(first, '.');
	if (dot != NULL) {
		first = span_make(list.p, (size_t)(dot - list.p));
		t->path = ruleline_path(a, first);
		list = span_skip(list, first.n + 1);
	}
	while (list.p != NULL) {
		t->paths = arena_more(a, t->paths, t->n, sizeof(*t->paths));
		t->paths[t->n++] = ruleline_path(a, span_cut(&list, ','));
	}
}

static void
parse_compare(struct arena *a, struct rule_term *t, struct span rest)
{
	size_t n = rest.n > 1 && strchr("=>", rest.p[1]) != NULL ? 2 : 1;

	memcpy(t->compare, rest.p, n);
	rest = span_skip(rest, n);
	span_take(&rest, "#");
	t->has_other = !span_is_digit(*rest.p);
	if (t->has_other)
		t->other = ruleline_path(a, rest);
	else
		t->number = strtoll(arena_str(a, rest), NULL, 10);
}

struct term_word {
	const char *word;
	enum rule_term_kind kind;
};
/* In front of a condition; a word alone is all of it. */
static const struct term_word prefixes[] = {{"or", TERM_OR},
    {"update", TERM_UPDATE}, {"namespaced", TERM_NAMESPACED},
    {"arg=", TERM_ARG}, {"changed:", TERM_CHANGED}, {"differs:", TERM_DIFFERS},
    {"same:", TERM_SAME}, {"given:", TERM_SOURCES}, {"new:", TERM_NEW},
    {"int:", TERM_INT}, {"object:", TERM_OBJECT}, {"negative:", TERM_NEGATIVE},
    {"address:", TERM_ADDRESS}, {"latest:", TERM_LATEST},
    {"quantity:", TERM_QUANTITY}, {"#", TERM_COUNT}};
/* Behind its path. */
static const struct term_word operators[] = {{"==", TERM_AMOUNT},
    {"<", TERM_AMOUNT}, {">", TERM_AMOUNT}, {"=", TERM_IS}, {"^=", TERM_STARTS},
    {"$=", TERM_ENDS}, {"*=", TERM_HAS}};

static bool
takes(struct span *text, const char *word)
{
	return span_is_lower(word[strlen(word) - 1]) ? span_is(*text, word)
						     : span_take(text, word);
}

struct rule_term
rulecondition_parse(struct arena *a, struct span text)
{
	struct rule_term t = {.kind = TERM_FILLED};
	struct span left, rest;
	size_t k = 0;

	t.not = span_take(&text, "!");
	while (k < COUNT(prefixes) && !takes(&text, prefixes[k].word))
		k++;
	if (k < COUNT(prefixes))
		t.kind = prefixes[k].kind;
	left = left_of_operator(text);
	rest = span_skip(text, left.n);
	switch (t.kind) {
	case TERM_OR:
	case TERM_UPDATE:
	case TERM_NAMESPACED:
		return t;
	case TERM_ARG:
		parse_values(a, &t, text);
		return t;
	case TERM_CHANGED:
	case TERM_DIFFERS:
	case TERM_SAME:
		parse_paths(a, &t, text);
		return t;
	case TERM_SOURCES:
		parse_paths(a, &t, left);
		parse_compare(a, &t, rest);
		return t;
	case TERM_COUNT:
	case TERM_QUANTITY:
		parse_compare(a, &t, rest);
		break;
	case TERM_FILLED:
		for (k = 0; k < COUNT(operators); k++)
			if (span_take(&rest, operators[k].word)) {
				t.kind = operators[k].kind;
				break;
			}
		if (t.kind == TERM_AMOUNT)
			parse_compare(a, &t, span_skip(text, left.n));
		else if (t.kind != TERM_FILLED)
			parse_values(a, &t, rest);
		else if (span_ends(left, "?")) {
			t.kind = TERM_GIVEN;
			left.n--;
		}
		break;
	default:
		break;
	}
	t.path = ruleline_path(a, left);
	return t;
}
