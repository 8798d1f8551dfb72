/*
 * inputof: prints, for --input-of, the input that a program gets for one
 * primary at the end of ireconcile's input.
 *
 * KEY is KIND/NAMESPACE/NAME, or KIND/NAME of a cluster-scoped kind; KIND may
 * have its group, as in keys of items: Thing.example.com.
 */
#ifndef INPUTOF_H
#define INPUTOF_H

#include "base/err.h"
#include "reconciler.h"

/* -1 with err: no entry has primaries of this kind, or the key has too many
 * parts, or too few. */
int inputof_check(const struct reconciler *r, const char *key, struct err *err);

/* Prints a line for each entry that has the primary. -1: there is none, or the
 * input was bad or cut short; that is logged. */
int inputof_print(struct reconciler *r, const char *key);

#endif
