/*
 * verdict: decides on the exit code at the end of the input.
 *
 * A replay that is a test (--must-answer) must have shown something: the input
 * was whole, without a gap, it had a primary, and each program that was asked
 * gave an answer at least once that does not depend on hidden values
 * (hiddenreads.h). Else the code is VERDICT_UNKNOWN, and the log says why.
 *
 * If the input ended by itself, as in a dry run, primaries that another
 * instance holds give VERDICT_NO: nothing is known about them.
 */
#ifndef VERDICT_H
#define VERDICT_H

#include "reconciler.h"

/* VERDICT_NO: something failed, or differs. VERDICT_UNKNOWN: nothing can be
 * concluded. The numbers are those of diff(1). */
enum { VERDICT_YES = 0, VERDICT_NO = 1, VERDICT_UNKNOWN = 2 };

int verdict(const struct reconciler *r, bool must_answer);

#endif
