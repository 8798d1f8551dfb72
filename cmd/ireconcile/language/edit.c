#include "language/edit.h"

#include "base/mem.h"

void
edit_before(struct jqparse *parse, int token, const char *text)
{
	struct jqparse_edit *e = &parse->edits[token];

	e->before = arena_printf(
	    &parse->arena, "%s%s", text, e->before != NULL ? e->before : "")
			.p;
}

void
edit_instead(struct jqparse *parse, int token, const char *text)
{
	parse->edits[token].instead = arena_str(&parse->arena, span_str(text));
}

void
edit_wrap(struct jqparse *parse, int from, int to, const char *first,
    const char *last)
{
	struct jqparse_edit *e = &parse->edits[to - 1];

	edit_before(parse, from, first);
	e->behind = arena_printf(
	    &parse->arena, "%s%s", e->behind != NULL ? e->behind : "", last)
			.p;
}

void
edit_use(struct jqparse *parse, struct span name, int arity, int token)
{
	parse->uses = mem_grow(
	    parse->uses, (size_t)parse->use_count, sizeof(*parse->uses));
	parse->uses[parse->use_count++] =
	    (struct jqparse_use){name, arity, token};
}

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
edit_write(const struct jqparse *parse, const struct jqlex *lex, int from,
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
