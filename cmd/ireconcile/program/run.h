/*
 * run: the inside of a program, for program.c, which composes and compiles
 * it, run.c and worker.c, which call it on either side, and result.c and
 * items.c, which check the results. No other file includes it.
 */
#ifndef RUN_H
#define RUN_H

#include <jq.h>

#include "base/buf.h"
#include "language/looks.h"
#include "language/sees.h"
#include "language/source.h"
#include "trace/debugs.h"
#include "program/program.h"

struct program {
	char *name; /* owned: the file, for messages */
	uint32_t number;
	bool spare; /* loaded for a process that is forked later */
	struct source source;
	unsigned desired_reads;
	uint64_t time_limit_ms;
	size_t memory_limit;
	const char *expression;
	bool defines[PROGRAM_CALLS];
	struct sees sees[PROGRAM_CALLS];  /* only if defines[call] */
	struct looks looks;		  /* see program_looks_into */
	struct buf places[PROGRAM_CALLS]; /* "reconcile.jq:3: plan" */
	bool needs_zones;
	jq_state *jq;	      /* NULL: compiled only in the other process */
	jq_state *traced;     /* with spots; NULL: not needed yet */
	struct trail *trail;  /* while a call is traced; or NULL */
	jv reply;	      /* result of _call, until `input` fetches it */
	jv raised;	      /* the last argument of error(), or ours */
	bool author_raised;   /* the program's own error() raised */
	struct debugs debugs; /* lines of the present call */
	enum program_call running;
	struct random_key random; /* for the present call */
	bool shows_debugs;	  /* the caller logs lines of `debug` */
	bool prints_debugs;	  /* and the program may write some */
	struct buf complaints;	  /* messages of the compiler, NUL after each */
};

/* The names of the functions in the text, by enum program_call. */
extern const char *const program_names[PROGRAM_CALLS];
const char *run_name(const struct program *p, enum program_call call);
/* run_name with the place of the definition in front, for messages that have no
 * place. The program must define the function. */
const char *run_place(struct program *p, enum program_call call);

/* Whether desiredReads says what the function sees. */
static inline bool
run_has_reads(enum program_call call)
{
	return call == PROGRAM_DESIRED || call == PROGRAM_PLAN;
}

/* Makes p->jq; reads no file. -1 with p->complaints filled. */
int program_compile(struct program *p, struct err *err);
/* Makes p->traced, and changes p->source for that. */
int program_compile_traced(struct program *p, struct err *err);

/*
 * Refuses names in the text that cannot be meant, as far as that is certain
 * (language/reads.h): a function that is called nowhere, and whose name is
 * almost that of an entry point. (If the program has that entry point as well,
 * the name is only logged.) -1 with err "FILE:LINE: message".
 */
int program_check_functions(const struct program *p, struct err *err);
/* Logs entry points that the program's own file defines twice. */
void program_warn_twice(const struct program *p);

/* Calls so far that ended at a limit, and that crashed in jq. */
struct program_losses {
	uint64_t limited;
	uint64_t crashed;
};
struct program_losses program_losses(void);

/* All programs have a number, by which a worker finds them. */
void run_register(struct program *p);
void run_forget(struct program *p);
struct program *run_find(uint32_t number); /* NULL: none */

/* The one output in *result, owned; jv_invalid() if there was none. */
int run_program(struct program *p, enum program_call call,
    const struct arguments *input, const char *about, jv *result,
    struct err *err);

/* "reconcile.jq:3: desired" and what. Always -1. */
int run_fail(struct program *p, enum program_call call, const char *what,
    struct err *err);
/* "reconcile.jq:3: status gives a text, not an object". Consumes value; always
 * -1. */
int run_refuse(struct program *p, enum program_call call, jv value,
    const char *wanted, struct err *err);

#endif
