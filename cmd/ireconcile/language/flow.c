#include "language/flow.h"

#include "language/guards.h"

/* The definition that is looked at. */
struct walker {
	const struct source *source;
	struct source_def at;
	const struct jqlex *lex;
};

static enum jqnode_dot
lower(enum jqnode_dot dot)
{
	return dot == JQNODE_INPUT ? JQNODE_PERHAPS : dot;
}

/* The meaning of `.` in argument number i of a call. */
static enum jqnode_dot
dot_of_argument(const struct walker *w, const struct jqnode *call, int arity,
    int i, enum jqnode_dot dot)
{
	/* Built-ins that evaluate their arguments with their own input; and
	 * those that do so with elements of what the first one gives. */
	static const char plain[] =
	    " select/1 first/1 last/1 isempty/1 error/1 has/1 contains/1 "
	    "inside/1 limit/2 ";
	static const char of_elements[] = " any/2 all/2 ";
	struct span name = w->lex->tokens[call->token].text;
	struct source_def called =
	    source_find_def(w->source, w->at.file, w->at.def, name, arity);

	for (int k = call->from; k < call->to; k++)
		if (jqlex_is(w->lex, k, JQLEX_WORD, "def") &&
		    w->lex->tokens[k].inside == call->from + 1)
			return lower(dot);
	if (called.def != NULL)
		return called.def->keeps & 1u << i ? dot : lower(dot);
	if (i == 1 && !call->local &&
	    guards_is_listed(of_elements, name, arity))
		return JQNODE_OTHER;
	return guards_is_listed(plain, name, arity) ? dot : lower(dot);
}

/* Whether the node gives its own input, if anything. */
static bool
passes(const struct walker *w, const struct jqnode *n)
{
	static const char same[] = " select/1 need/2 ";
	struct span name;
	struct source_def called;
	int arity;

	while (
	    n->type == JQNODE_TERM && n->kids != NULL && n->kids->next == NULL)
		n = n->kids;
	if (n->type != JQNODE_CALL || n->local)
		return false;
	name = w->lex->tokens[n->token].text;
	arity = jqparse_arity(n);
	called = source_find_def(w->source, w->at.file, w->at.def, name, arity);
	return guards_is_listed(same, name, arity) &&
	    (called.def == NULL || called.file->trust == JQPARSE_TRUSTED);
}

/* ---- nodes ---- */

static enum jqnode_dot walk(const struct walker *w, struct jqnode *n,
    enum jqnode_dot dot, bool updated);

/* Walks kids of which each one is in brackets of its own. */
static void
walk_inside(const struct walker *w, struct jqnode *kids, enum jqnode_dot dot)
{
	for (; kids != NULL; kids = kids->next)
		walk(w, kids, dot, false);
}

/* Walks kids that follow each other in the same brackets. */
static enum jqnode_dot
walk_along(const struct walker *w, struct jqnode *kids, enum jqnode_dot dot,
    bool updated)
{
	for (; kids != NULL; kids = kids->next)
		dot = walk(w, kids, dot, updated);
	return dot;
}

static void
walk_arguments(const struct walker *w, const struct jqnode *call)
{
	int arity = jqparse_arity(call), i = 0;

	for (struct jqnode *k = call->kids; k != NULL; k = k->next)
		walk(w, k, dot_of_argument(w, call, arity, i++, call->dot),
		    false);
}

static enum jqnode_dot
walk_operands(const struct walker *w, struct jqnode *first, enum jqnode_dot dot,
    bool updated)
{
	const struct jqnode *last_update = first;

	for (const struct jqnode *k = first->next; k != NULL; k = k->next)
		if (jqlex_is_update(w->lex, k->from - 1))
			last_update = k;
	for (struct jqnode *k = first; k != NULL; k = k->next) {
		if (k != first && jqlex_is_update(w->lex, k->from - 1))
			dot = lower(dot);
		dot = walk(w, k, dot, updated || k->to < last_update->from);
	}
	return dot;
}

/*
 * Marks a node and what is in it. `.` changes from left to right between two
 * brackets, and in a definition: dot is its meaning before the node; returns
 * that behind it. updated: an update of this part follows.
 */
static enum jqnode_dot
walk(
    const struct walker *w, struct jqnode *n, enum jqnode_dot dot, bool updated)
{
	struct jqnode *kids = n->kids;
	bool only_passes = false; /* what is before the pipe */

	n->dot = updated ? lower(dot) : dot;
	switch (n->type) {
	case JQNODE_QUERY:
		for (struct jqnode *k = kids; k != NULL; k = k->next) {
			if (k != kids && jqparse_joined(w->lex, k, "|") &&
			    !only_passes)
				dot = JQNODE_OTHER;
			only_passes = passes(w, k) &&
			    (k == kids || jqparse_joined(w->lex, k, "|"));
			dot = walk(w, k, dot, updated);
		}
		return dot;
	case JQNODE_BIND:
		dot = walk(w, kids, dot, updated);
		walk(w, kids->next, lower(dot), false);
		return walk(w, kids->next->next, dot, updated);
	case JQNODE_LOCAL:
		walk(w, kids, lower(dot), false);
		return walk(w, kids->next, lower(dot), updated);
	case JQNODE_OPERATORS:
		return walk_operands(w, kids, dot, updated);
	case JQNODE_TRY:
		dot = walk(w, kids, dot, updated);
		return kids->next == NULL
		    ? dot
		    : walk(w, kids->next, lower(dot), updated);
	case JQNODE_CALL:
		walk_arguments(w, n);
		return dot;
	case JQNODE_IF: /* all parts have the same `.` */
		walk_inside(w, kids, dot);
		return dot;
	case JQNODE_LOOP:
		dot = walk(w, kids, dot, false);
		walk(w, kids->next, lower(dot), false);
		kids = kids->next->next;
		walk(w, kids, updated ? lower(dot) : dot, false);
		walk_inside(w, kids->next, JQNODE_OTHER);
		return dot;
	case JQNODE_SLICE:
		walk_along(w, kids, n->dot, false);
		return dot;
	case JQNODE_LABEL:
	case JQNODE_NEGATE:
	case JQNODE_TERM:
	case JQNODE_TEXT: /* the string in the node has brackets */
	case JQNODE_NAME:
		return walk_along(w, kids, dot, updated);
	default: /* in a kid, `.` may change, and not behind it */
		walk_inside(w, kids, n->dot);
		return dot;
	}
}

/* ---- definitions ---- */

bool
flow_keeps(const struct source_file *f, const struct jqparse_def *def,
    struct span name)
{
	const struct jqlex *lex = &f->lex;

	for (const struct jqnode *n = def->first;; n = n->after) {
		if (n->type == JQNODE_CALL && n->dot != JQNODE_INPUT &&
		    span_eq(lex->tokens[n->token].text, name))
			return false;
		/* The name of a local function, or of its parameter. */
		for (int i = n->token;
		     n->type == JQNODE_LOCAL && i < n->kids->from; i++)
			if (lex->tokens[i].type == JQLEX_WORD &&
			    span_eq(lex->tokens[i].text, name))
				return false;
		if (n == def->body)
			return true;
	}
}

void
flow_mark(const struct source *s)
{
	for (int i = 0; i < s->count; i++)
		for (int d = 0; d < s->files[i].parse.def_count; d++) {
			const struct source_file *f = &s->files[i];
			struct jqparse_def *def = &f->parse.defs[d];
			struct walker w = {s, {f, def}, &f->lex};
			const struct jqlex_token *name =
			    f->lex.tokens + def->from + 3;

			def->keeps = 0;
			walk(&w, def->body, JQNODE_INPUT, false);
			for (int n = 0; n < def->arity; n++)
				if (flow_keeps(f, def, name[2 * n].text))
					def->keeps |= 1u << n;
		}
}
