/*
 * flow: finds out by the text of a program what `.` is: at each node of a
 * definition (jqnode.dot) the input of that definition, perhaps that input, or
 * something else.
 *
 * Behind a pipe `.` is something else, unless `select` or the library's `need`
 * is before it. `.` is perhaps the input in an update,
 * in and behind a local function or a `catch`, and in an argument that the
 * called function may evaluate with another input. A function keeps `.` for an
 * argument (jqparse_def.keeps) if all its calls of that parameter stand where
 * `.` is its own input.
 */
#ifndef FLOW_H
#define FLOW_H

#include "language/source.h"

/* Sets jqnode.dot in all files, and jqparse_def.keeps. Call it when all files
 * are added. */
void flow_mark(const struct source *s);

/* Whether all calls of `name` (a parameter, or the function itself) in the text
 * of the definition stand where `.` is its input. */
bool flow_keeps(const struct source_file *f, const struct jqparse_def *def,
    struct span name);

#endif
