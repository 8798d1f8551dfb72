/*
 * jqparse: the grammar of a program, over the tokens of jqlex.
 *
 * The grammar is that of jq 1.8. Where an older libjq reads the same text in
 * another way, or lacks something, its text is changed: jqparse notes what to
 * put before, behind or in place of a token (see jqparse_write). No text moves
 * to another line. The changes:
 *
 *	- TERMS THAT 1.6 KNOWS ONLY AS EXPRESSIONS, and what `as` binds, get
 *	  brackets: if, reduce, foreach, try, -x, x?, {a: 1 + 2}, {$x: 1}
 *	- `if` without `else` gets one; a.["b"] loses its dot
 *	- numbers are written as doubles print: 1.10 is 1.1
 *	- a computed index goes through _jq_index, a bound of a slice through
 *	  _jq_bound, `error` to _jq_raise (see prelude.c)
 *	- `debug` becomes `(.)`, or a call of _jq_debug with its place
 *	- try and `?` become: try (E | _jq_end) catch (_jq_caught | H). In libjq
 *	  1.6 a try also catches errors behind it. _jq_end, which is behind
 *	  E, marks such an error, and _jq_caught lets it pass, unmarked. So E
 *	  stays lazy, and both work in paths.
 *
 * It also notes the functions that are defined on the top level, and their
 * calls of functions that they do not define themselves.
 */
#ifndef JQPARSE_H
#define JQPARSE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "libjq/jqlex.h"

/* A call of a function that is not defined around the call. */
struct jqparse_use {
	struct span name;
	int arity;
	int token;
};

/* A definition on the top level. */
struct jqparse_def {
	struct span name;
	int arity;
	int from, to; /* tokens: def, and the closing ; */
	int first_use, end_use;
};

struct jqparse_edit;

struct jqparse {
	struct jqparse_def *defs; /* owned */
	int def_count;
	struct jqparse_use *uses; /* owned; text order */
	int use_count;
	struct jqparse_edit *edits; /* owned; by token */
	int debug;		    /* the first call of debug; -1: none */
};

enum jqparse_what {
	JQPARSE_FILE,	   /* definitions, from token `from` on */
	JQPARSE_EXPRESSION /* one expression: no definition, all uses */
};

/* How the text is read. JQPARSE_TRUSTED: our own library, whose indices are all
 * whole numbers. */
enum jqparse_trust { JQPARSE_STRANGE, JQPARSE_TRUSTED };

/* Whether the text for libjq says where it is (see language/spot.h). */
enum { JQPARSE_NO_SPOTS = -1 };

struct jqparse_as {
	enum jqparse_what what;
	enum jqparse_trust trust;
	int from;
	long spots;  /* number of the first token's spot; or no spots */
	bool debugs; /* `debug` hands its input to C; false: it does nothing */
};

/* Errors: "NAME:LINE: message". */
int jqparse_read(struct jqparse *parse, const struct jqlex *lex,
    const char *name, const struct jqparse_as *as, struct err *err);
void jqparse_release(struct jqparse *parse, const struct jqlex *lex);

/* The first token behind the colon of a definition. */
int jqparse_body(const struct jqlex *lex, const struct jqparse_def *def);

/*
 * Appends the tokens from..to - 1 as libjq gets them, with all line breaks of
 * the text from `at` to the last one, without comments. Returns the place in
 * the text where it ended.
 */
const char *jqparse_write(const struct jqparse *parse, const struct jqlex *lex,
    int from, int to, const char *at, struct buf *out);

#endif
