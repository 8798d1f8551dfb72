/*
 * onerror: the message of a failed apply, which the program's status gets as
 * `.error`.
 *
 * `status` is called before an apply, with a placeholder, and kapply fills in
 * the message. It is read from the observed status then, so that the program
 * is called with it: a status that depends on the message is written next.
 */
#ifndef ONERROR_H
#define ONERROR_H

#include <stdbool.h>
#include <jv.h>

#include "state/primary.h"

#define ONERROR_PLACEHOLDER "${error}"

/*
 * Whether the observed status is this onError with another message than
 * p->told_error, which becomes that one. texts: of agree_template.
 */
bool onerror_learn(
    struct primary *p, jv on_error_peek, jv observed_peek, unsigned texts);
void onerror_forget(struct primary *p);

/* status (consumed) with the placeholder in each place of p->told_error;
 * returned owned. */
jv onerror_blank(const struct primary *p, jv status);

#endif
