/*
 * echoed: what a container prints whose command is echo with plain text, by
 * itself or in a shell. Nothing is executed.
 */
#ifndef ECHOED_H
#define ECHOED_H

#include "base/arena.h"
#include "base/span.h"
#include "tree/tree.h"

/* The output of the container of that name, with its end of line. SPAN_NONE:
 * the command is another one, has options, or a shell would have to work
 * (variables, pipes, several commands). */
struct span echoed_text(
    struct arena *a, const struct node *pod, struct span container);

#endif
