/*
 * source: the text of a program as jq gets it, composed of
 *
 *	prelude | libraries, in the order of their includes | the author's text
 *
 * each on lines of its own, so that a line number from jq leads back to file
 * and line. Files of `include "NAME";` at the top of a file are put in by this
 * module and not by jq. So nothing depends on jq's search path, and all
 * versions do the same: a later definition hides an earlier one of that name,
 * from there on. (In jq 1.6 the first of two included definitions would win.)
 *
 * jqparse reads each file and gives the text for libjq. This module looks up
 * the calls: each must be of a definition of the program, of the prelude, or
 * allowed (guards.h). Of a library from one of dirs, only the definitions that
 * are called are put in, because compiling takes time.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "language/jqparse.h"
#include "libjq/jqlex.h"

struct source_file {
	char *path; /* owned */
	char *text; /* owned; leading directives blanked out */
	struct jqlex lex;
	struct jqparse parse;
	enum jqparse_what what;
	enum jqparse_trust trust; /* found in one of dirs */
	int body;		  /* the token behind its directives */
	int first_line;		  /* in the composed text */
	int lines;
};

struct source {
	struct buf text;	   /* owned: see source_compose */
	struct source_file *files; /* owned, in the order of the text */
	int count;
	int lines; /* lines of text */
	bool traced;
	bool debugs;		 /* set before a file is added: see jqparse.h */
	const char *const *dirs; /* borrowed, until it is composed */
};

void source_init(struct source *s);
void source_release(struct source *s);

/*
 * Adds a file, and before it its includes, found beside the file or in one of
 * dirs (NULL-terminated). Errors: "FILE:LINE: message"; also for a reserved
 * name, and for anything but definitions on the file's top level.
 */
int source_add_file(struct source *s, const char *path, const char *const *dirs,
    struct err *err);

/* Adds an expression for which no file exists; name is for messages. It
 * becomes the function _map. */
int source_add_expression(
    struct source *s, const char *name, const char *text, struct err *err);

/* Looks all calls up and makes the text. Errors: "FILE:LINE: message". */
int source_compose(struct source *s, struct err *err);

/* source_compose once more, with spots (language/spot.h) in the text. No error
 * is expected. */
int source_trace(struct source *s, struct err *err);

/* The file that calls `debug` first, and the line; NULL: none does. */
const struct source_file *source_debug(const struct source *s, int *line);

/* Whether the library of kpipe, which need not be included, has a function of
 * this name; only before source_compose. */
bool source_library_has(const struct source *s, struct span name);
/* Whether the program has a function of this name, of any arity. */
bool source_has_function(const struct source *s, struct span name);

/* A definition of the program. */
struct source_def {
	const struct source_file *file;
	const struct jqparse_def *def; /* NULL: there is none */
};
/* The definition that a call in definition `def` of the file means: the last of
 * that name above, or def itself. def NULL: the call is below all of the
 * file. */
struct source_def source_find_def(const struct source *s,
    const struct source_file *file, const struct jqparse_def *def,
    struct span name, int arity);

/* The definition behind this one in the text; behind SOURCE_START the first
 * one, and def NULL behind the last one. */
struct source_def source_next(const struct source *s, struct source_def at);
#define SOURCE_START ((struct source_def){NULL, NULL})

/* The definition of this name without parameters that counts, the last one. */
struct source_def source_find_entry(const struct source *s, const char *name);

/* The file from which a line of the composed text comes, and *file_line there;
 * NULL: our own text. */
const struct source_file *source_locate(
    const struct source *s, int line, int *file_line);

/* Whether the program's text has this word (as field, string, key or name). If
 * so, it need not be a secret of an object. */
bool source_has_word(const struct source *s, struct span word);

#endif
