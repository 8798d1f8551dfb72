#include "chart/gotemplate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"

#define SPACES " \t\r\n"

/* The end of a list. */
enum stop { STOP_EOF, STOP_END, STOP_ELSE };

struct parser {
	const char *name;
	struct span rest;
	int line;
	int depth;
	bool trims; /* the text that follows loses its leading blanks */
	enum stop stop;
	int changes, assigns; /* how many there were so far */
	jv defines;
	struct err *err;
	bool failed;
};

static jv parse_list(struct parser *p);
static jv parse_pipeline(struct parser *p);

/* The first error counts; whatever is parsed behind it is thrown away. */
static jv
fail(struct parser *p, const char *what)
{
	if (!p->failed)
		err_set(
		    p->err, ERR_PERMANENT, "%s:%d: %s", p->name, p->line, what);
	p->failed = true;
	p->rest = span_make("", 0);
	p->stop = STOP_EOF;
	return jv_null();
}

static void
advance(struct parser *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p->line += p->rest.p[i] == '\n';
	p->rest = span_skip(p->rest, n);
}

static void
skip_blanks(struct parser *p)
{
	advance(p, p->rest.n - span_trim_start(p->rest, SPACES).n);
}

static bool
take(struct parser *p, const char *text)
{
	if (!span_starts(p->rest, text))
		return false;
	advance(p, strlen(text));
	return true;
}

static bool
is_word_byte(char c)
{
	return span_is_alnum(c) || c == '_' || (unsigned char)c >= 0x80;
}

static struct span
peek_word(const struct parser *p)
{
	size_t n = 0;

	while (n < p->rest.n && is_word_byte(p->rest.p[n]))
		n++;
	return span_make(p->rest.p, n);
}

static bool
take_word(struct parser *p, const char *word)
{
	if (!span_is(peek_word(p), word))
		return false;
	advance(p, strlen(word));
	skip_blanks(p);
	return true;
}

/* ---- values ---- */

static jv
text_of(struct span s)
{
	return jv_string_sized(s.p, (int)s.n);
}

static jv
object(const char *kind, const char *name)
{
	return jv_object_set(jv_object(), jv_string(kind), jv_string(name));
}

static jv
with(jv o, const char *key, jv value)
{
	return jv_object_set(o, jv_string(key), value);
}

static jv
node(const struct parser *p, const char *type)
{
	return with(object("t", type), "line", jv_number(p->line));
}

static jv
literal(jv value)
{
	return with(object("e", "lit"), "v", value);
}

/* ---- texts in quotes ---- */

static unsigned
hex_digits(struct parser *p, size_t n)
{
	char digits[9] = "";
	char *end;
	unsigned long value;

	memcpy(digits, p->rest.p, n <= p->rest.n ? n : p->rest.n);
	value = strtoul(digits, &end, 16);
	if (end != digits + n)
		fail(p, "an escape in a text is not complete");
	else
		advance(p, n);
	return (unsigned)value;
}

/* Behind the backslash. */
static void
parse_escape(struct parser *p, struct buf *out)
{
	static const char plain[] = "abfnrtv\\'\"";
	static const char means[] = "\a\b\f\n\r\t\v\\'\"";
	char c = p->rest.n > 0 ? *p->rest.p : '\0';
	const char *at = c == '\0' ? NULL : strchr(plain, c);

	if (at != NULL) {
		buf_addc(out, means[at - plain]);
		advance(p, 1);
	} else if (c == 'x' || c == 'u' || c == 'U') {
		advance(p, 1);
		utf8_add(out, hex_digits(p, c == 'x' ? 2 : c == 'u' ? 4 : 8));
	} else {
		fail(p, "an escape in a text is unknown");
	}
}

static jv
parse_quoted(struct parser *p, char quote)
{
	struct buf text = BUF_INIT;
	jv value;

	advance(p, 1);
	while (p->rest.n > 0 && *p->rest.p != quote) {
		bool escaped = quote != '`' && *p->rest.p == '\\';

		if (!escaped)
			buf_addc(&text, *p->rest.p);
		advance(p, 1);
		if (escaped)
			parse_escape(p, &text);
	}
	if (p->rest.n == 0)
		fail(p, "a text in quotes does not end");
	else
		advance(p, 1);
	value = text_of(buf_span(&text));
	buf_release(&text);
	return literal(value);
}

/* ---- operands ---- */

static jv
parse_number(struct parser *p)
{
	size_t n = 0;
	char copy[64], *end;
	double value;
	struct span s;

	while (n < p->rest.n &&
	    (is_word_byte(p->rest.p[n]) || span_is_among(p->rest.p[n], "+-.")))
		n++;
	if (n >= sizeof(copy))
		return fail(p, "a number is too long");
	memcpy(copy, p->rest.p, n);
	copy[n] = '\0';
	s = span_make(copy, n);
	span_take(&s, "-");
	/* Go: 0644 and 0o644 are octal. */
	if (s.n > 1 && *s.p == '0' && span_is_digits(s))
		value = (double)strtoll(copy, &end, 8);
	else
		value = strtod(copy, &end);
	if (*end != '\0')
		return fail(p, "a number is not one");
	advance(p, n);
	return literal(jv_number(value));
}

/* .a.b behind an operand: their names; null: there are none. */
static jv
parse_fields(struct parser *p)
{
	jv fields = jv_array();

	while (
	    p->rest.n > 1 && *p->rest.p == '.' && is_word_byte(p->rest.p[1])) {
		struct span word;

		advance(p, 1);
		word = peek_word(p);
		fields = jv_array_append(fields, text_of(word));
		advance(p, word.n);
	}
	return fields;
}

static jv
chain(jv of, jv fields)
{
	if (jv_array_length(jv_copy(fields)) == 0) {
		jv_free(fields);
		return of;
	}
	return with(with(object("e", "chain"), "of", of), "f", fields);
}

static jv
parse_variable(struct parser *p)
{
	struct span word;
	jv name;

	advance(p, 1);
	word = peek_word(p);
	name = text_of(word);
	advance(p, word.n);
	return with(object("e", "var"), "v", name);
}

static jv
parse_parenthesised(struct parser *p)
{
	jv value;

	advance(p, 1);
	if (++p->depth > GOTEMPLATE_DEPTH_MAX)
		return fail(p, "parentheses are nested too deep");
	value = parse_pipeline(p);
	p->depth--;
	skip_blanks(p);
	if (!take(p, ")"))
		fail(p, "a parenthesis is not closed");
	return value;
}

/* A word: a constant, or the name of a function. */
static jv
parse_word(struct parser *p)
{
	static const char *const changing[] = {"set", "unset", "merge",
	    "mergeOverwrite", "mustSet", "mustMerge", "mustMergeOverwrite",
	    NULL};
	struct span word = peek_word(p);
	jv value;

	p->changes += span_is_one_of(word, changing);
	p->assigns += span_is_one_of(word, changing);
	if (word.n == 0)
		return fail(p, "an operand is missing, or is not understood");
	if (span_is(word, "true") || span_is(word, "false"))
		value = literal(jv_bool(span_is(word, "true")));
	else if (span_is(word, "nil"))
		value = object("e", "nil");
	else
		value =
		    with(with(with(object("e", "call"), "fn", text_of(word)),
			     "args", jv_array()),
			"line", jv_number(p->line));
	advance(p, word.n);
	return value;
}

static jv
parse_operand(struct parser *p)
{
	char c = p->rest.n > 0 ? *p->rest.p : '\0';
	char next = p->rest.n > 1 ? p->rest.p[1] : '\0';
	jv value;

	if (c == '"' || c == '`')
		value = parse_quoted(p, c);
	else if (c == '\'')
		return fail(p, "characters in single quotes are not supported");
	else if (span_is_digit(c) ||
	    ((c == '-' || c == '+') && span_is_digit(next)))
		return parse_number(p);
	else if (c == '$')
		value = parse_variable(p);
	else if (c == '(')
		value = parse_parenthesised(p);
	else if (c == '.')
		value = object("e", "dot");
	else
		value = parse_word(p);
	if (c == '.' && !is_word_byte(next))
		advance(p, 1);
	return chain(value, parse_fields(p));
}

/* ---- commands and pipelines ---- */

static bool
is_call(jv value_peek)
{
	jv kind = jv_object_get(jv_copy(value_peek), jv_string("e"));
	bool yes = jv_get_kind(kind) == JV_KIND_STRING &&
	    strcmp(jv_string_value(kind), "call") == 0;

	jv_free(kind);
	return yes;
}

/* A call without arguments so far, or a method: .Files.Get */
static jv
apply(struct parser *p, jv function, jv args)
{
	if (jv_array_length(jv_copy(args)) == 0) {
		jv_free(args);
		return function;
	}
	if (!is_call(function)) {
		jv kind = jv_object_get(jv_copy(function), jv_string("e"));
		bool is_chain = jv_get_kind(kind) == JV_KIND_STRING &&
		    strcmp(jv_string_value(kind), "chain") == 0;

		jv_free(kind);
		if (!is_chain)
			fail(p, "a value that is not a function has arguments");
		function = with(with(function, "e", jv_string("method")),
		    "line", jv_number(p->line));
	}
	return with(function, "args", args);
}

/* One command; last is the value before it in the pipeline, or invalid. */
static jv
parse_command(struct parser *p, jv last)
{
	jv args = jv_array(), first;

	skip_blanks(p);
	first = parse_operand(p);
	for (;;) {
		skip_blanks(p);
		if (p->rest.n == 0 || span_is_among(*p->rest.p, "|)") ||
		    span_starts(p->rest, "}}") || span_starts(p->rest, "-}}"))
			break;
		args = jv_array_append(args, parse_operand(p));
	}
	if (jv_is_valid(last))
		args = jv_array_append(args, last);
	return apply(p, first, args);
}

static jv
parse_pipeline(struct parser *p)
{
	jv value = jv_invalid();

	do {
		value = parse_command(p, value);
		skip_blanks(p);
	} while (!p->failed && take(p, "|"));
	return value;
}

/* The node's expression, and whether it changes what it is called with. */
static jv
with_expression(struct parser *p, jv n)
{
	int before = p->changes;

	n = with(n, "x", parse_pipeline(p));
	return with(n, "changes", jv_bool(p->changes > before));
}

/* $x := , $x = , and for range $k, $v := : the names. */
static jv
parse_variables(struct parser *p, jv n)
{
	struct parser ahead = *p;
	jv names = jv_array();

	for (;;) {
		struct span word;

		if (!take(&ahead, "$"))
			break;
		word = peek_word(&ahead);
		names = jv_array_append(names, text_of(word));
		advance(&ahead, word.n);
		skip_blanks(&ahead);
		if (span_starts(ahead.rest, ":=") ||
		    (span_starts(ahead.rest, "=") &&
			!span_starts(ahead.rest, "=="))) {
			bool declares = take(&ahead, ":");

			ahead.assigns += !declares;
			take(&ahead, "=");
			skip_blanks(&ahead);
			*p = ahead;
			n = with(n, "declares", jv_bool(declares));
			return with(n, "vars", names);
		}
		if (!take(&ahead, ","))
			break;
		skip_blanks(&ahead);
	}
	jv_free(names);
	return with(n, "vars", jv_array());
}

/* ---- actions ---- */

static void
close_action(struct parser *p)
{
	skip_blanks(p);
	p->trims = take(p, "-");
	if (!take(p, "}}"))
		fail(p, "an action does not end with }}");
}

/* The lists of if, with and range, up to their end. */
static jv
parse_branches(struct parser *p, jv n, bool chained)
{
	jv otherwise = jv_array();

	n = with(n, "then", parse_list(p));
	if (p->stop == STOP_ELSE) {
		bool again = chained &&
		    (span_is(peek_word(p), "if") ||
			span_is(peek_word(p), "with"));

		if (again) {
			int before = p->assigns;
			jv inner = node(
			    p, span_is(peek_word(p), "if") ? "if" : "with");

			advance(p, peek_word(p).n);
			skip_blanks(p);
			inner = parse_variables(p, inner);
			inner = with_expression(p, inner);
			close_action(p);
			jv_free(otherwise);
			inner = parse_branches(p, inner, true);
			inner = with(
			    inner, "assigns", jv_bool(p->assigns > before));
			otherwise = jv_array_append(jv_array(), inner);
			return with(n, "else", otherwise);
		}
		close_action(p);
		jv_free(otherwise);
		otherwise = parse_list(p);
	}
	if (p->stop == STOP_EOF)
		fail(p, "an if, with, range, define or block has no end");
	else if (p->stop == STOP_ELSE)
		fail(p, "a second else");
	close_action(p);
	return with(n, "else", otherwise);
}

static jv
parse_control(struct parser *p, const char *type)
{
	int before = p->assigns;
	jv n = node(p, type);

	n = parse_variables(p, n);
	n = with_expression(p, n);
	close_action(p);
	n = parse_branches(p, n, strcmp(type, "range") != 0);
	return with(n, "assigns", jv_bool(p->assigns > before));
}

static jv
parse_name(struct parser *p)
{
	char c = p->rest.n > 0 ? *p->rest.p : '\0';
	jv lit, name;

	if (c != '"' && c != '`')
		return fail(p, "the name of a template is not a text");
	lit = parse_quoted(p, c);
	name = jv_object_get(lit, jv_string("v"));
	skip_blanks(p);
	return name;
}

static jv
argument(struct parser *p)
{
	skip_blanks(p);
	if (span_starts(p->rest, "}}") || span_starts(p->rest, "-}}"))
		return object("e", "nil");
	return parse_pipeline(p);
}

static void
parse_define(struct parser *p, jv name, int line)
{
	jv body;

	close_action(p);
	body = parse_list(p);
	if (p->stop != STOP_END)
		fail(p, "a define or block has no end");
	close_action(p);
	if (p->failed) {
		jv_free(name);
		jv_free(body);
		return;
	}
	p->defines = jv_object_set(p->defines, name,
	    with(with(jv_object(), "line", jv_number(line)), "body", body));
}

/* A keyword and the rest of its action: appends to list. True: there was one. */
static bool
parse_keyword(struct parser *p, jv *list)
{
	static const char *const controls[] = {"if", "with", "range", NULL};
	static const char *const jumps[] = {"break", "continue", NULL};
	int line = p->line;
	jv n;

	for (size_t i = 0; controls[i] != NULL; i++)
		if (take_word(p, controls[i])) {
			*list = jv_array_append(
			    *list, parse_control(p, controls[i]));
			return true;
		}
	for (size_t i = 0; jumps[i] != NULL; i++)
		if (take_word(p, jumps[i])) {
			*list = jv_array_append(*list, node(p, jumps[i]));
			close_action(p);
			return true;
		}
	if (take_word(p, "define")) {
		parse_define(p, parse_name(p), line);
		return true;
	}
	if (take_word(p, "template")) {
		n = with(node(p, "template"), "name", parse_name(p));
		*list = jv_array_append(*list, with(n, "x", argument(p)));
		close_action(p);
		return true;
	}
	if (take_word(p, "block")) {
		jv name = parse_name(p);

		n = with(node(p, "template"), "name", jv_copy(name));
		*list = jv_array_append(*list, with(n, "x", argument(p)));
		parse_define(p, name, line);
		return true;
	}
	return false;
}

static jv
parse_action(struct parser *p, jv list)
{
	int before = p->assigns;
	jv n;

	if (parse_keyword(p, &list))
		return list;
	n = parse_variables(p, node(p, "print"));
	if (jv_array_length(jv_object_get(jv_copy(n), jv_string("vars"))) > 0)
		n = with(n, "t", jv_string("set"));
	n = with_expression(p, n);
	n = with(n, "assigns", jv_bool(p->assigns > before));
	close_action(p);
	return jv_array_append(list, n);
}

/* True: there was one, and it is behind us. */
static bool
skip_comment(struct parser *p)
{
	const char *end;

	if (!span_starts(p->rest, "/*"))
		return false;
	end = memmem(p->rest.p, p->rest.n, "*/", 2);
	if (end == NULL) {
		fail(p, "a comment does not end");
		return true;
	}
	advance(p, (size_t)(end - p->rest.p) + 2);
	close_action(p);
	return true;
}

/* Text up to the next {{, which is skipped with the blanks behind it. */
static jv
take_text(struct parser *p, jv list)
{
	const char *at = memmem(p->rest.p, p->rest.n, "{{", 2);
	size_t n = at == NULL ? p->rest.n : (size_t)(at - p->rest.p);
	struct span text = span_make(p->rest.p, n);
	bool trims = false;

	if (p->trims)
		text = span_trim_start(text, SPACES);
	p->trims = false;
	if (at != NULL) {
		advance(p, n + 2);
		trims = p->rest.n > 1 && *p->rest.p == '-' &&
		    span_is_among(p->rest.p[1], SPACES);
		if (trims) {
			advance(p, 1);
			text = span_trim_end(text, SPACES);
		}
		skip_blanks(p);
	} else {
		p->rest = span_make("", 0);
	}
	return text.n == 0 ? list : jv_array_append(list, text_of(text));
}

static jv
parse_list(struct parser *p)
{
	jv list = jv_array();

	if (++p->depth > GOTEMPLATE_DEPTH_MAX)
		fail(p, "templates are nested too deep");
	for (;;) {
		bool more = memmem(p->rest.p, p->rest.n, "{{", 2) != NULL;

		list = take_text(p, list);
		p->stop = STOP_EOF;
		if (!more)
			break;
		if (skip_comment(p))
			continue;
		p->stop = take_word(p, "end") ? STOP_END
		    : take_word(p, "else")    ? STOP_ELSE
					      : STOP_EOF;
		if (p->stop != STOP_EOF)
			break;
		list = parse_action(p, list);
	}
	p->depth--;
	return list;
}

jv
gotemplate_parse(const char *name, struct span text, struct err *err)
{
	struct parser p = {.name = name,
	    .rest = text.p == NULL ? span_make("", 0) : text,
	    .line = 1,
	    .defines = jv_object(),
	    .err = err};
	jv body = parse_list(&p);

	if (!p.failed && p.stop != STOP_EOF)
		fail(&p, "an end or else without an if, with, range or define");
	if (p.failed) {
		jv_free(body);
		jv_free(p.defines);
		return jv_invalid();
	}
	return with(with(jv_object(), "body", body), "defines", p.defines);
}
