/*
 * jqlex: the tokens of a jq program, for checks of its text before jq compiles
 * it: includes, reserved names, function definitions.
 *
 * It knows the lexical grammar that jq 1.6 to 1.8 have in common (strings with
 * \( ) in them, comments, .fields, $variables) and refuses text that one of
 * them reads in another way: a comment that ends in a backslash, a lone
 * carriage return, `...`, `1.2.3`.
 */
#ifndef JQLEX_H
#define JQLEX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/span.h"

enum jqlex_type {
	JQLEX_WORD,	/* a name or keyword, also with "::" */
	JQLEX_FIELD,	/* .name; text without the dot */
	JQLEX_VARIABLE, /* $name; text without the dollar */
	JQLEX_STRING,	/* a string without \( ): text between its quotes */
	JQLEX_PIECE,	/* a piece of a string: up to a \( or the last " */
	JQLEX_OPEN,	/* ( [ { and \( */
	JQLEX_CLOSE,	/* ) ] } */
	JQLEX_NUMBER,	/* whole, without a sign */
	JQLEX_FORMAT,	/* @name */
	JQLEX_OTHER	/* an operator, whole */
};

struct jqlex_token {
	enum jqlex_type type;
	char c;		  /* first byte; in a string, that behind the quote */
	struct span text; /* borrowed from the source */
	int line;	  /* 1 = first */
	int inside;	  /* index of the bracket around it, -1: none */
};

struct jqlex {
	struct jqlex_token *tokens; /* owned */
	int count;
};

/* Errors ("LINE: message" with name before it): a string or bracket that is
 * not closed. */
int jqlex_read(
    struct jqlex *lex, const char *name, struct span text, struct err *err);
void jqlex_release(struct jqlex *lex);

bool jqlex_is(
    const struct jqlex *lex, int i, enum jqlex_type type, const char *text);
/* Whether token i is the name of a key in an object: {name: 1}, {name}. */
bool jqlex_is_key(const struct jqlex *lex, int i);
/* Whether token i is a keyword that a term follows. */
bool jqlex_is_joint(const struct jqlex *lex, int i);
/* Whether a term starts at token i and does not continue the one before. */
bool jqlex_starts_term(const struct jqlex *lex, int i);

/* The bracket that the one at `close` closes; -1: none. */
int jqlex_opener(const struct jqlex *lex, int close);
/* The bracket that closes the one at `open`. */
int jqlex_closer(const struct jqlex *lex, int open);

/* Token i is = |= += ..., but no comparison. */
bool jqlex_is_update(const struct jqlex *lex, int i);

#endif
