/*
 * violations: what an oracle says of a record: a list of violations.
 */
#ifndef VIOLATIONS_H
#define VIOLATIONS_H

#include <jv.h>

#include "base/span.h"

enum { VIOLATIONS_MAX = 40 }; /* of one record; what is beyond is left out */

struct violations {
	jv list; /* owned */
};

/* object: "Deployment default/a"; absent: the record as a whole. */
void violations_add(struct violations *f, const char *invariant,
    struct span object, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
