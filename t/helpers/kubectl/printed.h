/*
 * printed: objects on standard output, as -o says.
 */
#ifndef PRINTED_H
#define PRINTED_H

#include "kubectl/session.h"
#include "kubectl/target.h"

/* An object, or a List. kind may be NULL: the objects say theirs. -1: refused.
 * Ends the process at a format that is not here. */
int printed_value(
    struct session *s, const struct offer *kind, struct node *value);
/* The Table that the server makes of path. */
int printed_table(struct session *s, const char *path);

#endif
