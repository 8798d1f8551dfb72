/*
 * hiddenreads: tells whether the decision of a program about a primary may
 * depend on values that the input has only as digests (record/redacted.h). The
 * decision with the real values is then not known.
 *
 * A decision may depend on them if an object that the program gets has a member
 * with nothing but digests below it, as the data of a Secret, and the program's
 * text looks into members of that name (language/looks.h). A value that is only
 * passed on does not matter: it is the same digest in the decision.
 */
#ifndef HIDDENREADS_H
#define HIDDENREADS_H

#include <stdbool.h>

#include "state/primary.h"

/* Only for a replay; p has an object. */
bool hiddenreads(const struct primary *p);

#endif
