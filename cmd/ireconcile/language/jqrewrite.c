/*
 * Part of language/jqparse.h: the text that libjq gets in place of the
 * author's, and the functions that this text calls.
 *
 * Nodes are taken in the order of their ends, so an inner one is done first:
 * of texts before a token the outer ones come first, of those behind it last.
 */
#include "language/jqparse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/edit.h"
#include "language/jq16/jq16.h"
#include "process/file.h"

enum { INDEX_MAX = 1 << 24 };

bool
jqparse_is_keyword(struct span word)
{
	static const char *const words[] = {"as", "import", "include", "module",
	    "def", "if", "then", "else", "elif", "and", "or", "end", "reduce",
	    "foreach", "try", "catch", "label", "break", "__loc__", NULL};

	return span_is_one_of(word, words);
}

bool
jqparse_is_plain(const struct jqlex *lex, int token)
{
	return jqlex_is(lex, token, JQLEX_STRING, NULL) &&
	    span_find(lex->tokens[token].text, '\\') == NULL;
}

bool
jqparse_is_named(const struct jqlex *lex, const struct jqnode *key)
{
	return jqlex_is(lex, key->token, JQLEX_WORD, NULL) ||
	    jqlex_is(lex, key->token, JQLEX_VARIABLE, NULL) ||
	    jqparse_is_plain(lex, key->token);
}

int
jqparse_arity(const struct jqnode *call)
{
	int arity = 0;

	for (const struct jqnode *k = call->kids; k != NULL; k = k->next)
		arity++;
	return arity;
}

bool
jqparse_joined(
    const struct jqlex *lex, const struct jqnode *n, const char *sign)
{
	return jqlex_is(lex, n->from - 1, JQLEX_OTHER, sign);
}

struct rewriter {
	struct jqparse *parse;
	const struct jqlex *lex;
	const char *name;
	const struct jqparse_as *as;
	struct span top; /* the definition of the top level; or empty */
};

static void
wrap_unless_term(struct rewriter *r, const struct jqnode *n)
{
	if (n->type < JQNODE_NEGATE)
		edit_wrap(r->parse, n->from, n->to, "(", ")");
}

/* ---- spots (language/spot.h) ---- */

/* Puts a call behind these tokens: it tells that their value is that of spot
 * `token`. */
static void
spot(struct rewriter *r, int from, int to, const char *call, int token)
{
	char text[60];

	if (r->as->spots < 0)
		return;
	snprintf(text, sizeof(text), "|%s(%ld))", call, r->as->spots + token);
	edit_wrap(r->parse, from, to, "(", text);
}

static void
spot_before(struct rewriter *r, const char *format, int token)
{
	char text[60];

	if (r->as->spots < 0)
		return;
	snprintf(text, sizeof(text), format, r->as->spots + token);
	edit_before(r->parse, token, text);
}

static void
spot_call(struct rewriter *r, int from, int to)
{
	if (r->as->spots < 0)
		return;
	spot_before(r, "(_jq_at(%ld)|", from);
	edit_wrap(r->parse, from, to, "", ")");
}

static bool
is_one_of(const struct jqlex *lex, int i, const char *signs)
{
	return i < lex->count && lex->tokens[i].type == JQLEX_OTHER &&
	    lex->tokens[i].text.n == 1 &&
	    strchr(signs, lex->tokens[i].c) != NULL;
}

/* The operands of + - * / %: those of a product are up to the sign before. */
static void
spot_operands(struct rewriter *r, const struct jqnode *n)
{
	int sum = n->from, product = n->from;

	for (const struct jqnode *k = n->kids->next; k != NULL; k = k->next) {
		int at = k->from - 1;
		bool is_product = is_one_of(r->lex, at, "*/%");
		bool is_sum = is_one_of(r->lex, at, "+-");

		if (is_product || is_sum)
			spot(r, is_product ? product : sum, at, "_jq_at", at);
		if (is_product || (is_sum && !is_one_of(r->lex, k->to, "*/%")))
			spot(r, k->from, k->to, "_jq_right", at);
		if (!is_product)
			product = k->from;
		if (!is_product && !is_sum)
			sum = k->from;
	}
}

/* ---- operators, accesses ---- */

/* Operators are calls of functions that the compiler makes. */
static void
operators(struct rewriter *r, const struct jqnode *n)
{
	for (const struct jqnode *k = n->kids->next; k != NULL; k = k->next) {
		struct span sign = r->lex->tokens[k->from - 1].text;
		char c = sign.p[0];

		if (c == '*' || c == '%')
			edit_use(r->parse,
			    span_str(c == '*' ? "_multiply" : "_mod"), 2,
			    k->from - 1);
		if (sign.n > 1 && sign.p[sign.n - 1] == '=' &&
		    memchr("|+-*/%", c, 6) != NULL)
			edit_use(r->parse, span_str("_modify"), 2, k->from - 1);
	}
	spot_operands(r, n);
}

/* Whether the query is a whole number, which may be an index without a
 * change. */
static bool
is_whole(const struct rewriter *r, const struct jqnode *n)
{
	const struct jqlex_token *t = &r->lex->tokens[n->to - 1];
	bool negative = jqlex_is(r->lex, n->from, JQLEX_OTHER, "-");

	if (n->to - n->from != 1 + negative || t->type != JQLEX_NUMBER ||
	    t->text.n > 8)
		return false;
	for (size_t i = 0; i < t->text.n; i++)
		if (!span_is_digit(t->text.p[i]))
			return false;
	return strtol(t->text.p, NULL, 10) <= INDEX_MAX;
}

static bool
is_text(const struct rewriter *r, const struct jqnode *n)
{
	return n->to - n->from == 1 &&
	    (jqlex_is(r->lex, n->from, JQLEX_STRING, NULL) ||
		jqlex_is(r->lex, n->from, JQLEX_WORD, "null"));
}

/* Brackets of an index or a slice. */
static void
indices(struct rewriter *r, const struct jqnode *n)
{
	for (const struct jqnode *k = n->kids; k != NULL; k = k->next) {
		if (is_whole(r, k) || is_text(r, k))
			continue;
		spot(r, k->from, k->to, "_jq_right", n->token - 1);
		if (r->as->trust == JQPARSE_TRUSTED)
			continue;
		jq16_bound(r->parse, n, k);
		if (n->type == JQNODE_SLICE)
			continue;
		edit_wrap(r->parse, k->from, k->to, "(", ") | _jq_index");
		edit_use(r->parse, span_str("_jq_index"), 0, k->from);
	}
}

/* Rewrites what a `try` or `?` tries, and the handler of its errors; NULL: they
 * are dropped. */
static void
attempt(struct rewriter *r, int from, int to, const struct jqnode *handler)
{
	jq16_try(r->parse, from, to);
	if (handler == NULL) {
		edit_wrap(r->parse, from, to, "", " catch _jq_quiet");
		edit_use(r->parse, span_str("_jq_quiet"), 0, from);
	} else {
		edit_wrap(r->parse, handler->from, handler->to,
		    "(_jq_caught | ", ")");
		edit_use(r->parse, span_str("_jq_caught"), 0, from);
	}
}

/* Rewrites the accesses of a term, and each ?, which covers the access before
 * it or all. */
static void
accesses(struct rewriter *r, const struct jqnode *n)
{
	const struct jqnode *last = n->kids;

	for (const struct jqnode *k = last->next; k != NULL;
	     last = k, k = k->next) {
		bool dotted = jqlex_is(r->lex, k->from, JQLEX_OTHER, ".") &&
		    jqlex_is(r->lex, k->from + 1, JQLEX_OPEN, "[");

		if (k->type == JQNODE_OPTIONAL) {
			if (last->type >= JQNODE_NAME &&
			    last->type < JQNODE_OPTIONAL)
				continue;
			edit_instead(r->parse, k->from, "");
			attempt(r, n->from, k->to, NULL);
			edit_wrap(r->parse, n->from, k->to, "(try ", ")");
			continue;
		}
		if (last->type == JQNODE_DOT && k->from == n->from)
			spot_before(r, " (_jq_at(%ld))", k->from);
		else
			spot(r, n->from, k->from, "_jq_at", k->from + dotted);
	}
}

/* ---- numbers, places ---- */

/* Writes a number as doubles print, so that it is the same in all versions. */
static void
number(struct rewriter *r, int token)
{
	struct span text = r->lex->tokens[token].text;
	double value = strtod(text.p, NULL);
	char canonical[40];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(canonical, sizeof(canonical), "%.*g", digits, value);
		if (strtod(canonical, NULL) == value)
			break;
	}
	/* A term that begins with a dot may follow a word: then.5 */
	if (text.n > 0 && text.p[0] == '.')
		edit_before(r->parse, token, " ");
	if (!span_is(text, canonical))
		edit_instead(r->parse, token, canonical);
}

/* The name of the file, as it may stand in a text of jq. */
static const char *
short_name(const struct rewriter *r)
{
	return strpbrk(r->name, "\"\\\n") != NULL ? "?" : file_base(r->name);
}

/* $__loc__: its place in the author's file, not in the composed text. */
static void
location(struct rewriter *r, int token)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "{\"file\":\"%s\",\"line\":%d}", short_name(r),
	    r->lex->tokens[token].line);
	edit_instead(r->parse, token, buf_str(&text));
	buf_release(&text);
}

/* A call of debug, with a message or without: its place is the first argument
 * of _jq_debug. */
static void
debug(struct rewriter *r, int token, int arity)
{
	enum { NAME_MAX_BYTES = 100 };
	struct buf text = BUF_INIT;
	struct span name = r->top;

	if (r->parse->debug < 0)
		r->parse->debug = token;
	if (!r->as->debugs) {
		edit_instead(
		    r->parse, token, arity == 0 ? "(.)" : "_jq_undebug");
		if (arity > 0)
			edit_use(r->parse, span_str("_jq_undebug"), 1, token);
		return;
	}
	if (name.n > NAME_MAX_BYTES)
		name.n = NAME_MAX_BYTES;
	buf_addf(&text, "%s[\"%s:%d\",\"%.*s\"]%s",
	    arity == 0 ? "_jq_debug(" : "(", short_name(r),
	    r->lex->tokens[token].line, SPAN_ARG(name),
	    arity == 0 ? ")" : "; ");
	if (arity > 0)
		edit_instead(r->parse, token, "_jq_debug");
	edit_instead(r->parse, token + arity, buf_str(&text));
	edit_use(r->parse, span_str("_jq_debug"), arity + 1, token);
	buf_release(&text);
}

/* ---- calls, statements ---- */

/* The compiler calls `error` itself, for break and label. */
static const char *
changed_name(const struct rewriter *r, struct span name, int arity)
{
	static const struct {
		const char *name;
		int arity;
		const char *changed;
	} table[] = {{"error", 0, "_jq_raise"}, {"error", 1, "_jq_raise"},
	    {"setpath", 2, "_jq_setpath"}, {"getpath", 1, "_jq_getpath"},
	    {"delpaths", 1, "_jq_delpaths"}, {NULL, 0, NULL}};

	for (int i = 0; table[i].name != NULL; i++)
		if (table[i].arity == arity && span_is(name, table[i].name) &&
		    (i < 2 || r->as->trust == JQPARSE_STRANGE))
			return table[i].changed;
	return NULL;
}

static void
call(struct rewriter *r, const struct jqnode *n)
{
	struct span name = r->lex->tokens[n->token].text;
	const char *changed;
	int arity = jqparse_arity(n);

	for (const struct jqnode *k = n->kids; k != NULL; k = k->next)
		spot(r, k->from, k->to, "_jq_back", n->token);
	if (n->local)
		return;
	spot_call(r, n->from, n->to);
	if (arity <= 1 && span_is(name, "debug")) {
		debug(r, n->token, arity);
		return;
	}
	changed = changed_name(r, name, arity);
	if (changed != NULL) {
		edit_instead(r->parse, n->token, changed);
		name = span_str(changed);
	}
	edit_use(r->parse, name, arity, n->token);
}

/* Whether the term gives exactly one value in every version of libjq. */
static bool
is_single(const struct rewriter *r, const struct jqnode *n)
{
	int from = n->from;
	const struct jqlex_token *t = &r->lex->tokens[from];

	if (jqlex_is(r->lex, from, JQLEX_OTHER, "-") && n->to - from == 2)
		t = &r->lex->tokens[++from];
	if (n->to - from == 1)
		return t->type == JQLEX_NUMBER || t->type == JQLEX_STRING ||
		    t->type == JQLEX_VARIABLE || t->type == JQLEX_FIELD ||
		    span_is(t->text, ".") || span_is(t->text, "null") ||
		    span_is(t->text, "true") || span_is(t->text, "false");
	if (t->type == JQLEX_OPEN && n->to - from == 2)
		return true; /* [] {} */
	if (t->type == JQLEX_OPEN && t->c == '[') {
		for (int i = from + 1; i < n->to - 1; i++)
			if (r->lex->tokens[i].inside == t->inside)
				return false;
		return true;
	}
	for (int i = from; i < n->to; i++)
		if (r->lex->tokens[i].type != JQLEX_FIELD)
			return false;
	return true;
}

static void
loop(struct rewriter *r, const struct jqnode *n)
{
	const struct jqnode *start = n->kids->next->next;

	wrap_unless_term(r, n->kids);
	if (!is_single(r, start)) {
		spot(r, start->from, start->to, "_jq_at", start->from - 1);
		edit_wrap(r->parse, start->from, start->to, "_jq_one(", ")");
		edit_use(r->parse, span_str("_jq_one"), 1, start->from);
	}
	edit_wrap(r->parse, n->from, n->to, "(", ")");
}

static void
member(struct rewriter *r, const struct jqnode *n)
{
	const struct jqlex_token *key = &r->lex->tokens[n->token];

	if (key->type == JQLEX_OPEN)
		spot(r, n->kids->from, n->kids->to, "_jq_at", n->token);
	if (n->value != NULL)
		wrap_unless_term(r, n->value);
}

static void
string(struct rewriter *r, const struct jqnode *n)
{
	if (n->token > n->from || n->kids != NULL)
		edit_use(r->parse, span_str("format"), 1, n->from);
	for (const struct jqnode *k = n->kids; k != NULL; k = k->next)
		spot(r, k->from, k->to, "_jq_at", k->from - 1);
}

static void
rewrite(struct rewriter *r, const struct jqnode *n)
{
	switch (n->type) {
	case JQNODE_BIND:
		if (jqlex_is(r->lex, n->kids->next->from, JQLEX_OPEN, NULL))
			spot(r, n->from, n->kids->to, "_jq_at", n->kids->to);
		wrap_unless_term(r, n->kids);
		break;
	case JQNODE_OPERATORS:
		operators(r, n);
		break;
	case JQNODE_NEGATE:
		spot(r, n->kids->from, n->to, "_jq_at", n->from);
		edit_wrap(r->parse, n->from, n->to, "(", ")");
		break;
	case JQNODE_TERM:
		accesses(r, n);
		break;
	case JQNODE_RECURSE:
		edit_use(r->parse, span_str("recurse"), 0, n->token);
		break;
	case JQNODE_LOCATION:
		location(r, n->token);
		break;
	case JQNODE_NUMBER:
		number(r, n->token);
		break;
	case JQNODE_STRING:
		string(r, n);
		break;
	case JQNODE_FORMAT:
		edit_use(r->parse, span_str("format"), 1, n->token);
		spot_call(r, n->from, n->to);
		break;
	case JQNODE_CALL:
		call(r, n);
		break;
	case JQNODE_IF:
		edit_wrap(r->parse, n->from, n->to, "(", ")");
		break;
	case JQNODE_LOOP:
		loop(r, n);
		break;
	case JQNODE_TRY:
		attempt(r, n->kids->from, n->kids->to, n->kids->next);
		edit_wrap(r->parse, n->from, n->to, "(", ")");
		break;
	case JQNODE_MEMBER:
		member(r, n);
		break;
	case JQNODE_INDEX:
	case JQNODE_SLICE:
		indices(r, n);
		break;
	default:
		break;
	}
	jq16_rewrite(r->parse, r->lex, n);
}

void
jqparse_rewrite(struct jqparse *parse, const struct jqlex *lex,
    const char *name, const struct jqparse_as *as)
{
	struct rewriter r = {parse, lex, name, as, SPAN_NONE};
	struct jqparse_def *def = parse->defs;

	parse->edits = arena_zalloc(
	    &parse->arena, ((size_t)lex->count + 1) * sizeof(*parse->edits));
	for (const struct jqnode *n = parse->nodes; n != NULL; n = n->after) {
		r.top = def->name;
		if (n == def->first)
			def->first_use = parse->use_count;
		rewrite(&r, n);
		def->end_use = parse->use_count;
		def += n == def->body;
	}
}

bool
jqparse_is_used(const struct jqparse *parse, const struct jqparse_def *def,
    int first, int end)
{
	for (int k = first; k < end; k++)
		if (parse->uses[k].arity == def->arity &&
		    span_eq(parse->uses[k].name, def->name))
			return true;
	return false;
}

void
jqparse_release(struct jqparse *parse)
{
	arena_release(&parse->arena);
	free(parse->defs);
	free(parse->uses);
	*parse = (struct jqparse){.debug = -1};
}
