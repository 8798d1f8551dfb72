#include "language/certain.h"

#include <stdlib.h>

#include "base/mem.h"

/* A way back takes as long as it is: a text that is larger is not looked at. */
enum { CALLS_DEEP = 8, TOKENS_MAX = 50000 };

/* A place: where `.` is looked for, and the definition around it. */
struct place {
	const struct source *source;
	const struct source_file *file;
	const struct jqparse_def *def; /* NULL: an expression */
	int token;
	int deep; /* calls whose parameters were looked at */
};

static bool is_certain(const struct place *p);

/* ---- the text around a place ---- */

static bool
is_word(const struct jqlex *lex, int i, const char *const *words)
{
	for (; *words != NULL; words++)
		if (jqlex_is(lex, i, JQLEX_WORD, *words))
			return true;
	return false;
}

/* Token i is in the left side of an update. */
static bool
is_updated(const struct jqlex *lex, int i)
{
	static const char *const words[] = {
	    "then", "elif", "else", "end", "as", NULL};
	int inside = lex->tokens[i].inside;

	for (i++; i < lex->count && i > inside; i++) {
		if (lex->tokens[i].inside < inside)
			return false;
		if (lex->tokens[i].inside != inside)
			continue;
		if (lex->tokens[i].type == JQLEX_CLOSE)
			continue; /* of a bracket at this level */
		if (jqlex_is_update(lex, i))
			return true;
		if (jqlex_is(lex, i, JQLEX_OTHER, "|") ||
		    jqlex_is(lex, i, JQLEX_OTHER, ",") ||
		    jqlex_is(lex, i, JQLEX_OTHER, ";") ||
		    is_word(lex, i, words))
			return false;
	}
	return false;
}

/* ---- calls ---- */

/* To the definition that a call at this place means. */
static bool
find_def(struct place *p, struct span name, int arity)
{
	struct source_def called =
	    source_find_def(p->source, p->file, p->def, name, arity);

	if (called.def == NULL)
		return false;
	p->file = called.file;
	p->def = called.def;
	return true;
}

/* Built-ins that evaluate their arguments with their own input. */
static bool
is_plain_builtin(struct span name, int arity)
{
	static const char *const names[] = {"select", "first", "last",
	    "isempty", "error", "has", "contains", "inside", NULL};

	for (int i = 0; arity == 1 && names[i] != NULL; i++)
		if (span_is(name, names[i]))
			return true;
	return arity == 2 && span_is(name, "limit");
}

/* Each place in the definition that may call a function of this name (also the
 * parameter) has the input as its `.`. */
static bool
calls_are_certain(struct place *p, struct span name)
{
	const struct jqlex *lex = &p->file->lex;

	for (p->token = jqparse_body(lex, p->def); p->token < p->def->to;
	     p->token++)
		if (lex->tokens[p->token].type == JQLEX_WORD &&
		    span_eq(lex->tokens[p->token].text, name) &&
		    !jqlex_is_key(lex, p->token) && !is_certain(p))
			return false;
	return true;
}

/* The function evaluates its argument number n with its own input, wherever it
 * does so. (A $parameter may be called without the dollar, too.) */
static bool
keeps_argument(struct place p, struct span name, int arity, int n)
{
	struct span parameter;

	if (++p.deep > CALLS_DEEP)
		return false;
	if (!find_def(&p, name, arity))
		return is_plain_builtin(name, arity);
	parameter = p.file->lex.tokens[p.def->from + 3 + 2 * n].text;
	return calls_are_certain(&p, parameter);
}

/* `.` of what is behind `semicolons` of them, in the bracket at `open`, is that
 * before the bracket. */
static bool
is_kept(const struct place *p, int open, int semicolons)
{
	const struct jqlex *lex = &p->file->lex;
	int arity = 1;

	if (lex->tokens[open].c != '(')
		return !jqlex_is(lex, open - 1, JQLEX_WORD, "as");
	if (jqlex_ends_pattern(lex, open - 1)) /* reduce, foreach */
		return semicolons == 0;
	if (!jqlex_is(lex, open - 1, JQLEX_WORD, NULL) ||
	    jqlex_is_joint(lex, open - 1))
		return semicolons == 0;
	for (int i = open + 1, end = jqlex_closer(lex, open); i < end; i++) {
		if (lex->tokens[i].inside != open)
			continue;
		if (jqlex_is(lex, i, JQLEX_WORD, "def"))
			return false;
		arity += jqlex_is(lex, i, JQLEX_OTHER, ";");
	}
	return keeps_argument(
	    *p, lex->tokens[open - 1].text, arity, semicolons);
}

/* ---- the way from a place back to the beginning of its definition ---- */

enum step { STEP_ON, STEP_OUT, STEP_LOST };

/* Looks at token *i, at the level of the bracket `open`; *i goes left. */
static enum step
step(const struct jqlex *lex, int open, int *i)
{
	static const char *const branches[] = {
	    "then", "elif", "else", "end", NULL};
	static const char *const changes[] = {"catch", "def", NULL};
	bool object = open >= 0 && lex->tokens[open].c == '{';

	if (jqlex_is(lex, *i, JQLEX_CLOSE, NULL))
		*i = jqlex_opener(lex, *i);
	else if (object &&
	    (jqlex_is(lex, *i, JQLEX_OTHER, ":") ||
		jqlex_is(lex, *i, JQLEX_OTHER, ",")))
		return STEP_OUT;
	else if (jqlex_is(lex, *i, JQLEX_OTHER, ";"))
		return open >= 0 && lex->tokens[open].c == '(' ? STEP_OUT
							       : STEP_LOST;
	else if (is_word(lex, *i, branches))
		*i = jqlex_if(lex, *i);
	else if (is_word(lex, *i, changes) || jqlex_is_update(lex, *i) ||
	    (jqlex_is(lex, *i, JQLEX_OTHER, "|") && !jqlex_is_binding(lex, *i)))
		return STEP_LOST;
	(*i)--;
	return STEP_ON;
}

/* `.` at this place is the input of the definition. */
static bool
is_certain(const struct place *p)
{
	const struct jqlex *lex = &p->file->lex;
	int body = p->def == NULL ? 0 : jqparse_body(lex, p->def);
	int open = lex->tokens[p->token].inside;
	int semicolons = 0;

	if (is_updated(lex, p->token))
		return false;
	for (int i = p->token - 1; i >= body;) {
		if (i == open) {
			if (!is_kept(p, open, semicolons) ||
			    is_updated(lex, open))
				return false;
			open = lex->tokens[i--].inside;
			semicolons = 0;
			continue;
		}
		switch (step(lex, open, &i)) {
		case STEP_ON:
			break;
		case STEP_LOST:
			return false;
		case STEP_OUT:
			for (; i > open; i--)
				semicolons += lex->tokens[i].inside == open &&
				    jqlex_is(lex, i, JQLEX_OTHER, ";");
			break;
		}
	}
	return true;
}

/* ---- the functions of the program ---- */

static bool
is_entry(const struct certain *c, const struct jqparse_def *def)
{
	for (int i = 0; def->arity == 0 && i < c->entry_count; i++)
		if (span_is(def->name, c->entries[i]))
			return true;
	return false;
}

/* The calls of a function, and whether all are where `.` is certain. */
static int
calls_of(const struct certain *c, const struct jqparse_def *def, bool *all)
{
	const struct jqparse *parse = &c->file->parse;
	struct place own = {c->source, c->file, def, 0, 0};
	int calls = 0;

	/* Its calls of itself are not among the uses. */
	*all = calls_are_certain(&own, def->name);
	for (int d = 0; d < parse->def_count; d++) {
		for (int k = parse->defs[d].first_use;
		     k < parse->defs[d].end_use; k++) {
			struct place p = {c->source, c->file, &parse->defs[d],
			    parse->uses[k].token, 0};

			if (parse->uses[k].arity != def->arity ||
			    !span_eq(parse->uses[k].name, def->name))
				continue;
			calls++;
			*all = *all && c->functions[d] && is_certain(&p);
		}
	}
	return calls;
}

void
certain_init(struct certain *c, const struct source *s,
    const char *const *entries, int entry_count)
{
	const struct jqparse *parse;
	bool more;

	*c = (struct certain){
	    s, &s->files[s->count - 1], entries, entry_count, NULL};
	more = c->file->lex.count <= TOKENS_MAX;
	parse = &c->file->parse;
	c->functions = mem_zalloc((size_t)parse->def_count + 1);
	while (more) {
		more = false;
		/* Callers come behind what they call: one round is enough. */
		for (int d = parse->def_count - 1; d >= 0; d--) {
			bool all;
			int calls;

			if (c->functions[d])
				continue;
			calls = calls_of(c, &parse->defs[d], &all);
			if (!all ||
			    (calls == 0 && !is_entry(c, &parse->defs[d])))
				continue;
			c->functions[d] = more = true;
		}
	}
}

void
certain_release(struct certain *c)
{
	free(c->functions);
	c->functions = NULL;
}

/* ---- what is found ---- */

bool
certain_at(const struct certain *c, int def, int token)
{
	struct place p = {c->source, c->file, NULL, token, 0};

	if (def != CERTAIN_EXPRESSION)
		p.def = &c->file->parse.defs[def];
	if (c->file->lex.count > TOKENS_MAX)
		return false;
	return (def == CERTAIN_EXPRESSION || c->functions[def]) &&
	    is_certain(&p);
}

bool
certain_uncalled(const struct certain *c, int *at, struct span *name, int *line)
{
	const struct jqparse *parse = &c->file->parse;

	while (*at < parse->def_count) {
		const struct jqparse_def *def = &parse->defs[(*at)++];
		bool all;

		if (def->arity > 0 || is_entry(c, def) ||
		    calls_of(c, def, &all) > 0)
			continue;
		*name = def->name;
		*line = c->file->lex.tokens[def->from].line;
		return true;
	}
	return false;
}
