/*
 * crashes: no stage ends but by the fault, and none says that it has a bug
 * (invariant "crash"): signals and exit codes, the words of sanitizers and
 * assertions, "bug:", and the exit code of the whole. Nor does a program end by
 * an error of jq: what it cannot take it refuses with `fail` or `need`.
 */
#ifndef CRASHES_H
#define CRASHES_H

#include "oracle/played.h"
#include "oracle/violations.h"

void crashes_check(const struct played *p, struct violations *f);

#endif
