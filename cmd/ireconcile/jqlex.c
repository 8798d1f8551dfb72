#include "jqlex.h"

#include <stdlib.h>

#include "mem.h"

enum { BRACKETS_MAX = 500 };

struct reader {
	struct jqlex *lex;
	const char *name;
	struct span text;
	size_t at;
	int line;
	int room;
	int open[BRACKETS_MAX];	   /* token index */
	bool string[BRACKETS_MAX]; /* a \( inside a string */
	int depth;
	struct err *err;
};

static bool
word_byte(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    (!first && c >= '0' && c <= '9');
}

static char
byte_at(const struct reader *r, size_t at)
{
	return at < r->text.n ? r->text.p[at] : '\0';
}

static struct jqlex_token *
add(struct reader *r, enum jqlex_type type, size_t from, size_t to)
{
	struct jqlex *lex = r->lex;
	struct jqlex_token *t;

	if (lex->count == r->room) {
		r->room = r->room == 0 ? 256 : 2 * r->room;
		lex->tokens = mem_array(
		    lex->tokens, (size_t)r->room, sizeof(*lex->tokens));
	}
	t = &lex->tokens[lex->count++];
	*t = (struct jqlex_token){type, byte_at(r, from),
	    span_make(r->text.p + from, to - from), r->line,
	    r->depth > 0 ? r->open[r->depth - 1] : -1};
	return t;
}

static int
fail(struct reader *r, int line, const char *what)
{
	return err_set(r->err, ERR_PERMANENT, "%s:%d: %s", r->name, line, what);
}

static int
open_bracket(struct reader *r, bool string)
{
	if (r->depth == BRACKETS_MAX)
		return fail(r, r->line, "brackets are nested too deep");
	add(r, JQLEX_OPEN, r->at, r->at + 1);
	r->open[r->depth] = r->lex->count - 1;
	r->string[r->depth++] = string;
	r->at++;
	return 0;
}

/* From behind a quote, or behind the ) of an interpolation. */
static int
read_string(struct reader *r, bool whole)
{
	size_t from = r->at;
	int line = r->line;

	for (; r->at < r->text.n; r->at++) {
		char c = r->text.p[r->at];

		if (c == '\n')
			r->line++;
		if (c == '"') {
			if (whole)
				add(r, JQLEX_STRING, from, r->at)->line = line;
			else
				add(r, JQLEX_PIECE, r->at, r->at + 1);
			r->at++;
			return 0;
		}
		if (c != '\\')
			continue;
		if (byte_at(r, ++r->at) == '(') {
			add(r, JQLEX_PIECE, r->at - 1, r->at);
			return open_bracket(r, true);
		}
		if (byte_at(r, r->at) == '\n')
			r->line++;
	}
	return fail(r, line, "a string is not closed");
}

static int
close_bracket(struct reader *r)
{
	static const char pairs[] = "()[]{}";
	char close = r->text.p[r->at];
	const struct jqlex_token *open;
	bool string;

	if (r->depth == 0)
		return fail(r, r->line, "a bracket closes that was not open");
	open = &r->lex->tokens[r->open[r->depth - 1]];
	if (strchr(pairs, open->c)[1] != close)
		return fail(r, r->line, "a bracket closes another kind");
	string = r->string[--r->depth];
	add(r, JQLEX_CLOSE, r->at, r->at + 1);
	r->at++;
	return string ? read_string(r, false) : 0;
}

static size_t
word_end(const struct reader *r, size_t at)
{
	while (word_byte(byte_at(r, at), false) ||
	    (byte_at(r, at) == ':' && byte_at(r, at + 1) == ':' &&
		word_byte(byte_at(r, at + 2), true)))
		at += byte_at(r, at) == ':' ? 2 : 1;
	return at;
}

/* $name, in 1.6 also with white space between. */
static void
read_variable(struct reader *r)
{
	size_t from = r->at + 1;

	while (byte_at(r, from) == ' ' || byte_at(r, from) == '\t')
		from++;
	r->at = word_end(r, from);
	add(r, JQLEX_VARIABLE, from, r->at);
}

static void
read_other(struct reader *r)
{
	size_t from = r->at++;

	/* A number takes its point and exponent along. */
	if (r->text.p[from] >= '0' && r->text.p[from] <= '9')
		while (word_byte(byte_at(r, r->at), false) ||
		    byte_at(r, r->at) == '.')
			r->at++;
	if (r->text.p[from] == '@')
		r->at = word_end(r, r->at);
	add(r, JQLEX_OTHER, from, r->at);
}

static int
read_token(struct reader *r)
{
	char c = r->text.p[r->at];
	size_t from = r->at;

	if (c == '\n')
		r->line++;
	if (c == '#') {
		while (r->at < r->text.n && r->text.p[r->at] != '\n')
			r->at++;
	} else if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
		r->at++;
	} else if (c == '"') {
		r->at++;
		return read_string(r, true);
	} else if (c == '(' || c == '[' || c == '{') {
		return open_bracket(r, false);
	} else if (c == ')' || c == ']' || c == '}') {
		return close_bracket(r);
	} else if (c == '$') {
		read_variable(r);
	} else if (c == '.' && word_byte(byte_at(r, r->at + 1), true)) {
		r->at = word_end(r, r->at + 1);
		add(r, JQLEX_FIELD, from + 1, r->at);
	} else if (word_byte(c, true)) {
		r->at = word_end(r, r->at);
		add(r, JQLEX_WORD, from, r->at);
	} else {
		read_other(r);
	}
	return 0;
}

int
jqlex_read(
    struct jqlex *lex, const char *name, struct span text, struct err *err)
{
	struct reader *r = mem_zalloc(sizeof(*r));
	int rc = 0;

	*lex = (struct jqlex){NULL, 0};
	r->lex = lex;
	r->name = name;
	r->text = text;
	r->line = 1;
	r->err = err;
	while (rc == 0 && r->at < text.n)
		rc = read_token(r);
	if (rc == 0 && r->depth > 0)
		rc = fail(r, lex->tokens[r->open[r->depth - 1]].line,
		    "a bracket is not closed");
	free(r);
	if (rc != 0)
		jqlex_release(lex);
	return rc;
}

void
jqlex_release(struct jqlex *lex)
{
	free(lex->tokens);
	*lex = (struct jqlex){NULL, 0};
}

bool
jqlex_is(const struct jqlex *lex, int i, enum jqlex_type type, const char *text)
{
	return i >= 0 && i < lex->count && lex->tokens[i].type == type &&
	    (text == NULL || span_is(lex->tokens[i].text, text));
}

bool
jqlex_is_key(const struct jqlex *lex, int i)
{
	int open = lex->tokens[i].inside;

	return open >= 0 && lex->tokens[open].c == '{' &&
	    (i == open + 1 || lex->tokens[i - 1].c == ',');
}
