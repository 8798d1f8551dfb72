/*
 * onerror: the message of a failed apply, which the program's status gets as
 * `.error`.
 *
 * `status` is called before an apply, with a placeholder, and kapply fills in
 * the message. Then the message is read from the observed status, and the
 * program is called with it: a status that depends on the message is written
 * next.
 */
#ifndef ONERROR_H
#define ONERROR_H

#include <stdbool.h>
#include <jv.h>

#define ONERROR_PLACEHOLDER "${error}"

/*
 * Whether the observed status is this onError with another message than *told
 * (owned, or NULL); if so, *told becomes that message. texts: the bits of
 * agree_template.
 */
bool onerror_learn(
    char **told, jv on_error_peek, jv observed_peek, unsigned texts);
void onerror_forget(char **told);

/* status (consumed) with the placeholder in each place of told; returned
 * owned. */
jv onerror_blank(const char *told, jv status);

#endif
