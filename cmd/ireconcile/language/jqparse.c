/* Implements jqparse.h, and is part of language/jqparser.h: pipes, defs. */
#include "language/jqparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/guards.h"
#include "language/jqparser.h"

/* ---- expressions ---- */

static bool
is_operator(const struct jqparser *p)
{
	static const char *const operators[] = {"+", "-", "*", "/", "%",
	    "==", "!=", "<", "<=", ">", ">=", "//", "=",
	    "|=", "+=", "-=", "*=", "/=", "%=", "//=", NULL};

	if (jqparser_next(p, JQLEX_WORD, "and") ||
	    jqparser_next(p, JQLEX_WORD, "or"))
		return true;
	if (!jqparser_next(p, JQLEX_OTHER, NULL))
		return false;
	for (int i = 0; operators[i] != NULL; i++)
		if (span_is(jqparser_token(p, p->at)->text, operators[i]))
			return true;
	return false;
}

/* Operators are calls of functions that the compiler makes. */
static void
use_operator(struct jqparser *p, int at)
{
	struct span text = jqparser_token(p, at)->text;
	char c = text.p[0];

	if (c == '*' || c == '%')
		jqparser_use(
		    p, span_str(c == '*' ? "_multiply" : "_mod"), 2, at);
	if (text.n > 1 && text.p[text.n - 1] == '=' &&
	    memchr("|+-*/%", c, 6) != NULL)
		jqparser_use(p, span_str("_modify"), 2, at);
}

static bool
is_zero(const struct jqparser *p, struct jqpart part)
{
	return part.to - part.from == 1 &&
	    jqparser_token(p, part.from)->type == JQLEX_NUMBER &&
	    strtod(jqparser_token(p, part.from)->text.p, NULL) == 0;
}

struct jqpart
jqparser_expression(struct jqparser *p, const struct jqscope *scope)
{
	struct jqpart all = jqparser_term(p, scope);
	struct jqspots spots = {all.from, all.from};

	while (!p->failed && is_operator(p)) {
		int at = p->at++;
		char c = jqparser_token(p, at)->c;
		struct jqpart next = jqparser_term(p, scope);

		use_operator(p, at);
		jqparser_spot_operator(p, &spots, at, next);
		if ((c == '/' || c == '%') &&
		    jqparser_token(p, at)->text.n == 1 && !p->failed &&
		    is_zero(p, next))
			jqparser_fail_at(
			    p, at, "division by zero", span_make("", 0));
		all.term = false;
	}
	all.to = p->at;
	return all;
}

/* ---- definitions ---- */

enum { PARAMS_MAX = 32 };

static int
parameters(struct jqparser *p, struct jqscope *params)
{
	int n = 0;

	if (!jqparser_accept(p, JQLEX_OPEN, "("))
		return 0;
	do {
		struct span name = jqparser_token(p, p->at)->text;

		if (n == PARAMS_MAX)
			jqparser_fail(p, "too many parameters");
		else if (jqparser_next(p, JQLEX_VARIABLE, NULL))
			jqparser_variable(p);
		else if (jqparser_is_keyword(name))
			jqparser_unexpected(p);
		else
			jqparser_expect(p, JQLEX_WORD, NULL);
		if (!p->failed)
			params[n++] = (struct jqscope){NULL, name, 0};
	} while (jqparser_accept(p, JQLEX_OTHER, ";"));
	jqparser_expect(p, JQLEX_CLOSE, ")");
	return n;
}

/* From `def` on; *self becomes the defined function, in front of scope. */
static void
definition(
    struct jqparser *p, const struct jqscope *scope, struct jqscope *self)
{
	struct jqscope params[PARAMS_MAX];
	const char *says;
	int at = ++p->at;
	int n;

	*self = (struct jqscope){scope, jqparser_token(p, at)->text, 0};
	if (jqparser_is_keyword(self->name))
		jqparser_unexpected(p);
	jqparser_expect(p, JQLEX_WORD, NULL);
	jqparser_plain_name(p, at);
	n = parameters(p, params);
	self->arity = n;
	says = guards_definition(self->name, n);
	if (says != NULL)
		jqparser_fail_at(p, at, says, self->name);
	jqparser_expect(p, JQLEX_OTHER, ":");
	for (int i = 0; i < n; i++)
		params[i].up = i == 0 ? self : &params[i - 1];
	jqparser_query(p, n == 0 ? self : &params[n - 1]);
	if (!p->failed && !jqparser_accept(p, JQLEX_OTHER, ";")) {
		if (p->at >= p->lex->count)
			jqparser_fail_at(p, at - 1,
			    "this definition is not closed by a `;`",
			    span_make("", 0));
		else
			jqparser_unexpected(p);
	}
}

static struct jqpart
query_here(struct jqparser *p, const struct jqscope *scope)
{
	struct jqpart all = {p->at, 0, true};
	struct jqscope self;

	while (!p->failed) {
		struct jqpart part;

		if (jqparser_next(p, JQLEX_WORD, "def")) {
			definition(p, scope, &self);
			jqparser_query(p, &self);
			all.term = false;
			break;
		}
		if (jqparser_accept(p, JQLEX_WORD, "label")) {
			jqparser_variable(p);
			jqparser_expect(p, JQLEX_OTHER, "|");
			jqparser_query(p, scope);
			all.term = false;
			break;
		}
		part = jqparser_expression(p, scope);
		all.term = all.term && part.term;
		if (jqparser_accept(p, JQLEX_WORD, "as")) {
			jqparser_spot_pattern(p, part);
			jqparser_wrap_unless_term(p, part);
			jqparser_patterns(p, scope);
			jqparser_expect(p, JQLEX_OTHER, "|");
			jqparser_query(p, scope);
			all.term = false;
			break;
		}
		if (!jqparser_accept(p, JQLEX_OTHER, "|") &&
		    !jqparser_accept(p, JQLEX_OTHER, ","))
			break;
		all.term = false;
	}
	all.to = p->at;
	return all;
}

struct jqpart
jqparser_query(struct jqparser *p, const struct jqscope *scope)
{
	struct jqpart part;

	if (++p->depth > JQPARSER_DEPTH_MAX)
		jqparser_fail(p, "nested too deep");
	part = query_here(p, scope);
	p->depth--;
	return part;
}

static void
top_definition(struct jqparser *p)
{
	struct jqparse *parse = p->parse;
	struct jqparse_def def = {.from = p->at, .first_use = parse->use_count};
	struct jqscope self;

	if (!jqparser_next(p, JQLEX_WORD, "def")) {
		jqparser_fail(
		    p, "only definitions (def NAME: ...;) may stand here");
		return;
	}
	p->top = jqparser_token(p, p->at + 1)->text;
	definition(p, NULL, &self);
	def.name = self.name;
	def.arity = self.arity;
	def.to = p->at;
	def.end_use = parse->use_count;
	parse->defs = mem_grow(
	    parse->defs, (size_t)parse->def_count, sizeof(*parse->defs));
	parse->defs[parse->def_count++] = def;
}

int
jqparse_read(struct jqparse *parse, const struct jqlex *lex, const char *name,
    const struct jqparse_as *as, struct err *err)
{
	struct jqparser p = {.parse = parse,
	    .lex = lex,
	    .name = name,
	    .err = err,
	    .trust = as->trust,
	    .spots = as->spots,
	    .debugs = as->debugs,
	    .at = as->from};

	*parse = (struct jqparse){.debug = -1};
	parse->edits =
	    mem_zalloc(((size_t)lex->count + 1) * sizeof(*parse->edits));
	if (as->what == JQPARSE_EXPRESSION) {
		jqparser_query(&p, NULL);
		if (p.at < lex->count)
			jqparser_unexpected(&p);
	}
	while (as->what == JQPARSE_FILE && p.at < lex->count)
		top_definition(&p);
	if (!p.failed)
		return 0;
	jqparse_release(parse, lex);
	return -1;
}

void
jqparse_release(struct jqparse *parse, const struct jqlex *lex)
{
	for (int i = 0; parse->edits != NULL && i < lex->count; i++) {
		free(parse->edits[i].before);
		free(parse->edits[i].instead);
		free(parse->edits[i].behind);
	}
	free(parse->edits);
	free(parse->defs);
	free(parse->uses);
	*parse = (struct jqparse){.debug = -1};
}

int
jqparse_body(const struct jqlex *lex, const struct jqparse_def *def)
{
	int i = def->from;

	while (!jqlex_is(lex, i, JQLEX_OTHER, ":"))
		i++;
	return i + 1;
}
