/*
 * crashes: no stage ends but by the fault, and none says that it has a bug
 * (invariant "crash"): signals and exit codes, the words of sanitizers and
 * assertions, "bug:", and the exit code of the whole.
 */
#ifndef CRASHES_H
#define CRASHES_H

#include "oracle/played.h"
#include "oracle/violations.h"

void crashes_check(const struct played *p, struct violations *f);

#endif
