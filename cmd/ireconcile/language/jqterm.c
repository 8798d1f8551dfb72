/* Part of language/jqparser.h: terms. */
#include "language/jqparser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/guards.h"

enum { INDEX_MAX = 1 << 24 };

static bool
in_scope(const struct jqscope *scope, struct span name, int arity)
{
	for (; scope != NULL; scope = scope->up)
		if (scope->arity == arity && span_eq(scope->name, name))
			return true;
	return false;
}

/* ---- terms ---- */

static bool
at_string(const struct jqparser *p)
{
	return jqparser_next(p, JQLEX_STRING, NULL) ||
	    jqparser_next(p, JQLEX_PIECE, NULL) ||
	    (jqparser_next(p, JQLEX_FORMAT, NULL) &&
		(jqlex_is(p->lex, p->at + 1, JQLEX_STRING, NULL) ||
		    jqlex_is(p->lex, p->at + 1, JQLEX_PIECE, NULL)));
}

static void
format(struct jqparser *p)
{
	const char *says = guards_format(jqparser_token(p, p->at)->text);

	if (says != NULL)
		jqparser_fail_at(
		    p, p->at, says, jqparser_token(p, p->at)->text);
	jqparser_use(p, span_str("format"), 1, p->at);
	if (!p->failed)
		p->at++;
}

/* "text", "with \(x)", @base64 "\(x)" */
static void
string(struct jqparser *p, const struct jqscope *scope)
{
	bool interpolates = false;
	struct jqpart part;

	if (jqparser_next(p, JQLEX_FORMAT, NULL))
		format(p);
	if (jqparser_accept(p, JQLEX_STRING, NULL))
		return;
	while (jqparser_next(p, JQLEX_PIECE, NULL)) {
		struct span piece = jqparser_token(p, p->at++)->text;

		if (piece.p[piece.n - 1] == '"')
			break;
		jqparser_expect(p, JQLEX_OPEN, "(");
		part = jqparser_query(p, scope);
		jqparser_spot_use(p, part, part.from - 1);
		jqparser_expect(p, JQLEX_CLOSE, ")");
		interpolates = true;
	}
	if (interpolates)
		jqparser_use(p, span_str("format"), 1, p->at - 1);
}

/* Whether the part is a number, which may be an index without a change. */
static bool
is_whole(const struct jqparser *p, struct jqpart part)
{
	const struct jqlex_token *t = jqparser_token(p, part.to - 1);
	bool negative = jqlex_is(p->lex, part.from, JQLEX_OTHER, "-");

	if (part.to - part.from != 1 + negative || t->type != JQLEX_NUMBER ||
	    t->text.n > 8)
		return false;
	for (size_t i = 0; i < t->text.n; i++)
		if (!span_is_digit(t->text.p[i]))
			return false;
	return strtol(t->text.p, NULL, 10) <= INDEX_MAX;
}

static bool
is_text(const struct jqparser *p, struct jqpart part)
{
	return part.to - part.from == 1 &&
	    (jqparser_token(p, part.from)->type == JQLEX_STRING ||
		span_is(jqparser_token(p, part.from)->text, "null"));
}

static void
check_index(
    struct jqparser *p, struct jqpart part, int bracket, const char *function)
{
	char behind[40];

	if (p->failed || is_whole(p, part) || is_text(p, part))
		return;
	jqparser_spot_index(p, part, bracket);
	if (p->trust == JQPARSE_TRUSTED)
		return;
	snprintf(behind, sizeof(behind), ") | %s", function);
	jqparser_wrap(p, part, "(", behind);
	jqparser_use(p, span_str(function), 0, part.from);
}

/* From behind the [ of an index, a slice, or []. */
static void
brackets(struct jqparser *p, const struct jqscope *scope)
{
	struct jqpart part = {0, 0, true};
	bool slice = false;
	int at = p->at - 1;

	if (jqparser_accept(p, JQLEX_CLOSE, "]"))
		return;
	if (!jqparser_next(p, JQLEX_OTHER, ":"))
		part = jqparser_query(p, scope);
	if (jqparser_accept(p, JQLEX_OTHER, ":")) {
		slice = true;
		if (part.to > 0)
			check_index(p, part, at, "_jq_bound");
		if (!jqparser_next(p, JQLEX_CLOSE, "]"))
			check_index(
			    p, jqparser_query(p, scope), at, "_jq_bound");
	}
	jqparser_expect(p, JQLEX_CLOSE, "]");
	if (!slice)
		check_index(p, part, at, "_jq_index");
}

static void
pattern(struct jqparser *p, const struct jqscope *scope)
{
	if (++p->depth > JQPARSER_DEPTH_MAX)
		jqparser_fail(p, "nested too deep");
	if (jqparser_accept(p, JQLEX_OPEN, "[")) {
		do
			pattern(p, scope);
		while (jqparser_accept(p, JQLEX_OTHER, ","));
		jqparser_expect(p, JQLEX_CLOSE, "]");
	} else if (jqparser_accept(p, JQLEX_OPEN, "{")) {
		do {
			bool shown = jqparser_next(p, JQLEX_VARIABLE, NULL);

			if (shown)
				jqparser_variable(p);
			else if (jqparser_accept(p, JQLEX_OPEN, "(")) {
				jqparser_query(p, scope);
				jqparser_expect(p, JQLEX_CLOSE, ")");
			} else if (at_string(p))
				string(p, scope);
			else
				jqparser_expect(p, JQLEX_WORD, NULL);
			if (!shown || jqparser_next(p, JQLEX_OTHER, ":")) {
				jqparser_expect(p, JQLEX_OTHER, ":");
				pattern(p, scope);
			}
		} while (jqparser_accept(p, JQLEX_OTHER, ","));
		jqparser_expect(p, JQLEX_CLOSE, "}");
	} else {
		jqparser_variable(p);
	}
	p->depth--;
}

void
jqparser_patterns(struct jqparser *p, const struct jqscope *scope)
{
	pattern(p, scope);
	if (jqparser_next(p, JQLEX_OTHER, "?//"))
		jqparser_fail(p,
		    "`?//` means other things in other versions of jq: use "
		    "`if type == ... then ... else ... end`, or `? //`");
}

/* Whether it gives one value in every version. */
static bool
is_single(const struct jqparser *p, struct jqpart part)
{
	const struct jqlex_token *t = jqparser_token(p, part.from);

	if (jqlex_is(p->lex, part.from, JQLEX_OTHER, "-") &&
	    part.to - part.from == 2)
		t = jqparser_token(p, ++part.from);
	if (part.to - part.from == 1)
		return t->type == JQLEX_NUMBER || t->type == JQLEX_STRING ||
		    t->type == JQLEX_VARIABLE || t->type == JQLEX_FIELD ||
		    span_is(t->text, ".") || span_is(t->text, "null") ||
		    span_is(t->text, "true") || span_is(t->text, "false");
	if (t->type == JQLEX_OPEN && part.to - part.from == 2)
		return true; /* [] {} */
	if (t->type == JQLEX_OPEN && t->c == '[') {
		for (int i = part.from + 1; i < part.to - 1; i++)
			if (jqparser_token(p, i)->inside == t->inside)
				return false;
		return true;
	}
	for (int i = part.from; i < part.to; i++)
		if (jqparser_token(p, i)->type != JQLEX_FIELD)
			return false;
	return true;
}

/* reduce, foreach: from behind the word. */
static void
loop(struct jqparser *p, const struct jqscope *scope, bool foreach)
{
	struct jqpart start;

	jqparser_wrap_unless_term(p, jqparser_expression(p, scope));
	jqparser_expect(p, JQLEX_WORD, "as");
	jqparser_patterns(p, scope);
	jqparser_expect(p, JQLEX_OPEN, "(");
	start = jqparser_query(p, scope);
	if (!p->failed && !is_single(p, start)) {
		jqparser_spot_use(p, start, start.from - 1);
		jqparser_wrap(p, start, "_jq_one(", ")");
		jqparser_use(p, span_str("_jq_one"), 1, start.from);
	}
	jqparser_expect(p, JQLEX_OTHER, ";");
	jqparser_query(p, scope);
	if (foreach && jqparser_accept(p, JQLEX_OTHER, ";"))
		jqparser_query(p, scope);
	jqparser_expect(p, JQLEX_CLOSE, ")");
}

static void
condition(struct jqparser *p, const struct jqscope *scope)
{
	do {
		jqparser_query(p, scope);
		jqparser_expect(p, JQLEX_WORD, "then");
		jqparser_query(p, scope);
	} while (jqparser_accept(p, JQLEX_WORD, "elif"));
	if (jqparser_accept(p, JQLEX_WORD, "else"))
		jqparser_query(p, scope);
	else if (jqparser_next(p, JQLEX_WORD, "end"))
		jqparser_before(p, p->at, "else . ");
	jqparser_expect(p, JQLEX_WORD, "end");
}

static void
catch_quietly(struct jqparser *p, struct jqpart part)
{
	jqparser_wrap(p, part, "(", " | _jq_end) catch _jq_quiet");
	jqparser_use(p, span_str("_jq_end"), 0, part.from);
	jqparser_use(p, span_str("_jq_quiet"), 0, part.from);
}

/* From behind the word `try`. After it, and after `catch`, comes one term. */
static void
attempt(struct jqparser *p, const struct jqscope *scope)
{
	struct jqpart tried = jqparser_term(p, scope);
	struct jqpart handler;

	if (!jqparser_accept(p, JQLEX_WORD, "catch")) {
		catch_quietly(p, tried);
		return;
	}
	jqparser_wrap(p, tried, "(", " | _jq_end)");
	handler = jqparser_term(p, scope);
	jqparser_wrap(p, handler, "(_jq_caught | ", ")");
	jqparser_use(p, span_str("_jq_end"), 0, tried.from);
	jqparser_use(p, span_str("_jq_caught"), 0, tried.from);
}

/* ---- objects ---- */

static void
key(struct jqparser *p, const struct jqscope *scope, bool *shown)
{
	int at = p->at;
	struct span word = jqparser_token(p, at)->text;
	struct buf quoted = BUF_INIT;

	*shown = true;
	if (jqparser_accept(p, JQLEX_OPEN, "(")) {
		jqparser_spot_use(p, jqparser_query(p, scope), at);
		jqparser_expect(p, JQLEX_CLOSE, ")");
		*shown = false;
	} else if (jqparser_next(p, JQLEX_VARIABLE, "__loc__")) {
		*shown = false;
		jqparser_unexpected(p);
	} else if (jqparser_next(p, JQLEX_VARIABLE, NULL)) {
		jqparser_variable(p);
		if (jqparser_next(p, JQLEX_OTHER, ":"))
			jqparser_wrap(
			    p, (struct jqpart){at, p->at, true}, "(", ")");
	} else if (at_string(p)) {
		string(p, scope);
	} else if (jqparser_accept(p, JQLEX_WORD, NULL)) {
		jqparser_plain_name(p, at);
		if (!jqparser_is_keyword(word) ||
		    jqparser_next(p, JQLEX_OTHER, ":"))
			return;
		buf_addf(&quoted, "\"%.*s\"", SPAN_ARG(word));
		jqparser_instead(p, at, buf_str(&quoted));
		buf_release(&quoted);
	} else {
		jqparser_unexpected(p);
	}
}

static void
member(struct jqparser *p, const struct jqscope *scope)
{
	struct jqpart value;
	bool shown;
	int from;

	key(p, scope, &shown);
	if (shown && !jqparser_next(p, JQLEX_OTHER, ":"))
		return;
	jqparser_expect(p, JQLEX_OTHER, ":");
	from = p->at;
	value = jqparser_expression(p, scope);
	while (jqparser_accept(p, JQLEX_OTHER, "|")) {
		jqparser_expression(p, scope);
		value.term = false;
	}
	jqparser_wrap_unless_term(p, (struct jqpart){from, p->at, value.term});
}

static void
object(struct jqparser *p, const struct jqscope *scope)
{
	while (!p->failed && !jqparser_next(p, JQLEX_CLOSE, "}")) {
		member(p, scope);
		if (!jqparser_accept(p, JQLEX_OTHER, ","))
			break;
	}
	jqparser_expect(p, JQLEX_CLOSE, "}");
}

/* ---- calls ---- */

/* The compiler calls `error` itself, for break and label. */
static const char *
changed_name(const struct jqparser *p, struct span name, int arity)
{
	if (arity <= 1 && span_is(name, "error"))
		return "_jq_raise";
	if (p->trust == JQPARSE_TRUSTED)
		return NULL;
	if (arity == 2 && span_is(name, "setpath"))
		return "_jq_setpath";
	if (arity == 1 && span_is(name, "getpath"))
		return "_jq_getpath";
	if (arity == 1 && span_is(name, "delpaths"))
		return "_jq_delpaths";
	return NULL;
}

static void
call(struct jqparser *p, const struct jqscope *scope)
{
	int at = p->at;
	struct span name = jqparser_token(p, at)->text;
	const char *changed;
	int arity = 0;

	if (jqparser_is_keyword(name)) {
		jqparser_unexpected(p);
		return;
	}
	jqparser_plain_name(p, at);
	if (p->trust == JQPARSE_STRANGE && span_starts(name, "_jq"))
		jqparser_fail_at(
		    p, at, "%.*s: names that begin with _jq are taken", name);
	if (!p->failed)
		p->at++;
	if (jqparser_accept(p, JQLEX_OPEN, "(")) {
		do {
			jqparser_spot_argument(p, jqparser_query(p, scope), at);
			arity++;
		} while (jqparser_accept(p, JQLEX_OTHER, ";"));
		jqparser_expect(p, JQLEX_CLOSE, ")");
	}
	if (p->failed || in_scope(scope, name, arity) ||
	    (arity == 0 &&
		(span_is(name, "null") || span_is(name, "true") ||
		    span_is(name, "false"))))
		return;
	jqparser_spot_call(p, (struct jqpart){at, p->at, true});
	if (arity <= 1 && span_is(name, "debug")) {
		jqparser_debug(p, at, arity);
		return;
	}
	changed = changed_name(p, name, arity);
	if (changed != NULL) {
		jqparser_instead(p, at, changed);
		jqparser_use(p, span_str(changed), arity, at);
		return;
	}
	jqparser_use(p, name, arity, at);
}

static void
word(struct jqparser *p, const struct jqscope *scope)
{
	int at = p->at;
	bool statement = true;

	if (jqparser_accept(p, JQLEX_WORD, "if"))
		condition(p, scope);
	else if (jqparser_accept(p, JQLEX_WORD, "reduce"))
		loop(p, scope, false);
	else if (jqparser_accept(p, JQLEX_WORD, "foreach"))
		loop(p, scope, true);
	else if (jqparser_accept(p, JQLEX_WORD, "try"))
		attempt(p, scope);
	else
		statement = false;
	if (statement)
		jqparser_wrap(p, (struct jqpart){at, p->at, true}, "(", ")");
	else if (jqparser_accept(p, JQLEX_WORD, "break"))
		jqparser_variable(p);
	else
		call(p, scope);
}

/* A term that begins with a dot: `.`, ."a", .[...]. True if an index was
 * read. */
static bool
dot(struct jqparser *p, const struct jqscope *scope, bool starts)
{
	int at = p->at++;

	if (!at_string(p))
		return false;
	if (starts)
		jqparser_spot_start(p, at);
	string(p, scope);
	return true;
}

/* A term without its suffixes. Returns whether `?` would belong to its last
 * index. */
static bool
primary(struct jqparser *p, const struct jqscope *scope)
{
	switch (jqparser_token(p, p->at)->type) {
	case JQLEX_FIELD:
		jqparser_plain_name(p, p->at);
		jqparser_spot_start(p, p->at);
		p->at++;
		return true;
	case JQLEX_NUMBER:
		jqparser_number(p);
		return false;
	case JQLEX_STRING:
	case JQLEX_PIECE:
		string(p, scope);
		return false;
	case JQLEX_FORMAT:
		if (at_string(p))
			string(p, scope);
		else {
			format(p);
			jqparser_spot_call(
			    p, (struct jqpart){p->at - 1, p->at, true});
		}
		return false;
	case JQLEX_VARIABLE:
		if (jqparser_next(p, JQLEX_VARIABLE, "__loc__"))
			jqparser_location(p);
		else
			jqparser_variable(p);
		return false;
	case JQLEX_WORD:
		word(p, scope);
		return false;
	case JQLEX_OPEN:
		if (jqparser_accept(p, JQLEX_OPEN, "(")) {
			jqparser_query(p, scope);
			jqparser_expect(p, JQLEX_CLOSE, ")");
		} else if (jqparser_accept(p, JQLEX_OPEN, "[")) {
			if (!jqparser_next(p, JQLEX_CLOSE, "]"))
				jqparser_query(p, scope);
			jqparser_expect(p, JQLEX_CLOSE, "]");
		} else {
			p->at++;
			object(p, scope);
		}
		return false;
	default:
		if (jqparser_next(p, JQLEX_OTHER, "."))
			return dot(p, scope, true);
		if (jqparser_accept(p, JQLEX_OTHER, ".."))
			jqparser_use(p, span_str("recurse"), 0, p->at - 1);
		else
			jqparser_unexpected(p);
		return false;
	}
}

/* The next suffix of a term, if any. */
static bool
suffix(struct jqparser *p, const struct jqscope *scope)
{
	if (jqparser_next(p, JQLEX_FIELD, NULL)) {
		jqparser_plain_name(p, p->at);
		p->at++;
	} else if (jqparser_accept(p, JQLEX_OPEN, "[")) {
		brackets(p, scope);
	} else if (jqparser_next(p, JQLEX_OTHER, ".")) {
		if (jqlex_is(p->lex, p->at + 1, JQLEX_OPEN, "[")) {
			jqparser_instead(p, p->at, " ");
			p->at += 2;
			brackets(p, scope);
		} else if (!dot(p, scope, false)) {
			jqparser_unexpected(p);
		}
	} else {
		return false;
	}
	return !p->failed;
}

struct jqpart
jqparser_term(struct jqparser *p, const struct jqscope *scope)
{
	int from = p->at;
	bool minus = jqparser_accept(p, JQLEX_OTHER, "-");
	int start = p->at;
	bool indexed;

	if (++p->depth > JQPARSER_DEPTH_MAX)
		jqparser_fail(p, "nested too deep");
	if (jqparser_next(p, JQLEX_OTHER, "-")) {
		jqparser_term(p, scope);
		indexed = false;
	} else {
		indexed = primary(p, scope);
	}
	while (!p->failed) {
		int at = p->at;

		if (suffix(p, scope)) {
			jqparser_spot_access(p, start, at);
			indexed = true;
		} else if (jqparser_accept(p, JQLEX_OTHER, "?")) {
			struct jqpart part = {start, p->at, true};

			if (!indexed) {
				jqparser_instead(p, p->at - 1, "");
				catch_quietly(p, part);
				jqparser_wrap(p, part, "(try ", ")");
			}
			indexed = false;
		} else {
			break;
		}
	}
	if (jqparser_next(p, JQLEX_OTHER, "?//"))
		jqparser_fail(p, "`?//`: write `? //`, or use `if`");
	if (minus) {
		jqparser_spot_use(p, (struct jqpart){start, p->at, true}, from);
		jqparser_wrap(p, (struct jqpart){from, p->at, true}, "(", ")");
	}
	p->depth--;
	return (struct jqpart){from, p->at, true};
}
