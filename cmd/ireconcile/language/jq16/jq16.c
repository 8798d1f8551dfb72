#include "language/jq16/jq16.h"

#include "base/buf.h"
#include "language/edit.h"

const char *
jq16_variable(struct span name, const char *says)
{
	if (says == NULL && jqparse_is_keyword(name))
		return "$%.*s: a keyword cannot name a variable in libjq 1.6";
	return says;
}

static void
remove_dots(
    struct jqparse *parse, const struct jqlex *lex, const struct jqnode *term)
{
	for (const struct jqnode *k = term->kids->next; k != NULL; k = k->next)
		if (jqlex_is(lex, k->from, JQLEX_OTHER, ".") &&
		    jqlex_is(lex, k->from + 1, JQLEX_OPEN, "["))
			edit_instead(parse, k->from, " ");
}

static void
key(struct jqparse *parse, const struct jqlex *lex, const struct jqnode *member)
{
	const struct jqlex_token *t = &lex->tokens[member->token];
	struct buf quoted = BUF_INIT;

	if (t->type == JQLEX_VARIABLE && member->value != NULL)
		edit_wrap(parse, member->token, member->token + 1, "(", ")");
	if (t->type != JQLEX_WORD || member->value != NULL ||
	    !jqparse_is_keyword(t->text))
		return;
	buf_addf(&quoted, "\"%.*s\"", SPAN_ARG(t->text));
	edit_instead(parse, member->token, buf_str(&quoted));
	buf_release(&quoted);
}

void
jq16_rewrite(
    struct jqparse *parse, const struct jqlex *lex, const struct jqnode *n)
{
	if (n->type == JQNODE_IF && n->value == NULL)
		edit_before(parse, n->to - 1, "else . ");
	else if (n->type == JQNODE_TERM)
		remove_dots(parse, lex, n);
	else if (n->type == JQNODE_MEMBER)
		key(parse, lex, n);
}

void
jq16_bound(
    struct jqparse *parse, const struct jqnode *n, const struct jqnode *bound)
{
	if (n->type != JQNODE_SLICE)
		return;
	edit_wrap(parse, bound->from, bound->to, "(", ") | _jq_bound");
	edit_use(parse, span_str("_jq_bound"), 0, bound->from);
}

void
jq16_try(struct jqparse *parse, int from, int to)
{
	edit_wrap(parse, from, to, "(", " | _jq_end)");
	edit_use(parse, span_str("_jq_end"), 0, from);
}
