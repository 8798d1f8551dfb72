/*
 * jqcompile: jq_compile, with a choice among jq's own definitions.
 *
 * libjq has a third of its functions in jq (`def map(f): [.[] | f];`). Each
 * jq_compile reads their text, binds each of them and each function in C to
 * all others and to the program, and drops nearly all again: with 1.6 that is
 * 171 million instructions for the program `.`, and 9 million without the text.
 *
 * libjq reads a text with jq_yy_scan_bytes (of flex), which it exports, and
 * calls as other programs would. Ours stands before it and hands on the text
 * that `pick` gives. If a libjq does not call it that way, it reads all of its
 * definitions, and nothing else is different.
 */
#ifndef JQCOMPILE_H
#define JQCOMPILE_H

#include <jq.h>

#include "base/buf.h"
#include "base/span.h"

/* Appends to out the definitions of `all`, jq's own, that the program needs.
 * False: they cannot be found out. */
typedef bool jqcompile_pick(
    struct span all, struct span program, struct buf *out);

/* jq_compile with pick (NULL for all definitions): 0 if the program was
 * refused. The program has no `import` and no `include`, and there is no
 * ~/.jq. */
int jqcompile(jq_state *jq, const char *program, jqcompile_pick *pick);
/* jq_compile_args with pick. args, taken, has the values of the program's
 * variables. */
int jqcompile_args(
    jq_state *jq, const char *program, jv args, jqcompile_pick *pick);

#endif
