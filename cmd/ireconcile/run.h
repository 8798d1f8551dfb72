/*
 * run: between program.c, which compiles and calls, and result.c, which
 * checks what came out. Nobody else includes it.
 */
#ifndef RUN_H
#define RUN_H

#include "program.h"

/* The one output in *result, owned; jv_invalid() if there was none. Consumes
 * input. */
int run_program(struct program *p, enum program_call call, jv input,
    const char *about, jv *result, struct err *err);

unsigned run_desired_reads(const struct program *p);

#endif
