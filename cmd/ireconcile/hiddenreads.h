/*
 * hiddenreads: whether what a program decides about a primary may depend on
 * values that the input has only as digests (record/redacted.h). In their place
 * it cannot be known what it would decide.
 *
 * That is so if an object that the program gets has a member with nothing but
 * digests below it, as the data of a Secret, and the program's text looks into
 * members of that name (language/looks.h). What is only passed on is a digest
 * in the decision, and known as well as in the input.
 */
#ifndef HIDDENREADS_H
#define HIDDENREADS_H

#include <stdbool.h>

#include "state/primary.h"

/* In a replay; p has an object. */
bool hiddenreads(const struct primary *p);

#endif
