#include "language/builtins.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "language/jqlex.h"

struct definition {
	struct span name, text;
	bool needed;
};

struct builtins {
	struct definition *list; /* owned; as in the text */
	int count;
};

static bool
is_semicolon(const struct jqlex_token *t)
{
	return t->type == JQLEX_OTHER && span_is(t->text, ";");
}

static void
add(struct builtins *b, struct span name, const char *from, const char *to)
{
	b->list = mem_grow(b->list, (size_t)b->count, sizeof(*b->list));
	b->list[b->count++] = (struct definition){
	    .name = name, .text = span_make(from, (size_t)(to - from))};
}

/* Definitions within one come before its body: each `def` outside of brackets
 * has its own semicolon there. */
static bool
split(struct builtins *b, const struct jqlex *lex)
{
	int from = 0;
	int open = 0;

	for (int i = 0; i < lex->count; i++) {
		const struct jqlex_token *t = &lex->tokens[i];

		if (t->inside >= 0)
			continue;
		if (jqlex_is(lex, i, JQLEX_WORD, "def")) {
			if (open++ == 0)
				from = i;
		} else if (open == 0) {
			return false;
		} else if (is_semicolon(t) && --open == 0) {
			add(b, lex->tokens[from + 1].text,
			    lex->tokens[from].text.p, t->text.p + 1);
		}
	}
	return open == 0;
}

static bool
is_of_word(char c)
{
	return span_is_alnum(c) || c == '_';
}

static void want_words(struct builtins *b, struct span text);

static void
want(struct builtins *b, struct span name)
{
	for (int i = 0; i < b->count; i++) {
		if (b->list[i].needed || !span_eq(b->list[i].name, name))
			continue;
		b->list[i].needed = true;
		want_words(b, b->list[i].text);
	}
}

static void
want_words(struct builtins *b, struct span text)
{
	const char *end = text.p + text.n;

	for (const char *p = text.p; p < end;) {
		const char *from = p;

		while (p < end && is_of_word(*p))
			p++;
		if (p > from)
			want(b, span_make(from, (size_t)(p - from)));
		else
			p++;
	}
}

/* The parsers of 1.6 to 1.8 call these for operators, `..`, texts and `break`.
 * (A name that is missing here costs a second compilation, no more.) */
static const char called[] = "_assign _modify _negate _plus _minus _multiply "
			     "_divide _mod _equal error format recurse";

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
split_text(struct builtins *b, struct span text)
{
	struct err err = ERR_INIT;
	struct jqlex lex;
	bool good;

	if (jqlex_read(&lex, "builtins", text, &err) != 0)
		return false;
	good = split(b, &lex);
	jqlex_release(&lex);
	return good;
}

bool
builtins_pick(struct span all, struct span program, struct buf *out)
{
	struct builtins b = {0};
	struct buf text = BUF_INIT;
	bool good;

	copy_as_program(all, &text);
	good = split_text(&b, buf_span(&text));
	if (good) {
		want_words(&b, span_str(called));
		want_words(&b, program);
	}
	for (int i = 0; good && i < b.count; i++) {
		const struct definition *d = &b.list[i];

		if (!d->needed)
			continue;
		buf_add(out, all.p + (d->text.p - text.data), d->text.n);
		buf_addc(out, '\n');
	}
	buf_release(&text);
	free(b.list);
	return good;
}
