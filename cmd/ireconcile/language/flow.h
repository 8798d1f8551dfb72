/*
 * flow: what `.` is in a program, by the text alone: at each node of a
 * definition (jqnode.dot) the input of that definition, perhaps that, or
 * something else.
 *
 * Behind a pipe `.` is something else. It is perhaps the input in an update, in
 * and behind a local function or a `catch`, and in an argument that the called
 * function may evaluate with another input. A function keeps `.` for an
 * argument (jqparse_def.keeps) if all its calls of that parameter stand where
 * `.` is its own input.
 */
#ifndef FLOW_H
#define FLOW_H

#include "language/source.h"

/* All files are added. */
void flow_mark(const struct source *s);

/* All calls in the definition's own text of what has this name (a parameter, or
 * the function itself) stand where `.` is its input. */
bool flow_keeps(const struct source_file *f, const struct jqparse_def *def,
    struct span name);

#endif
