/*
 * source: the text of a program as jq gets it, composed of
 *
 *	prelude | libraries, in the order of their includes | the author's text
 *
 * each on lines of its own, so that a line number of jq's leads back to file
 * and line. What `include "NAME";` at the top of a file names is put in here
 * and not by jq: so nothing depends on jq's search path, and both 1.6 (where
 * of two included definitions the first wins) and newer ones do the same: a
 * later definition hides an earlier one of that name, from there on.
 *
 * jqparse reads each file and says what libjq gets in place of what is
 * written. Here the calls are looked up: every one is of a definition of the
 * program, of the prelude, or free (guards.h). Of a library that was found in
 * one of dirs, only what is called is put in: compiling takes time.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "language/jqlex.h"
#include "language/jqparse.h"

struct source_file {
	char *path; /* owned */
	char *text; /* owned; leading directives blanked out */
	struct jqlex lex;
	struct jqparse parse;
	enum jqparse_what what;
	enum jqparse_trust trust; /* found in one of dirs */
	int first_line;		  /* in the composed text */
	int lines;
};

struct source {
	struct buf text;	   /* owned: see source_compose */
	struct source_file *files; /* owned, in the order of the text */
	int count;
	int lines; /* of text */
};

void source_init(struct source *s);
void source_release(struct source *s);

/*
 * Adds a file and before it what it includes, found beside the file or in
 * one of dirs (NULL-terminated). Errors: "FILE:LINE: message"; also for a
 * reserved name, and for anything but definitions on the file's top level.
 */
int source_add_file(struct source *s, const char *path, const char *const *dirs,
    struct err *err);

/* Adds an expression for which no file exists; name is for messages. It
 * becomes the function _map. */
int source_add_expression(
    struct source *s, const char *name, const char *text, struct err *err);

/* Looks all calls up and makes the text. Errors: "FILE:LINE: message". */
int source_compose(struct source *s, struct err *err);

/* Is there a function of this name without parameters? */
bool source_defines(const struct source *s, const char *name);

/* Which file a line of the composed text belongs to, and that line in it;
 * NULL: ours. */
const struct source_file *source_locate(
    const struct source *s, int line, int *file_line);

/*
 * Does function `name`, or a function of the program that it may call, read
 * the input's member `field`? Then file and line of the place are in *file
 * and *line. A judgement by names: `.owned` counts where a term starts.
 */
bool source_reads(const struct source *s, const char *name, const char *field,
    const struct source_file **file, int *line);

/* Does the program's text hold this word (as field, string, key or name)? So
 * it is not a value out of an object. */
bool source_has_word(const struct source *s, struct span word);

#endif
