#include "libjq/jq16/builtins.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "libjq/jqlex.h"

struct definition {
	struct span name;
	int arity;
	int from, to; /* tokens: `def` and behind its last `;` */
	bool needed;
};

struct definitions {
	struct jqlex lex;
	struct definition *list; /* owned; as in the text */
	int count;
};

static bool
is_semicolon(const struct jqlex *lex, int i)
{
	return jqlex_is(lex, i, JQLEX_OTHER, ";");
}

/* The number of arguments of the call or definition whose name is token i. */
static int
arity(const struct jqlex *lex, int i)
{
	int open = i + 1, n = 1;

	if (!jqlex_is(lex, open, JQLEX_OPEN, "("))
		return 0;
	for (int k = open + 1; k < jqlex_closer(lex, open); k++)
		n += lex->tokens[k].inside == open && is_semicolon(lex, k);
	return n;
}

/*
 * Lists the definitions outside of brackets. Those within one come before its
 * body: each `def` has its own semicolon there. False: there is other text as
 * well, or one has no end.
 */
static bool
list_definitions(struct definitions *d)
{
	struct definition *last = NULL;
	int open = 0;
	bool alone = true;

	for (int i = 0; i < d->lex.count; i++) {
		if (d->lex.tokens[i].inside >= 0)
			continue;
		if (jqlex_is(&d->lex, i, JQLEX_WORD, "def")) {
			if (open++ > 0)
				continue;
			d->list = mem_grow(
			    d->list, (size_t)d->count, sizeof(*d->list));
			last = &d->list[d->count++];
			*last = (struct definition){
			    .name = d->lex.tokens[i + 1].text,
			    .arity = arity(&d->lex, i + 1),
			    .from = i,
			    .to = d->lex.count};
		} else if (open == 0) {
			alone = false;
		} else if (is_semicolon(&d->lex, i) && --open == 0) {
			last->to = i + 1;
		}
	}
	return alone && open == 0;
}

static bool
is_named(const struct definition *d, struct span name, int n)
{
	return d->arity == n && span_eq(d->name, name);
}

/* Whether a definition of the name begins before token i. */
static bool
is_defined(const struct definitions *d, struct span name, int n, int i)
{
	for (int k = 0; k < d->count && d->list[k].from < i; k++)
		if (is_named(&d->list[k], name, n))
			return true;
	return false;
}

/* Marks what tokens of a text, of libjq or of a program, need. */
static void want_uses(struct definitions *builtins,
    const struct definitions *text, int from, int to);

/* 1.6 has sub/2 twice: calls before and behind the second differ. */
static void
want(struct definitions *builtins, struct span name, int n)
{
	for (int i = 0; i < builtins->count; i++) {
		struct definition *d = &builtins->list[i];

		if (d->needed || !is_named(d, name, n))
			continue;
		d->needed = true;
		want_uses(builtins, builtins, d->from, d->to);
	}
}

/* A call at token i of text. */
static void
call(struct definitions *builtins, const struct definitions *text, int i,
    struct span name, int n)
{
	if (text == builtins || !is_defined(text, name, n, i))
		want(builtins, name, n);
}

static void
want_uses(struct definitions *builtins, const struct definitions *text,
    int from, int to)
{
	const struct jqlex *lex = &text->lex;

	for (int i = from; i < to; i++) {
		if (jqlex_is(lex, i, JQLEX_OTHER, ".."))
			call(builtins, text, i, span_str("recurse"), 0);
		else if (jqlex_is(lex, i, JQLEX_OTHER, "="))
			call(builtins, text, i, span_str("_assign"), 2);
		else if (jqlex_is_update(lex, i))
			call(builtins, text, i, span_str("_modify"), 2);
		else if (lex->tokens[i].type == JQLEX_WORD &&
		    !jqlex_is(lex, i - 1, JQLEX_WORD, "def") &&
		    !jqlex_is_key(lex, i))
			call(builtins, text, i, lex->tokens[i].text,
			    arity(lex, i));
	}
}

/* The compilers of 1.6 to 1.8 call these functions as well, for `catch`,
 * operators, `break` and texts. All but `error` are in C there. */
static void
want_always(struct definitions *builtins)
{
	static const char *const called[] = {"error/0", "format/1", "_negate/0",
	    "_plus/2", "_minus/2", "_multiply/2", "_divide/2", "_mod/2",
	    "_equal/2", "_notequal/2", "_less/2", "_lesseq/2", "_greater/2",
	    "_greatereq/2"};

	for (size_t i = 0; i < COUNT(called); i++) {
		size_t n = strlen(called[i]) - 2;

		want(builtins, span_make(called[i], n), called[i][n + 1] - '0');
	}
}

/* A copy of jq's own text in which `$$$$v`, which is for jq alone (the variable
 * is null afterwards), is `$v`; each byte stays at its place. */
static void
copy_as_program(struct span all, struct buf *out)
{
	static const char taken[] = "$$$$";
	char *p;

	buf_addspan(out, all);
	buf_addc(out, '\0');
	for (p = out->data; (p = strstr(p, taken)) != NULL;)
		memset(p, ' ', sizeof(taken) - 2);
	out->len--;
}

static bool
read_text(struct definitions *d, const char *name, struct span text)
{
	struct err err = ERR_INIT;

	*d = (struct definitions){0};
	return jqlex_read(&d->lex, name, text, &err) == 0;
}

static void
release(struct definitions *d)
{
	jqlex_release(&d->lex);
	free(d->list);
}

bool
builtins_pick(struct span all, struct span program, struct buf *out)
{
	struct definitions builtins, text;
	struct buf copy = BUF_INIT;
	bool good;

	copy_as_program(all, &copy);
	good = read_text(&builtins, "builtins", buf_span(&copy)) &&
	    list_definitions(&builtins);
	good = read_text(&text, "program", program) && good;
	if (good) {
		list_definitions(&text);
		want_always(&builtins);
		want_uses(&builtins, &text, 0, text.lex.count);
	}
	for (int i = 0; good && i < builtins.count; i++) {
		const struct definition *d = &builtins.list[i];
		const struct jqlex_token *t = builtins.lex.tokens;
		const char *from = t[d->from].text.p;

		if (!d->needed)
			continue;
		buf_add(out, all.p + (from - copy.data),
		    (size_t)(t[d->to - 1].text.p + 1 - from));
		buf_addc(out, '\n');
	}
	buf_release(&copy);
	release(&builtins);
	release(&text);
	return good;
}

/* ---- the compiler ---- */

typedef void *scan_bytes(const char *bytes, int n, void *scanner);

static struct {
	scan_bytes *scan; /* libjq's own */
	struct span program;
	builtins_picker *pick; /* NULL: nothing is compiled now */
} now;

/* In the place of libjq's function of this name. */
__attribute__((visibility("default"))) scan_bytes jq_yy_scan_bytes;

void *
jq_yy_scan_bytes(const char *bytes, int n, void *scanner)
{
	struct span text = span_make(bytes, n > 0 ? (size_t)n : 0);
	struct buf needed = BUF_INIT;
	void *buffer;

	if (now.scan == NULL)
		now.scan = (scan_bytes *)dlsym(RTLD_NEXT, "jq_yy_scan_bytes");
	/* libjq, which called this function, has its own. */
	if (now.scan == NULL)
		abort();
	if (now.pick == NULL || span_eq(text, now.program) ||
	    !now.pick(text, now.program, &needed))
		buffer = now.scan(bytes, n, scanner);
	else
		buffer = now.scan(buf_str(&needed), (int)needed.len, scanner);
	buf_release(&needed);
	return buffer;
}

int
builtins_compile(
    jq_state *jq, const char *program, jv args, builtins_picker *pick)
{
	int compiled;

	now.program = span_str(program);
	now.pick = pick;
	compiled = jv_is_valid(args) ? jq_compile_args(jq, program, args)
				     : jq_compile(jq, program);
	now.pick = NULL;
	return compiled;
}
