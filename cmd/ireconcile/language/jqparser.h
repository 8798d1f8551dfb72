/*
 * jqparser: the inside of jqparse. jqparse.c knows expressions and
 * definitions, jqterm.c terms, jqtext.c tokens and the text in their place. No
 * other file includes it.
 *
 * After an error the parser is behind the last token, so that every function
 * may go on, and all loops end.
 */
#ifndef JQPARSER_H
#define JQPARSER_H

#include "language/jqparse.h"

enum { JQPARSER_DEPTH_MAX = 1500 };

/* Text that is written around a token. */
struct jqparse_edit {
	char *before, *instead, *behind; /* owned; NULL: nothing */
};

/* A function that may be called; a list, the innermost first. */
struct jqscope {
	const struct jqscope *up;
	struct span name;
	int arity;
};

struct jqparser {
	struct jqparse *parse;
	const struct jqlex *lex;
	const char *name;
	struct err *err;
	enum jqparse_trust trust;
	long spots;
	bool debugs;
	struct span top; /* the definition of the top level; or empty */
	int at;		 /* the next token */
	int depth;
	bool failed; /* err is set, and at is behind the last token */
};

/* A parsed expression: its tokens, and whether libjq 1.6 takes it as a term. */
struct jqpart {
	int from, to;
	bool term;
};

/* jqtext.c */

/* format has one %.*s, for what, or none. */
void jqparser_fail_at(
    struct jqparser *p, int token, const char *format, struct span what);
void jqparser_fail(struct jqparser *p, const char *message);
void jqparser_unexpected(struct jqparser *p);
/* Token i; behind the last one, an empty one. */
const struct jqlex_token *jqparser_token(const struct jqparser *p, int i);
bool jqparser_next(
    const struct jqparser *p, enum jqlex_type type, const char *text);
bool jqparser_accept(
    struct jqparser *p, enum jqlex_type type, const char *text);
void jqparser_expect(
    struct jqparser *p, enum jqlex_type type, const char *text);

void jqparser_before(struct jqparser *p, int token, const char *text);
void jqparser_instead(struct jqparser *p, int token, const char *text);
void jqparser_wrap(struct jqparser *p, struct jqpart part, const char *before,
    const char *behind);
void jqparser_wrap_unless_term(struct jqparser *p, struct jqpart part);

bool jqparser_is_keyword(struct span word);
/* Refuses a::b. */
void jqparser_plain_name(struct jqparser *p, int token);
void jqparser_variable(struct jqparser *p);
void jqparser_use(struct jqparser *p, struct span name, int arity, int token);

/* A number; $__loc__: its place in the author's file. */
void jqparser_number(struct jqparser *p);
void jqparser_location(struct jqparser *p);
/* A call of debug, with a message or without. */
void jqparser_debug(struct jqparser *p, int token, int arity);

/* jqspot.c: nothing happens unless the text shall have spots
 * (language/spot.h). */

/* Where the operands begin that are to the left of the next operator. */
struct jqspots {
	int sum, product;
};
/* Of token `at`, next being behind it. */
void jqparser_spot_operator(
    struct jqparser *p, struct jqspots *spots, int at, struct jqpart next);
/* `part as` a pattern, which is next, takes members of part. */
void jqparser_spot_pattern(struct jqparser *p, struct jqpart part);
/* A field or string that begins a term. */
void jqparser_spot_start(struct jqparser *p, int at);
/* An index, or the like, at token `at`, of the part before it. */
void jqparser_spot_access(struct jqparser *p, int from, int at);
/* An index that is computed; bracket: its [. */
void jqparser_spot_index(struct jqparser *p, struct jqpart part, int bracket);
/* A call; an argument of it. */
void jqparser_spot_call(struct jqparser *p, struct jqpart part);
void jqparser_spot_argument(struct jqparser *p, struct jqpart part, int call);
/* The token `at` makes a key or a text of what part gives, or negates it. */
void jqparser_spot_use(struct jqparser *p, struct jqpart part, int at);

/* jqterm.c */
struct jqpart jqparser_term(struct jqparser *p, const struct jqscope *scope);
void jqparser_patterns(struct jqparser *p, const struct jqscope *scope);

/* jqparse.c */
struct jqpart jqparser_query(struct jqparser *p, const struct jqscope *scope);
struct jqpart jqparser_expression(
    struct jqparser *p, const struct jqscope *scope);

#endif
