/*
 * leaks: no value of a Secret is in a log line, nor in an object that the
 * operator writes and that is not a Secret (invariant "secret"), unless it is at
 * the same place in a clean record: then it is meant to be there.
 *
 * Values: all of at least eight bytes in data and stringData of the Secrets of
 * the record, as they are, and data as base64, too. A message never holds one.
 */
#ifndef LEAKS_H
#define LEAKS_H

#include "oracle/played.h"
#include "oracle/violations.h"

struct leaks;

/* Borrows both. */
struct leaks *leaks_new(const struct played *clean, const struct played *other);
void leaks_free(struct leaks *g);
void leaks_check(
    const struct leaks *g, const struct played *p, struct violations *f);

#endif
