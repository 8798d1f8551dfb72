/*
 * evaluator: runs programs in other processes; this is the caller's side.
 *
 * There are three processes: the caller, which holds objects, decides and
 * writes; a zygote, forked from the caller when all programs are compiled
 * (zygote.h); and a worker, forked from the zygote, which runs the programs
 * (worker.h). A worker that ends for any reason is replaced, and the caller
 * learns how it ended. Nothing else is lost.
 *
 * The time of a call is CPU time of the worker, so that no program fails
 * because the machine is busy. One call at a time; one evaluator in a process.
 */
#ifndef EVALUATOR_H
#define EVALUATOR_H

#include <stdint.h>

#include "base/err.h"
#include "base/span.h"
#include "process/sandbox.h"
#include "program/arguments.h"

/*
 * Forks the zygote, which has all programs that exist by then; a second call
 * starts a new one. Call it before the caller has a thread or a sandbox. Zygote
 * and worker enter a sandbox as mode says; the caller, which enters one itself,
 * reports why there is none. -1 with err.
 */
int evaluator_start(enum sandbox_mode mode, struct err *err);
void evaluator_stop(void);
/* The number of programs of the zygote; 0: it was not started. */
uint32_t evaluator_programs(void);

enum evaluator_how {
	EVALUATOR_DONE,	  /* the answer is from jvwire_add; empty: no output */
	EVALUATOR_FAILED, /* the answer is a message for users */
	EVALUATOR_FAILED_SOMEWHERE, /* a message; the call can be traced */
	EVALUATOR_TIME,
	EVALUATOR_MEMORY,
	EVALUATOR_STACK,
	EVALUATOR_KILLED, /* twice, and not by us */
	EVALUATOR_CRASHED,
	EVALUATOR_GONE /* the zygote has ended */
};
struct evaluator_end {
	enum evaluator_how how;
	char why[32];	 /* EVALUATOR_CRASHED: "SIGABRT" */
	uint32_t debugs; /* bytes of debugs.h at the end of the answer */
};

struct evaluator_request {
	uint32_t program, call;
	const struct arguments *input;
	uint64_t time_limit_ms;
	bool trace; /* the call failed, and its message is to say where */
};

/*
 * answer: borrowed until the next call. A call that ends a used worker is tried
 * once more in a fresh one, so that no call fails because of damage by another
 * one.
 */
void evaluator_ask(const struct evaluator_request *q, struct span *answer,
    struct evaluator_end *end);

/* CPU time of all workers so far. */
uint64_t evaluator_cpu_us(void);

#endif
