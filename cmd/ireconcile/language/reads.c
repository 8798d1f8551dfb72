#include "language/reads.h"

#include <stdlib.h>

#include "base/mem.h"
#include "language/flow.h"

/* A text that is larger is not looked at. */
enum { TOKENS_MAX = 50000 };

static const struct source_file *
own_file(const struct source *s)
{
	return &s->files[s->count - 1];
}

/* ---- the functions of the program ---- */

/* Whether ireconcile calls it: an expression, or a function of such a name. */
static bool
is_entry(const struct reads_entries *entries, const struct jqparse_def *def)
{
	for (int i = 0; def->arity == 0 && i < entries->count; i++)
		if (span_is(def->name, entries->names[i]))
			return true;
	return def->name.n == 0;
}

/* Whether a function is called, and each call stands where `.` is certainly the
 * input, in a definition d with certain[d]. */
static bool
is_certain(const struct source_file *f, const struct reads_entries *entries,
    const struct jqparse_def *def, const bool *certain)
{
	bool called = is_entry(entries, def);

	for (int d = 0; d < f->parse.def_count; d++) {
		const struct jqparse_def *by = &f->parse.defs[d];
		const struct jqnode *n = by->first;

		for (; n != by->body->after; n = n->after) {
			if (n->type != JQNODE_CALL || n->local ||
			    !span_eq(f->lex.tokens[n->token].text, def->name) ||
			    jqparse_arity(n) != def->arity)
				continue;
			if (!certain[d] || n->dot != JQNODE_INPUT)
				return false;
			called = true;
		}
	}
	return called && flow_keeps(f, def, def->name);
}

/* For each definition, whether `.` is certainly the input where it begins;
 * owned. */
static bool *
certain_functions(
    const struct source_file *f, const struct reads_entries *entries)
{
	bool *certain = mem_zalloc((size_t)f->parse.def_count + 1);
	bool more = f->lex.count <= TOKENS_MAX;

	/* Callers come behind what they call: mostly one round is enough. */
	while (more) {
		more = false;
		for (int d = f->parse.def_count - 1; d >= 0; d--)
			if (!certain[d] &&
			    is_certain(f, entries, &f->parse.defs[d], certain))
				more = certain[d] = true;
	}
	return certain;
}

const struct jqparse_def *
reads_uncalled(
    const struct source *s, const struct reads_entries *entries, int *at)
{
	const struct jqparse *parse = &own_file(s)->parse;

	while (*at < parse->def_count) {
		const struct jqparse_def *def = &parse->defs[(*at)++];

		if (def->arity == 0 && !is_entry(entries, def) &&
		    !jqparse_is_used(parse, def, 0, parse->use_count))
			return def;
	}
	return NULL;
}

/* ---- shapes ---- */

struct variable {
	struct span name;
	enum reads_shape shape;
};

struct walk {
	const struct jqlex *lex;
	reads_visit *visit;
	void *arg;
	const struct jqparse_def *def; /* looked at now */
	struct variable *variables;    /* owned */
	int variable_count;
	int rc;
};

static enum reads_shape
child(enum reads_shape of, struct span name)
{
	static const struct {
		enum reads_shape of;
		const char *name;
		enum reads_shape shape;
	} table[] = {
	    {READS_INPUT, "primary", READS_OBJECT},
	    {READS_INPUT, "owned", READS_OWNED},
	    {READS_INPUT, "related", READS_RELATED},
	    {READS_INPUT, "operator", READS_OPERATOR},
	    {READS_OBJECT, "metadata", READS_METADATA},
	};

	if (of == READS_OWNED || of == READS_RELATED)
		return READS_OBJECTS;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].of == of && span_is(name, table[i].name))
			return table[i].shape;
	return READS_ANY;
}

/* Visits the member that a token names, read in the line of token `at`; returns
 * the shape of its value. */
static enum reads_shape
read_member(
    struct walk *w, enum reads_shape of, int token, int at, bool optional)
{
	const struct jqlex_token *t = w->lex->tokens;
	struct reads_member r = {of, t[token].text, t[at].line, optional};

	if (w->rc == 0 && of != READS_ANY)
		w->rc = w->visit(w->arg, &r);
	return child(of, r.name);
}

/* ---- variables ---- */

static bool
is_variable(const struct walk *w, int token, struct span name)
{
	return jqlex_is(w->lex, token, JQLEX_VARIABLE, NULL) &&
	    span_eq(w->lex->tokens[token].text, name);
}

/* How often the definition binds a variable of this name: wherever the name
 * stands and is not that of a use, or of a label. */
static int
times_bound(const struct walk *w, struct span name)
{
	const struct jqparse_def *def = w->def;
	const struct jqnode *n = def->first;
	int times = 0;

	for (int i = def->from; i < def->to; i++)
		times += is_variable(w, i, name);
	for (; n != def->body->after; n = n->after)
		if (n->type == JQNODE_VARIABLE || n->type == JQNODE_MEMBER ||
		    n->type == JQNODE_LABEL || n->type == JQNODE_BREAK)
			times -= is_variable(w, n->token, name);
	return times;
}

/* Notes a variable, unless it is bound again: then it has several meanings. */
static void
bind(struct walk *w, int token, enum reads_shape shape)
{
	struct span name = w->lex->tokens[token].text;

	if (shape == READS_ANY || times_bound(w, name) != 1)
		return;
	w->variables = mem_grow(
	    w->variables, (size_t)w->variable_count, sizeof(*w->variables));
	w->variables[w->variable_count++] = (struct variable){name, shape};
}

static enum reads_shape
shape_of_variable(const struct walk *w, int token)
{
	for (int i = 0; i < w->variable_count; i++)
		if (span_eq(w->lex->tokens[token].text, w->variables[i].name))
			return w->variables[i].shape;
	return READS_ANY;
}

static void
pattern(struct walk *w, enum reads_shape shape, const struct jqnode *n)
{
	if (n->type == JQNODE_BOUND)
		bind(w, n->token, shape);
	if (n->type != JQNODE_PATTERN_OBJECT)
		return;
	for (const struct jqnode *k = n->kids; k != NULL; k = k->next) {
		struct span name = w->lex->tokens[k->token].text;
		enum reads_shape value;

		if (!jqparse_is_named(w->lex, k))
			continue;
		value = shape == READS_OWNED || shape == READS_RELATED
		    ? child(shape, name)
		    : read_member(w, shape, k->token, k->token, true);
		if (jqlex_is(w->lex, k->token, JQLEX_VARIABLE, NULL))
			bind(w, k->token, value);
		if (k->value != NULL)
			pattern(w, value, k->value);
	}
}

/* ---- terms ---- */

/* Whether `?` is among the accesses from this one on, or `//` behind them. */
static bool
is_optional(const struct walk *w, const struct jqnode *access)
{
	int i = access->to;

	for (const struct jqnode *k = access;
	     k != NULL && k->type >= JQNODE_NAME && k->type < JQNODE_TEXT;
	     k = k->next)
		i = k->to;
	while (jqlex_is(w->lex, i, JQLEX_CLOSE, ")"))
		i++;
	return jqlex_is(w->lex, i, JQLEX_OTHER, "?") ||
	    jqlex_is(w->lex, i, JQLEX_OTHER, "//");
}

/* Visits the accesses of a value of this shape; returns the shape of the
 * result. */
static enum reads_shape
follow(struct walk *w, enum reads_shape shape, const struct jqnode *n)
{
	for (; n != NULL && shape != READS_ANY && w->rc == 0; n = n->next) {
		bool element = n->type == JQNODE_EACH ||
		    (n->type == JQNODE_INDEX && n->to == n->token + 2 &&
			jqlex_is(w->lex, n->token, JQLEX_NUMBER, NULL));
		/* The dot of .["a"] */
		int at = n->from -
		    (jqlex_is(w->lex, n->from, JQLEX_OPEN, NULL) &&
			jqlex_is(w->lex, n->from - 1, JQLEX_OTHER, "."));

		if (n->type == JQNODE_NAME)
			shape = read_member(
			    w, shape, n->token, at, is_optional(w, n));
		else if (n->type != JQNODE_OPTIONAL)
			shape = element && shape == READS_OBJECTS ? READS_OBJECT
								  : READS_ANY;
	}
	return shape;
}

/* The pattern that a term is bound to, or NULL. 1 - .a as $x does not bind
 * .a */
static const struct jqnode *
pattern_of(const struct walk *w, const struct jqnode *n)
{
	if (n->up != NULL && n->up->type == JQNODE_OPERATORS &&
	    n->next == NULL && !jqparse_joined(w->lex, n, "-"))
		n = n->up;
	return n->up != NULL && n == n->up->kids &&
		(n->up->type == JQNODE_BIND || n->up->type == JQNODE_LOOP)
	    ? n->next
	    : NULL;
}

/* Visits the reads of the definition; input: the shape of its `.`. A `.` or a
 * variable is the first node of its term in the order of jqnode.after. */
static void
walk_def(struct walk *w, enum reads_shape input)
{
	const struct jqnode *n = w->def->first, *end = w->def->body->after;

	w->variable_count = 0;
	for (; n != end && w->rc == 0; n = n->after) {
		enum reads_shape shape =
		    n->dot == JQNODE_INPUT ? input : READS_ANY;
		const struct jqnode *bound_to;

		if (n->type == JQNODE_MEMBER && n->value == NULL &&
		    jqlex_is(w->lex, n->token, JQLEX_WORD, NULL))
			read_member(w, shape, n->token, n->token, false);
		if (n->type == JQNODE_VARIABLE)
			shape = shape_of_variable(w, n->token);
		else if (n->type != JQNODE_DOT)
			continue;
		shape = follow(w, shape, n->next);
		bound_to = pattern_of(w, n->up);
		if (bound_to != NULL && w->rc == 0)
			pattern(w, shape, bound_to);
	}
}

int
reads_walk(const struct source *s, const struct reads_entries *entries,
    enum reads_shape input, reads_visit *visit, void *arg)
{
	const struct source_file *f = own_file(s);
	struct walk w = {.lex = &f->lex, .visit = visit, .arg = arg};
	bool *certain = certain_functions(f, entries);

	for (int d = 0; d < f->parse.def_count && w.rc == 0; d++) {
		w.def = &f->parse.defs[d];
		walk_def(&w, certain[d] ? input : READS_ANY);
	}
	free(w.variables);
	free(certain);
	return w.rc;
}
