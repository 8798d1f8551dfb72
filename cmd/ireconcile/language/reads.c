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

static bool
is_entry(const struct reads_entries *entries, const struct jqparse_def *def)
{
	for (int i = 0; def->arity == 0 && i < entries->count; i++)
		if (span_is(def->name, entries->names[i]))
			return true;
	return false;
}

static bool
calls(const struct source_file *f, const struct jqnode *n,
    const struct jqparse_def *def)
{
	return n->type == JQNODE_CALL && !n->local &&
	    span_eq(f->lex.tokens[n->token].text, def->name) &&
	    jqparse_arity(n) == def->arity;
}

/* The number of calls of a function, without its own. *all: whether each stands
 * where `.` is certainly the input, in a definition d with certain[d]. certain
 * may be NULL. */
static int
calls_of(const struct source_file *f, const struct jqparse_def *def,
    const bool *certain, bool *all)
{
	int count = 0;

	*all = flow_keeps(f, def, def->name);
	for (int d = 0; d < f->parse.def_count; d++) {
		const struct jqparse_def *by = &f->parse.defs[d];

		for (const struct jqnode *n = by->first;; n = n->after) {
			if (calls(f, n, def)) {
				count++;
				*all = *all && certain != NULL && certain[d] &&
				    n->dot == JQNODE_INPUT;
			}
			if (n == by->body)
				break;
		}
	}
	return count;
}

/* For each definition, whether `.` is certainly the input where it begins;
 * owned. */
static bool *
certain_functions(
    const struct source_file *f, const struct reads_entries *entries)
{
	bool *certain = mem_zalloc((size_t)f->parse.def_count + 1);
	bool more = true;

	/* Callers come behind what they call: one round is enough. */
	while (more) {
		more = false;
		for (int d = f->parse.def_count - 1; d >= 0; d--) {
			const struct jqparse_def *def = &f->parse.defs[d];
			bool all;

			if (certain[d] ||
			    (calls_of(f, def, certain, &all) == 0 &&
				!is_entry(entries, def)))
				continue;
			certain[d] = all;
			more = more || all;
		}
	}
	return certain;
}

bool
reads_uncalled(const struct source *s, const struct reads_entries *entries,
    int *at, struct span *name, int *line)
{
	const struct source_file *f = own_file(s);

	while (*at < f->parse.def_count) {
		const struct jqparse_def *def = &f->parse.defs[(*at)++];
		bool all;

		if (def->arity > 0 || is_entry(entries, def) ||
		    calls_of(f, def, NULL, &all) > 0)
			continue;
		*name = def->name;
		*line = f->lex.tokens[def->from].line;
		return true;
	}
	return false;
}

/* ---- shapes ---- */

struct variable {
	struct span name;
	enum reads_shape shape;
};

struct walk {
	const struct source_file *file;
	const struct jqlex *lex;
	enum reads_shape input;
	reads_visit *visit;
	void *arg;
	/* The definition that is looked at; of an expression NULL. */
	const struct jqparse_def *def;
	bool certain;
	struct variable *variables; /* owned */
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

static enum reads_shape
read_member(struct walk *w, enum reads_shape of, int at, struct span name,
    bool optional)
{
	struct reads_member r = {of, name, w->lex->tokens[at].line, optional};

	if (w->rc == 0 && of != READS_ANY)
		w->rc = w->visit(w->arg, &r);
	return child(of, name);
}

/* ---- variables ---- */

static int
count_variables(const struct walk *w, int from, int to, struct span name)
{
	int times = 0;

	for (int i = from; i < to; i++)
		times += jqlex_is(w->lex, i, JQLEX_VARIABLE, NULL) &&
		    span_eq(w->lex->tokens[i].text, name);
	return times;
}

/* How often the definition binds a variable of this name. */
static int
times_bound(const struct walk *w, struct span name)
{
	const struct jqparse_def *def = w->def;
	const struct jqnode *n = w->file->parse.nodes, *end = NULL;
	int times = 0;

	if (def != NULL) {
		n = def->first;
		end = def->body->after;
		times = count_variables(w, def->from, def->body->from, name);
	}
	for (; n != end; n = n->after) {
		if (n->type == JQNODE_BOUND || n->type == JQNODE_PATTERN_KEY)
			times +=
			    count_variables(w, n->token, n->token + 1, name);
		else if (n->type == JQNODE_LOCAL)
			times +=
			    count_variables(w, n->token, n->kids->from, name);
	}
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
		const struct jqlex_token *t = &w->lex->tokens[k->token];
		enum reads_shape value;

		if ((t->type != JQLEX_WORD && t->type != JQLEX_VARIABLE &&
			t->type != JQLEX_STRING) ||
		    span_find(t->text, '\\') != NULL)
			continue;
		value = shape == READS_OWNED || shape == READS_RELATED
		    ? child(shape, t->text)
		    : read_member(w, shape, k->token, t->text, true);
		if (t->type == JQLEX_VARIABLE)
			bind(w, k->token, value);
		if (k->value != NULL)
			pattern(w, value, k->value);
	}
}

/* ---- terms ---- */

static bool
is_access(const struct jqnode *n)
{
	return n != NULL && n->type >= JQNODE_NAME && n->type < JQNODE_TEXT;
}

/* Whether `?` is among the accesses from this one on, or `//` behind them. */
static bool
is_optional(const struct walk *w, const struct jqnode *access)
{
	int i = access->to;

	for (; is_access(access); access = access->next)
		i = access->to;
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
	const struct jqlex *lex = w->lex;

	for (; n != NULL && shape != READS_ANY && w->rc == 0; n = n->next) {
		bool element = n->type == JQNODE_EACH ||
		    (n->type == JQNODE_INDEX && n->to == n->token + 2 &&
			jqlex_is(lex, n->token, JQLEX_NUMBER, NULL));
		/* The dot of .["a"] */
		int at = n->from -
		    (jqlex_is(lex, n->from, JQLEX_OPEN, NULL) &&
			jqlex_is(lex, n->from - 1, JQLEX_OTHER, "."));

		if (n->type == JQNODE_NAME)
			shape = read_member(w, shape, at,
			    lex->tokens[n->token].text, is_optional(w, n));
		else if (n->type != JQNODE_OPTIONAL)
			shape = element && shape == READS_OBJECTS ? READS_OBJECT
								  : READS_ANY;
	}
	return shape;
}

static void walk(
    struct walk *w, const struct jqnode *n, const struct jqnode *bound_to);

static void
walk_all(struct walk *w, const struct jqnode *kids)
{
	for (; kids != NULL && w->rc == 0; kids = kids->next)
		walk(w, kids, NULL);
}

static void
walk_term(struct walk *w, const struct jqnode *n, const struct jqnode *bound_to)
{
	const struct jqnode *first = n->kids;
	enum reads_shape shape = READS_ANY;

	if (first->type == JQNODE_VARIABLE)
		shape = shape_of_variable(w, first->token);
	else if (first->type == JQNODE_DOT && w->certain &&
	    n->dot == JQNODE_INPUT)
		shape = w->input;
	shape = follow(w, shape, first->next);
	if (bound_to != NULL && w->rc == 0)
		pattern(w, shape, bound_to);
	walk_all(w, first);
}

/* bound_to: a pattern, or NULL. */
static void
walk(struct walk *w, const struct jqnode *n, const struct jqnode *bound_to)
{
	switch (n->type) {
	case JQNODE_BIND:
	case JQNODE_LOOP:
		walk(w, n->kids, n->kids->next);
		walk_all(w, n->kids->next);
		break;
	case JQNODE_OPERATORS:
		/* 1 - .a as $x does not bind .a */
		for (const struct jqnode *k = n->kids; k != NULL; k = k->next)
			walk(w, k,
			    k->next == NULL && !jqparse_joined(w->lex, k, "-")
				? bound_to
				: NULL);
		break;
	case JQNODE_TERM:
		walk_term(w, n, bound_to);
		break;
	case JQNODE_MEMBER:
		if (n->value == NULL && w->certain && n->dot == JQNODE_INPUT &&
		    jqlex_is(w->lex, n->token, JQLEX_WORD, NULL))
			read_member(w, w->input, n->token,
			    w->lex->tokens[n->token].text, false);
		walk_all(w, n->kids);
		break;
	default:
		walk_all(w, n->kids);
	}
}

int
reads_walk(const struct source *s, const struct reads_entries *entries,
    enum reads_shape input, reads_visit *visit, void *arg)
{
	const struct source_file *f = own_file(s);
	struct walk w = {.file = f,
	    .lex = &f->lex,
	    .input = input,
	    .visit = visit,
	    .arg = arg};
	bool small = f->lex.count <= TOKENS_MAX;
	bool *certain = small ? certain_functions(f, entries) : NULL;

	if (f->what == JQPARSE_EXPRESSION) {
		w.certain = small;
		walk(&w, f->parse.last, NULL);
	}
	for (int d = 0; d < f->parse.def_count && w.rc == 0; d++) {
		w.def = &f->parse.defs[d];
		w.certain = small && certain[d];
		w.variable_count = 0;
		walk(&w, w.def->body, NULL);
	}
	free(w.variables);
	free(certain);
	return w.rc;
}

/* ---- reads_field: by names alone ---- */

/* Marks the functions that the definition may call; perhaps too many. */
static void
reach(const struct source *s, const struct source_file *f,
    const struct jqparse_def *def, bool **reached)
{
	const struct jqlex_token *t = f->lex.tokens;

	for (int i = def->from + 2; i < def->to; i++) {
		if (t[i].type != JQLEX_WORD || jqlex_is_key(&f->lex, i))
			continue;
		for (int k = 0; k < s->count; k++) {
			const struct jqparse *parse = &s->files[k].parse;

			for (int d = 0; d < parse->def_count; d++) {
				if (reached[k][d] ||
				    !span_eq(parse->defs[d].name, t[i].text))
					continue;
				reached[k][d] = true;
				reach(
				    s, &s->files[k], &parse->defs[d], reached);
			}
		}
	}
}

/* The first token in the definition that reads the field; or def->to. */
static int
find_read(const struct source_file *f, const struct jqparse_def *def,
    const char *field)
{
	int first = def->to;
	const struct jqnode *n = def->first;

	for (; n != def->body->after; n = n->after) {
		const struct jqnode *k = n->kids;
		const struct jqlex *lex = &f->lex;
		int at = -1;

		if (n->type == JQNODE_TERM && k->type == JQNODE_DOT &&
		    k->next != NULL &&
		    jqlex_is(lex, k->next->from, JQLEX_FIELD, field))
			at = k->next->from;
		if (n->type == JQNODE_MEMBER && n->value == NULL &&
		    jqlex_is(lex, n->token, JQLEX_WORD, field))
			at = n->token;
		if (n->type == JQNODE_PATTERN_OBJECT &&
		    jqlex_is(lex, n->from - 1, JQLEX_WORD, "as"))
			for (; k != NULL && at < 0; k = k->next)
				if (jqlex_is(
					lex, k->token, JQLEX_WORD, field) ||
				    jqlex_is(
					lex, k->token, JQLEX_VARIABLE, field))
					at = k->token;
		if (at >= 0 && at < first)
			first = at;
	}
	return first;
}

bool
reads_field(const struct source *s, const char *name, const char *field,
    const struct source_file **file, int *line)
{
	bool **reached = mem_array(NULL, (size_t)s->count, sizeof(*reached));
	bool found = false;

	for (int i = 0; i < s->count; i++)
		reached[i] =
		    mem_zalloc((size_t)s->files[i].parse.def_count + 1);
	for (int i = 0; i < s->count; i++)
		for (int d = 0; d < s->files[i].parse.def_count; d++) {
			const struct source_file *f = &s->files[i];

			if (!span_is(f->parse.defs[d].name, name))
				continue;
			reached[i][d] = true;
			reach(s, f, &f->parse.defs[d], reached);
		}
	for (int i = 0; i < s->count; i++) {
		const struct source_file *f = &s->files[i];

		for (int d = 0; d < f->parse.def_count && !found; d++) {
			int at = reached[i][d]
			    ? find_read(f, &f->parse.defs[d], field)
			    : f->parse.defs[d].to;

			found = at < f->parse.defs[d].to;
			if (!found)
				continue;
			*file = f;
			*line = f->lex.tokens[at].line;
		}
		free(reached[i]);
	}
	free(reached);
	return found;
}
