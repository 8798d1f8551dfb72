#include "language/flow.h"

/* The definition that is looked at. */
struct walker {
	const struct source *source;
	const struct source_file *file;
	const struct jqlex *lex;
	const struct jqparse_def *def; /* NULL: an expression */
};

/* The meaning of `.` between two brackets, or in a definition: it changes from
 * left to right. */
struct level {
	enum jqnode_dot dot;
	bool updated; /* an update of this part follows */
};

static enum jqnode_dot
lower(enum jqnode_dot dot)
{
	return dot == JQNODE_INPUT ? JQNODE_PERHAPS : dot;
}

static enum jqnode_dot
dot_of(const struct level *l)
{
	return l->updated ? lower(l->dot) : l->dot;
}

static void walk(const struct walker *w, struct jqnode *n, struct level *l);

/* Walks a node in brackets of its own. */
static void
walk_inside(const struct walker *w, struct jqnode *n, enum jqnode_dot dot)
{
	struct level l = {dot, false};

	walk(w, n, &l);
}

static void
walk_all_inside(
    const struct walker *w, struct jqnode *kids, enum jqnode_dot dot)
{
	for (; kids != NULL; kids = kids->next)
		walk_inside(w, kids, dot);
}

/* ---- calls ---- */

static bool
is_word(const struct jqlex *lex, int i, const char *const *words)
{
	for (; *words != NULL; words++)
		if (jqlex_is(lex, i, JQLEX_WORD, *words))
			return true;
	return false;
}

/* The meaning of `.` in argument number i of a call. */
static enum jqnode_dot
dot_of_argument(const struct walker *w, const struct jqnode *call, int arity,
    int i, enum jqnode_dot dot)
{
	/* Built-ins that evaluate their arguments with their own input; and
	 * those that do so with elements of what the first one gives. */
	static const char *const plain[] = {"select", "first", "last",
	    "isempty", "error", "has", "contains", "inside", NULL};
	static const char *const of_elements[] = {"any", "all", NULL};
	struct source_def called = source_find_def(w->source, w->file, w->def,
	    w->lex->tokens[call->token].text, arity);

	for (int k = call->from; k < call->to; k++)
		if (jqlex_is(w->lex, k, JQLEX_WORD, "def") &&
		    w->lex->tokens[k].inside == call->from + 1)
			return lower(dot);
	if (called.def != NULL)
		return called.def->keeps & 1u << i ? dot : lower(dot);
	if (arity == 2 && i == 1 && !call->local &&
	    is_word(w->lex, call->token, of_elements))
		return JQNODE_OTHER;
	if (arity == 1 && is_word(w->lex, call->token, plain))
		return dot;
	if (arity == 2 && jqlex_is(w->lex, call->token, JQLEX_WORD, "limit"))
		return dot;
	return lower(dot);
}

static void
walk_arguments(
    const struct walker *w, const struct jqnode *call, enum jqnode_dot dot)
{
	int arity = jqparse_arity(call), i = 0;

	for (struct jqnode *k = call->kids; k != NULL; k = k->next)
		walk_inside(w, k, dot_of_argument(w, call, arity, i++, dot));
}

/* ---- nodes ---- */

static void
walk_operands(const struct walker *w, struct jqnode *first, struct level *l)
{
	bool before = l->updated;
	const struct jqnode *last_update = NULL;

	for (const struct jqnode *k = first->next; k != NULL; k = k->next)
		if (jqlex_is_update(w->lex, k->from - 1))
			last_update = k;
	for (struct jqnode *k = first; k != NULL; k = k->next) {
		if (k != first && jqlex_is_update(w->lex, k->from - 1))
			l->dot = lower(l->dot);
		if (k == last_update)
			last_update = NULL;
		l->updated = before || last_update != NULL;
		walk(w, k, l);
	}
	l->updated = before;
}

/* All parts of an `if` have the same `.`. */
static void
walk_branches(const struct walker *w, struct jqnode *kids, struct level *l)
{
	struct level here = *l;

	for (; kids != NULL; kids = kids->next) {
		here = (struct level){l->dot, false};
		walk(w, kids, &here);
	}
}

static void
walk_loop(const struct walker *w, struct jqnode *source, struct level *l)
{
	struct jqnode *start = source->next->next;
	struct level of_source = {l->dot, false};

	walk(w, source, &of_source);
	l->dot = of_source.dot;
	walk_inside(w, source->next, lower(dot_of(l)));
	walk_inside(w, start, dot_of(l));
	walk_all_inside(w, start->next, JQNODE_OTHER);
}

static void
walk(const struct walker *w, struct jqnode *n, struct level *l)
{
	struct jqnode *kids = n->kids;
	enum jqnode_dot here = dot_of(l);

	n->dot = here;
	switch (n->type) {
	case JQNODE_QUERY:
		for (struct jqnode *k = kids; k != NULL; k = k->next) {
			if (k != kids && jqparse_joined(w->lex, k, "|"))
				l->dot = JQNODE_OTHER;
			walk(w, k, l);
		}
		break;
	case JQNODE_BIND:
		walk(w, kids, l);
		walk_inside(w, kids->next, lower(dot_of(l)));
		walk(w, kids->next->next, l);
		break;
	case JQNODE_LOCAL:
		l->dot = lower(l->dot);
		walk_inside(w, kids, l->dot);
		walk(w, kids->next, l);
		break;
	case JQNODE_OPERATORS:
		walk_operands(w, kids, l);
		break;
	case JQNODE_TRY:
		walk(w, kids, l);
		if (kids->next != NULL) {
			l->dot = lower(l->dot);
			walk(w, kids->next, l);
		}
		break;
	case JQNODE_CALL:
		walk_arguments(w, n, here);
		break;
	case JQNODE_IF:
		walk_branches(w, kids, l);
		break;
	case JQNODE_LOOP:
		walk_loop(w, kids, l);
		break;
	case JQNODE_SLICE: {
		struct level inside = {here, false};

		for (; kids != NULL; kids = kids->next)
			walk(w, kids, &inside);
		break;
	}
	case JQNODE_LABEL:
	case JQNODE_NEGATE:
	case JQNODE_TERM:
	case JQNODE_TEXT: /* the string in the node has brackets */
	case JQNODE_NAME:
		for (; kids != NULL; kids = kids->next)
			walk(w, kids, l);
		break;
	default: /* in a kid, `.` may change, and not behind it */
		walk_all_inside(w, kids, here);
		break;
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
	for (int i = 0; i < s->count; i++) {
		const struct source_file *f = &s->files[i];
		struct walker w = {s, f, &f->lex, NULL};

		if (f->what == JQPARSE_EXPRESSION)
			walk_inside(&w, f->parse.last, JQNODE_INPUT);
		for (int d = 0; d < f->parse.def_count; d++) {
			struct jqparse_def *def = &f->parse.defs[d];

			w.def = def;
			def->keeps = 0;
			walk_inside(&w, def->body, JQNODE_INPUT);
			for (int n = 0; n < def->arity; n++)
				def->keeps |=
				    (unsigned)flow_keeps(f, def,
					f->lex.tokens[def->from + 3 + 2 * n]
					    .text)
				    << n;
		}
	}
}
