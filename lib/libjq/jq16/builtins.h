/*
 * builtins: compiles a program with those of jq's own definitions that it
 * needs.
 *
 * libjq has a third of its functions in jq (`def map(f): [.[] | f];`). Each
 * jq_compile reads their text, binds each of them and each function in C to
 * all others and to the program, and drops nearly all again: with 1.6 that is
 * 171 million instructions for the program `.`, and 9 million without the text.
 *
 * libjq reads a text with jq_yy_scan_bytes (of flex), which it exports, and
 * calls as other programs would. Ours stands before it and hands on the text
 * that is needed. If a libjq does not call it that way, it reads all of its
 * definitions, and nothing else is different.
 *
 * A definition is needed if the program, or another one that is needed, calls
 * its name with as many arguments, and the program has not defined that itself
 * before; or if an operator calls it (`|=`, `..`). A named call that is not
 * found costs a second compilation, with all; in 1.6 one that the compiler makes
 * ends the process.
 */
#ifndef BUILTINS_H
#define BUILTINS_H

#include <stdbool.h>
#include <jq.h>

#include "base/buf.h"
#include "base/span.h"

/* Appends the definitions of `all` that the program needs to out, in their
 * order. False: all is not a list of definitions. */
typedef bool builtins_picker(
    struct span all, struct span program, struct buf *out);
bool builtins_pick(struct span all, struct span program, struct buf *out);

/* jq_compile_args; jq_compile if args, taken, are invalid. */
int builtins_compile(
    jq_state *jq, const char *program, jv args, builtins_picker *pick);

#endif
