#include "language/jqparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/guards.h"
#include "language/jq16/jq16.h"

enum { DEPTH_MAX = 1500, PARAMS_MAX = 32 };

/* A function that may be called; the innermost first. */
struct scope {
	const struct scope *up;
	struct span name;
	int arity;
};

/* After an error `at` is behind the last token, so that every function may go
 * on, and all loops end. */
struct parser {
	struct jqparse *parse;
	const struct jqlex *lex;
	const char *name;
	struct err *err;
	enum jqparse_trust trust;
	int at; /* the next token */
	int depth;
	bool failed;
};

static struct jqnode *query(struct parser *p, const struct scope *scope);
static struct jqnode *term(struct parser *p, const struct scope *scope);

/* ---- tokens ---- */

static struct span
text_at(const struct parser *p, int i)
{
	return i >= 0 && i < p->lex->count ? p->lex->tokens[i].text
					   : span_make("", 0);
}

/* format has one %.*s, for what, or none. */
static void
fail_at(struct parser *p, int token, const char *format, struct span what)
{
	struct buf message = BUF_INIT;

	if (p->failed)
		return;
	if (token >= p->lex->count)
		token = p->lex->count - 1;
	buf_addf(&message, format, SPAN_ARG(what));
	err_set(p->err, ERR_PERMANENT, "%s:%d: %s", p->name,
	    token < 0 ? 1 : p->lex->tokens[token].line, buf_str(&message));
	buf_release(&message);
	p->failed = true;
	p->at = p->lex->count;
}

static void
fail(struct parser *p, const char *message)
{
	fail_at(p, p->at, message, SPAN_NONE);
}

static void
unexpected(struct parser *p)
{
	struct span text = text_at(p, p->at);

	if (p->at >= p->lex->count)
		fail(p, "syntax error: the text ends too early");
	else if (text.n > 60)
		fail(p, "syntax error: unexpected string");
	else
		fail_at(p, p->at, "syntax error: unexpected `%.*s`", text);
}

static bool
next_is(const struct parser *p, enum jqlex_type type, const char *text)
{
	return jqlex_is(p->lex, p->at, type, text);
}

static bool
accept(struct parser *p, enum jqlex_type type, const char *text)
{
	if (!next_is(p, type, text))
		return false;
	p->at++;
	return true;
}

static void
expect(struct parser *p, enum jqlex_type type, const char *text)
{
	if (!accept(p, type, text))
		unexpected(p);
}

static bool
deeper(struct parser *p)
{
	if (++p->depth > DEPTH_MAX)
		fail(p, "nested too deep");
	return !p->failed;
}

/* ---- nodes ---- */

struct kids {
	struct jqnode *first, *last;
};

static struct jqnode *
add(struct kids *k, struct jqnode *n)
{
	if (k->first == NULL)
		k->first = n;
	else
		k->last->next = n;
	k->last = n;
	return n;
}

/* A node that goes from token `from` to the last one that was taken. */
static struct jqnode *
node(struct parser *p, enum jqnode_type type, int token, int from,
    struct kids kids)
{
	struct jqparse *parse = p->parse;
	struct jqnode *n = arena_alloc(&parse->arena, sizeof(*n));

	*n = (struct jqnode){.type = type,
	    .token = token,
	    .from = from,
	    .to = p->at,
	    .kids = kids.first};
	for (struct jqnode *k = kids.first; k != NULL; k = k->next)
		k->up = n;
	if (parse->nodes == NULL)
		parse->nodes = n;
	else
		parse->last->after = n;
	return parse->last = n;
}

/* A node of one token, which was taken. */
static struct jqnode *
leaf(struct parser *p, enum jqnode_type type)
{
	return node(p, type, p->at - 1, p->at - 1, (struct kids){NULL, NULL});
}

/* ---- names ---- */

/* Refuses a::b. */
static void
plain_name(struct parser *p, int i)
{
	if (span_find(text_at(p, i), ':') != NULL)
		fail_at(p, i, "%.*s: there are no modules, so no `::`",
		    text_at(p, i));
}

static void
variable(struct parser *p)
{
	struct span name = text_at(p, p->at);
	const char *says = guards_variable(name);

	says = jq16_variable(name, says);
	if (!next_is(p, JQLEX_VARIABLE, NULL))
		unexpected(p);
	else if (says != NULL)
		fail_at(p, p->at, says, name);
	plain_name(p, p->at);
	if (!p->failed)
		p->at++;
}

/* ---- strings ---- */

static bool
at_string(const struct parser *p)
{
	int i = p->at + next_is(p, JQLEX_FORMAT, NULL);

	return jqlex_is(p->lex, i, JQLEX_STRING, NULL) ||
	    jqlex_is(p->lex, i, JQLEX_PIECE, NULL);
}

static void
format(struct parser *p)
{
	const char *says = guards_format(text_at(p, p->at));

	if (says != NULL)
		fail_at(p, p->at, says, text_at(p, p->at));
	p->at += !p->failed;
}

/* "text", "with \(x)", @base64 "\(x)" */
static struct jqnode *
string(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL};
	int from = p->at, token;

	if (next_is(p, JQLEX_FORMAT, NULL))
		format(p);
	token = p->at;
	if (accept(p, JQLEX_STRING, NULL))
		return node(p, JQNODE_STRING, token, from, kids);
	while (next_is(p, JQLEX_PIECE, NULL)) {
		struct span piece = text_at(p, p->at++);

		if (piece.p[piece.n - 1] == '"')
			break;
		expect(p, JQLEX_OPEN, "(");
		add(&kids, query(p, scope));
		expect(p, JQLEX_CLOSE, ")");
	}
	return node(p, JQNODE_STRING, token, from, kids);
}

/* ---- patterns ---- */

static struct jqnode *pattern(struct parser *p, const struct scope *scope);

static struct jqnode *
pattern_key(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL};
	struct jqnode *n, *value = NULL;
	bool shown = next_is(p, JQLEX_VARIABLE, NULL);
	int from = p->at;

	if (shown) {
		variable(p);
	} else if (accept(p, JQLEX_OPEN, "(")) {
		add(&kids, query(p, scope));
		expect(p, JQLEX_CLOSE, ")");
	} else if (at_string(p)) {
		add(&kids, string(p, scope));
	} else {
		expect(p, JQLEX_WORD, NULL);
	}
	if (!shown || next_is(p, JQLEX_OTHER, ":")) {
		expect(p, JQLEX_OTHER, ":");
		value = add(&kids, pattern(p, scope));
	}
	n = node(p, JQNODE_PATTERN_KEY, from, from, kids);
	n->value = value;
	return n;
}

static struct jqnode *
pattern(struct parser *p, const struct scope *scope)
{
	enum jqnode_type type = JQNODE_BOUND;
	struct kids kids = {NULL, NULL};
	int from = p->at;

	deeper(p);
	if (accept(p, JQLEX_OPEN, "[")) {
		type = JQNODE_PATTERN_ARRAY;
		do
			add(&kids, pattern(p, scope));
		while (accept(p, JQLEX_OTHER, ","));
		expect(p, JQLEX_CLOSE, "]");
	} else if (accept(p, JQLEX_OPEN, "{")) {
		type = JQNODE_PATTERN_OBJECT;
		do
			add(&kids, pattern_key(p, scope));
		while (accept(p, JQLEX_OTHER, ","));
		expect(p, JQLEX_CLOSE, "}");
	} else {
		variable(p);
	}
	p->depth--;
	return node(p, type, from, from, kids);
}

static struct jqnode *
patterns(struct parser *p, const struct scope *scope)
{
	struct jqnode *n = pattern(p, scope);

	if (next_is(p, JQLEX_OTHER, "?//"))
		fail(p,
		    "`?//` means other things in other versions of jq: use "
		    "`if type == ... then ... else ... end`, or `? //`");
	return n;
}

/* ---- expressions ---- */

static bool
at_operator(const struct parser *p)
{
	return next_is(p, JQLEX_WORD, "and") || next_is(p, JQLEX_WORD, "or") ||
	    (next_is(p, JQLEX_OTHER, NULL) && !next_is(p, JQLEX_OTHER, "|") &&
		strchr("?.;,:", p->lex->tokens[p->at].c) == NULL);
}

static struct jqnode *
expression(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL};
	int from = p->at;

	add(&kids, term(p, scope));
	while (!p->failed && at_operator(p)) {
		struct span sign = text_at(p, p->at++);
		const struct jqnode *next = add(&kids, term(p, scope));

		if ((span_is(sign, "/") || span_is(sign, "%")) && !p->failed &&
		    next->to - next->from == 1 &&
		    jqlex_is(p->lex, next->from, JQLEX_NUMBER, NULL) &&
		    strtod(text_at(p, next->from).p, NULL) == 0)
			fail_at(
			    p, next->from - 1, "division by zero", SPAN_NONE);
	}
	return kids.first == kids.last
	    ? kids.first
	    : node(p, JQNODE_OPERATORS, from, from, kids);
}

/* ---- definitions ---- */

static int
parameters(struct parser *p, struct scope *params)
{
	int n = 0;

	if (!accept(p, JQLEX_OPEN, "("))
		return 0;
	do {
		struct span name = text_at(p, p->at);

		if (n == PARAMS_MAX)
			fail(p, "too many parameters");
		else if (next_is(p, JQLEX_VARIABLE, NULL))
			variable(p);
		else if (jqparse_is_keyword(name))
			unexpected(p);
		else
			expect(p, JQLEX_WORD, NULL);
		if (!p->failed)
			params[n++] = (struct scope){NULL, name, 0};
	} while (accept(p, JQLEX_OTHER, ";"));
	expect(p, JQLEX_CLOSE, ")");
	return n;
}

/* Parses a definition from `def` on, and returns its body. *self becomes the
 * defined function, in front of scope. */
static struct jqnode *
definition(struct parser *p, const struct scope *scope, struct scope *self)
{
	struct scope params[PARAMS_MAX];
	struct jqnode *body;
	const char *says;
	int at = ++p->at;
	int n;

	*self = (struct scope){scope, text_at(p, at), 0};
	if (jqparse_is_keyword(self->name))
		unexpected(p);
	expect(p, JQLEX_WORD, NULL);
	plain_name(p, at);
	n = parameters(p, params);
	self->arity = n;
	says = guards_definition(self->name, n);
	if (says != NULL)
		fail_at(p, at, says, self->name);
	expect(p, JQLEX_OTHER, ":");
	for (int i = 0; i < n; i++)
		params[i].up = i == 0 ? self : &params[i - 1];
	body = query(p, n == 0 ? self : &params[n - 1]);
	if (!p->failed && !accept(p, JQLEX_OTHER, ";")) {
		if (p->at >= p->lex->count)
			fail_at(p, at - 1,
			    "this definition is not closed by a `;`",
			    SPAN_NONE);
		else
			unexpected(p);
	}
	return body;
}

/* ---- queries ---- */

/* Parses a part of a query; sets *last if the part reaches to the query's
 * end. */
static struct jqnode *
query_part(struct parser *p, const struct scope *scope, bool *last)
{
	struct kids kids = {NULL, NULL};
	struct jqnode *part;
	int from = p->at;

	*last = true;
	if (next_is(p, JQLEX_WORD, "def")) {
		struct scope self;

		add(&kids, definition(p, scope, &self));
		add(&kids, query(p, &self));
		return node(p, JQNODE_LOCAL, from + 1, from, kids);
	}
	if (accept(p, JQLEX_WORD, "label")) {
		variable(p);
		expect(p, JQLEX_OTHER, "|");
		add(&kids, query(p, scope));
		return node(p, JQNODE_LABEL, from + 1, from, kids);
	}
	part = add(&kids, expression(p, scope));
	if (accept(p, JQLEX_WORD, "as")) {
		add(&kids, patterns(p, scope));
		expect(p, JQLEX_OTHER, "|");
		add(&kids, query(p, scope));
		return node(p, JQNODE_BIND, from, from, kids);
	}
	*last = false;
	return part;
}

static struct jqnode *
query(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL};
	int from = p->at;
	bool last = !deeper(p);

	do
		add(&kids, query_part(p, scope, &last));
	while (!last && !p->failed &&
	    (accept(p, JQLEX_OTHER, "|") || accept(p, JQLEX_OTHER, ",")));
	p->depth--;
	return kids.first == kids.last
	    ? kids.first
	    : node(p, JQNODE_QUERY, from, from, kids);
}

/* ---- primaries ---- */

static struct jqnode *
call(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL};
	struct jqnode *n;
	int at = p->at, arity = 0;
	struct span name = text_at(p, at);

	if (jqparse_is_keyword(name))
		unexpected(p);
	plain_name(p, at);
	if (p->trust == JQPARSE_STRANGE && span_starts(name, "_jq"))
		fail_at(
		    p, at, "%.*s: names that begin with _jq are taken", name);
	p->at += !p->failed;
	if (accept(p, JQLEX_OPEN, "(")) {
		do {
			add(&kids, query(p, scope));
			arity++;
		} while (accept(p, JQLEX_OTHER, ";"));
		expect(p, JQLEX_CLOSE, ")");
	}
	n = node(p, JQNODE_CALL, at, at, kids);
	for (; scope != NULL && !n->local; scope = scope->up)
		n->local = scope->arity == arity && span_eq(scope->name, name);
	if (!n->local && arity == 0 &&
	    (span_is(name, "null") || span_is(name, "true") ||
		span_is(name, "false")))
		n->type = JQNODE_CONSTANT;
	return n;
}

/* if, reduce, foreach, try, break, or a call. */
static struct jqnode *
word(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL};
	struct jqnode *n, *otherwise = NULL;
	int at = p->at;
	bool foreach = next_is(p, JQLEX_WORD, "foreach");

	if (accept(p, JQLEX_WORD, "if")) {
		do {
			add(&kids, query(p, scope));
			expect(p, JQLEX_WORD, "then");
			add(&kids, query(p, scope));
		} while (accept(p, JQLEX_WORD, "elif"));
		if (accept(p, JQLEX_WORD, "else"))
			otherwise = add(&kids, query(p, scope));
		expect(p, JQLEX_WORD, "end");
		n = node(p, JQNODE_IF, at, at, kids);
		n->value = otherwise;
		return n;
	}
	if (accept(p, JQLEX_WORD, "reduce") ||
	    accept(p, JQLEX_WORD, "foreach")) {
		add(&kids, expression(p, scope));
		expect(p, JQLEX_WORD, "as");
		add(&kids, patterns(p, scope));
		expect(p, JQLEX_OPEN, "(");
		add(&kids, query(p, scope));
		expect(p, JQLEX_OTHER, ";");
		add(&kids, query(p, scope));
		if (foreach && accept(p, JQLEX_OTHER, ";"))
			add(&kids, query(p, scope));
		expect(p, JQLEX_CLOSE, ")");
		return node(p, JQNODE_LOOP, at, at, kids);
	}
	/* After try, and after catch, comes one term. */
	if (accept(p, JQLEX_WORD, "try")) {
		add(&kids, term(p, scope));
		if (accept(p, JQLEX_WORD, "catch"))
			add(&kids, term(p, scope));
		return node(p, JQNODE_TRY, at, at, kids);
	}
	if (accept(p, JQLEX_WORD, "break")) {
		variable(p);
		return node(p, JQNODE_BREAK, at + 1, at, kids);
	}
	return call(p, scope);
}

static struct jqnode *
member(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL}, parts = {NULL, NULL};
	struct jqnode *n, *value = NULL;
	bool shown = true; /* the key alone is enough */
	int at = p->at, from;

	if (accept(p, JQLEX_OPEN, "(")) {
		add(&kids, query(p, scope));
		expect(p, JQLEX_CLOSE, ")");
		shown = false;
	} else if (next_is(p, JQLEX_VARIABLE, "__loc__")) {
		unexpected(p);
	} else if (next_is(p, JQLEX_VARIABLE, NULL)) {
		variable(p);
	} else if (at_string(p)) {
		add(&kids, string(p, scope));
	} else if (accept(p, JQLEX_WORD, NULL)) {
		plain_name(p, at);
	} else {
		unexpected(p);
	}
	if (!shown || next_is(p, JQLEX_OTHER, ":")) {
		expect(p, JQLEX_OTHER, ":");
		from = p->at;
		do
			add(&parts, expression(p, scope));
		while (accept(p, JQLEX_OTHER, "|"));
		value = parts.first == parts.last
		    ? parts.first
		    : node(p, JQNODE_QUERY, from, from, parts);
		add(&kids, value);
	}
	n = node(p, JQNODE_MEMBER, at, at, kids);
	n->value = value;
	return n;
}

/* Parses a primary in brackets, from behind the bracket on. */
static struct jqnode *
bracketed(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL};
	int from = p->at - 1;

	switch (p->lex->tokens[from].c) {
	case '(':
		add(&kids, query(p, scope));
		expect(p, JQLEX_CLOSE, ")");
		return node(p, JQNODE_PAREN, from, from, kids);
	case '[':
		if (!next_is(p, JQLEX_CLOSE, "]"))
			add(&kids, query(p, scope));
		expect(p, JQLEX_CLOSE, "]");
		return node(p, JQNODE_ARRAY, from, from, kids);
	default:
		while (!p->failed && !next_is(p, JQLEX_CLOSE, "}")) {
			add(&kids, member(p, scope));
			if (!accept(p, JQLEX_OTHER, ","))
				break;
		}
		expect(p, JQLEX_CLOSE, "}");
		return node(p, JQNODE_OBJECT, from, from, kids);
	}
}

/* Parses ."a" from behind the dot; NULL if no string follows. */
static struct jqnode *
dot_string(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL};
	int from = p->at - 1, token = p->at;

	if (!at_string(p))
		return NULL;
	add(&kids, string(p, scope));
	return node(p,
	    jqparse_is_plain(p->lex, token) ? JQNODE_NAME : JQNODE_TEXT, token,
	    from, kids);
}

static struct jqnode *
field(struct parser *p)
{
	plain_name(p, p->at);
	p->at++;
	return leaf(p, JQNODE_NAME);
}

/* Parses a primary, without accesses; but .a with its first access. */
static void
primary(struct parser *p, const struct scope *scope, struct kids *term)
{
	static const struct kids none = {NULL, NULL};
	int at = p->at;

	if (next_is(p, JQLEX_FIELD, NULL)) {
		add(term, node(p, JQNODE_DOT, at, at, none));
		add(term, field(p));
	} else if (accept(p, JQLEX_NUMBER, NULL)) {
		if (!isfinite(strtod(text_at(p, at).p, NULL)))
			fail_at(p, at,
			    "this number is beyond what a double holds",
			    SPAN_NONE);
		add(term, node(p, JQNODE_NUMBER, at, at, none));
	} else if (at_string(p)) {
		add(term, string(p, scope));
	} else if (next_is(p, JQLEX_FORMAT, NULL)) {
		format(p);
		add(term, node(p, JQNODE_FORMAT, at, at, none));
	} else if (accept(p, JQLEX_VARIABLE, "__loc__")) {
		add(term, leaf(p, JQNODE_LOCATION));
	} else if (next_is(p, JQLEX_VARIABLE, NULL)) {
		variable(p);
		add(term, node(p, JQNODE_VARIABLE, at, at, none));
	} else if (next_is(p, JQLEX_WORD, NULL)) {
		add(term, word(p, scope));
	} else if (accept(p, JQLEX_OPEN, NULL)) {
		add(term, bracketed(p, scope));
	} else if (accept(p, JQLEX_OTHER, ".")) {
		add(term, leaf(p, JQNODE_DOT));
		if (at_string(p))
			add(term, dot_string(p, scope));
	} else if (accept(p, JQLEX_OTHER, "..")) {
		add(term, leaf(p, JQNODE_RECURSE));
	} else {
		unexpected(p);
	}
}

/* ---- accesses ---- */

/* Parses .[N], .[A:B] or .[] from behind the bracket; `from` is . or [. */
static struct jqnode *
brackets(struct parser *p, const struct scope *scope, int from)
{
	struct kids kids = {NULL, NULL};
	enum jqnode_type type = JQNODE_INDEX;
	int token = p->at;

	if (accept(p, JQLEX_CLOSE, "]"))
		return node(p, JQNODE_EACH, from, from, kids);
	if (!next_is(p, JQLEX_OTHER, ":"))
		add(&kids, query(p, scope));
	if (accept(p, JQLEX_OTHER, ":")) {
		type = JQNODE_SLICE;
		if (!next_is(p, JQLEX_CLOSE, "]"))
			add(&kids, query(p, scope));
	}
	expect(p, JQLEX_CLOSE, "]");
	if (type == JQNODE_INDEX && p->at == token + 2 &&
	    jqparse_is_plain(p->lex, token))
		type = JQNODE_NAME;
	return node(p, type, token, from, kids);
}

/* The next access of a term, or NULL. */
static struct jqnode *
access(struct parser *p, const struct scope *scope)
{
	struct jqnode *n;
	int from = p->at;

	if (next_is(p, JQLEX_FIELD, NULL))
		return field(p);
	if (accept(p, JQLEX_OPEN, "["))
		return brackets(p, scope, from);
	if (!accept(p, JQLEX_OTHER, "."))
		return NULL;
	if (accept(p, JQLEX_OPEN, "["))
		return brackets(p, scope, from);
	n = dot_string(p, scope);
	if (n == NULL)
		unexpected(p);
	return n;
}

static struct jqnode *
term(struct parser *p, const struct scope *scope)
{
	struct kids kids = {NULL, NULL}, minus = {NULL, NULL};
	int from = p->at;
	bool negative = accept(p, JQLEX_OTHER, "-");
	struct jqnode *n;
	int start = p->at;

	deeper(p);
	if (negative && next_is(p, JQLEX_OTHER, "-")) {
		n = term(p, scope);
	} else {
		primary(p, scope, &kids);
		while (!p->failed) {
			n = access(p, scope);
			if (n == NULL && accept(p, JQLEX_OTHER, "?"))
				n = leaf(p, JQNODE_OPTIONAL);
			if (n == NULL)
				break;
			add(&kids, n);
		}
		n = node(p, JQNODE_TERM, start, start, kids);
	}
	if (next_is(p, JQLEX_OTHER, "?//"))
		fail(p, "`?//`: write `? //`, or use `if`");
	if (negative) {
		add(&minus, n);
		n = node(p, JQNODE_NEGATE, from, from, minus);
	}
	p->depth--;
	return n;
}

/* ---- the whole ---- */

/* Parses a definition of the file; or the expression, which has no name. */
static void
top_definition(struct parser *p, enum jqparse_what what)
{
	struct jqparse *parse = p->parse;
	struct jqparse_def def = {.from = p->at};
	struct jqnode *before = parse->last;
	struct scope self = {NULL, SPAN_NONE, 0};

	if (what == JQPARSE_EXPRESSION) {
		def.body = query(p, NULL);
		if (p->at < p->lex->count)
			unexpected(p);
	} else if (next_is(p, JQLEX_WORD, "def")) {
		def.body = definition(p, NULL, &self);
	} else {
		fail(p, "only definitions (def NAME: ...;) may stand here");
	}
	if (p->failed)
		return;
	def.first = before == NULL ? parse->nodes : before->after;
	def.name = self.name;
	def.arity = self.arity;
	def.to = p->at;
	parse->defs = mem_grow(
	    parse->defs, (size_t)parse->def_count, sizeof(*parse->defs));
	parse->defs[parse->def_count++] = def;
}

int
jqparse_read(struct jqparse *parse, const struct jqlex *lex, const char *name,
    const struct jqparse_as *as, struct err *err)
{
	struct parser p = {.parse = parse,
	    .lex = lex,
	    .name = name,
	    .err = err,
	    .trust = as->trust,
	    .at = as->from};

	*parse = (struct jqparse){.debug = -1};
	if (as->what == JQPARSE_EXPRESSION)
		top_definition(&p, as->what);
	while (as->what == JQPARSE_FILE && p.at < lex->count)
		top_definition(&p, as->what);
	if (p.failed) {
		jqparse_release(parse);
		return -1;
	}
	jqparse_rewrite(parse, lex, name, as);
	return 0;
}
