#include "language/shapes.h"

#include <stdlib.h>

#include "base/mem.h"

struct variable {
	struct span name;
	enum shapes_type shape;
};

struct walk {
	const struct certain *c;
	const struct jqlex *lex;
	enum shapes_type input;
	shapes_visit *visit;
	void *arg;
	int def, from, to; /* tokens from..to - 1 */
	struct variable *variables;
	int variable_count;
	int rc;
};

static enum shapes_type
child(enum shapes_type of, struct span name)
{
	static const struct {
		enum shapes_type of;
		const char *name;
		enum shapes_type shape;
	} table[] = {
	    {SHAPE_INPUT, "primary", SHAPE_OBJECT},
	    {SHAPE_INPUT, "owned", SHAPE_OWNED},
	    {SHAPE_INPUT, "related", SHAPE_RELATED},
	    {SHAPE_INPUT, "operator", SHAPE_OPERATOR},
	    {SHAPE_OBJECT, "metadata", SHAPE_METADATA},
	};

	if (of == SHAPE_OWNED || of == SHAPE_RELATED)
		return SHAPE_OBJECTS;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (table[i].of == of && span_is(name, table[i].name))
			return table[i].shape;
	return SHAPE_ANY;
}

static enum shapes_type
read_member(struct walk *w, enum shapes_type of, int token, struct span name,
    bool optional)
{
	struct shape_read r = {of, name, w->lex->tokens[token].line, optional};

	if (w->rc == 0 && of != SHAPE_ANY)
		w->rc = w->visit(w->arg, &r);
	return child(of, name);
}

/* ---- variables ---- */

/* Inside of the pattern of an `as`, but not in a computed key. */
static bool
is_in_pattern(const struct jqlex *lex, int i)
{
	for (i = lex->tokens[i].inside; i >= 0 && lex->tokens[i].c != '(';
	     i = lex->tokens[i].inside)
		if (jqlex_is(lex, i - 1, JQLEX_WORD, "as"))
			return true;
	return false;
}

/* The variable gets a value here: by `as`, or as a parameter. */
static bool
is_bound(const struct jqlex *lex, int i)
{
	int open = lex->tokens[i].inside;

	if (jqlex_is(lex, i - 1, JQLEX_WORD, "as") || is_in_pattern(lex, i))
		return true;
	return open >= 0 && lex->tokens[open].c == '(' &&
	    jqlex_is(lex, open - 2, JQLEX_WORD, "def") &&
	    !jqlex_is_key(lex, open - 2);
}

static bool
is_variable(const struct walk *w, int i, struct span name)
{
	return jqlex_is(w->lex, i, JQLEX_VARIABLE, NULL) &&
	    span_eq(w->lex->tokens[i].text, name);
}

/* One that is bound again has several meanings. */
static void
bind(struct walk *w, int token, enum shapes_type shape)
{
	struct span name = w->lex->tokens[token].text;
	int times = 0;

	if (shape == SHAPE_ANY)
		return;
	for (int i = w->from; i < w->to && times < 2; i++)
		times += is_variable(w, i, name) && is_bound(w->lex, i);
	if (times != 1)
		return;
	w->variables = mem_grow(
	    w->variables, (size_t)w->variable_count, sizeof(*w->variables));
	w->variables[w->variable_count++] = (struct variable){name, shape};
}

static enum shapes_type
shape_of_variable(const struct walk *w, int token)
{
	if (!is_bound(w->lex, token))
		for (int i = 0; i < w->variable_count; i++)
			if (is_variable(w, token, w->variables[i].name))
				return w->variables[i].shape;
	return SHAPE_ANY;
}

static void pattern(struct walk *w, enum shapes_type shape, int at);

/* KEY, $KEY or "KEY" in a pattern {KEY: PATTERN}. */
static void
pattern_key(struct walk *w, enum shapes_type shape, int at)
{
	const struct jqlex_token *t = &w->lex->tokens[at];
	enum shapes_type value;

	if ((t->type != JQLEX_WORD && t->type != JQLEX_VARIABLE &&
		t->type != JQLEX_STRING) ||
	    span_find(t->text, '\\') != NULL)
		return;
	value = shape == SHAPE_OWNED || shape == SHAPE_RELATED
	    ? child(shape, t->text)
	    : read_member(w, shape, at, t->text, true);
	if (t->type == JQLEX_VARIABLE)
		bind(w, at, value);
	if (jqlex_is(w->lex, at + 1, JQLEX_OTHER, ":"))
		pattern(w, value, at + 2);
}

static void
pattern(struct walk *w, enum shapes_type shape, int at)
{
	if (jqlex_is(w->lex, at, JQLEX_VARIABLE, NULL))
		bind(w, at, shape);
	if (!jqlex_is(w->lex, at, JQLEX_OPEN, NULL) ||
	    w->lex->tokens[at].c != '{')
		return;
	for (int i = at + 1; i < w->to && w->lex->tokens[i].inside >= at; i++)
		if (w->lex->tokens[i].inside == at && jqlex_is_key(w->lex, i))
			pattern_key(w, shape, i);
}

/* ---- terms ---- */

enum access_type { ACCESS_NONE, ACCESS_NAME, ACCESS_ELEMENT, ACCESS_OTHER };

struct shapes_access {
	enum access_type type;
	int token; /* of the name */
	int next;
};

static bool
is_text(const struct jqlex *lex, int i)
{
	return jqlex_is(lex, i, JQLEX_STRING, NULL) &&
	    span_find(lex->tokens[i].text, '\\') == NULL;
}

static struct shapes_access
bracket_at(const struct jqlex *lex, int open)
{
	int end = jqlex_closer(lex, open);

	if (end == open + 1)
		return (struct shapes_access){ACCESS_ELEMENT, open, end + 1};
	if (end == open + 2 && is_text(lex, open + 1))
		return (struct shapes_access){ACCESS_NAME, open + 1, end + 1};
	if (end == open + 2 && jqlex_is(lex, open + 1, JQLEX_NUMBER, NULL))
		return (struct shapes_access){ACCESS_ELEMENT, open, end + 1};
	return (struct shapes_access){ACCESS_OTHER, open, end + 1};
}

/* The access that begins at token i: .a ."a" ["a"] .["a"] [] [0] or none. */
static struct shapes_access
access_at(const struct jqlex *lex, int i)
{
	bool dot = jqlex_is(lex, i, JQLEX_OTHER, ".");

	if (jqlex_is(lex, i, JQLEX_FIELD, NULL))
		return (struct shapes_access){ACCESS_NAME, i, i + 1};
	if (dot && is_text(lex, i + 1))
		return (struct shapes_access){ACCESS_NAME, i + 1, i + 2};
	if (dot && jqlex_is(lex, i + 1, JQLEX_PIECE, NULL))
		return (struct shapes_access){ACCESS_NONE, i, i};
	i += dot;
	if (jqlex_is(lex, i, JQLEX_OPEN, NULL) && lex->tokens[i].c == '[')
		return bracket_at(lex, i);
	return (struct shapes_access){ACCESS_NONE, i, i};
}

static bool
is_question(const struct jqlex *lex, int i)
{
	return jqlex_is(lex, i, JQLEX_OTHER, "?");
}

/* Whether there is a `?` among the accesses from token i on, or `//` behind
 * them. */
static bool
is_optional(const struct jqlex *lex, int i)
{
	for (;;) {
		struct shapes_access a = access_at(lex, i);

		if (a.type == ACCESS_NONE)
			break;
		i = a.next;
	}
	while (jqlex_is(lex, i, JQLEX_CLOSE, ")"))
		i++;
	return is_question(lex, i) || jqlex_is(lex, i, JQLEX_OTHER, "//");
}

/* The accesses of a term whose first part, before token i, has this shape. */
static void
follow(struct walk *w, enum shapes_type shape, int i, bool bound)
{
	while (shape != SHAPE_ANY && w->rc == 0) {
		struct shapes_access a = access_at(w->lex, i);

		if (a.type == ACCESS_NONE && !is_question(w->lex, i))
			break;
		if (a.type == ACCESS_NAME)
			shape = read_member(w, shape, i,
			    w->lex->tokens[a.token].text,
			    is_optional(w->lex, i));
		else if (a.type == ACCESS_ELEMENT)
			shape =
			    shape == SHAPE_OBJECTS ? SHAPE_OBJECT : SHAPE_ANY;
		else if (a.type == ACCESS_OTHER)
			shape = SHAPE_ANY;
		i = a.type == ACCESS_NONE ? i + 1 : a.next;
	}
	if (bound && jqlex_is(w->lex, i, JQLEX_WORD, "as"))
		pattern(w, shape, i + 1);
}

/* {name} in an object that is made. */
static bool
takes_member(const struct jqlex *lex, int i)
{
	return jqlex_is(lex, i, JQLEX_WORD, NULL) && jqlex_is_key(lex, i) &&
	    !is_in_pattern(lex, i) &&
	    (jqlex_is(lex, i + 1, JQLEX_CLOSE, "}") ||
		jqlex_is(lex, i + 1, JQLEX_OTHER, ","));
}

static void
look_at(struct walk *w, int i)
{
	const struct jqlex *lex = w->lex;
	/* -.a as $x binds the negative value. */
	bool bound = i == 0 || !jqlex_is(lex, i - 1, JQLEX_OTHER, "-");

	if (jqlex_is(lex, i, JQLEX_VARIABLE, NULL)) {
		follow(w, shape_of_variable(w, i), i + 1, bound);
	} else if (takes_member(lex, i)) {
		if (certain_at(w->c, w->def, i))
			read_member(w, w->input, i, lex->tokens[i].text, false);
	} else if (jqlex_is(lex, i, JQLEX_FIELD, NULL) ||
	    jqlex_is(lex, i, JQLEX_OTHER, ".")) {
		bool alone = access_at(lex, i).type == ACCESS_NONE;

		if (jqlex_starts_term(lex, i) && certain_at(w->c, w->def, i))
			follow(w, w->input, i + alone, bound);
	}
}

static void
walk_range(struct walk *w, int def, int from, int to)
{
	w->def = def;
	w->from = from;
	w->to = to;
	w->variable_count = 0;
	for (int i = from; i < to && w->rc == 0; i++)
		look_at(w, i);
}

int
shapes_walk(const struct certain *c, enum shapes_type input,
    shapes_visit *visit, void *arg)
{
	const struct jqparse *parse = &c->file->parse;
	struct walk w = {.c = c,
	    .lex = &c->file->lex,
	    .input = input,
	    .visit = visit,
	    .arg = arg};

	if (c->file->what == JQPARSE_EXPRESSION)
		walk_range(&w, CERTAIN_EXPRESSION, 0, c->file->lex.count);
	for (int d = 0; d < parse->def_count && w.rc == 0; d++)
		walk_range(&w, d, parse->defs[d].from, parse->defs[d].to);
	free(w.variables);
	return w.rc;
}
