/*
 * author: the rules of a scenario that are jq (invariant "author"), compiled
 * once.
 *
 *	{"always": NAME, "jq": TEXT}	gets the array of all objects, after each
 *					change
 *	{"history": NAME, "jq": TEXT}	gets the array of all changes, as they are
 *					in the record
 *
 * true is right. A text is what the violation says; an error, anything else and
 * nothing are wrong, too.
 */
#ifndef AUTHOR_H
#define AUTHOR_H

#include "base/err.h"
#include "oracle/played.h"
#include "oracle/violations.h"

struct author;

/* Borrows the rules; others than these are ignored. NULL with err: a program is
 * wrong. */
struct author *author_new(jv rules_peek, struct err *err);
void author_free(struct author *a);
void author_check(
    const struct author *a, const struct played *p, struct violations *f);

#endif
