#include "text/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <ctype.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/utf8.h"

/* The limits of a match: steps of backtracking, and the workspace of the search
 * without backtracking. */
enum { STEPS_MAX = 10000, WORKSPACE = 1 << 14 };

struct pattern {
	struct arena *arena;
	struct span text;
	bool compiled;
	pcre2_code *code; /* NULL: not compiled, or it cannot be */
	pcre2_match_context *context;
	bool explodes;	    /* backtracking took too long once */
	pcre2_code *linear; /* then: anchored, .*? in front */
};

/* PCRE2 takes its memory from the arena, so nothing is freed alone. */
static void *
give(PCRE2_SIZE n, void *arena)
{
	return arena_alloc(arena, n);
}

static void
take(void *p, void *arena)
{
	(void)p;
	(void)arena;
}

struct pattern *
pattern_make(struct arena *a, struct span text)
{
	struct pattern *p = arena_zalloc(a, sizeof *p);

	p->arena = a;
	p->text = text;
	return p;
}

static pcre2_code *
compile(pcre2_general_context *g, struct span text, int *error, PCRE2_SIZE *at)
{
	pcre2_compile_context *c = pcre2_compile_context_create(g);

	/* Go's $ is the end of the text, never before a last newline. */
	return pcre2_compile((PCRE2_SPTR)text.p, text.n,
	    PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C, error,
	    at, c);
}

static void
pattern_compile(struct pattern *p)
{
	pcre2_general_context *g =
	    pcre2_general_context_create(give, take, p->arena);
	PCRE2_SIZE at;
	int error;

	p->compiled = true;
	p->code = compile(g, p->text, &error, &at);
	if (p->code == NULL)
		return;
	p->context = pcre2_match_context_create(g);
	pcre2_set_match_limit(p->context, STEPS_MAX);
}

/* Like RE2 searches: all ways at once, in one walk along the text. */
static int
match_linear(const struct pattern *p, struct span text, pcre2_match_data *m)
{
	int *workspace, found;

	if (p->linear == NULL)
		return -1;
	workspace = mem_array(NULL, WORKSPACE, sizeof(*workspace));
	found = pcre2_dfa_match(p->linear, (PCRE2_SPTR)text.p, text.n, 0,
	    PCRE2_ANCHORED | PCRE2_DFA_SHORTEST, m, NULL, workspace, WORKSPACE);
	free(workspace);
	return found;
}

bool
pattern_matches(const struct pattern *pattern, struct span text)
{
	struct pattern *p = (struct pattern *)pattern;
	pcre2_match_data *m;
	int found = PCRE2_ERROR_MATCHLIMIT;

	if (!p->compiled)
		pattern_compile(p);
	if (p->code == NULL)
		return false;
	if (text.p == NULL)
		text = span_str("");
	/* The match data is from malloc, not from the arena, so that it can be
	 * freed. */
	m = pcre2_match_data_create(1, NULL);
	if (m == NULL)
		return false;
	if (!p->explodes)
		found = pcre2_match(
		    p->code, (PCRE2_SPTR)text.p, text.n, 0, 0, m, p->context);
	if (found == PCRE2_ERROR_MATCHLIMIT && !p->explodes) {
		PCRE2_SIZE at;
		int error;

		p->explodes = true;
		p->linear =
		    compile(pcre2_general_context_create(give, take, p->arena),
			arena_printf(
			    p->arena, "(?s:.)*?(?:%.*s)", SPAN_ARG(p->text)),
			&error, &at);
	}
	if (p->explodes)
		found = match_linear(p, text, m);
	pcre2_match_data_free(m);
	return found >= 0;
}

/*
 * Finds what PCRE takes but RE2 does not, and words the error as Go does; for
 * the errors of PCRE see below. Classes and literals are skipped.
 */
struct walk {
	struct arena *arena;
	struct span text;
	size_t at;
	size_t repeat; /* where the last operator began; text.n: none */
	struct span wrong;
};

static void
walk_escape(struct walk *w)
{
	static const char known[] = "aftnrvxAbBzdDsSwWpPQEC01234567";
	char c = w->at + 1 < w->text.n ? w->text.p[w->at + 1] : '\0';
	bool octal = c >= '1' && c <= '7' && w->at + 2 < w->text.n &&
	    w->text.p[w->at + 2] >= '0' && w->text.p[w->at + 2] <= '7';
	bool letter = span_is_alnum(c);

	if (letter &&
	    (strchr(known, c) == NULL || (c >= '1' && c <= '7' && !octal)))
		w->wrong = arena_printf(
		    w->arena, "invalid escape sequence: `\\%c`", c);
	w->at += 2;
}

/* The number of an escape after \x, \x{ or \ (octal); *p moves past it. */
static int64_t
class_number(const char **p, const char *end, int base, int digits)
{
	bool braced = *p < end && **p == '{';
	int64_t n = 0;

	if (braced) {
		++*p;
		digits = 8;
	}
	for (; digits > 0 && *p < end; digits--, ++*p) {
		const char *hex = "0123456789abcdef", *d;

		d = memchr(hex, tolower((unsigned char)**p), (size_t)base);
		if (d == NULL)
			break;
		n = n * base + (d - hex);
	}
	if (braced && *p < end && **p == '}')
		++*p;
	return n;
}

/* A member of a class at *p, which moves behind it: its character; -1: it is a
 * class itself (\d, \pL). */
static int64_t
class_char(const char **p, const char *end)
{
	static const char letters[] = "afnrtv", meant[] = "\a\f\n\r\t\v";
	const char *letter;
	uint32_t c = (unsigned char)**p;
	size_t n;

	if (c != '\\' || end - *p < 2) {
		n = utf8_decode(*p, end, &c);
		*p += n == 0 ? 1 : n;
		return c;
	}
	c = (unsigned char)*++*p;
	if (c >= '0' && c <= '7')
		return class_number(p, end, 8, 3);
	++*p;
	if (c == 'x')
		return class_number(p, end, 16, 2);
	if (c == 'p' || c == 'P') {
		letter = *p < end && **p == '{'
		    ? memchr(*p, '}', (size_t)(end - *p))
		    : *p;
		*p = letter == NULL || letter == end ? end : letter + 1;
	}
	letter = c == '\0' ? NULL : strchr(letters, (int)c);
	if (letter != NULL)
		return meant[letter - letters];
	return c < 0x80 && isalnum((int)c) ? -1 : (int64_t)c;
}

/* [:alpha:], a character, or a range, whose order is Go's: by character. PCRE2
 * says that one is wrong, but its releases differ in where. */
static void
walk_member(struct walk *w)
{
	const char *p = w->text.p + w->at, *end = w->text.p + w->text.n;
	const char *from = p, *named = NULL;
	int64_t low, high;

	if (end - p > 2 && p[0] == '[' && p[1] == ':')
		named = memmem(p + 2, (size_t)(end - p) - 2, ":]", 2);
	if (named != NULL) {
		w->at = (size_t)(named + 2 - w->text.p);
		return;
	}
	low = class_char(&p, end);
	if (low >= 0 && end - p > 1 && p[0] == '-' && p[1] != ']') {
		p++;
		high = class_char(&p, end);
		if (high >= 0 && high < low)
			w->wrong = arena_printf(w->arena,
			    "invalid character class range: `%.*s`",
			    (int)(p - from), from);
	}
	w->at = (size_t)(p - w->text.p);
}

/* {n}, {n,} or {n,m} at the start of s: its length; 0: plain text. */
static size_t
repeat_length(struct span s, long *least, long *most)
{
	size_t i = 1, digits = 0;

	*least = 0;
	for (; i < s.n && span_is_digit(s.p[i]); i++, digits++)
		if (*least < 100000)
			*least = *least * 10 + (s.p[i] - '0');
	*most = *least;
	if (digits == 0 || i >= s.n)
		return 0;
	if (s.p[i] == ',') {
		i++;
		if (i < s.n && s.p[i] != '}')
			*most = 0;
		for (; i < s.n && span_is_digit(s.p[i]); i++)
			if (*most < 100000)
				*most = *most * 10 + (s.p[i] - '0');
	}
	return i < s.n && s.p[i] == '}' ? i + 1 : 0;
}

static void
walk_repeat(struct walk *w)
{
	struct span rest = span_make(w->text.p + w->at, w->text.n - w->at);
	size_t n = 1;
	long least = 0, most = 0;

	if (rest.p[0] == '{') {
		n = repeat_length(rest, &least, &most);
		if (n == 0) {
			w->at++;
			w->repeat = w->text.n;
			return;
		}
		if (least > 1000 || most > 1000 || most < least)
			w->wrong = arena_printf(w->arena,
			    "invalid repeat count: `%.*s`", (int)n, rest.p);
	}
	if (n < rest.n && rest.p[n] == '?')
		n++;
	if (w->repeat != w->text.n)
		w->wrong = arena_printf(w->arena,
		    "invalid nested repetition operator: `%.*s`",
		    (int)(w->at + n - w->repeat), w->text.p + w->repeat);
	else if (w->at == 0)
		w->wrong = arena_printf(w->arena,
		    "missing argument to repetition operator: `%.*s`", (int)n,
		    rest.p);
	w->repeat = w->at;
	w->at += n;
}

static struct span
unsupported(struct arena *a, struct span text)
{
	struct walk w = {a, text, 0, text.n, SPAN_NONE};

	while (w.at < text.n && w.wrong.p == NULL) {
		char c = text.p[w.at];

		if (strchr("*+?{", c) != NULL && c != '\0') {
			walk_repeat(&w);
			continue;
		}
		w.repeat = text.n;
		if (c == '\\' && w.at + 1 < text.n)
			walk_escape(&w);
		else if (c == '[') {
			w.at++;
			if (w.at < w.text.n && w.text.p[w.at] == '^')
				w.at++;
			if (w.at < w.text.n)
				walk_member(&w); /* also if it is a bracket */
			while (w.at < w.text.n && w.text.p[w.at] != ']' &&
			    w.wrong.p == NULL)
				walk_member(&w);
			w.at++;
		} else if (c == '(') {
			/* Groups that RE2 has not: look-around, atomic,
			 * recursion. */
			static const char *const known[] = {"(?=", "(?!", "(?>",
			    "(?<=", "(?<!", "(?#", "(?R", "(?|"};

			for (size_t i = 0; i < COUNT(known); i++) {
				size_t n = strlen(known[i]);

				if (w.text.n - w.at >= n &&
				    memcmp(w.text.p + w.at, known[i], n) == 0)
					w.wrong = arena_printf(w.arena,
					    "invalid or unsupported Perl "
					    "syntax: `%s`",
					    n > 3 ? "(?<" : known[i]);
			}
			w.at++;
		} else
			w.at++;
	}
	return w.wrong;
}

/* The message of Go where it has another wording than PCRE. */
static struct span
explain(struct arena *a, struct span text, int error, size_t at)
{
	PCRE2_UCHAR message[200];
	size_t from = at > text.n ? text.n : at;
	const char *p;

	switch (error) {
	case 101:
		return arena_printf(
		    a, "trailing backslash at end of expression: ``");
	case 106:
		return arena_printf(
		    a, "missing closing ]: `%.*s`", SPAN_ARG(text));
	case 114:
		return arena_printf(
		    a, "missing closing ): `%.*s`", SPAN_ARG(text));
	case 122:
		return arena_printf(a, "unexpected ): `%.*s`", SPAN_ARG(text));
	case 147:
		while (from > 0 && (from == text.n || text.p[from] != '\\'))
			from--;
		p = text.p + from;
		class_char(&p, text.p + text.n);
		return arena_printf(a, "invalid character class range: `%.*s`",
		    (int)(p - text.p - (ptrdiff_t)from), text.p + from);
	default:
		pcre2_get_error_message(error, message, sizeof message);
		return arena_printf(
		    a, "%s: `%.*s`", (char *)message, SPAN_ARG(text));
	}
}

struct span
pattern_error(struct arena *a, struct span text)
{
	struct arena scratch = ARENA_INIT;
	pcre2_general_context *g =
	    pcre2_general_context_create(give, take, &scratch);
	struct span what = unsupported(a, text);
	PCRE2_SIZE at = 0;
	int error = 0;

	if (what.p == NULL && compile(g, text, &error, &at) == NULL)
		what = explain(a, text, error, at);
	arena_release(&scratch);
	if (what.p == NULL)
		return SPAN_NONE;
	return arena_printf(a, "error parsing regexp: %.*s", SPAN_ARG(what));
}
