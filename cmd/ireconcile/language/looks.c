#include "language/looks.h"

#include <stdlib.h>

#include "language/way.h"

static void
add(struct textlist *list, struct span name)
{
	if (!textlist_has(list, name.p, name.n))
		textlist_add(list, name.p, name.n);
}

static bool
is_in_pattern(const struct jqlex *lex, int i)
{
	for (int open = lex->tokens[i].inside; open > 0;
	     open = lex->tokens[open].inside)
		if (jqlex_is(lex, open - 1, JQLEX_WORD, "as"))
			return true;
	return false;
}

/* {data} is {data: .data} */
static bool
looks_at_key(struct way_search *s, struct way_taken *w, int i)
{
	const struct jqlex *lex = s->lex;
	int open = lex->tokens[i].inside;

	if (is_in_pattern(lex, i))
		return true;
	if (way_sign(lex, i + 1, ":"))
		return false;
	w->keys[w->key_count++] = lex->tokens[i].text;
	w->t = (struct way_term){open, jqlex_closer(lex, open) + 1};
	w->bare = false;
	return !way_follow(s, w);
}

static bool
looks_at(struct way_search *s, int i)
{
	const struct jqlex *lex = s->lex;
	struct way_taken w = {.name = lex->tokens[i].text, .bare = true};

	if (jqlex_is_key(lex, i))
		return looks_at_key(s, &w, i);
	if (jqlex_is(lex, i, JQLEX_STRING, NULL))
		/* {name: "data"} is a text. */
		return !way_sign(lex, i - 1, ":");
	w.bare = jqlex_is(lex, i, JQLEX_FIELD, NULL);
	w.t = way_path(lex, i);
	return !way_follow(s, &w);
}

/* Whether t is the argument of a function that does more than pass it on. */
static bool
is_argument(const struct way_search *s, struct way_term t)
{
	const struct jqlex *lex = s->lex;
	int open = lex->tokens[t.from].inside;

	return way_ends(lex, t.to) && !way_sign(lex, t.to, "|") &&
	    jqlex_is(lex, open, JQLEX_OPEN, "(") &&
	    jqlex_is(lex, open - 1, JQLEX_WORD, NULL) &&
	    !jqlex_starts_term(lex, open) && !way_harmless(s, open - 1);
}

/* Whether the object at t is given to a function or operator that looks at its
 * members without their names. */
static bool
is_inspected(const struct way_search *s, struct way_term t)
{
	const struct jqlex *lex = s->lex;
	int stage;

	if (way_compares(lex, t.from - 1) ||
	    (way_compares(lex, t.to) &&
		!jqlex_is(lex, t.to + 1, JQLEX_WORD, "null")))
		return true;
	for (; way_sign(lex, t.to, "|"); t.to = stage) {
		if (jqlex_is(lex, t.to + 1, JQLEX_FIELD, NULL) ||
		    jqlex_is(lex, t.to + 1, JQLEX_OPEN, "{"))
			return false;
		for (stage = t.to + 1; !way_ends(lex, stage); stage++)
			if (jqlex_is(lex, stage, JQLEX_OPEN, NULL))
				stage = jqlex_closer(lex, stage);
		if (way_inspects(s, t.to + 1, stage))
			return true;
	}
	return is_argument(s, t);
}

/* Whether the path has .a[] or .a[$k], where .a may be an object. */
static bool
opens_any(const struct jqlex *lex, int i, struct way_term t)
{
	for (int k = i + 1; k < t.to; k++)
		if (jqlex_is(lex, k, JQLEX_OPEN, "[") &&
		    !jqlex_is(lex, k + 1, JQLEX_STRING, NULL) &&
		    !jqlex_is(lex, k + 1, JQLEX_NUMBER, NULL))
			return !jqlex_is(lex, i - 1, JQLEX_FIELD, "owned") &&
			    !jqlex_is(lex, i - 1, JQLEX_FIELD, "related");
	return false;
}

/* Looks at the access at i, which ends its path. */
static void
look_at_end(struct way_search *s, int i, struct way_term t)
{
	const struct jqlex *lex = s->lex;
	struct span name = lex->tokens[i].text;
	bool opens = opens_any(lex, i, t);

	while (way_in_brackets(lex, t))
		t = (struct way_term){t.from - 1, t.to + 1};
	if (opens || is_inspected(s, t))
		add(&s->looks->wholes, name);
	if (jqlex_is(lex, t.to, JQLEX_WORD, "as") &&
	    jqlex_is(lex, t.to + 1, JQLEX_VARIABLE, NULL))
		way_lead(s, name, lex->tokens[t.to + 1].text);
}

static void
look_at(struct way_search *s, int i)
{
	const struct jqlex *lex = s->lex;
	struct way_term t = way_path(lex, i);

	if (looks_at(s, i))
		add(&s->looks->members, lex->tokens[i].text);
	if (jqlex_is_key(lex, i) || jqlex_is(lex, i, JQLEX_STRING, NULL))
		return;
	for (int k = i + 1; k < t.to; k++)
		if (jqlex_is(lex, k, JQLEX_FIELD, NULL))
			return;
	look_at_end(s, i, t);
}

static void
look_through(struct way_search *s)
{
	const struct jqlex *lex = s->lex;

	for (int i = s->file->body; i < lex->count; i++) {
		if (way_sign(lex, i, ".."))
			add(&s->looks->wholes, lex->tokens[i].text);
		if (lex->tokens[i].type <= JQLEX_STRING &&
		    !jqlex_is_joint(lex, i) &&
		    !jqlex_is(lex, i - 1, JQLEX_WORD, "def") &&
		    !jqlex_is(lex, i - 1, JQLEX_WORD, "as"))
			look_at(s, i);
	}
}

static bool
spread(const struct edge *e, struct textlist *list)
{
	bool more = textlist_has(list, e->to.p, e->to.n) &&
	    !textlist_has(list, e->from.p, e->from.n);

	if (more)
		add(list, e->from);
	return more;
}

void
looks_find(struct looks *looks, const struct source *src)
{
	struct way_search s = {.looks = looks};
	bool more = true;

	for (int i = 0; i < src->count; i++) {
		s.file = &src->files[i];
		s.lex = &s.file->lex;
		if (s.file->trust == JQPARSE_STRANGE)
			look_through(&s);
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < s.edge_count; i++) {
			more = spread(&s.edges[i], &looks->members) || more;
			more = spread(&s.edges[i], &looks->wholes) || more;
		}
	}
	free(s.edges);
}
