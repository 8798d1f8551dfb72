/*
 * foreign: what others made is neither changed nor deleted by the operator,
 * beyond what a clean record shows (invariant "foreign"). Of a primary its
 * status, its finalizers and kpipe's annotations are the operator's. And an
 * object of one primary that lives does not become another one's.
 */
#ifndef FOREIGN_H
#define FOREIGN_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct foreign;

/* Borrows both. */
struct foreign *foreign_new(
    const struct played *clean, const struct played *other);
void foreign_free(struct foreign *g);
void foreign_check(
    const struct foreign *g, const struct played *p, struct violations *f);

#endif
