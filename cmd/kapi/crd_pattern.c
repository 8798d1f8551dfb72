#include "crd_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <string.h>

enum { STEPS_MAX = 1000000 };

struct pattern {
	struct arena *arena;
	struct span text;
	bool compiled;
	pcre2_code *code; /* NULL: not compiled, or it cannot be */
	pcre2_match_context *context;
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
compile(pcre2_general_context *g, struct span text, int *error)
{
	pcre2_compile_context *c = pcre2_compile_context_create(g);
	PCRE2_SIZE at;

	/* Go's $ is the end of the text, never before a last newline. */
	return pcre2_compile((PCRE2_SPTR)text.p, text.n,
	    PCRE2_UTF | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C, error,
	    &at, c);
}

static void
pattern_compile(struct pattern *p)
{
	pcre2_general_context *g =
	    pcre2_general_context_create(give, take, p->arena);
	int error;

	p->compiled = true;
	p->code = compile(g, p->text, &error);
	if (p->code == NULL)
		return;
	p->context = pcre2_match_context_create(g);
	pcre2_set_match_limit(p->context, STEPS_MAX);
}

bool
pattern_matches(const struct pattern *pattern, struct span text)
{
	struct pattern *p = (struct pattern *)pattern;
	pcre2_match_data *m;
	int found;

	if (!p->compiled)
		pattern_compile(p);
	if (p->code == NULL)
		return false;
	/* From malloc, not from the arena: it is freed again. */
	m = pcre2_match_data_create(1, NULL);
	if (m == NULL)
		return false;
	found = pcre2_match(p->code, (PCRE2_SPTR)(text.p ? text.p : ""), text.n,
	    0, 0, m, p->context);
	pcre2_match_data_free(m);
	return found >= 0;
}

/* Perl's groups that RE2 has not: "(?=", "(?!", "(?<=", "(?<!", "(?>". */
static struct span
perl_group(struct span s, size_t at)
{
	static const char *const known[] = {
	    "(?=", "(?!", "(?>", "(?<=", "(?<!"};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		size_t n = strlen(known[i]);

		if (s.n - at >= n && memcmp(s.p + at, known[i], n) == 0)
			return span_make(s.p + at, n < 3 ? n : 3);
	}
	return SPAN_NONE;
}

/* The first thing that PCRE knows and RE2 does not, as Go names it. */
static struct span
unsupported(struct arena *a, struct span s)
{
	for (size_t i = 0; i < s.n; i++) {
		struct span g;

		if (s.p[i] == '\\' && i + 1 < s.n) {
			if (s.p[i + 1] >= '1' && s.p[i + 1] <= '9')
				return arena_printf(a,
				    "invalid escape sequence: `\\%c`",
				    s.p[i + 1]);
			i++;
			continue;
		}
		g = perl_group(s, i);
		if (g.n > 0)
			return arena_printf(a,
			    "invalid or unsupported Perl syntax: `%.*s`",
			    SPAN_ARG(g));
	}
	return SPAN_NONE;
}

/* The message of Go where it has another wording than PCRE. */
static struct span
explain(struct arena *a, struct span text, int error)
{
	PCRE2_UCHAR message[200];

	switch (error) {
	case 106:
		return arena_printf(
		    a, "missing closing ]: `%.*s`", SPAN_ARG(text));
	case 114:
		return arena_printf(
		    a, "missing closing ): `%.*s`", SPAN_ARG(text));
	case 122:
		return arena_printf(a, "unexpected ): `%.*s`", SPAN_ARG(text));
	case 101:
		return arena_printf(
		    a, "trailing backslash at end of expression: ``");
	case 109:
		return arena_printf(a,
		    "missing argument to repetition operator: `%.*s`",
		    text.n > 0 ? 1 : 0, text.p);
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
	int error = 0;

	if (what.p == NULL && compile(g, text, &error) == NULL)
		what = explain(a, text, error);
	arena_release(&scratch);
	if (what.p == NULL)
		return SPAN_NONE;
	return arena_printf(a, "error parsing regexp: %.*s", SPAN_ARG(what));
}
