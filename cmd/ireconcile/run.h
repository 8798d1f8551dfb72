/*
 * run: the inside of a program, for program.c, which composes and compiles
 * it, run.c, which calls it, and result.c, which checks what came out. Nobody
 * else includes it.
 */
#ifndef RUN_H
#define RUN_H

#include <jq.h>

#include "bounds.h"
#include "buf.h"
#include "program.h"
#include "source.h"

struct program {
	char *name; /* owned: the file, for messages */
	struct source source;
	unsigned desired_reads;
	struct bounds bounds;
	bool defines[PROGRAM_CALLS];
	jq_state *jq;	       /* NULL: to be compiled again */
	jv reply;	       /* of _call, until `input` fetches it */
	jv raised;	       /* what error() of the program was last given */
	struct buf complaints; /* of the compiler, NUL after each */
};

/* What the functions are called in the text, by enum program_call. */
extern const char *const run_names[PROGRAM_CALLS];

/* Makes p->jq; reads no file. -1 with p->complaints filled. */
int run_compile(struct program *p, struct err *err);

/* The one output in *result, owned; jv_invalid() if there was none. Consumes
 * input. */
int run_program(struct program *p, enum program_call call, jv input,
    const char *about, jv *result, struct err *err);

#endif
