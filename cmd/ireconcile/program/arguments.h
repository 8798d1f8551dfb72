/*
 * arguments: the input of a call of a program, as texts on their way to the
 * worker, which parses them and makes the call (see worker.h).
 *
 * The process that holds the objects keeps and sends them as text. Each text is
 * sent once in an evaluation, with the first call that needs it: the worker
 * keeps the parsed values, under the numbers that the sender gave them.
 */
#ifndef ARGUMENTS_H
#define ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <jv.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "value/digest.h"

/* The parts of the texts below. */
enum arguments_part {
	ARGUMENTS_WHOLE,   /* the text of `.`, without other parts */
	ARGUMENTS_PRIMARY, /* text of the object */
	ARGUMENTS_RELATED, /* a key of .related; then its objects */
	ARGUMENTS_OWNED,   /* a key of .owned; then its objects */
	ARGUMENTS_OBJECT,
	ARGUMENTS_OPERATOR,    /* text of .operator */
	ARGUMENTS_LOOPS,       /* text of .loops */
	ARGUMENTS_OUTSTANDING, /* text of an element of .outstanding */
	ARGUMENTS_PLAN	       /* text of .plan */
};

/* Appends a part. */
void arguments_add(struct buf *b, enum arguments_part part, struct span bytes);

/* Texts that the worker keeps. A new base drops the others, which came with the
 * old one. */
enum arguments_text {
	ARGUMENTS_TEXT_BASE,	/* whole, or primary, related, operator */
	ARGUMENTS_TEXT_OWNED,	/* .owned */
	ARGUMENTS_TEXT_OUTCOME, /* .loops and .outstanding */
	ARGUMENTS_TEXT_PLAN,	/* .plan */
	ARGUMENTS_TEXTS
};

/* The key from which random(SEED; LENGTH) makes its texts: one for each
 * primary, so that a worker never has that of another one. */
enum random_key_state { RANDOM_OFF, RANDOM_LACKS_KEY, RANDOM_READY };
struct random_key {
	enum random_key_state state;
	unsigned char bytes[DIGEST_SIZE]; /* RANDOM_READY */
};

enum {
	ARGUMENTS_HAS_OWNED = 1,
	ARGUMENTS_HAS_NOW = 2,
	ARGUMENTS_HAS_OUTCOME = 4,
	ARGUMENTS_HAS_PLAN = 8
};
struct arguments {
	unsigned has; /* ARGUMENTS_HAS_... */
	double now;
	struct random_key random;
	/* With an outcome: .error as plain text, not JSON; without p: null. */
	struct span error;
	/* Borrowed. The worker keeps a text as long as its number does not
	 * change; 0: it is not kept. */
	struct {
		uint64_t id;
		struct span text;
	} texts[ARGUMENTS_TEXTS];
};

/* A number for a text that was not used before. */
uint64_t arguments_id(void);

/* Appends the input as one line of JSON. -1 with err: see jvtext_add. */
int arguments_print(
    const struct arguments *input, struct buf *out, struct err *err);

/* ---- the worker's side ---- */

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
