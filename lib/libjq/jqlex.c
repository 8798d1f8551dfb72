#include "libjq/jqlex.h"

#include <stdlib.h>

#include "base/mem.h"

enum { BRACKETS_MAX = 500 };

struct reader {
	struct jqlex *lex;
	const char *name;
	struct span text;
	size_t at;
	int line;
	int open[BRACKETS_MAX];	   /* token index */
	bool string[BRACKETS_MAX]; /* a \( inside a string */
	int depth;
	struct err *err;
};

static bool
word_byte(char c, bool first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	    (!first && span_is_digit(c));
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

	lex->tokens =
	    mem_grow(lex->tokens, (size_t)lex->count, sizeof(*lex->tokens));
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

/* Reads a string from its quote, or from behind the ) of an interpolation. */
static int
read_string(struct reader *r, bool whole)
{
	size_t from = r->at;
	int line = r->line;

	for (r->at += whole; r->at < r->text.n; r->at++) {
		char c = r->text.p[r->at];

		if (c == '\n')
			r->line++;
		if (c == '"') {
			r->at++;
			if (whole)
				from++;
			add(r, whole ? JQLEX_STRING : JQLEX_PIECE, from,
			    r->at - whole)
			    ->line = line;
			return 0;
		}
		if (c != '\\')
			continue;
		if (byte_at(r, ++r->at) == '(') {
			add(r, JQLEX_PIECE, from, r->at)->line = line;
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

static bool
digit_at(const struct reader *r, size_t at)
{
	return byte_at(r, at) >= '0' && byte_at(r, at) <= '9';
}

static void
skip_digits(struct reader *r)
{
	while (digit_at(r, r->at))
		r->at++;
}

/* Numbers that both 1.6 and 1.8 accept: 1, 1., .5, 1.5e+3. */
static int
read_number(struct reader *r)
{
	size_t from = r->at;
	size_t sign;

	skip_digits(r);
	if (byte_at(r, r->at) == '.') {
		r->at++;
		skip_digits(r);
	}
	sign = r->at + 1 +
	    (byte_at(r, r->at + 1) == '+' || byte_at(r, r->at + 1) == '-');
	if ((byte_at(r, r->at) | 0x20) == 'e' && digit_at(r, sign)) {
		r->at = sign;
		skip_digits(r);
	}
	if (word_byte(byte_at(r, r->at), false) || byte_at(r, r->at) == '.')
		return fail(r, r->line, "this is not a number");
	add(r, JQLEX_NUMBER, from, r->at);
	return 0;
}

static int
read_variable(struct reader *r)
{
	size_t from = r->at + 1;

	if (!word_byte(byte_at(r, from), true))
		return fail(r, r->line, "a $ that no name follows");
	r->at = word_end(r, from);
	add(r, JQLEX_VARIABLE, from, r->at);
	return 0;
}

/* In 1.8 a comment goes on behind a backslash, and a carriage return does not
 * end it. */
static int
read_comment(struct reader *r)
{
	size_t from = r->at;
	size_t to;

	while (r->at < r->text.n && r->text.p[r->at] != '\n')
		r->at++;
	to = r->at;
	if (to > from && r->text.p[to - 1] == '\r')
		to--;
	if (r->text.p[to - 1] == '\\')
		return fail(r, r->line, "a comment may not end in a backslash");
	if (memchr(r->text.p + from, '\r', to - from) != NULL)
		return fail(r, r->line, "a carriage return in a comment");
	return 0;
}

/* The longest first. */
static const char *const operators[] = {"?//", "//=", "!=", "==", "//",
    "|=", "+=", "-=", "*=", "/=", "%=", "<=", ">=", "..", ".", "?", "=", ";",
    ",", ":", "|", "+", "-", "*", "/", "%", "<", ">", NULL};

/* Says what to write instead of what other languages have. */
static const char *
stray(char c)
{
	switch (c) {
	case 0x27: /* a single quote */
		return "a text is written in double quotes, not in '...'";
	case '&':
		return "there is no `&` here: `and` joins two conditions";
	case '!':
		return "there is no `!` here: write `CONDITION | not`";
	case '\xef':
		return "a byte order mark, or another character beyond ASCII, "
		       "means nothing here";
	default:
		return "a character that means nothing here";
	}
}

static int
read_operator(struct reader *r)
{
	struct span rest = span_make(r->text.p + r->at, r->text.n - r->at);
	size_t from = r->at;

	for (int i = 0; operators[i] != NULL; i++) {
		size_t n = strlen(operators[i]);

		if (n > rest.n || memcmp(rest.p, operators[i], n) != 0)
			continue;
		r->at += n;
		add(r, JQLEX_OTHER, from, r->at);
		if (n == 2 && *rest.p == '.' &&
		    (byte_at(r, r->at) == '.' || digit_at(r, r->at)))
			return fail(r, r->line, "write `.. | .a`");
		return 0;
	}
	return fail(r, r->line, stray(*rest.p));
}

static int
read_word(struct reader *r, enum jqlex_type type, size_t behind)
{
	size_t from = r->at + behind;

	r->at = word_end(r, from);
	add(r, type, type == JQLEX_FORMAT ? from - 1 : from, r->at);
	return 0;
}

static bool
skip_blank(struct reader *r)
{
	char c = r->text.p[r->at];

	r->line += c == '\n';
	if (c != ' ' && c != '\t' && c != '\n' &&
	    !(c == '\r' && byte_at(r, r->at + 1) == '\n'))
		return false;
	r->at++;
	return true;
}

static int
read_token(struct reader *r)
{
	char c = r->text.p[r->at];
	char next = byte_at(r, r->at + 1);

	if (skip_blank(r))
		return 0;
	if (c == '#')
		return read_comment(r);
	if (c == '"')
		return read_string(r, true);
	if (c == '(' || c == '[' || c == '{')
		return open_bracket(r, false);
	if (c == ')' || c == ']' || c == '}')
		return close_bracket(r);
	if (c == '$')
		return read_variable(r);
	if (c == '.' && word_byte(next, true))
		return read_word(r, JQLEX_FIELD, 1);
	if (c == '@' && word_byte(next, false))
		return read_word(r, JQLEX_FORMAT, 1);
	if (word_byte(c, true))
		return read_word(r, JQLEX_WORD, 0);
	if (digit_at(r, r->at) || (c == '.' && digit_at(r, r->at + 1)))
		return read_number(r);
	return read_operator(r);
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
	    (i == open + 1 || jqlex_is(lex, i - 1, JQLEX_OTHER, ","));
}

bool
jqlex_is_joint(const struct jqlex *lex, int i)
{
	static const char *const keywords[] = {"if", "then", "elif", "else",
	    "and", "or", "as", "reduce", "foreach", "try", "catch", NULL};

	for (int k = 0; keywords[k] != NULL; k++)
		if (jqlex_is(lex, i, JQLEX_WORD, keywords[k]))
			return true;
	return false;
}

bool
jqlex_starts_term(const struct jqlex *lex, int i)
{
	if (i == 0)
		return true;
	switch (lex->tokens[i - 1].type) {
	case JQLEX_FIELD:
	case JQLEX_VARIABLE:
	case JQLEX_STRING:
	case JQLEX_CLOSE:
	case JQLEX_PIECE:
	case JQLEX_NUMBER:
	case JQLEX_FORMAT:
		return false;
	case JQLEX_OTHER:
		return lex->tokens[i - 1].c != '?' &&
		    lex->tokens[i - 1].c != '.';
	case JQLEX_OPEN:
		return true;
	case JQLEX_WORD:
		break;
	}
	return jqlex_is_joint(lex, i - 1);
}

int
jqlex_opener(const struct jqlex *lex, int close)
{
	int open = close - 1;

	while (open >= 0 &&
	    (lex->tokens[open].type != JQLEX_OPEN ||
		lex->tokens[open].inside != lex->tokens[close].inside))
		open--;
	return open;
}

int
jqlex_closer(const struct jqlex *lex, int open)
{
	int i = open + 1;

	while (i < lex->count &&
	    (lex->tokens[i].type != JQLEX_CLOSE ||
		lex->tokens[i].inside != lex->tokens[open].inside))
		i++;
	return i;
}

bool
jqlex_is_update(const struct jqlex *lex, int i)
{
	struct span text = lex->tokens[i].text;

	return lex->tokens[i].type == JQLEX_OTHER && span_ends(text, "=") &&
	    !span_is(text, "==") && !span_is(text, "!=") &&
	    !span_is(text, "<=") && !span_is(text, ">=");
}
