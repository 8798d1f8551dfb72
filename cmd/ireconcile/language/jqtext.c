/* Part of language/jqparser.h and language/jqparse.h: tokens, and the text in
 * their place. */
#include "language/jqparser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/guards.h"
#include "process/file.h"

/* ---- tokens ---- */

void
jqparser_fail_at(
    struct jqparser *p, int token, const char *format, struct span what)
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

void
jqparser_fail(struct jqparser *p, const char *message)
{
	jqparser_fail_at(p, p->at, message, span_make("", 0));
}

const struct jqlex_token *
jqparser_token(const struct jqparser *p, int i)
{
	static const struct jqlex_token none = {
	    .type = JQLEX_OTHER, .text = {"", 0}, .inside = -1};

	return i >= 0 && i < p->lex->count ? &p->lex->tokens[i] : &none;
}

void
jqparser_unexpected(struct jqparser *p)
{
	struct span text = jqparser_token(p, p->at)->text;

	if (p->at >= p->lex->count)
		jqparser_fail(p, "syntax error: the text ends too early");
	else if (text.n > 60)
		jqparser_fail(p, "syntax error: unexpected string");
	else
		jqparser_fail_at(
		    p, p->at, "syntax error: unexpected `%.*s`", text);
}

bool
jqparser_next(const struct jqparser *p, enum jqlex_type type, const char *text)
{
	return jqlex_is(p->lex, p->at, type, text);
}

bool
jqparser_accept(struct jqparser *p, enum jqlex_type type, const char *text)
{
	if (!jqparser_next(p, type, text))
		return false;
	p->at++;
	return true;
}

void
jqparser_expect(struct jqparser *p, enum jqlex_type type, const char *text)
{
	if (!jqparser_accept(p, type, text))
		jqparser_unexpected(p);
}

bool
jqparser_is_keyword(struct span word)
{
	static const char *const words[] = {"as", "import", "include", "module",
	    "def", "if", "then", "else", "elif", "and", "or", "end", "reduce",
	    "foreach", "try", "catch", "label", "break", "__loc__", NULL};

	for (int i = 0; words[i] != NULL; i++)
		if (span_is(word, words[i]))
			return true;
	return false;
}

/* ---- replacements ---- */

void
jqparser_before(struct jqparser *p, int token, const char *text)
{
	struct buf b = BUF_INIT;
	char **old = &p->parse->edits[token].before;

	if (p->failed)
		return;
	buf_adds(&b, text);
	buf_adds(&b, *old != NULL ? *old : "");
	free(*old);
	*old = buf_take(&b);
}

static void
put_behind(struct jqparser *p, int token, const char *text)
{
	struct buf b = BUF_INIT;
	char **old = &p->parse->edits[token].behind;

	if (p->failed)
		return;
	buf_adds(&b, *old != NULL ? *old : "");
	buf_adds(&b, text);
	free(*old);
	*old = buf_take(&b);
}

void
jqparser_instead(struct jqparser *p, int token, const char *text)
{
	if (p->failed)
		return;
	free(p->parse->edits[token].instead);
	p->parse->edits[token].instead = mem_strdup(text);
}

void
jqparser_wrap(struct jqparser *p, struct jqpart part, const char *before,
    const char *behind)
{
	if (p->failed)
		return;
	jqparser_before(p, part.from, before);
	put_behind(p, part.to - 1, behind);
}

void
jqparser_wrap_unless_term(struct jqparser *p, struct jqpart part)
{
	if (!part.term)
		jqparser_wrap(p, part, "(", ")");
}

/* ---- names ---- */

void
jqparser_use(struct jqparser *p, struct span name, int arity, int token)
{
	struct jqparse *parse = p->parse;

	parse->uses = mem_grow(
	    parse->uses, (size_t)parse->use_count, sizeof(*parse->uses));
	parse->uses[parse->use_count++] =
	    (struct jqparse_use){name, arity, token};
}

void
jqparser_plain_name(struct jqparser *p, int i)
{
	struct span name = jqparser_token(p, i)->text;

	if (span_find(name, ':') != NULL)
		jqparser_fail_at(
		    p, i, "%.*s: there are no modules, so no `::`", name);
}

void
jqparser_variable(struct jqparser *p)
{
	struct span name = jqparser_token(p, p->at)->text;
	const char *says = guards_variable(name);

	if (!jqparser_next(p, JQLEX_VARIABLE, NULL))
		jqparser_unexpected(p);
	else if (says != NULL)
		jqparser_fail(p, says);
	else if (jqparser_is_keyword(name))
		jqparser_fail_at(p, p->at,
		    "$%.*s: a keyword cannot name a variable in libjq 1.6",
		    name);
	jqparser_plain_name(p, p->at);
	if (!p->failed)
		p->at++;
}

/* ---- numbers, places ---- */

/* Numbers are written as doubles print, so that they are the same in all
 * versions. */
void
jqparser_number(struct jqparser *p)
{
	struct span text = jqparser_token(p, p->at)->text;
	struct buf copy = BUF_INIT;
	char canonical[40];
	double value;

	buf_addspan(&copy, text);
	value = strtod(buf_str(&copy), NULL);
	buf_release(&copy);
	if (!isfinite(value)) {
		jqparser_fail(p, "this number is beyond what a double holds");
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(canonical, sizeof(canonical), "%.*g", digits, value);
		if (strtod(canonical, NULL) == value)
			break;
	}
	/* A term that begins with a dot may follow a word: then.5 */
	if (text.n > 0 && text.p[0] == '.')
		jqparser_before(p, p->at, " ");
	if (!span_is(text, canonical))
		jqparser_instead(p, p->at, canonical);
	p->at++;
}

/* For a text of jq. */
static const char *
short_name(const struct jqparser *p)
{
	return strpbrk(p->name, "\"\\\n") != NULL ? "?" : file_base(p->name);
}

/* $__loc__: its place in the author's file, not in the composed text. */
void
jqparser_location(struct jqparser *p)
{
	struct buf text = BUF_INIT;

	buf_addf(&text, "{\"file\":\"%s\",\"line\":%d}", short_name(p),
	    jqparser_token(p, p->at)->line);
	jqparser_instead(p, p->at, buf_str(&text));
	buf_release(&text);
	p->at++;
}

/* The place, as the first argument of _jq_debug. */
static void
add_debug_place(const struct jqparser *p, int token, struct buf *text)
{
	enum { NAME_MAX_BYTES = 100 };
	struct span name = p->top;

	if (name.n > NAME_MAX_BYTES)
		name.n = NAME_MAX_BYTES;
	buf_addf(text, "[\"%s:%d\",\"%.*s\"]", short_name(p),
	    jqparser_token(p, token)->line, SPAN_ARG(name));
}

void
jqparser_debug(struct jqparser *p, int token, int arity)
{
	struct buf text = BUF_INIT;

	if (p->parse->debug < 0)
		p->parse->debug = token;
	if (!p->debugs) {
		jqparser_instead(p, token, arity == 0 ? "(.)" : "_jq_undebug");
		if (arity > 0)
			jqparser_use(p, span_str("_jq_undebug"), 1, token);
		return;
	}
	buf_adds(&text, arity == 0 ? "_jq_debug(" : "(");
	add_debug_place(p, token, &text);
	buf_adds(&text, arity == 0 ? ")" : "; ");
	if (arity > 0)
		jqparser_instead(p, token, "_jq_debug");
	jqparser_instead(p, token + arity, buf_str(&text));
	jqparser_use(p, span_str("_jq_debug"), arity + 1, token);
	buf_release(&text);
}

/* ---- writing ---- */

/* Between two tokens are blanks and comments. */
static void
write_gap(struct span gap, struct buf *out)
{
	bool comment = false;

	for (size_t i = 0; i < gap.n; i++) {
		char c = gap.p[i];

		if (c == '\n')
			comment = false;
		else if (c == '#')
			comment = true;
		if (!comment)
			buf_addc(out, c == '\r' ? ' ' : c);
	}
}

/* From the first byte to behind the last, with quotes, dot or dollar. */
static struct span
whole(const struct jqlex_token *t)
{
	switch (t->type) {
	case JQLEX_STRING:
		return span_make(t->text.p - 1, t->text.n + 2);
	case JQLEX_FIELD:
	case JQLEX_VARIABLE:
		return span_make(t->text.p - 1, t->text.n + 1);
	default:
		return t->text;
	}
}

const char *
jqparse_write(const struct jqparse *parse, const struct jqlex *lex, int from,
    int to, const char *at, struct buf *out)
{
	for (int i = from; i < to; i++) {
		const struct jqparse_edit *e = &parse->edits[i];
		struct span text = whole(&lex->tokens[i]);

		write_gap(span_make(at, (size_t)(text.p - at)), out);
		buf_adds(out, e->before != NULL ? e->before : "");
		if (e->instead != NULL)
			buf_adds(out, e->instead);
		else
			buf_addspan(out, text);
		buf_adds(out, e->behind != NULL ? e->behind : "");
		at = text.p + text.n;
	}
	return at;
}
