/*
 * absent: what operands name and the server does not have. Only --once says so:
 * without it the object may still come. Namespaces with nothing in them are
 * named without it: one that is misspelt would stay silent for ever.
 */
#ifndef ABSENT_H
#define ABSENT_H

#include "app.h"

/* Logs it, after the initial state: an error for each operand whose object is
 * not there (the run has failed), and a line if the others found nothing. */
void absent_say(struct kwatch *app);
/* Logs a line for each list of namespaces in which none of the kinds that are
 * watched there has an object. (The server answers the same for a namespace
 * that does not exist, and to ask for that takes a right of its own.) */
void absent_say_namespaces(const struct kwatch *app);

#endif
