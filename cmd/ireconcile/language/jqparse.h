/*
 * jqparse: the grammar of a program, over the tokens of jqlex: its syntax tree,
 * and the text that libjq gets.
 *
 * The grammar is that of jq 1.8. The tree is as in the text: operators are not
 * sorted by precedence, parentheses are nodes.
 *
 * Where an older libjq reads the same text in another way, or lacks something,
 * its text is changed (jqrewrite.c): the tree tells what to put before, behind
 * or in place of a token (see edit.h). No text moves to another line.
 * The changes:
 *
 *	- terms that 1.7 knows only as expressions, and what `as` binds, get
 *	  brackets: if, reduce, foreach, try, -x, x?, {a: 1 + 2}
 *	- numbers are written as doubles print: 1.10 is 1.1
 *	- a computed index goes through _jq_index, `error` to _jq_raise (see
 *	  prelude.c)
 *	- `debug` becomes `(.)`, or a call of _jq_debug with its place
 *	- try and `?` become: try E catch (_jq_caught | H). _jq_caught hands on
 *	  a `break`, and hands H other errors without values
 *	- others for libjq 1.6 alone: jq16/jq16.h
 *
 * The functions that are defined on the top level are listed, and their calls
 * of functions that they do not define themselves.
 */
#ifndef JQPARSE_H
#define JQPARSE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "libjq/jqlex.h"

enum jqnode_type {
	/* Queries. */
	JQNODE_QUERY,	  /* two or more; before each but the first a | or , */
	JQNODE_BIND,	  /* kids: what is bound, a pattern, the rest */
	JQNODE_LABEL,	  /* kid: the rest; token: the variable */
	JQNODE_LOCAL,	  /* token: a name; kids: its definition, the rest */
	JQNODE_OPERATORS, /* two or more terms; before each but the first one
			     an operator */

	/* Terms. */
	JQNODE_NEGATE, /* kid: a term */
	JQNODE_TERM,   /* kids: a primary, accesses and ? */

	/* Primaries. */
	JQNODE_DOT, /* no token of its own: the `.` of .a */
	JQNODE_RECURSE,
	JQNODE_VARIABLE,
	JQNODE_LOCATION, /* $__loc__ */
	JQNODE_NUMBER,
	JQNODE_STRING, /* kids: the queries in it; from: perhaps a format */
	JQNODE_FORMAT, /* a format without a string */
	JQNODE_CONSTANT,
	JQNODE_CALL, /* token: the name; kids: the arguments */
	JQNODE_BREAK,
	JQNODE_IF,   /* kids: condition, result, ...; value: result of else */
	JQNODE_LOOP, /* reduce, foreach: kids: source, pattern, start, ... */
	JQNODE_TRY,  /* kids: a term, perhaps a second for its errors */
	JQNODE_PAREN,
	JQNODE_ARRAY,
	JQNODE_OBJECT, /* kids: members */
	JQNODE_MEMBER, /* token: its key; kids: a key that is computed, value */

	/* Accesses, and ?. */
	JQNODE_NAME, /* .a ."a" ["a"] without escapes; token: the name */
	JQNODE_EACH, /* [] */
	JQNODE_INDEX,
	JQNODE_SLICE, /* kids: the bounds that it has */
	JQNODE_TEXT,  /* ."a\(1)", or with escapes */
	JQNODE_OPTIONAL,

	/* Patterns. */
	JQNODE_BOUND,	       /* a variable */
	JQNODE_PATTERN_ARRAY,  /* kids: patterns */
	JQNODE_PATTERN_OBJECT, /* kids: keys */
	JQNODE_PATTERN_KEY     /* like JQNODE_MEMBER; value: a pattern */
};

/* The meaning of `.` at a node, as the text tells; see flow.h. */
enum jqnode_dot { JQNODE_OTHER, JQNODE_PERHAPS, JQNODE_INPUT };

struct jqnode {
	enum jqnode_type type;
	int token;
	int from, to; /* tokens of the node; to is behind the last */
	struct jqnode *kids, *next;
	struct jqnode *up;    /* whose kid it is; NULL: a whole body */
	struct jqnode *value; /* points to one of kids; or NULL */
	struct jqnode *after; /* the node that ends next in the text */
	bool local; /* a call of a parameter, or of a function around it */
	enum jqnode_dot dot;
};

/* A call of a function that is not defined around the call. */
struct jqparse_use {
	struct span name;
	int arity;
	int token;
};

/* A definition on the top level; or an expression: one without a name. */
struct jqparse_def {
	struct span name;
	int arity;
	int from, to;	      /* tokens: from `def` to behind the closing ; */
	struct jqnode *first; /* first node, in the order of jqnode.after */
	struct jqnode *body;  /* the last node in that order */
	int first_use, end_use;
	unsigned keeps; /* bits by parameter: see flow.h */
};

/* Text that is written around a token. */
struct jqparse_edit {
	const char *before, *instead, *behind; /* NULL: nothing */
};

struct jqparse {
	struct jqparse_def *defs; /* owned */
	int def_count;
	struct arena arena;	     /* memory of nodes and edits */
	struct jqnode *nodes, *last; /* in the order of their ends */
	struct jqparse_use *uses;    /* owned */
	int use_count;
	struct jqparse_edit *edits; /* by token */
	int debug;		    /* the first call of debug; -1: none */
};

enum jqparse_what {
	JQPARSE_FILE,	   /* definitions, from token `from` on */
	JQPARSE_EXPRESSION /* one expression */
};

/* The author of the text. JQPARSE_TRUSTED: our own library, whose indices are
 * all whole numbers. */
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
void jqparse_release(struct jqparse *parse);

bool jqparse_is_keyword(struct span word);
/* Whether the string at a token names a member as it stands. */
bool jqparse_is_plain(const struct jqlex *lex, int token);
/* Whether the key of a member, or in a pattern, is a name, a $variable or such
 * a string. */
bool jqparse_is_named(const struct jqlex *lex, const struct jqnode *key);
/* The number of arguments of a call. */
int jqparse_arity(const struct jqnode *call);
/* Whether the sign before a part of a query or of an expression is `sign`. */
bool jqparse_joined(
    const struct jqlex *lex, const struct jqnode *n, const char *sign);

/* Whether one of the uses first..end - 1 is a call of the function. */
bool jqparse_is_used(const struct jqparse *parse, const struct jqparse_def *def,
    int first, int end);

/* Notes the text for libjq, and the uses; once, by jqparse_read. */
void jqparse_rewrite(struct jqparse *parse, const struct jqlex *lex,
    const char *name, const struct jqparse_as *as);

#endif
