/*
 * arguments: the texts of a call's input (program.h) on their way to the
 * worker, which makes values of them.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include "program/program.h"

/* The head of a request. Behind it come the texts that are sent, then the
 * error. */
struct arguments_head {
	uint32_t program, call;
	uint32_t has;
	uint32_t comes; /* bits by enum arguments_text; the others are kept */
	uint32_t n[ARGUMENTS_TEXTS]; /* bytes */
	uint32_t error, has_error;
	uint32_t trace; /* not 0: the call failed, and is to say where */
	int32_t cpu;	/* where the caller runs; -1: unknown */
	double now;
	struct random_key random;
};

/* The values that a worker keeps; invalid: none. */
struct arguments_kept {
	jv values[ARGUMENTS_TEXTS];
};

/*
 * The input, owned. jv_invalid() with err: something cannot be parsed.
 */
jv arguments_make(struct arguments_kept *kept,
    const struct arguments_head *head, const char *body, struct err *err);

#endif
