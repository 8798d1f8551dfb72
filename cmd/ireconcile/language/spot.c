#include "language/spot.h"

#include "process/file.h"

enum { TOKENS = 1 << 21 }; /* more than a file can have */

long
spot_first(int file)
{
	return (long)file * TOKENS;
}

bool
spot_find(const struct source *s, long number, struct spot *spot)
{
	long file = number / TOKENS;
	long token = number % TOKENS;

	if (number < 0 || file >= s->count || token >= s->files[file].lex.count)
		return false;
	*spot = (struct spot){&s->files[file], (int)token};
	return true;
}

long
spot_number(const struct source *s, const struct spot *spot)
{
	return spot_first((int)(spot->file - s->files)) + spot->token;
}

int
spot_define(struct buf *text)
{
	buf_adds(text,
	    "def _jq_at($n): ([$n, .] | debug) as $_ | .;\n"
	    "def _jq_right($n): ([$n, ., true] | debug) as $_ | .;\n"
	    "def _jq_back($n): ([$n] | debug) as $_ | .;\n");
	return 3;
}

const char *
spot_file(const struct spot *spot)
{
	return file_base(spot->file->path);
}

int
spot_line(const struct spot *spot)
{
	return spot->file->lex.tokens[spot->token].line;
}

struct span
spot_definition(const struct spot *spot)
{
	const struct jqparse *parse = &spot->file->parse;

	for (int i = 0; i < parse->def_count; i++)
		if (spot->token >= parse->defs[i].from &&
		    spot->token < parse->defs[i].to)
			return parse->defs[i].name;
	return span_make("", 0);
}

struct span
spot_operator(const struct spot *spot)
{
	const struct jqlex_token *t = &spot->file->lex.tokens[spot->token];

	if (t->type == JQLEX_OTHER && t->text.n == 1 &&
	    memchr("+-*/%", t->c, 5) != NULL)
		return t->text;
	return span_make("", 0);
}

static bool
passes(const struct jqlex *lex, int i)
{
	return jqlex_is(lex, i, JQLEX_OTHER, "|") ||
	    jqlex_is(lex, i, JQLEX_OTHER, "?") ||
	    jqlex_is(lex, i, JQLEX_OPEN, "(") ||
	    jqlex_is(lex, i, JQLEX_CLOSE, ")");
}

bool
spot_before(const struct spot *spot, struct spot *before)
{
	const struct jqlex *lex = &spot->file->lex;
	int i = spot->token - 1;

	/* The dot of .["a"]. */
	if (jqlex_is(lex, spot->token, JQLEX_OPEN, "[") &&
	    jqlex_is(lex, i, JQLEX_OTHER, ".") && i > 0 &&
	    lex->tokens[i - 1].type != JQLEX_OTHER)
		i--;
	while (passes(lex, i))
		i--;
	if (jqlex_is(lex, i, JQLEX_STRING, NULL) &&
	    jqlex_is(lex, i - 1, JQLEX_OTHER, "."))
		i--;
	else if (jqlex_is(lex, i, JQLEX_CLOSE, "]"))
		i = jqlex_opener(lex, i);
	else if (!jqlex_is(lex, i, JQLEX_FIELD, NULL))
		return false;
	*before = (struct spot){spot->file, i};
	return i >= 0;
}

enum spot_key
spot_key(const struct spot *spot, struct span *key)
{
	const struct jqlex *lex = &spot->file->lex;
	int i = spot->token;

	*key = lex->tokens[i].text;
	if (lex->tokens[i].type == JQLEX_FIELD)
		return SPOT_KEY_NAME;
	if (lex->tokens[i].c == '[' && !jqlex_is(lex, i + 2, JQLEX_CLOSE, "]"))
		return SPOT_KEY_UNKNOWN;
	if (i + 1 >= lex->count)
		return SPOT_KEY_UNKNOWN;
	*key = lex->tokens[i + 1].text;
	if (lex->tokens[i + 1].type == JQLEX_STRING &&
	    span_find(*key, '\\') == NULL)
		return SPOT_KEY_NAME;
	if (lex->tokens[i + 1].type == JQLEX_NUMBER)
		return SPOT_KEY_INDEX;
	return SPOT_KEY_UNKNOWN;
}
