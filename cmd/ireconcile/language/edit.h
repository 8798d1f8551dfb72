/*
 * edit: changes of a program's text for libjq. They are noted by token while
 * the syntax tree is walked, and take effect when the text is written. No text
 * moves to another line.
 */
#ifndef EDIT_H
#define EDIT_H

#include "base/buf.h"
#include "base/span.h"
#include "language/jqparse.h"
#include "libjq/jqlex.h"

/* Puts text before the token, and before what was put there already. */
void edit_before(struct jqparse *parse, int token, const char *text);
/* Puts text in the place of the token. */
void edit_instead(struct jqparse *parse, int token, const char *text);
/* Puts texts before and behind the tokens from..to - 1, around those that were
 * put there already. */
void edit_wrap(struct jqparse *parse, int from, int to, const char *first,
    const char *last);

/* Notes that the text calls this function. name: borrowed. */
void edit_use(struct jqparse *parse, struct span name, int arity, int token);

/*
 * Appends the tokens from..to - 1 as libjq gets them, with all line breaks of
 * the text from `at` to the last one, without comments. Returns the place in
 * the text where it ended.
 */
const char *edit_write(const struct jqparse *parse, const struct jqlex *lex,
    int from, int to, const char *at, struct buf *out);

#endif
