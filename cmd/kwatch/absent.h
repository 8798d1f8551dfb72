/*
 * absent: what operands name and the server does not have. Only --once says so:
 * without it the object may still come.
 */
#ifndef ABSENT_H
#define ABSENT_H

#include "app.h"

/* Logs it, after the initial state: an error for each operand whose object is
 * not there (the run has failed), and a line if the others found nothing. */
void absent_say(struct kwatch *app);

#endif
